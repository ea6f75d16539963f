// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The half of a HostLink that lives in the link's thread: attempts to connect, ticks, reconnects. Owns session and
// prober. Made, used and destroyed in that thread by run() of LinkThread.

#include "core/fleet/backoff.h"
#include "core/fleet/cadence.h"
#include "core/fleet/deeplook.h"
#include "core/fleet/httpasker.h"
#include "core/fleet/linkenvironment.h"
#include "core/fleet/linkmessages.h"
#include "core/probe/sudopassword.h"

#include <QElapsedTimer>
#include <QThread>
#include <QTimer>

#include <memory>
#include <optional>

namespace pilothouse {

/// All that a worker needs, copied into its thread.
struct LinkSetup
{
    ConnectionSettings connection;
    ProbeSettings probe;
    LinkEnvironment environment; ///< without its threads
    std::shared_ptr<LinkPort> port;
    Handoff<LinkEvent>::Sender events;
};

/// A failure after which only a person can go on: trying again would be refused again, or be an attack on an account.
[[nodiscard]] bool needsPerson(ErrorCode code);

class LinkWorker final : public QObject
{
    Q_OBJECT
public:
    explicit LinkWorker(LinkSetup setup);
    ~LinkWorker() override;

signals:
    /// After QuitLink, when every session has ended or its time is over.
    void finished();

private:
    void handle(const OpenLink &command);
    void handle(const CloseLink &command);
    void handle(const RetryLink &command);
    void handle(const ResumeLink &command);
    void handle(const RenewLink &command);
    void handle(const HoldLink &command);
    void handle(const ReleaseLink &command);
    void handle(const AnswerLink &command);
    void handle(const SetLinkCadence &command);
    void handle(const SetDeepThreshold &command);
    void handle(const SetLinkProbe &command);
    void handle(const TakeSnapshot &command);
    void handle(const RunAction &command);
    void handle(const AskHttp &command);
    void handle(const EnterGate &command);
    void handle(const QuitLink &command);

    void startAttempt(bool byItself = false);
    void askPerson(const Question &question);
    void waitForOthers(bool waits);
    void startProbing();
    void probingStarted();
    void lose(const Error &error);
    void retryAfter(std::chrono::milliseconds wait, const Error &error);
    void endSession();
    void finishIfDone();
    [[nodiscard]] std::chrono::milliseconds signInLimit() const;

    void takeTick();
    void tickAnswered(const SnapshotPtr &snapshot);
    void tickFailed(const Error &error);
    void scheduleTick();
    void sayInterval();

    void setPhase(LinkState::Phase phase, const QString &words = {}, const std::optional<Error> &error = {});
    void publish(decltype(LinkEvent::what) what);
    void endActions();

    using Phase = LinkState::Phase;
    const LinkSetup m_setup;
    const LinkTimings m_timings;
    ProbeSettings m_probe; // as it is now
    Backoff m_backoff;
    Cadence m_cadence;
    DeepLook m_deepLook;
    QElapsedTimer m_clock;
    LinkState m_state;
    quint64 m_epoch = 0;
    quint64 m_attempt = 0;      // sessions made or waited for; an answer to an older one is stale
    bool m_byItself = false;    // no person asked for this attempt
    bool m_asking = false;
    bool m_personSignedIn = false; // by an answer or a touch: never begun again without a person
    bool m_onTheWay = false;    // a jump host failed, not this host
    bool m_quitting = false;
    int m_closing = 0;          // sessions in their orderly end
    std::optional<qint64> m_connectedAt;
    Depth m_depth = Depth::Light; // of the ticks
    std::optional<Depth> m_wanted;
    bool m_ticking = false;
    qint64 m_tickStart = 0;
    QTimer m_retryTimer;
    QTimer m_tickTimer;
    QTimer m_guardTimer;        // session or prober silent beyond their own deadlines
    QTimer m_placeTimer;
    std::unique_ptr<HandshakeGate::Ticket> m_ticket;
    std::unique_ptr<LinkSession> m_session;
    std::unique_ptr<LinkProber> m_prober;
    std::unique_ptr<ActionRunner> m_actions; // made with the first action of a session
    std::unique_ptr<HttpAsker> m_http;       // made with the first request of a session
    std::shared_ptr<SudoPassword> m_sudoPassword; // outlives connections
    Handoff<LinkCommand> m_commands;
};

class LinkThread final : public QThread
{
public:
    explicit LinkThread(LinkSetup setup);

protected:
    void run() override;

private:
    std::optional<LinkSetup> m_setup;
};

} // namespace pilothouse
