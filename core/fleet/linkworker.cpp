// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/fleet/linkworker.h"

#include <algorithm>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

/// Both may be the sender of the signal that is being handled.
template <class T>
void deleteSoon(std::unique_ptr<T> &object, const QObject *receiver)
{
    if (!object)
        return;
    QObject::disconnect(object.get(), nullptr, receiver, nullptr);
    object.release()->deleteLater();
}

} // namespace

bool needsPerson(ErrorCode code)
{
    switch (code) {
    case ErrorCode::Usage:
    case ErrorCode::Cancelled: // a question was declined
    case ErrorCode::LocalIo:
    case ErrorCode::InventoryInvalid:
    case ErrorCode::SshConfigInvalid:
    case ErrorCode::SshConfigRefused:
    case ErrorCode::HostKeyUnknown:
    case ErrorCode::HostKeyChanged:
    case ErrorCode::HostKeyRevoked:
    case ErrorCode::SignInRefused:
    case ErrorCode::SignInNeedsPerson:
    case ErrorCode::SudoRefused:
        return true;
    default:
        return false;
    }
}

LinkWorker::LinkWorker(LinkSetup setup)
    : m_setup(std::move(setup))
    , m_timings(m_setup.environment.timings)
    , m_probe(m_setup.probe)
    , m_backoff(m_timings.firstRetry, m_timings.lastRetry, m_setup.environment.random)
    , m_cadence(m_timings.slowTool, m_timings.slowestCadence)
    , m_deepLook(m_timings.deepAgain)
    , m_sudoPassword(std::make_shared<SudoPassword>())
    , m_commands([this](LinkCommand command) { std::visit([this](const auto &c) { handle(c); }, command); })
{
    m_clock.start();
    for (QTimer *timer : {&m_retryTimer, &m_tickTimer, &m_guardTimer, &m_placeTimer})
        timer->setSingleShot(true);
    m_tickTimer.setTimerType(Qt::PreciseTimer);
    connect(&m_retryTimer, &QTimer::timeout, this, [this] { startAttempt(true); });
    connect(&m_tickTimer, &QTimer::timeout, this, &LinkWorker::takeTick);
    connect(&m_placeTimer, &QTimer::timeout, this, [this] { m_ticket.reset(); });
    connect(&m_guardTimer, &QTimer::timeout, this, [this] {
        lose(Error{ErrorCode::Timeout, u"The host neither answered nor failed within its time."_s, {}});
    });
    m_setup.port->attach(m_commands.sender());
}

LinkWorker::~LinkWorker() = default;

void LinkWorker::handle(const OpenLink &command)
{
    m_epoch = command.epoch;
    if (m_quitting || m_state.phase != Phase::Idle)
        return;
    m_backoff.reset();
    startAttempt();
}

void LinkWorker::handle(const CloseLink &command)
{
    m_epoch = command.epoch;
    endSession();
    m_wanted.reset();
    setPhase(Phase::Idle);
}

void LinkWorker::handle(const RetryLink &)
{
    if (m_quitting || (m_state.phase != Phase::Retrying && m_state.phase != Phase::Stopped))
        return;
    m_backoff.reset();
    startAttempt();
}

void LinkWorker::handle(const ResumeLink &)
{
    if (m_quitting || !m_state.waitsForJumpHost)
        return;
    m_backoff.reset();
    startAttempt(true);
}

void LinkWorker::handle(const RenewLink &)
{
    if (m_quitting || m_state.phase != Phase::Connected)
        return;
    startAttempt();
}

void LinkWorker::handle(const HoldLink &)
{
    // What has come through meanwhile, or has nothing to do with the network, goes on.
    if (m_state.phase != Phase::Retrying && m_state.phase != Phase::Connecting)
        return;
    m_state.held = true;
    if (m_state.phase == Phase::Connecting)
        return;
    m_retryTimer.stop();
    m_state.nextTry = {};
    publish(m_state);
}

void LinkWorker::handle(const ReleaseLink &command)
{
    m_state.held = false;
    m_backoff.reset();
    if (!m_quitting && m_state.phase == Phase::Retrying)
        retryAfter(command.wait, Error(*m_state.error));
}

void LinkWorker::handle(const AnswerLink &command)
{
    if (!m_session || command.attempt != m_attempt || !m_asking)
        return;
    m_asking = false;
    m_guardTimer.start(signInLimit());
    if (m_prober) {
        setPhase(Phase::Connecting, u"starting the probe as root"_s);
        m_prober->answer(command.answer);
        return;
    }
    setPhase(Phase::Connecting, u"signing in"_s);
    m_session->answer(command.answer);
}

void LinkWorker::handle(const SetLinkCadence &command)
{
    m_cadence.setWish(command.cadence);
    m_depth = command.depth;
    sayInterval();
    const auto due = m_cadence.current() - std::chrono::milliseconds(m_clock.elapsed() - m_tickStart);
    if (m_state.phase != Phase::Connected || m_ticking)
        return;
    if (m_cadence.current().count() > 0)
        m_tickTimer.start(std::max(due, std::chrono::milliseconds(0)));
    else
        m_tickTimer.stop();
}

void LinkWorker::handle(const SetDeepThreshold &command)
{
    m_deepLook.setThreshold(command.mib);
}

void LinkWorker::handle(const SetLinkProbe &command)
{
    m_probe.units = command.probe.units;
    m_probe.userUnits = command.probe.userUnits;
    m_probe.expectedGpus = command.probe.expectedGpus;
    if (m_prober)
        m_prober->setSettings(m_probe);
}

void LinkWorker::handle(const TakeSnapshot &command)
{
    m_wanted = m_wanted ? std::max(*m_wanted, command.depth) : command.depth;
    if (m_state.phase == Phase::Connected && !m_ticking)
        scheduleTick();
}

void LinkWorker::handle(const RunAction &command)
{
    if (m_state.phase != Phase::Connected || !m_session || !m_setup.environment.backend.makeActions) {
        const Error away{ErrorCode::ConnectionLost, u"There is no connection to the host."_s, {}};
        publish(EndedAction{command.id, {std::nullopt, away, false, {}}});
        return;
    }
    if (!m_actions) {
        m_actions = m_setup.environment.backend.makeActions(*m_session);
        connect(m_actions.get(), &ActionRunner::done, this,
                [this](quint64 id, const ActionResult &result) { publish(EndedAction{id, result}); });
    }
    m_actions->run(command.id, command.request, command.actor, {m_state.peer, m_probe.sudo, m_sudoPassword});
}

void LinkWorker::handle(const AskHttp &command)
{
    const LinkBackend &backend = m_setup.environment.backend;
    if (m_state.phase != Phase::Connected || !m_session || !backend.makeHttp) {
        HttpAnswer away;
        away.words = u"There is no connection to the host."_s;
        publish(EndedHttp{command.id, away});
        return;
    }
    if (!m_http) {
        m_http = std::make_unique<HttpAsker>(backend.makeHttp(*m_session),
                                             backend.makeActions ? backend.makeActions(*m_session) : nullptr,
                                             m_state.peer);
        connect(m_http.get(), &HttpAsker::answered, this,
                [this](quint64 id, const HttpAnswer &answer) { publish(EndedHttp{id, answer}); });
    }
    m_http->ask(command.id, command.request);
}

/// What runs is told to be over before its shell or its way goes.
void LinkWorker::endActions()
{
    const Error over{ErrorCode::ConnectionLost, u"The connection to the host has ended."_s, {}};
    if (m_actions)
        m_actions->abandon(over);
    if (m_http)
        m_http->abandon(over);
    deleteSoon(m_actions, this);
    deleteSoon(m_http, this);
}

void LinkWorker::handle(const EnterGate &command)
{
    if (command.attempt != m_attempt || !m_ticket || m_session)
        return;
    ConnectionSettings settings = m_setup.connection;
    settings.byItself = m_byItself;
    settings.askPerson = settings.askPerson && !m_byItself; // no dialog out of the blue: the link stops and says so
    m_session = m_setup.environment.backend.makeSession(settings);
    connect(m_session.get(), &LinkSession::waitsForOthers, this, &LinkWorker::waitForOthers);
    connect(m_session.get(), &LinkSession::ready, this, &LinkWorker::startProbing);
    connect(m_session.get(), &LinkSession::progressed, this, [this](const QString &words) {
        if (!m_asking && !m_prober)
            setPhase(Phase::Connecting, words);
    });
    connect(m_session.get(), &LinkSession::ended, this, [this](const Error &error) {
        m_personSignedIn = m_personSignedIn || m_session->neededPerson();
        m_onTheWay = m_session->endedOnTheWay();
        endActions();
        deleteSoon(m_prober, this);
        deleteSoon(m_session, this);
        lose(error);
    });
    connect(m_session.get(), &LinkSession::asked, this, &LinkWorker::askPerson);
    m_placeTimer.start(m_timings.handshakePlace);
    m_guardTimer.start(signInLimit());
    m_session->open();
}

void LinkWorker::askPerson(const Question &question)
{
    m_ticket.reset(); // a person may take as long as they like: nobody waits behind them
    m_guardTimer.stop();
    m_asking = true;
    setPhase(Phase::Waiting, u"waiting for an answer"_s);
    publish(AskedQuestion{m_attempt, question});
}

void LinkWorker::handle(const QuitLink &)
{
    m_quitting = true;
    endSession();
    finishIfDone();
}

std::chrono::milliseconds LinkWorker::signInLimit() const
{
    const auto &connection = m_setup.connection;
    return 4 * connection.connectTimeout + connection.signInTimeout + m_timings.beyondDeadline; // several addresses
}

/// Others' time, as that of a jump host, is no sign of being stuck, and takes no place: the jump hosts see to both.
void LinkWorker::waitForOthers(bool waits)
{
    m_placeTimer.stop();
    m_ticket.reset();
    if (waits)
        m_guardTimer.stop();
    else if (!m_asking)
        m_guardTimer.start(signInLimit());
}

void LinkWorker::startAttempt(bool byItself)
{
    endSession();
    m_byItself = byItself;
    m_personSignedIn = false;
    m_onTheWay = false;
    ++m_attempt;
    setPhase(Phase::Connecting, u"waiting for its turn"_s);
    m_ticket = m_setup.environment.gate->enter(
        [port = m_setup.port, attempt = m_attempt] { port->post(EnterGate{attempt}); });
}

void LinkWorker::startProbing()
{
    m_ticket.reset();
    m_placeTimer.stop();
    m_state.peer = m_session->peer();
    setPhase(Phase::Connecting, u"starting the probe"_s);
    m_probe.target = m_state.peer;
    m_probe.askPerson = m_setup.probe.askPerson && !m_byItself;
    m_probe.sudoPassword = m_sudoPassword;
    m_personSignedIn = m_session->neededPerson();
    m_prober = m_setup.environment.backend.makeProber(*m_session, m_probe);
    connect(m_prober.get(), &LinkProber::asked, this, &LinkWorker::askPerson);
    connect(m_prober.get(), &LinkProber::started, this, &LinkWorker::probingStarted);
    connect(m_prober.get(), &LinkProber::snapshotTaken, this, &LinkWorker::tickAnswered);
    connect(m_prober.get(), &LinkProber::requestFailed, this, &LinkWorker::tickFailed);
    connect(m_prober.get(), &LinkProber::failed, this, &LinkWorker::lose);
    m_guardTimer.start(m_setup.connection.connectTimeout + m_setup.probe.snapshotTimeout + m_timings.beyondDeadline);
    m_prober->start();
}

void LinkWorker::probingStarted()
{
    m_guardTimer.stop();
    m_asking = false; // a question that nobody waits for any more
    m_connectedAt = m_clock.elapsed();
    m_ticking = false;
    setPhase(Phase::Connected, u"connected"_s);
    if (m_wanted || m_cadence.current().count() > 0)
        takeTick();
}

void LinkWorker::lose(const Error &error)
{
    if (m_connectedAt && m_clock.elapsed() - *m_connectedAt >= m_timings.healthyAfter.count())
        m_backoff.reset();
    const bool signedIn = m_personSignedIn || (m_session && m_session->neededPerson());
    endSession();
    if (needsPerson(error.code)) {
        setPhase(Phase::Stopped, {}, error);
        return;
    }
    if (signedIn) {
        Error again = error;
        again.detail = QString(again.detail + u" A person had signed in, which is not repeated unasked."_s).trimmed();
        again.advice = u"Sign in again."_s;
        m_state.signInAgain = true;
        setPhase(Phase::Stopped, {}, again);
        return;
    }
    if (m_state.held)
        setPhase(Phase::Retrying, {}, error);
    else
        retryAfter(m_backoff.next(), error);
}

void LinkWorker::retryAfter(std::chrono::milliseconds wait, const Error &error)
{
    m_state.nextTry = QDateTime::currentDateTimeUtc().addMSecs(wait.count());
    m_retryTimer.start(wait);
    if (m_state.phase == Phase::Retrying)
        publish(m_state);
    else
        setPhase(Phase::Retrying, {}, error);
}

void LinkWorker::endSession()
{
    for (QTimer *timer : {&m_retryTimer, &m_tickTimer, &m_guardTimer, &m_placeTimer})
        timer->stop();
    m_ticket.reset();
    m_asking = false;
    m_ticking = false;
    m_connectedAt.reset();
    endActions();
    deleteSoon(m_prober, this); // before its session
    if (!m_session)
        return;
    // The orderly end goes on by itself; a new attempt need not wait for it.
    disconnect(m_session.get(), nullptr, this, nullptr);
    LinkSession *session = m_session.release();
    ++m_closing;
    connect(session, &LinkSession::ended, session, &QObject::deleteLater);
    QTimer::singleShot(m_timings.closing, session, &QObject::deleteLater);
    connect(session, &QObject::destroyed, this, [this] {
        --m_closing;
        finishIfDone();
    });
    // Not from within a signal of the session: it may be the one that has just ended.
    QMetaObject::invokeMethod(session, [session] { session->close(); }, Qt::QueuedConnection);
}

void LinkWorker::finishIfDone()
{
    if (m_quitting && m_closing == 0)
        emit finished();
}

void LinkWorker::takeTick()
{
    m_tickTimer.stop();
    m_tickStart = m_clock.elapsed();
    Depth depth = std::max(m_depth, m_wanted.value_or(Depth::Light));
    if (m_deepLook.isDue(m_tickStart))
        depth = Depth::Deep;
    if (depth == Depth::Deep)
        m_deepLook.begin(m_tickStart);
    m_wanted.reset();
    m_ticking = true;
    m_guardTimer.start(m_setup.probe.snapshotTimeout + m_timings.beyondDeadline);
    m_prober->requestSnapshot(depth);
}

void LinkWorker::tickAnswered(const SnapshotPtr &snapshot)
{
    m_guardTimer.stop();
    m_ticking = false;
    m_deepLook.learn(*snapshot);
    QList<Problem> more = snapshot->depth == Depth::Light ? m_deepLook.kept() : QList<Problem>();
    if (const auto problem = m_cadence.learn(*snapshot))
        more += *problem;
    sayInterval();
    SnapshotPtr shown = snapshot;
    if (!more.isEmpty()) {
        auto copy = std::make_shared<Snapshot>(*snapshot);
        copy->problems += more;
        shown = std::move(copy);
    }
    publish(shown);
    scheduleTick();
}

void LinkWorker::tickFailed(const Error &error)
{
    m_guardTimer.stop();
    m_ticking = false;
    publish(FailedRequest{error});
    scheduleTick();
}

void LinkWorker::scheduleTick()
{
    if (m_wanted) {
        takeTick();
        return;
    }
    const qint64 interval = m_cadence.current().count();
    if (interval <= 0) {
        m_tickTimer.stop();
        return;
    }
    // By start times: a tick that took longer than the interval skips the starts that it missed.
    const qint64 since = m_clock.elapsed() - m_tickStart;
    m_tickTimer.start(std::chrono::milliseconds(since <= interval ? interval - since : interval - since % interval));
}

void LinkWorker::sayInterval()
{
    if (std::exchange(m_state.interval, m_cadence.current()) != m_cadence.current()
        && m_state.phase == Phase::Connected)
        publish(m_state);
}

void LinkWorker::setPhase(Phase phase, const QString &words, const std::optional<Error> &error)
{
    if (m_quitting || (m_state.phase == phase && m_state.words == words && m_state.error == error))
        return;
    if (m_state.phase != phase)
        m_state.since = QDateTime::currentDateTimeUtc();
    m_state.phase = phase;
    m_state.words = words;
    m_state.error = error;
    if (phase != Phase::Retrying)
        m_state.nextTry = {};
    if (phase != Phase::Retrying && phase != Phase::Connecting)
        m_state.held = false;
    m_state.onTheWay = error && m_onTheWay;
    const bool needsSignIn = error && error->code == ErrorCode::SignInNeedsPerson;
    m_state.signInAgain = phase == Phase::Stopped && (m_state.signInAgain || needsSignIn);
    m_state.waitsForJumpHost = phase == Phase::Stopped && m_onTheWay && needsSignIn;
    publish(m_state);
}

void LinkWorker::publish(decltype(LinkEvent::what) what)
{
    m_setup.events.push(LinkEvent{m_epoch, std::move(what)});
}

LinkThread::LinkThread(LinkSetup setup)
    : m_setup(std::move(setup))
{
    setObjectName(u"link "_s + m_setup->probe.host.left(20));
}

void LinkThread::run()
{
    LinkWorker worker(std::move(*m_setup));
    QObject::connect(&worker, &LinkWorker::finished, &worker, [this] { quit(); });
    exec();
}

} // namespace pilothouse
