// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What is behind SshSession: the states, their deadlines, and the pump that drives libssh without
// blocking. Lives in the session's thread and is shared only so that a pump on the stack survives
// the destruction of its session.

#include "core/base/result.h"
#include "core/ssh/hostkeycheck.h"
#include "core/ssh/jump/forwardchannel.h"
#include "core/ssh/jump/route.h"
#include "core/ssh/keepalive.h"
#include "core/ssh/signin.h"
#include "core/ssh/socketoptions.h"
#include "core/ssh/sshchannel.h"
#include "core/ssh/sshconnector.h"
#include "core/ssh/sshhandles.h"
#include "core/ssh/sshsession.h"

#include <QSocketNotifier>
#include <QTimer>

namespace pilothouse {

/// The outside of the core: replaced in unit tests. Each calls back later, once, in this thread, unless `context` is
/// gone.
struct SessionSeams
{
    using Resolved = std::function<void(Result<ResolvedHost>)>;
    std::shared_ptr<LibsshApi> api;
    std::function<void(const ConnectionSettings &, QObject *context, Resolved)> resolve;
    std::function<void(const Destination &, QObject *context, SshConnector::Words, SshConnector::Done)> connect;
    /// A route lives no longer than its session, and calls back through its listener.
    std::function<std::unique_ptr<Route>(RouteRequest, RouteListener)> jump;
    std::function<std::unique_ptr<Route>(RouteRequest, RouteListener)> command;

    [[nodiscard]] static SessionSeams real();
};

class SessionCore final : public std::enable_shared_from_this<SessionCore>
{
public:
    using State = SshSession::State;
    /// Called in the session's thread, never from inside libssh. Emptied by abandon().
    struct Listener
    {
        std::function<void(State, const QString &)> stateChanged;
        std::function<void(const Question &)> asked;
        std::function<void(const Error &)> ended;
        std::function<void(bool)> waitsForOthers;
    };

    SessionCore(ConnectionSettings settings, SessionSeams seams, Listener listener);
    ~SessionCore();
    SessionCore(const SessionCore &) = delete;
    SessionCore &operator=(const SessionCore &) = delete;

    void open();
    void close();
    void answer(Answer answer);
    [[nodiscard]] std::unique_ptr<RemoteShell> openShell();
    /// Once ready, through to what the host reaches (forwardchannel.h). Errors: to the listener.
    [[nodiscard]] std::shared_ptr<ForwardChannel> openForward(const WayTarget &target, OwnedDescriptor near,
                                                              ForwardChannel::Listener listener);
    /// The facade is gone: ends everything at once and tells nobody.
    void abandon();

    [[nodiscard]] State state() const { return m_state; }
    [[nodiscard]] const QString &peer() const { return m_peer; }
    /// A jump host on the way failed, and the error names it already.
    [[nodiscard]] bool endedOnTheWay() const { return m_endedOnTheWay; }
    /// A person had to answer something in order to sign in.
    [[nodiscard]] bool neededPerson() const { return m_neededPerson; }

private:
    void enter(State state, const QString &words);
    void say(const QString &words);
    void end(Error error);
    void tellEnd();
    void tearDown();

    void resolved(Result<ResolvedHost> host);
    void connect();
    void connectByRoute(RouteRequest request);
    void waitForOthers(bool waits);
    void routeAsked(Question question);
    void routeDone(Result<Connection> connection);
    void connected(Result<Connection> connection);
    [[nodiscard]] Result<void> makeSession();
    [[nodiscard]] Result<void> setOptions();
    [[nodiscard]] Result<void> setAlgorithms();

    void wake();
    void pump();
    void exchangePackets();
    void advance();
    void exchangeKeys();
    [[nodiscard]] Error handshakeError();
    [[nodiscard]] Error handshakeTimeout() const;
    [[nodiscard]] Error notSsh(const QString &sign = QStringLiteral("does not speak SSH")) const;
    [[nodiscard]] QString lossText() const;
    void checkHostKey();
    void hostKeyAnswered();
    void startSignIn();
    void signIn();
    void ready();
    void driveChannels();
    void deliver();
    [[nodiscard]] bool isLent() const { return m_signIn && m_signIn->isLent(); }
    void arm();

    void ask(Question question);
    void agentWaits(bool waits);
    void startDeadline(std::chrono::milliseconds time);
    void pauseDeadline();
    void resumeDeadline();
    void deadlinePassed();
    void lookAlive();

    ConnectionSettings m_settings;
    SessionSeams m_seams;
    Listener m_listener;
    std::unique_ptr<QObject> m_context = std::make_unique<QObject>(); ///< of everything that calls back later
    State m_state = State::Idle;
    QString m_words;
    QString m_peer;
    QString m_display;  // user, alias and what is connected to
    QString m_keyOwner; // the same without the user: a host has its key for all of them
    ResolvedHost m_host;
    std::optional<HostKeyCheck> m_hostKeys;
    std::optional<Error> m_end;

    std::unique_ptr<Route> m_route; ///< where the way is no plain socket
    std::optional<quint64> m_routeQuestion; ///< the open question is one of the way's, with this id there
    bool m_waitsForOthers = false;
    bool m_endedOnTheWay = false;
    bool m_neededPerson = false;
    DescriptorGuard m_descriptor;
    SessionHandle m_session;
    EventHandle m_event;
    ssh_counter_struct m_counter{};
    std::unique_ptr<QSocketNotifier> m_readable;
    std::unique_ptr<QSocketNotifier> m_writable;
    QByteArray m_firstBytes; ///< what the peer said first, for the error when it is no SSH server
    bool m_pumping = false;
    bool m_wakePosted = false;
    bool m_abandoned = false;

    std::unique_ptr<SignIn> m_signIn;
    quint64 m_questionId = 0;
    bool m_asking = false;
    Answer m_answer; ///< to be used by the next pump; questionId 0: none
    std::optional<Keepalive> m_keepalive;
    std::vector<std::shared_ptr<SessionChannel>> m_channels;

    SessionChannel::Clock::time_point m_connectingSince;
    QTimer m_deadline;
    std::chrono::milliseconds m_remaining{0}; ///< of a paused deadline
    QTimer m_alive;
    QTimer m_channelDeadline;
};

} // namespace pilothouse
