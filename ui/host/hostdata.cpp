// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/host/hostdata.h"

#include <algorithm>

namespace pilothouse {

namespace {

constexpr qint64 answerMs = 12'000; ///< a tick that was asked for in time has come or failed by then

} // namespace

qint64 HostData::ageMs(const QDateTime &now) const
{
    return snapshot ? std::max<qint64>(snapshot->takenAt.msecsTo(now), 0) : -1;
}

bool HostData::isStale(const QDateTime &now) const
{
    if (!snapshot)
        return false;
    if (!isConnected())
        return true;
    return ageMs(now) > interval.count() + answerMs;
}

} // namespace pilothouse
