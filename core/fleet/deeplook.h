// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Decides when a tick should look deep without being asked (design decision 5): GPU memory is in use and no living
// process answers for it. A value; lives in the link's thread. Times in milliseconds of any steady clock.

#include "core/host/snapshot.h"

#include <QSet>

#include <chrono>
#include <optional>

namespace pilothouse {

class DeepLook final
{
public:
    /// `again`: the shortest time between two deep looks at an unchanged picture.
    explicit DeepLook(std::chrono::milliseconds again);

    /// Memory below this figure is the driver's own overhead. Zero or less: never look.
    void setThreshold(int mib);
    void learn(const Snapshot &snapshot);
    [[nodiscard]] bool isDue(qint64 nowMs) const;
    /// A deep look begins, however it ends: one that fails is not tried again at once.
    void begin(qint64 nowMs);
    /// What the last deep look said of the host's past and of this account's rights, for the light answers after it:
    /// they do not look, and lines that come and go with each look would say that something had changed. Empty once all
    /// memory has a holder.
    [[nodiscard]] const QList<Problem> &kept() const { return m_kept; }

private:
    std::chrono::milliseconds m_again;
    int m_thresholdMib = 0;
    QSet<QString> m_before; // of the answer before the last: cells and lists are readings of their own
    QSet<QString> m_now;
    QSet<QString> m_looked;
    std::optional<qint64> m_lastMs;
    QList<Problem> m_kept;
};

/// Cards with at least `thresholdMib` that no process of the driver's list holds, and processes of that list that no
/// longer exist and hold as much; as names for comparison. Empty where the host itself hides who it is.
[[nodiscard]] QSet<QString> memoryWithoutHolder(const Snapshot &snapshot, int thresholdMib);

} // namespace pilothouse
