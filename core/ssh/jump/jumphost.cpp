// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ssh/jump/jumphost.h"

#include "core/ssh/secret.h"

#include <algorithm>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

SessionSeams seamsOf(const JumpSettings &settings, const std::shared_ptr<JumpPort> &port, const QString &key)
{
    SessionSeams seams = settings.seams ? settings.seams() : SessionSeams::real();
    seams.jump = [port, key](const RouteRequest &request, RouteListener listener) {
        return makeJumpRoute(port, {}, request, key, std::move(listener));
    };
    return seams;
}

ConnectionSettings settingsOf(const Ride &first)
{
    ConnectionSettings settings = first.settings;
    settings.byItself = first.byItself;
    return settings;
}

} // namespace

JumpHost::JumpHost(const Ride &first, const JumpSettings &settings, std::shared_ptr<JumpPort> port)
    : m_key(first.hop)
    , m_name(first.name)
    , m_asksPerson(first.settings.askPerson)
    , m_settings(settings)
    , m_port(std::move(port))
    , m_words(u"waiting for its turn"_s)
{
    m_core = std::make_shared<SessionCore>(
        settingsOf(first), seamsOf(settings, m_port, m_key),
        SessionCore::Listener{
            .stateChanged = [this](SessionCore::State state, const QString &words) { stateChanged(state, words); },
            .asked = [this](const Question &question) {
                m_ticket.reset();
                m_question = question;
                askSomebody();
            },
            .ended = [this](const Error &error) { coreEnded(error); },
            .waitsForOthers = [this](bool waits) {
                if (waits)
                    m_ticket.reset(); // it takes one as a rider of the jump host before it
            },
        });
    m_linger.setSingleShot(true);
    connect(&m_linger, &QTimer::timeout, this, [this] { m_core->close(); });
    m_ticket = m_settings.gate->enter([port = m_port, key = m_key] { port->post(GateOpen{key, 0}); });
}

JumpHost::~JumpHost()
{
    m_core->abandon();
}

JumpHost::Rider *JumpHost::find(quint64 ride)
{
    const auto at = std::ranges::find_if(m_riders, [&](const Rider &rider) { return rider.ride.id == ride; });
    return at == m_riders.end() ? nullptr : &*at;
}

Error JumpHost::named(Error error) const
{
    return m_core->endedOnTheWay() ? std::move(error) : atJumpHost(m_name, std::move(error));
}

void JumpHost::say(const Rider &rider) const
{
    rider.ride.events.push(RideWords{wordsOfJumpHost(m_name, m_words)});
}

void JumpHost::join(Ride ride)
{
    m_linger.stop();
    m_riders.emplace_back().ride = std::move(ride);
    if (m_core->state() == SessionCore::State::Ready)
        admit();
    else
        say(m_riders.back());
}

void JumpHost::leave(quint64 ride)
{
    const auto at = std::ranges::find_if(m_riders, [&](const Rider &rider) { return rider.ride.id == ride; });
    if (at == m_riders.end())
        return;
    settle(ride);
    if (at->channel && at->stage == Stage::Opening)
        at->channel->abandon(); // an open one sees the end of its other side, after the last bytes
    m_riders.erase(at);
    if (m_question && m_asked == ride)
        askSomebody();
    if (!m_riders.empty())
        return;
    if (m_core->state() == SessionCore::State::Ready)
        m_linger.start(m_settings.linger);
    else
        m_core->close();
}

void JumpHost::askSomebody()
{
    m_asked = 0;
    for (const Rider &rider : m_riders) {
        if (m_asked == 0 && rider.ride.settings.askPerson) {
            m_asked = rider.ride.id;
            rider.ride.events.push(RideAsked{*m_question});
        } else {
            say(rider);
        }
    }
    if (m_asked != 0 || m_riders.empty())
        return;
    m_nobodyToAsk = true;
    Answer none;
    none.questionId = std::exchange(m_question, std::nullopt)->id;
    m_core->answer(std::move(none));
}

void JumpHost::answer(quint64 ride, Answer answer)
{
    if (!m_question || m_asked != ride || answer.questionId != m_question->id) {
        wipe(answer.replies);
        return;
    }
    m_question.reset();
    m_core->answer(std::move(answer));
}

void JumpHost::stateChanged(SessionCore::State state, const QString &words)
{
    m_words = words;
    if (state == SessionCore::State::Ready) {
        m_ticket.reset();
        m_wasReady = true;
        emit becameReady();
        admit();
    } else if (state < SessionCore::State::Ready) {
        for (const Rider &rider : m_riders) {
            if (!m_question || rider.ride.id != m_asked)
                say(rider);
        }
    }
}

void JumpHost::coreEnded(const Error &error)
{
    const Error told = named(m_nobodyToAsk && error.code == ErrorCode::Cancelled
                                 ? Error{ErrorCode::SignInNeedsPerson, u"It asks what only a person can answer."_s, {}}
                                 : error);
    for (Rider &rider : m_riders) {
        rider.ride.failure->set(told);
        if (rider.stage < Stage::Open)
            rider.ride.events.push(RideFailed{told});
        rider.stage = Stage::Failed;
    }
    emit ended(told);
}

/// As many as may shake hands at once, first come first served.
void JumpHost::admit()
{
    for (Rider &rider : m_riders) {
        if (m_places >= m_settings.handshakesPerHop)
            return;
        if (rider.stage != Stage::Waiting)
            continue;
        ++m_places;
        rider.holdsPlace = true;
        rider.stage = Stage::AtGate;
        rider.ticket = m_settings.gate->enter(
            [port = m_port, key = m_key, id = rider.ride.id] { port->post(GateOpen{key, id}); });
    }
}

void JumpHost::gateOpened(quint64 ride)
{
    if (ride == 0) {
        if (!m_ticket || m_core->state() != SessionCore::State::Idle)
            return;
        QTimer::singleShot(m_settings.place, this, [this] { m_ticket.reset(); });
        m_core->open();
        return;
    }
    Rider *rider = find(ride);
    if (!rider || rider->stage != Stage::AtGate)
        return;
    QTimer::singleShot(m_settings.place, this, [this, ride] { settle(ride); });
    rider->stage = Stage::Opening;
    rider->ride.events.push(RideTurn{});
    rider->channel = m_core->openForward(
        WayTarget{rider->ride.hostName, rider->ride.port, {}, 0}, OwnedDescriptor(),
        ForwardChannel::Listener{
            .opened = [this, ride](Result<OwnedDescriptor> descriptor) { opened(ride, std::move(descriptor)); },
            .lost = [this, failure = rider->ride.failure](const Error &error) { failure->set(named(error)); },
        });
}

void JumpHost::opened(quint64 ride, Result<OwnedDescriptor> descriptor)
{
    Rider *rider = find(ride);
    if (!rider)
        return;
    if (descriptor) {
        rider->stage = Stage::Open;
        rider->ride.events.push(RideOpened{std::move(*descriptor)});
        return;
    }
    Error error = std::move(descriptor.error());
    rider->stage = Stage::Failed;
    if (isBeyondJumpHost(error.code)) { // the rider's own failure: the way to there stands
        rider->ride.events.push(RideFailed{beyondJumpHost(m_name, std::move(error))});
    } else {
        error = atJumpHost(m_name, std::move(error));
        rider->ride.failure->set(error);
        rider->ride.events.push(RideFailed{std::move(error)});
    }
    settle(ride);
}

void JumpHost::settle(quint64 ride)
{
    Rider *rider = find(ride);
    if (!rider || !std::exchange(rider->holdsPlace, false))
        return;
    --m_places;
    rider->ticket.reset();
    if (m_core->state() == SessionCore::State::Ready)
        admit();
}

} // namespace pilothouse

#include "moc_jumphost.cpp"
