// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Is what the ended processes held back? Told by steady readings of each GPU concerned, never by one, and never by a figure
// that could not be read; a neighbour's memory does not count. Pure, any thread. Times of any steady clock.

#include "core/workflow/plan.h"

#include <QSet>

namespace pilothouse {

class MemoryWatch final
{
public:
    enum class State { Waiting, Back, GivenUp };
    static constexpr int steadyReadings = 3;

    MemoryWatch(QList<PlanGpu> gpus, const QList<SignalTarget> &targets, qint64 pinnedKib, std::optional<qint64> belowMib);

    void begin(qint64 nowMs);
    State take(const Snapshot &snapshot, qint64 nowMs);
    /// A reading that failed: what was steady has to be steady again.
    void miss() { m_steady = 0; }

    /// It was back in the last reading, and has to be so again.
    [[nodiscard]] bool isSteadying() const { return m_steady > 0; }
    /// How long it may take: 10 s and 0.15 s for each GiB of host memory to be unpinned. Three times that, and it is waited
    /// for only while it falls.
    [[nodiscard]] qint64 expectedMs() const { return m_expectedMs; }
    /// "GPU 0, 3 not yet; 96615 MiB to come", for people.
    [[nodiscard]] QString words() const;
    [[nodiscard]] const QList<int> &missing() const { return m_missing; }
    /// What has not come back, as far as it is known.
    [[nodiscard]] Quantity<qint64> outstandingMib() const { return m_outstanding; }
    /// Of the last reading, by GPU of the plan.
    [[nodiscard]] const QList<Quantity<qint64>> &usedMib() const { return m_used; }

private:
    struct Reading
    {
        bool back = false;
        Quantity<qint64> outstanding;
        Quantity<qint64> used;
    };
    [[nodiscard]] Reading read(const PlanGpu &planned, const Snapshot &snapshot) const;

    QList<PlanGpu> m_gpus;
    QSet<ProcessIdentity> m_identities;
    QSet<qint64> m_pids;
    std::optional<qint64> m_below;
    qint64 m_expectedMs = 10'000;
    qint64 m_start = 0;
    qint64 m_fell = 0; // when it was last seen to fall
    int m_steady = 0;
    QList<int> m_missing;
    QList<Quantity<qint64>> m_used;
    Quantity<qint64> m_outstanding;
};

} // namespace pilothouse
