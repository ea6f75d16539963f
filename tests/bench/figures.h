// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// How a bench prints what it measured: one row of a table a figure; tests/bench/run puts the rows of all programs under
// one heading. Header only.

#include <QList>
#include <QString>

#include <algorithm>
#include <cstdio>
#include <ctime>

namespace pilothouse::bench {

[[nodiscard]] inline double median(QList<double> values)
{
    if (values.isEmpty())
        return 0;
    std::sort(values.begin(), values.end());
    const qsizetype middle = values.size() / 2;
    return values.size() % 2 != 0 ? values.at(middle) : (values.at(middle - 1) + values.at(middle)) / 2;
}

/// CPU that this process has used so far, in ms, all threads.
[[nodiscard]] inline double cpuMs()
{
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return double(time.tv_sec) * 1e3 + double(time.tv_nsec) / 1e6;
}

/// "| figure | measured unit | limit | ok or OVER |"; a limit of 0: a peer, shown for comparison.
/// Returns whether the limit holds.
inline bool show(const QString &figure, double measured, const QString &unit, double limit = 0, int digits = 2)
{
    const bool held = limit <= 0 || measured <= limit;
    const QString text = QString::number(measured, 'f', digits) + u' ' + unit;
    const QString most = limit <= 0 ? QStringLiteral("peer")
                                    : QString(QStringLiteral("≤ ") + QString::number(limit, 'g', 4) + u' ' + unit);
    std::printf("| %s | %s | %s | %s |\n", qPrintable(figure), qPrintable(text), qPrintable(most),
                limit <= 0 ? "" : held ? "ok" : "OVER");
    std::fflush(stdout);
    return held;
}

} // namespace pilothouse::bench
