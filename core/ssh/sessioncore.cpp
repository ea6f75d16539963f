// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ssh/sessioncore.h"

#include "core/base/cleantext.h"
#include "core/ssh/effectivesettings.h"
#include "core/ssh/jump/commandroute.h"
#include "core/ssh/jump/jumphosts.h"
#include "core/ssh/secret.h"
#include "core/ssh/sshconfigresolver.h"

#include <algorithm>

namespace pilothouse {

using namespace Qt::StringLiterals;
using std::chrono::milliseconds;

namespace {

constexpr int mostReadsInOnePump = 64; // of 4 KiB each; then the event loop has its turn

void retire(std::unique_ptr<QSocketNotifier> &notifier)
{
    if (!notifier)
        return;
    notifier->setEnabled(false);
    notifier.release()->deleteLater(); // may be on the stack above us
}

} // namespace

SessionSeams SessionSeams::real()
{
    SessionSeams seams;
    seams.api = std::make_shared<LibsshApi>();
    seams.resolve = [](const ConnectionSettings &settings, QObject *context, Resolved done) {
        auto *resolver = new SshConfigResolver(settings.configCache, context);
        resolver->resolve(settings.target, settings.sshConfigFile, context,
                          [resolver, done = std::move(done)](Result<ResolvedHost> host) {
                              resolver->deleteLater();
                              done(std::move(host));
                          },
                          settings.proxyJump);
    };
    seams.connect = [](const Destination &destination, QObject *context, SshConnector::Words words,
                       SshConnector::Done done) {
        auto *connector = new SshConnector(context);
        connector->start(destination, std::move(words),
                         [connector, done = std::move(done)](Result<Connection> connection) {
                             connector->deleteLater();
                             done(std::move(connection));
                         });
    };
    seams.jump = [](RouteRequest request, RouteListener listener) {
        std::shared_ptr<JumpHosts> hosts = request.settings.jumpHosts;
        if (!hosts)
            hosts = std::make_shared<JumpHosts>();
        return JumpHosts::way(hosts, std::move(request), std::move(listener));
    };
    seams.command = [](const RouteRequest &request, RouteListener listener) {
        return makeCommandRoute(request, std::move(listener));
    };
    return seams;
}

SessionCore::SessionCore(ConnectionSettings settings, SessionSeams seams, Listener listener)
    : m_settings(std::move(settings))
    , m_seams(std::move(seams))
    , m_listener(std::move(listener))
{
    m_deadline.setSingleShot(true);
    m_alive.setSingleShot(true);
    m_channelDeadline.setSingleShot(true);
    QObject::connect(&m_deadline, &QTimer::timeout, &m_deadline, [this] { deadlinePassed(); });
    QObject::connect(&m_alive, &QTimer::timeout, &m_alive, [this] { lookAlive(); });
    QObject::connect(&m_channelDeadline, &QTimer::timeout, &m_channelDeadline, [this] { wake(); });
}

SessionCore::~SessionCore()
{
    tearDown();
}

void SessionCore::enter(State state, const QString &words)
{
    m_state = state;
    say(words);
}

void SessionCore::say(const QString &words)
{
    m_words = words;
    // A copy: the listener may be emptied by what it calls.
    if (const auto tell = m_listener.stateChanged)
        tell(m_state, words);
}

void SessionCore::open()
{
    if (m_state != State::Idle || m_end)
        return;
    const std::shared_ptr<SessionCore> self = shared_from_this();
    const std::weak_ptr<SessionCore> weak = self;
    enter(State::Resolving, u"reading the SSH configuration"_s);
    if (m_end)
        return;
    m_seams.resolve(m_settings, m_context.get(), [weak](Result<ResolvedHost> host) {
        if (const auto core = weak.lock(); core && !core->m_end)
            core->resolved(std::move(host));
    });
}

void SessionCore::resolved(Result<ResolvedHost> host)
{
    if (!host) {
        end(host.error());
        return;
    }
    m_host = std::move(*host);
    RouteRequest request{m_settings, m_host}; // before the configuration of this host changes them
    m_settings = effectiveSettings(m_settings, m_host);
    m_hostKeys.emplace(m_settings, m_host);
    if (const Result<void> loaded = m_hostKeys->load(); !loaded) {
        end(loaded.error());
        return;
    }
    m_connectingSince = SessionChannel::Clock::now();
    enter(State::Connecting, u"connecting"_s);
    if (m_end)
        return;
    if (m_host.proxyJump.isEmpty() && m_host.proxyCommand.isEmpty())
        connect();
    else
        connectByRoute(std::move(request));
}

void SessionCore::connect()
{
    Destination destination;
    destination.hostName = m_host.hostName;
    destination.port = m_host.port;
    destination.addressFamily = m_host.addressFamily;
    destination.bindAddress = m_host.bindAddress;
    destination.bindInterface = m_host.bindInterface;
    destination.deadline = m_settings.connectTimeout;
    destination.userTimeout = m_settings.deadAfter;
    const std::weak_ptr<SessionCore> weak = weak_from_this();
    m_seams.connect(
        destination, m_context.get(),
        [weak](const QString &words) {
            if (const auto self = weak.lock(); self && !self->m_end)
                self->say(words);
        },
        [weak](Result<Connection> connection) {
            if (const auto self = weak.lock(); self && !self->m_end)
                self->connected(std::move(connection));
            else if (connection)
                DescriptorGuard(connection->fd).closeIfSame();
        });
}

void SessionCore::connectByRoute(RouteRequest request)
{
    const std::weak_ptr<SessionCore> weak = weak_from_this();
    const bool jumps = !request.host.proxyJump.isEmpty();
    const auto &make = jumps ? m_seams.jump : m_seams.command;
    m_route = make(std::move(request), RouteListener{
        .words = [weak](const QString &words) {
            if (const auto self = weak.lock(); self && !self->m_end)
                self->say(words);
        },
        .waits = [weak](bool waits) {
            if (const auto self = weak.lock())
                self->waitForOthers(waits);
        },
        .asked = [weak](const Question &question) {
            if (const auto self = weak.lock())
                self->routeAsked(question);
        },
        .done = [weak](Result<Connection> connection) {
            if (const auto self = weak.lock())
                self->routeDone(std::move(connection));
        },
    });
    if (jumps)
        waitForOthers(true);
}

void SessionCore::routeDone(Result<Connection> connection)
{
    m_routeQuestion.reset();
    m_asking = false;
    m_connectingSince = SessionChannel::Clock::now();
    waitForOthers(false);
    if (!m_end)
        connected(std::move(connection));
    else if (connection)
        DescriptorGuard(connection->fd).closeIfSame();
}

void SessionCore::waitForOthers(bool waits)
{
    if (m_end || std::exchange(m_waitsForOthers, waits) == waits)
        return;
    if (const auto tell = m_listener.waitsForOthers)
        tell(waits);
}

void SessionCore::routeAsked(Question question)
{
    if (m_end)
        return;
    m_routeQuestion = question.id;
    question.id = ++m_questionId;
    m_asking = true;
    if (const auto tell = m_listener.asked)
        tell(question);
}

void SessionCore::connected(Result<Connection> connection)
{
    if (!connection) {
        end(connection.error());
        return;
    }
    m_descriptor = DescriptorGuard(connection->fd);
    m_peer = SshTarget{m_host.user, connection->address, m_host.port}.display();
    m_display = hostInWords(m_host.user, m_settings.target.host, connection->address, m_host.port);
    m_keyOwner = hostInWords({}, m_settings.target.host, connection->address, m_host.port);
    if (const Result<void> made = makeSession(); !made) {
        end(made.error());
        return;
    }
    m_readable = std::make_unique<QSocketNotifier>(connection->fd, QSocketNotifier::Read);
    m_writable = std::make_unique<QSocketNotifier>(connection->fd, QSocketNotifier::Write);
    m_writable->setEnabled(false);
    QObject::connect(m_readable.get(), &QSocketNotifier::activated, m_context.get(), [this] { pump(); });
    QObject::connect(m_writable.get(), &QSocketNotifier::activated, m_context.get(), [this] { pump(); });

    // One deadline for both: what the connection has left, but never so little that no server could do it.
    const auto spent = std::chrono::ceil<milliseconds>(SessionChannel::Clock::now() - m_connectingSince);
    startDeadline(std::max(m_settings.connectTimeout - spent, m_settings.connectTimeout / 4));
    enter(State::KeyExchange, u"exchanging keys with "_s + connection->address);
    wake();
}

void SessionCore::wake()
{
    if (m_wakePosted)
        return;
    m_wakePosted = true;
    QMetaObject::invokeMethod(
        m_context.get(),
        [this] {
            m_wakePosted = false;
            if (m_state == State::Ended)
                deliver(); // a shell that was asked for too late
            else
                pump();
        },
        Qt::QueuedConnection);
}

void SessionCore::pump()
{
    if (m_pumping) {
        wake();
        return;
    }
    if (m_state == State::Ended || isLent())
        return;
    const std::shared_ptr<SessionCore> self = shared_from_this();
    m_pumping = true;
    exchangePackets();
    if (!m_end)
        advance();
    // libssh asks for the socket's state after each write: told at once, that is no turn of the event loop of its own.
    if (!m_end && m_state == State::Ready && (m_seams.api->pollFlags(m_session.get()) & SSH_WRITE_PENDING)) {
        exchangePackets();
        advance();
    }
    if (!m_end)
        deliver();
    if (!m_end && m_event && !isLent() && !m_seams.api->isConnected(m_session.get()))
        end({ErrorCode::ConnectionLost, lossText(), {}});
    m_pumping = false;
    if (m_end)
        tellEnd();
    else
        arm();
}

void SessionCore::exchangePackets()
{
    if (!m_event || m_end || (m_signIn && m_signIn->readsItself()))
        return;
    for (int i = 0; i < mostReadsInOnePump; ++i) {
        const int result = m_seams.api->eventPoll(m_event.get());
        if (result == SSH_AGAIN || result == SSH_ERROR)
            break;
    }
}

void SessionCore::advance()
{
    for (;;) {
        const State before = m_state;
        switch (m_state) {
        case State::KeyExchange:
            exchangeKeys();
            break;
        case State::CheckingHostKey:
            hostKeyAnswered();
            break;
        case State::SigningIn:
            signIn();
            break;
        case State::Ready:
            driveChannels();
            break;
        default:
            break;
        }
        if (m_end || m_state == before)
            return;
    }
}

void SessionCore::arm()
{
    const bool usable = m_session && !isLent();
    if (usable && m_seams.api->fd(m_session.get()) < 0) {
        retire(m_readable);
        retire(m_writable);
    }
    if (m_readable)
        m_readable->setEnabled(usable);
    if (m_writable)
        m_writable->setEnabled(usable && (m_seams.api->pollFlags(m_session.get()) & SSH_WRITE_PENDING));
}

void SessionCore::ask(Question question)
{
    question.id = ++m_questionId;
    question.host = question.kind == Question::Kind::UnknownHostKey ? m_keyOwner : m_display;
    m_asking = true;
    m_neededPerson = m_neededPerson || question.kind != Question::Kind::UnknownHostKey;
    if (m_route)
        m_route->settled(); // nobody waits behind a person
    pauseDeadline();
    if (const auto tell = m_listener.asked)
        tell(question);
}

/// A touch or a PIN is a person's, as an answer is: where one is there, they may take as long as they like.
void SessionCore::agentWaits(bool waits)
{
    m_neededPerson = true;
    if (!m_settings.askPerson)
        return;
    if (waits) {
        if (m_route)
            m_route->settled();
        pauseDeadline();
    } else {
        resumeDeadline();
    }
    waitForOthers(waits);
}

void SessionCore::answer(Answer answer)
{
    if (!m_asking || answer.questionId != m_questionId || m_end) {
        wipe(answer.replies);
        return;
    }
    m_asking = false;
    if (const std::optional<quint64> id = std::exchange(m_routeQuestion, std::nullopt)) {
        answer.questionId = *id;
        m_route->answer(std::move(answer));
        return;
    }
    m_answer = std::move(answer);
    resumeDeadline();
    wake();
}

void SessionCore::startDeadline(milliseconds time)
{
    m_remaining = milliseconds::zero();
    m_deadline.start(time);
}

void SessionCore::pauseDeadline()
{
    if (!m_deadline.isActive())
        return;
    m_remaining = std::max(milliseconds(m_deadline.remainingTime()), milliseconds(1));
    m_deadline.stop();
}

void SessionCore::resumeDeadline()
{
    if (m_remaining > milliseconds::zero())
        startDeadline(m_remaining);
}

void SessionCore::deadlinePassed()
{
    if (m_end)
        return;
    if (m_state == State::KeyExchange) {
        end(handshakeTimeout());
    } else if (m_state == State::SigningIn) {
        end({ErrorCode::SignInTimeout,
             u"%1: no result within %2 s (%3)."_s.arg(m_display)
                 .arg(double(m_settings.signInTimeout.count()) / 1000.0)
                 .arg(m_signIn ? m_signIn->waitingFor() : QString()),
             {}});
    }
}

std::unique_ptr<RemoteShell> SessionCore::openShell()
{
    const std::weak_ptr<SessionCore> weak = weak_from_this();
    auto channel = std::make_shared<SshChannel>(m_seams.api, [weak] {
        if (const auto self = weak.lock())
            self->wake();
    });
    auto shell = std::make_unique<SshShell>(channel);
    if (m_state == State::Ended || m_end)
        channel->sessionEnded(m_end.value_or(Error{ErrorCode::ConnectionLost, {}, {}}));
    m_channels.push_back(std::move(channel));
    wake();
    return shell;
}

std::shared_ptr<ForwardChannel> SessionCore::openForward(const WayTarget &target, OwnedDescriptor near,
                                                         ForwardChannel::Listener listener)
{
    const std::weak_ptr<SessionCore> weak = weak_from_this();
    auto channel = std::make_shared<ForwardChannel>(
        m_seams.api, target, std::move(near),
        [weak] {
            if (const auto self = weak.lock())
                self->wake();
        },
        std::move(listener));
    m_channels.push_back(channel);
    wake();
    return channel;
}

void SessionCore::close()
{
    if (m_end || m_state == State::Ended)
        return;
    const std::shared_ptr<SessionCore> self = shared_from_this();
    m_end = Error{ErrorCode::Cancelled, u"The connection was closed here."_s, {}};
    if (m_signIn)
        m_signIn->abandon(); // an agent that waits for a person holds nothing up
    enter(State::Closing, u"closing"_s);
    wake();
}

void SessionCore::end(Error error)
{
    if (m_end)
        return;
    if (std::optional<Error> onTheWay = m_route ? m_route->failure() : std::nullopt) {
        // What a command said in place of a server is the reason why it ended.
        if (error.code == ErrorCode::NotSsh && m_host.proxyJump.isEmpty())
            error.detail += u' ' + onTheWay->detail;
        else
            error = std::move(*onTheWay);
        m_endedOnTheWay = !m_host.proxyJump.isEmpty();
    } else if (m_route && m_state == State::KeyExchange) {
        error.detail = QString(error.detail + u' ' + m_route->remark()).trimmed();
    }
    m_end = std::move(error);
    if (!m_pumping)
        tellEnd();
}

/// Takes everything down, then tells: shells first, the session last.
void SessionCore::tellEnd()
{
    if (m_state == State::Ended)
        return;
    const std::shared_ptr<SessionCore> self = shared_from_this();
    tearDown();
    if (m_abandoned)
        m_channels.clear();
    m_pumping = true;
    deliver();
    m_pumping = false;
    enter(State::Ended, summaryOf(m_end->code));
    if (const auto tell = std::exchange(m_listener.ended, {}))
        tell(*m_end);
    m_listener = {};
}

void SessionCore::abandon()
{
    m_listener = {};
    m_abandoned = true;
    if (!m_end)
        m_end = Error{ErrorCode::Cancelled, {}, {}};
    if (!m_pumping)
        tellEnd(); // otherwise at the end of the pump below us on the stack
}

void SessionCore::tearDown()
{
    m_deadline.stop();
    m_alive.stop();
    m_channelDeadline.stop();
    wipe(m_answer.replies);
    m_signIn.reset(); // takes the session back from a helper
    retire(m_readable);
    retire(m_writable);
    for (const auto &channel : m_channels)
        channel->sessionEnded(m_end.value_or(Error{ErrorCode::Cancelled, {}, {}}));
    if (m_session) {
        LibsshApi &api = *m_seams.api;
        if (m_event) {
            if (api.isConnected(m_session.get()))
                api.eventPoll(m_event.get()); // lets the goodbye out
            api.eventRemoveSession(m_event.get(), m_session.get());
            m_event.reset();
        }
        api.disconnect(m_session.get());
        m_session.reset();
    }
    m_descriptor.closeIfSame();
    m_route.reset();
}

} // namespace pilothouse
