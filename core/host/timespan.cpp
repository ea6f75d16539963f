// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/host/timespan.h"

#include <array>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

struct TimeUnit
{
    const char16_t *name;
    double microseconds;
};

constexpr double second = 1e6;
constexpr std::array timeUnits{
    TimeUnit{u"us", 1},
    TimeUnit{u"usec", 1},
    TimeUnit{u"\u00b5s", 1},
    TimeUnit{u"\u03bcs", 1},
    TimeUnit{u"ms", 1e3},
    TimeUnit{u"msec", 1e3},
    TimeUnit{u"", second},
    TimeUnit{u"s", second},
    TimeUnit{u"sec", second},
    TimeUnit{u"second", second},
    TimeUnit{u"seconds", second},
    TimeUnit{u"m", 60 * second},
    TimeUnit{u"min", 60 * second},
    TimeUnit{u"minute", 60 * second},
    TimeUnit{u"minutes", 60 * second},
    TimeUnit{u"h", 3600 * second},
    TimeUnit{u"hr", 3600 * second},
    TimeUnit{u"hour", 3600 * second},
    TimeUnit{u"hours", 3600 * second},
    TimeUnit{u"d", 86400 * second},
    TimeUnit{u"day", 86400 * second},
    TimeUnit{u"days", 86400 * second},
    TimeUnit{u"w", 604800 * second},
    TimeUnit{u"week", 604800 * second},
    TimeUnit{u"weeks", 604800 * second},
    TimeUnit{u"M", 2629800 * second},
    TimeUnit{u"month", 2629800 * second},
    TimeUnit{u"months", 2629800 * second},
    TimeUnit{u"y", 31557600 * second},
    TimeUnit{u"year", 31557600 * second},
    TimeUnit{u"years", 31557600 * second},
};

std::optional<double> microsecondsOf(QStringView unit)
{
    for (const TimeUnit &row : timeUnits) {
        if (unit == QStringView(row.name))
            return row.microseconds;
    }
    return std::nullopt;
}

bool isFigure(QChar c)
{
    return (c >= u'0' && c <= u'9') || c == u'.';
}

} // namespace

std::optional<std::chrono::microseconds> parseTimeSpan(QStringView text)
{
    text = text.trimmed();
    if (text == u"infinity")
        return endlessTime;
    if (text.isEmpty() || text.size() > 100)
        return std::nullopt;
    double sum = 0;
    qsizetype at = 0;
    const auto part = [&](auto belongs) {
        const qsizetype begin = at;
        while (at < text.size() && belongs(text.at(at)))
            ++at;
        return text.sliced(begin, at - begin);
    };
    const auto isBlank = [](QChar c) { return c == u' ' || c == u'\t'; };
    while (at < text.size()) {
        bool isNumber = false;
        const double figure = part(isFigure).toDouble(&isNumber);
        part(isBlank);
        const auto unit = microsecondsOf(part([&](QChar c) { return !isFigure(c) && !isBlank(c); }));
        part(isBlank);
        if (!isNumber || !unit)
            return std::nullopt;
        sum += figure * *unit;
    }
    return sum < 9e18 ? std::chrono::microseconds(qint64(sum)) : endlessTime;
}

QString timeSpanText(std::chrono::microseconds span)
{
    const qint64 us = span.count();
    if (span == endlessTime)
        return u"infinity"_s;
    if (us % 1'000'000 != 0)
        return QString::number(double(us) / 1e3, 'g', 6) + u"ms";
    const qint64 seconds = us / 1'000'000;
    if (seconds >= 3600 && seconds % 3600 == 0)
        return QString::number(seconds / 3600) + u'h';
    if (seconds >= 120 && seconds % 60 == 0)
        return QString::number(seconds / 60) + u"min";
    return QString::number(seconds) + u's';
}

} // namespace pilothouse
