// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/host/hostdata.h"

#include <algorithm>

namespace pilothouse {

namespace {

constexpr qint64 freshForMs = 12'000; ///< whatever the cadence: a background tick comes every 10 s
constexpr qint64 slowestCadenceMs = 60'000;

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
    return ageMs(now) > std::max(freshForMs, 3 * std::min(spacingMs, slowestCadenceMs));
}

} // namespace pilothouse
