// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// One long-lived probe shell on a host: brings it to life, asks, and hands whole answers on. Lives
// in the thread of its ShellProvider; owned by Prober. After failed() it can be opened again.

#include "core/probe/answerbuilder.h"
#include "core/probe/frames.h"
#include "core/probe/proberequest.h"
#include "core/probe/sudorefusal.h"

#include <QObject>
#include <QTimer>

#include <chrono>
#include <memory>

namespace pilothouse {

class RemoteShell;
class ShellProvider;

class ProbeChannel final : public QObject
{
    Q_OBJECT
public:
    /// Authorizing: sudo has the word.
    enum class State { Closed, Staging, Authorizing, Starting, Idle, Busy };

    ProbeChannel(ShellProvider &provider, ProbeRole role, ProbeMarker marker, QObject *parent);
    ~ProbeChannel() override;

    [[nodiscard]] State state() const { return m_state; }
    [[nodiscard]] const HostFacts &facts() const { return m_facts; }
    /// What has come of the current or the last answer; may be incomplete.
    [[nodiscard]] const ProbeAnswer &answer() const { return m_decoder.answer(); }
    /// Only while Closed.
    void open(RootWay way, std::chrono::milliseconds limit);
    /// In place of open() and ask(): opens the shell, sends `script` and waits for its one answer, whose frames carry `nonce`
    /// and tick 0. answered() or failed() follows.
    void run(RootWay way, const QByteArray &nonce, const QByteArray &script, std::chrono::milliseconds startLimit,
             std::chrono::milliseconds limit);
    /// The script of run() has left: what fails after that may have happened.
    [[nodiscard]] bool scriptSent() const { return m_scriptSent; }
    /// After passwordWanted(): sudo's password with its line end, or none. Wipes it.
    void givePassword(QByteArray line);
    /// After failed(): why sudo gave no root shell; None where it had no part in that.
    [[nodiscard]] const SudoRefusal &refusal() const { return m_refusal; }
    /// Only while Idle.
    void ask(const ProbeRequest &request, std::chrono::milliseconds limit);
    /// Ends the shell; no signal follows.
    void close();

signals:
    /// Between open() and ready(), at most once: the time limit waits until givePassword() or close().
    void passwordWanted();
    // One of ready() and failed() follows open(); one of answered() and failed() follows ask(). A
    // shell that ends while nothing is asked only changes the state to Closed.
    void ready();
    void answered();
    void failed(const pilothouse::Error &error);

private:
    void takeOutput(const QByteArray &bytes);
    void takeErrors(const QByteArray &bytes);
    void takeEvent(FrameDecoder::Event event);
    void takeReady();
    void takeClosed(int exitStatus, const QString &exitSignal, const Error *error);
    void takeTimeout();
    void giveUp(const Error &error);
    void refuse(SudoRefusal::Kind kind, int exitStatus = -1);
    [[nodiscard]] Error notReady(bool ended) const;
    [[nodiscard]] QString shellWords() const;

    ShellProvider &m_provider;
    const ProbeRole m_role;
    const ProbeMarker m_marker;
    State m_state = State::Closed;
    std::unique_ptr<RemoteShell> m_shell;
    FrameDecoder m_decoder;
    HostFacts m_facts;
    QTimer m_deadline;
    std::chrono::milliseconds m_limit{};
    QByteArray m_errors; // beginning of the shell's standard error
    RootWay m_way = RootWay::None;
    QByteArray m_promptTail; // of standard error, where the prompt may be in two pieces
    int m_prompts = 0;
    qsizetype m_saidBeforePrompt = 0; ///< of m_errors
    SudoRefusal m_refusal;
    bool m_inputClosed = false;
    QByteArray m_script; ///< of run(); empty: the probe's
    QByteArray m_scriptNonce;
    std::chrono::milliseconds m_scriptLimit{};
    bool m_scriptSent = false;
};

} // namespace pilothouse
