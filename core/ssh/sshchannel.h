// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// One session channel: libssh's handle, its callbacks, and what waits in both directions. Driven by the session's pump;
// nothing is emitted from inside libssh. Session's thread; owned by the session, which keeps it beyond its shell until
// the peer has confirmed what is needed to close it (a channel dropped while it opens would stay open on the host).

#include "core/ssh/remoteshell.h"
#include "core/ssh/sessionchannel.h"

#include <QPointer>

#include <deque>
#include <functional>

namespace pilothouse {

class SshShell;

class SshChannel final : public SessionChannel
{
public:
    /// begin() follows when the session is ready. `wake` asks for the pump to run, from the event loop.
    SshChannel(std::shared_ptr<LibsshApi> api, std::function<void()> wake);
    ~SshChannel() override;

    void setShell(SshShell *shell);
    void begin(ssh_session session, Clock::time_point deadline) override;

    void write(const QByteArray &bytes);
    void closeInput();
    void close();
    /// The shell is gone: nothing is delivered any more.
    void abandon();
    [[nodiscard]] qsizetype pendingBytes() const { return m_outgoing.size() - m_sent; }

    void advance(Clock::time_point now) override;
    [[nodiscard]] bool deliver() override;
    void sessionEnded(const Error &error) override;
    [[nodiscard]] std::optional<Clock::time_point> deadline() const override;

    /// Most bytes that libssh is given in one step, so that nobody starves.
    static constexpr qsizetype writeStep = 128 * 1024;

private:
    enum class State { Waiting, Opening, Requesting, Open, Closing, Closed };
    struct Incoming
    {
        RemoteShell::Stream stream;
        QByteArray bytes;
    };

    void installCallbacks();
    void releaseHandle();
    void open();
    void request();
    void writeSome();
    void finish(std::shared_ptr<const Error> error);
    int received(const void *data, quint32 length, bool isError);

    std::shared_ptr<LibsshApi> m_holdsApi;
    LibsshApi &m_api;
    std::function<void()> m_wake;
    QPointer<SshShell> m_shell;
    ssh_channel m_channel = nullptr;
    ssh_channel_callbacks_struct m_callbacks{};
    State m_state = State::Waiting;
    Clock::time_point m_deadline;
    bool m_abandoned = false;
    bool m_openedToEmit = false;
    bool m_closedToEmit = false;
    bool m_remoteClosed = false;
    bool m_inputToClose = false;
    bool m_inputClosed = false;
    QByteArray m_outgoing;
    qsizetype m_sent = 0; ///< of m_outgoing
    std::deque<Incoming> m_incoming;
    int m_exitStatus = -1;
    QString m_exitSignal;
    std::shared_ptr<const Error> m_error;
};

/// What the owner holds. Outlives the session or not: both are safe.
class SshShell final : public RemoteShell
{
    Q_OBJECT
public:
    explicit SshShell(std::shared_ptr<SshChannel> channel);
    ~SshShell() override;

    void write(const QByteArray &bytes) override;
    void closeInput() override;
    void close() override;
    [[nodiscard]] qsizetype pendingBytes() const override;

private:
    std::shared_ptr<SshChannel> m_channel;
};

} // namespace pilothouse
