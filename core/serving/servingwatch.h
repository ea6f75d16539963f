// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Does it serve, as far as its metrics tell? The lasting check: asks for no token. Pure, any thread. Times of any
// steady clock.

#include "core/serving/metrics.h"

#include <optional>

namespace pilothouse {

class ServingWatch final
{
public:
    enum class State {
        Unknown, ///< its figures cannot be read
        Idle,    ///< nothing to do
        Serving, ///< requests run, counters advance
        Busy,    ///< the same, but it is slow to answer, or requests wait
        Stuck,   ///< requests run, and no counter has advanced for a minute
    };
    static constexpr qint64 stuckAfterMs = 60'000;
    static constexpr qint64 longestGapMs = 30'000; ///< between two readings; after a longer one it begins anew
    static constexpr qint64 slowMs = 2'000;        ///< an answer that takes longer is a slow one

    /// `tookMs`: how long /metrics took to answer.
    State take(const ServingMetrics &metrics, qint64 nowMs, qint64 tookMs = 0);
    /// A reading that failed.
    State miss(qint64 nowMs);

    [[nodiscard]] State state() const { return m_state; }
    /// "37 running, 4 waiting; no token for 64 s", for people.
    [[nodiscard]] QString words() const;
    /// Tokens a second between the last two readings.
    [[nodiscard]] Quantity<double> tokensPerSecond() const { return m_rate; }

private:
    [[nodiscard]] bool advanced(const ServingMetrics &metrics, bool &restarted) const;

    State m_state = State::Unknown;
    std::optional<ServingMetrics> m_last;
    qint64 m_lastAt = 0;
    std::optional<qint64> m_frozenSince; // requests ran then, and nothing has advanced since
    qint64 m_frozenMs = 0;
    Quantity<double> m_rate;
};

[[nodiscard]] QString nameOf(ServingWatch::State state); ///< "stuck"

} // namespace pilothouse
