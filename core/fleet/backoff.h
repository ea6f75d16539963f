// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// How long to wait before the next attempt to connect: doubling with jitter, so that a hundred hosts behind one broken
// switch do not come back in step. Lives in one thread.

#include <QtGlobal>

#include <algorithm>
#include <chrono>
#include <functional>

namespace pilothouse {

class Backoff final
{
public:
    /// `random` gives numbers from 0 to 1.
    Backoff(std::chrono::milliseconds first, std::chrono::milliseconds last, std::function<double()> random)
        : m_first(first)
        , m_last(last)
        , m_random(std::move(random))
        , m_next(first)
    {
    }

    /// The next wait: three quarters to five quarters of first · 2ⁿ, never outside first … last.
    [[nodiscard]] std::chrono::milliseconds next()
    {
        const double factor = 0.75 + 0.5 * m_random();
        const std::chrono::milliseconds wait(qRound64(double(m_next.count()) * factor));
        m_next = std::min(m_last, m_next * 2);
        return std::clamp(wait, m_first, m_last);
    }
    void reset() { m_next = m_first; }

private:
    std::chrono::milliseconds m_first;
    std::chrono::milliseconds m_last;
    std::function<double()> m_random;
    std::chrono::milliseconds m_next;
};

} // namespace pilothouse
