// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ssh/jump/jumpworker.h"

#include "core/base/threadend.h"

#include <algorithm>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

/// To try again unasked would be refused again, or be an attack on an account.
bool isForPerson(ErrorCode code)
{
    switch (code) {
    case ErrorCode::Cancelled:
    case ErrorCode::SignInRefused:
    case ErrorCode::SignInNeedsPerson:
    case ErrorCode::HostKeyUnknown:
    case ErrorCode::HostKeyChanged:
    case ErrorCode::HostKeyRevoked:
        return true;
    default:
        return false;
    }
}

void refuse(const Ride &ride, const Error &error)
{
    ride.failure->set(error);
    ride.events.push(RideFailed{error});
}

} // namespace

JumpWorker::JumpWorker(JumpSettings settings, std::shared_ptr<JumpPort> port)
    : m_settings(std::move(settings))
    , m_port(std::move(port))
    , m_commands([this](JumpCommand command) {
        std::visit([this](auto &&each) { handle(std::move(each)); }, std::move(command));
    })
{
    m_port->attach(m_commands.sender());
}

JumpWorker::~JumpWorker() = default;

JumpHost *JumpWorker::hostOf(quint64 ride)
{
    const auto at = m_hops.find(m_rides.value(ride));
    return at == m_hops.end() ? nullptr : at->second.host.get();
}

std::optional<Error> JumpWorker::refusalOf(const Ride &ride) const
{
    // The way of the one that is asked for must not lead back to the one that asks.
    int depth = 1;
    if (const auto from = m_hops.find(ride.from); from != m_hops.end())
        depth = from->second.depth + 1;
    for (auto at = m_hops.find(ride.hop); at != m_hops.end() && !ride.from.isEmpty();
         at = m_hops.find(at->second.through)) {
        if (at->first == ride.from)
            return Error{ErrorCode::SshConfigInvalid,
                         u"The jump host %1 leads in a circle: it would be reached through itself."_s.arg(ride.name),
                         u"Give it a Host block of its own with ProxyJump none."_s};
    }
    if (depth > longestWay)
        return Error{ErrorCode::SshConfigInvalid,
                     u"More than %1 jump hosts in a row; the last one is %2."_s.arg(longestWay).arg(ride.name), {}};
    const auto failure = m_failures.constFind(ride.hop);
    if (ride.byItself && failure != m_failures.constEnd() && !m_hops.contains(ride.hop)
        && (failure->needsPerson || Clock::now() < failure->next))
        return failure->error;
    return {};
}

/// The key of the session that it shares, or begins. One that may ask nobody ends at the first question: who may be
/// asked does not wait for that end, and begins another beside it.
QString JumpWorker::placeOf(const Ride &ride) const
{
    const QString beside = ride.hop + u"\nasks"_s;
    const auto there = m_hops.find(ride.hop);
    if (there == m_hops.end() || there->second.host->isEnding())
        return m_hops.contains(beside) ? beside : ride.hop;
    const JumpHost &host = *there->second.host;
    return ride.settings.askPerson && !host.asksPerson() && !host.wasReady() ? beside : ride.hop;
}

void JumpWorker::handle(JoinHop &&command)
{
    Ride ride = std::move(command.ride);
    ride.hop = placeOf(ride);
    if (const std::optional<Error> refusal = refusalOf(ride)) {
        refuse(ride, *refusal);
        return;
    }
    if (const auto there = m_hops.find(ride.hop); there != m_hops.end() && there->second.host->isEnding())
        m_hops.erase(there); // nobody was left behind it
    if (!m_hops.contains(ride.hop))
        make(ride);
    if (const auto from = m_hops.find(ride.from); from != m_hops.end())
        from->second.through = ride.hop;
    m_rides.insert(ride.id, ride.hop);
    m_hops.at(ride.hop).host->join(std::move(ride));
}

void JumpWorker::make(const Ride &first)
{
    Hop hop;
    hop.host = std::make_unique<JumpHost>(first, m_settings, m_port);
    if (const auto from = m_hops.find(first.from); from != m_hops.end())
        hop.depth = from->second.depth + 1;
    connect(hop.host.get(), &JumpHost::becameReady, this, [this, key = first.hop] { m_failures.remove(key); });
    connect(hop.host.get(), &JumpHost::ended, this,
            [this, key = first.hop](const Error &error) { ended(key, error); });
    m_hops.emplace(first.hop, std::move(hop));
}

void JumpWorker::ended(const QString &key, const Error &error)
{
    const auto at = m_hops.find(key);
    if (at == m_hops.end())
        return;
    JumpHost *host = at->second.host.release();
    m_hops.erase(at);
    host->disconnect(this);
    host->deleteLater(); // it is the sender
    if (!host->isUsed())
        return; // nobody wanted it any more
    Failure &failure = m_failures[key];
    failure.error = error;
    failure.needsPerson = isForPerson(error.code);
    if (host->wasReady() && host->neededPerson() && !failure.needsPerson) {
        failure.needsPerson = true;
        failure.error.code = ErrorCode::SignInNeedsPerson;
        failure.error.detail += u" A person had signed in there; that is not repeated unasked."_s;
        failure.error.advice = u"Connect again to sign in there anew."_s;
    }
    failure.wait = std::clamp(failure.wait * 2, m_settings.firstRetry, m_settings.lastRetry);
    failure.next = Clock::now() + failure.wait;
}

void JumpWorker::handle(LeaveHop &&command)
{
    if (JumpHost *host = hostOf(command.ride))
        host->leave(command.ride);
    m_rides.remove(command.ride);
}

void JumpWorker::handle(AnswerHop &&command)
{
    if (JumpHost *host = hostOf(command.ride))
        host->answer(command.ride, std::move(command.answer));
}

void JumpWorker::handle(SettleHop &&command)
{
    if (JumpHost *host = hostOf(command.ride))
        host->settle(command.ride);
}

void JumpWorker::handle(GateOpen &&command)
{
    if (const auto at = m_hops.find(command.hop); at != m_hops.end())
        at->second.host->gateOpened(command.ride);
}

void JumpWorker::handle(QuitHops &&)
{
    m_hops.clear();
    emit finished();
}

JumpThread::JumpThread(JumpSettings settings, std::shared_ptr<JumpPort> port,
                       std::shared_ptr<std::atomic<pid_t>> kernelId)
    : m_settings(std::move(settings))
    , m_port(std::move(port))
    , m_kernelId(std::move(kernelId))
{
    setObjectName(QStringLiteral("jump hosts"));
}

void JumpThread::run()
{
    *m_kernelId = currentKernelThread();
    JumpWorker worker(m_settings, m_port);
    QObject::connect(&worker, &JumpWorker::finished, &worker, [this] { quit(); });
    exec();
}

} // namespace pilothouse

#include "moc_jumpworker.cpp"
