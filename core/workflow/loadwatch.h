// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Follows the load of a server that was started: does it get on, and how far is it? Memory that grows, processor time that
// is used and new lines of its log are progress; how long it took earlier gives the estimate. Pure, any thread. Times of
// any steady clock.

#include "core/host/snapshot.h"

#include <QSet>

#include <chrono>

namespace pilothouse {

class LoadWatch final
{
public:
    /// `gpus`: indices of the service's cards; empty: all. `expectedMib`: what it held there when it served; `usual`: how
    /// long it took then. Both unknown where nothing was learned.
    LoadWatch(QList<int> gpus, std::optional<qint64> expectedMib, std::optional<std::chrono::milliseconds> usual);

    void begin(qint64 nowMs);
    /// `unitPids`: processes of the unit, whose processor time counts.
    void take(const Snapshot &snapshot, const QSet<qint64> &unitPids, qint64 nowMs);
    /// New lines of its log, oldest first.
    void takeLog(const QStringList &lines, qint64 nowMs);

    [[nodiscard]] qint64 sinceProgressMs(qint64 nowMs) const { return nowMs - m_progress; }
    /// 1.5 times the learned time, or `slow` where nothing is learned, has gone by.
    [[nodiscard]] bool isLate(qint64 nowMs, std::chrono::milliseconds slow) const;
    /// "loads weights, 45 %; 310 of 773 GiB on its GPUs; 40 s of usually 3 min 30 s".
    [[nodiscard]] QString words(qint64 nowMs) const;

private:
    QList<int> m_gpus;
    std::optional<qint64> m_expectedMib;
    std::optional<std::chrono::milliseconds> m_usual;
    qint64 m_start = 0;
    qint64 m_progress = 0;
    std::optional<qint64> m_usedMib;
    qint64 m_mostMib = 0;
    double m_mostCpuS = 0;
    QString m_phase;
};

/// "40 s", "3 min 30 s", "1 h 4 min".
[[nodiscard]] QString spanInWords(std::chrono::milliseconds time);

} // namespace pilothouse
