// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What crosses between a host's session and the jump hosts' thread, both ways, always through a Handoff. Values.

#include "core/base/earlyport.h"
#include "core/ssh/jump/forwardchannel.h"
#include "core/ssh/jump/jumpspec.h"
#include "core/ssh/jump/route.h"

#include <atomic>
#include <variant>

namespace pilothouse {

// To the ride's session.
struct RideWords { QString words; };
struct RideTurn { };
struct RideAsked { Question question; };
struct RideOpened { OwnedDescriptor descriptor; };
struct RideFailed { Error error; };
using RideEvent = std::variant<RideWords, RideTurn, RideAsked, RideOpened, RideFailed>;

/// Why a way broke: written in the jump hosts' thread before the way closes, read in the session's.
class RideFailure final
{
public:
    void set(const Error &error)
    {
        const std::lock_guard lock(m_mutex);
        if (!m_error)
            m_error = error;
    }
    [[nodiscard]] std::optional<Error> value() const
    {
        const std::lock_guard lock(m_mutex);
        return m_error;
    }

private:
    mutable std::mutex m_mutex;
    std::optional<Error> m_error;
};

/// One host's wish to be reached through a jump host.
struct Ride
{
    quint64 id = 0;
    QString hop;      ///< key of the jump host: what makes two of them the same
    QString from;     ///< key of the jump host that asks, empty for a host
    QString name;     ///< of the jump host, for people
    ConnectionSettings settings; ///< of the jump host
    QString hostName; ///< of the host, as seen from there
    quint16 port = 22;
    bool byItself = false;
    Handoff<RideEvent>::Sender events;
    std::shared_ptr<RideFailure> failure;
};

// To the jump hosts.
struct JoinHop { Ride ride; };
struct LeaveHop { quint64 ride = 0; };
struct AnswerHop { quint64 ride = 0; Answer answer; };
struct SettleHop { quint64 ride = 0; };
struct GateOpen { QString hop; quint64 ride = 0; }; ///< 0: the jump host's own handshake
struct QuitHops { };
using JumpCommand = std::variant<JoinHop, LeaveHop, AnswerHop, SettleHop, GateOpen, QuitHops>;

class JumpPort final
{
public:
    void post(JumpCommand command) { m_port.post(std::move(command)); }
    void attach(const Handoff<JumpCommand>::Sender &sender) { m_port.attach(sender); }
    [[nodiscard]] quint64 nextRide() { return ++m_rides; }

private:
    EarlyPort<JumpCommand> m_port;
    std::atomic<quint64> m_rides{0};
};

/// What `request` asks for, without its way back. Errors: SshConfigInvalid.
[[nodiscard]] Result<Ride> rideFor(const RouteRequest &request);

/// The session's end of a ride. `keep` is kept alive, and may be null.
[[nodiscard]] std::unique_ptr<Route> makeJumpRoute(std::shared_ptr<JumpPort> port, std::shared_ptr<void> keep,
                                                   const RouteRequest &request, const QString &from,
                                                   RouteListener listener);

} // namespace pilothouse
