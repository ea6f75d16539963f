// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ssh/sessioncore.h"

#include <algorithm>

// The session's shells: driven by the pump, told of by deliver().

namespace pilothouse {

using std::chrono::milliseconds;

namespace {

constexpr int mostPasses = 8;

} // namespace

void SessionCore::driveChannels()
{
    const auto now = SessionChannel::Clock::now();
    // Any call for one channel may read packets of another: go round until nothing more has come.
    std::uint64_t seen = 0;
    int pass = 0;
    do {
        seen = m_counter.in_bytes;
        for (const auto &channel : m_channels) {
            if (!m_seams.api->isConnected(m_session.get()))
                return;
            channel->begin(m_session.get(), now + m_settings.connectTimeout);
            channel->advance(now);
        }
    } while (m_counter.in_bytes != seen && ++pass < mostPasses);
    if (pass == mostPasses)
        wake();

    std::optional<SessionChannel::Clock::time_point> next;
    for (const auto &channel : m_channels) {
        if (const auto deadline = channel->deadline(); deadline && (!next || *deadline < *next))
            next = deadline;
    }
    if (next)
        m_channelDeadline.start(std::max(std::chrono::ceil<milliseconds>(*next - now), milliseconds(1)));
    else
        m_channelDeadline.stop();
}

void SessionCore::deliver()
{
    // A copy: a receiver may open shells, or end the session.
    const auto channels = m_channels;
    for (const auto &channel : channels) {
        if (!channel->deliver())
            std::erase(m_channels, channel);
    }
}

} // namespace pilothouse
