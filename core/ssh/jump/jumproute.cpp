// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ssh/jump/jumpmessages.h"

#include "core/base/cleantext.h"

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

/// All that makes a jump host's session what it is: two rides share it only where all of this is the same. Not who may
/// be asked: what a person has opened serves those too that come back by themselves.
QString keyOf(const ConnectionSettings &hop)
{
    const auto number = [](std::chrono::milliseconds time) { return QString::number(time.count()); };
    return QStringList{hop.target.user, hop.target.host, QString::number(hop.target.port.value_or(0)), hop.proxyJump,
                       hop.sshConfigFile, hop.knownHostsFile, QString::number(int(hop.acceptNewHostKey)),
                       number(hop.connectTimeout), number(hop.signInTimeout), number(hop.keepaliveInterval),
                       number(hop.deadAfter)}
        .join(u'\n');
}

class JumpRoute final : public Route
{
public:
    JumpRoute(std::shared_ptr<JumpPort> port, std::shared_ptr<void> keep, const RouteRequest &request,
              const QString &from, RouteListener listener)
        : m_keep(std::move(keep))
        , m_port(std::move(port))
        , m_address(request.host.hostName)
        , m_id(m_port->nextRide())
        , m_listener(std::move(listener))
        , m_events(
              [this](RideEvent event) { std::visit([this](auto &&what) { take(std::move(what)); }, std::move(event)); })
    {
        Result<Ride> ride = rideFor(request);
        if (!ride) {
            m_events.sender().push(RideFailed{ride.error()}); // never from inside
            return;
        }
        ride->id = m_id;
        ride->from = from;
        ride->events = m_events.sender();
        ride->failure = m_failure;
        m_port->post(JoinHop{std::move(*ride)});
    }
    ~JumpRoute() override { m_port->post(LeaveHop{m_id}); }

    void answer(Answer answer) override { m_port->post(AnswerHop{m_id, std::move(answer)}); }
    void settled() override
    {
        if (!std::exchange(m_settled, true))
            m_port->post(SettleHop{m_id});
    }
    [[nodiscard]] std::optional<Error> failure() const override { return m_failure->value(); }

private:
    // A listener may destroy this: a copy is called, and nothing is touched after it.
    void take(RideWords &&said)
    {
        const auto words = m_listener.words;
        words(said.words);
    }
    void take(RideTurn &&)
    {
        const auto waits = m_listener.waits;
        waits(false);
    }
    void take(RideAsked &&question)
    {
        const auto asked = m_listener.asked;
        asked(question.question);
    }
    void take(RideOpened &&opened)
    {
        const auto done = m_listener.done;
        done(Connection{opened.descriptor.release(), m_address});
    }
    void take(RideFailed &&failed)
    {
        const auto done = m_listener.done;
        done(fail(std::move(failed.error)));
    }

    std::shared_ptr<void> m_keep;
    std::shared_ptr<JumpPort> m_port;
    QString m_address;
    quint64 m_id;
    bool m_settled = false;
    RouteListener m_listener;
    std::shared_ptr<RideFailure> m_failure = std::make_shared<RideFailure>();
    Handoff<RideEvent> m_events;
};

} // namespace

Result<Ride> rideFor(const RouteRequest &request)
{
    const Result<JumpSpec> spec = jumpSpecOf(request.host);
    if (!spec)
        return fail(spec.error());
    Ride ride;
    // As ssh does, which starts another ssh: nothing of a command line but the file reaches the jump host. Known hosts
    // are the exception: what replaces them replaces all of them.
    ride.settings = request.settings;
    ride.settings.target = spec->hop;
    ride.settings.proxyJump = spec->before;
    ride.settings.identityFile.clear();
    ride.settings.jumpHosts.reset(); // its own way comes from the thread that it is in
    ride.byItself = std::exchange(ride.settings.byItself, false);
    ride.hop = keyOf(ride.settings);
    ride.name = cleanLine(spec->hop.display(), 128);
    ride.hostName = request.host.hostName;
    ride.port = request.host.port;
    return ride;
}

std::unique_ptr<Route> makeJumpRoute(std::shared_ptr<JumpPort> port, std::shared_ptr<void> keep,
                                     const RouteRequest &request, const QString &from, RouteListener listener)
{
    return std::make_unique<JumpRoute>(std::move(port), std::move(keep), request, from, std::move(listener));
}

} // namespace pilothouse
