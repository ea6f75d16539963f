// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ssh/effectivesettings.h"

#include <algorithm>
#include <limits>

namespace pilothouse {

using namespace Qt::StringLiterals;
using std::chrono::milliseconds;
using std::chrono::seconds;

ConnectionSettings effectiveSettings(ConnectionSettings settings, const ResolvedHost &host)
{
    const ConnectionSettings defaults;
    if (host.connectTimeoutS > 0 && settings.connectTimeout == defaults.connectTimeout)
        settings.connectTimeout = std::min<milliseconds>(settings.connectTimeout, seconds(host.connectTimeoutS));
    if (host.serverAliveIntervalS > 0 && settings.keepaliveInterval == defaults.keepaliveInterval
        && settings.deadAfter == defaults.deadAfter) {
        const milliseconds interval = seconds(host.serverAliveIntervalS);
        settings.keepaliveInterval = std::min(settings.keepaliveInterval, interval);
        settings.deadAfter = std::min(settings.deadAfter, interval * std::max(host.serverAliveCountMax, 1));
    }
    if (host.batchMode)
        settings.askPerson = false;
    return settings;
}

RekeyLimit rekeyLimitOf(const ResolvedHost &host)
{
    const QStringList words = host.rekeyLimit.split(u' ', Qt::SkipEmptyParts);
    bool bytesOk = false;
    bool secondsOk = false;
    const quint64 bytes = words.value(0).toULongLong(&bytesOk);
    const quint64 duration = words.value(1).toULongLong(&secondsOk);
    // libssh counts in milliseconds of 32 bits.
    constexpr quint64 longest = std::numeric_limits<std::uint32_t>::max() / 1000;
    if (words.size() != 2 || !bytesOk || !secondsOk || duration > longest)
        return {};
    return {bytes, static_cast<std::uint32_t>(duration)};
}

std::optional<int> requiredRsaSize(const ResolvedHost &host)
{
    constexpr int leastOfLibssh = 768;
    if (host.requiredRsaSize < leastOfLibssh)
        return {};
    return host.requiredRsaSize;
}

} // namespace pilothouse
