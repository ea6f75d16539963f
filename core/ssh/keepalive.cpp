// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ssh/keepalive.h"

#include <algorithm>

namespace pilothouse {

using std::chrono::ceil;
using std::chrono::milliseconds;

Keepalive::Keepalive(milliseconds interval, milliseconds deadAfter, Clock::time_point now)
    : m_interval(interval)
    , m_deadAfter(deadAfter)
    , m_lastHeard(now)
    , m_lastAsked(now)
{
}

Keepalive::Verdict Keepalive::look(Clock::time_point now, std::uint64_t bytesReceived)
{
    if (bytesReceived != m_bytes) {
        m_bytes = bytesReceived;
        m_lastHeard = now;
    }
    const Clock::time_point deadAt = m_lastHeard + m_deadAfter;
    if (now >= deadAt)
        return {Action::Dead, milliseconds{0}};
    if (m_interval <= milliseconds::zero())
        return {Action::Wait, ceil<milliseconds>(deadAt - now)};

    Action action = Action::Wait;
    Clock::time_point askAt = std::max(m_lastHeard, m_lastAsked) + m_interval;
    if (now >= askAt) {
        action = Action::Ask;
        m_lastAsked = now;
        askAt = now + m_interval;
    }
    return {action, ceil<milliseconds>(std::min(askAt, deadAt) - now)};
}

} // namespace pilothouse
