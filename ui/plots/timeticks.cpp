// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/timeticks.h"

#include <algorithm>
#include <array>

namespace pilothouse {

namespace {

constexpr qint64 second = 1000;
constexpr qint64 minute = 60 * second;
constexpr qint64 hour = 60 * minute;
constexpr std::array steps{1 * second, 2 * second, 5 * second, 10 * second, 15 * second, 30 * second,
                           1 * minute, 2 * minute, 5 * minute, 10 * minute, 15 * minute, 30 * minute,
                           1 * hour,   2 * hour,   6 * hour,   12 * hour,   24 * hour};

} // namespace

qint64 timeStepMs(qint64 spanMs, int most)
{
    const qint64 marks = std::max(most, 1);
    const auto it = std::ranges::find_if(steps, [&](qint64 step) { return spanMs <= step * marks; });
    return it == steps.end() ? steps.back() : *it;
}

QList<qint64> timeTicks(qint64 fromMs, qint64 toMs, qint64 stepMs, qint64 offsetMs)
{
    constexpr qsizetype enough = 1000;
    QList<qint64> ticks;
    const qint64 local = fromMs + offsetMs;
    const qint64 past = ((local % stepMs) + stepMs) % stepMs;
    for (qint64 at = past == 0 ? fromMs : fromMs + stepMs - past; at <= toMs && ticks.size() < enough; at += stepMs)
        ticks << at;
    return ticks;
}

QString timeTickFormat(qint64 stepMs)
{
    return stepMs < minute ? QStringLiteral("HH:mm:ss") : QStringLiteral("HH:mm");
}

double memoryStepGib(double topGib)
{
    constexpr double mostLines = 4.5;
    constexpr std::array small{1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0};
    for (const double step : small) {
        if (topGib / step <= mostLines)
            return step;
    }
    // 16, 24, 32, 48, 64, 96, …: memory comes in powers of two and halves between them.
    for (double step = 16; step < 1e9; step *= 2) {
        if (topGib / step <= mostLines)
            return step;
        if (topGib / (step * 1.5) <= mostLines)
            return step * 1.5;
    }
    return topGib;
}

} // namespace pilothouse
