// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// When to ask a quiet peer whether it lives, and when to call the link dead. Pure: the caller brings the clock and the
// count of bytes received. Any answer counts, also a failure.

#include <chrono>
#include <cstdint>

namespace pilothouse {

class Keepalive final
{
public:
    using Clock = std::chrono::steady_clock;
    enum class Action { Wait, Ask, Dead };
    struct Verdict
    {
        Action action = Action::Wait;
        std::chrono::milliseconds next{0}; ///< look again after this time at the latest
    };

    /// Quiet for `interval`: ask, and again after each further one; nothing at all for `deadAfter`:
    /// dead. An interval of zero never asks.
    Keepalive(std::chrono::milliseconds interval, std::chrono::milliseconds deadAfter, Clock::time_point now);

    /// `bytesReceived` is the total since the start.
    [[nodiscard]] Verdict look(Clock::time_point now, std::uint64_t bytesReceived);

private:
    std::chrono::milliseconds m_interval;
    std::chrono::milliseconds m_deadAfter;
    Clock::time_point m_lastHeard;
    Clock::time_point m_lastAsked;
    std::uint64_t m_bytes = 0;
};

} // namespace pilothouse
