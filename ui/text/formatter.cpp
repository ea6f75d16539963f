// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/text/formatter.h"

#include <QCoreApplication>
#include <QLocale>
#include <QStringList>

#include <algorithm>

namespace pilothouse::format {

using namespace Qt::StringLiterals;

namespace {

struct Tr
{
    Q_DECLARE_TR_FUNCTIONS(Format)
};

constexpr double mibPerGib = 1024.0;
constexpr qint64 second = 1000;
constexpr qint64 minute = 60 * second;
constexpr qint64 hour = 60 * minute;
constexpr qint64 day = 24 * hour;

QString fixed(double value, int decimals)
{
    return QLocale::c().toString(value, 'f', decimals);
}

template <class T>
QString withUnit(const Quantity<T> &quantity, int decimals, const QString &unit)
{
    if (!quantity.isKnown())
        return unknownMark();
    return QString(fixed(static_cast<double>(quantity.value()), decimals) + u' ' + unit);
}

} // namespace

QString unknownMark()
{
    return u"–"_s;
}

QString gib(double mib)
{
    return fixed(mib / mibPerGib, 1);
}

QString memory(double mib)
{
    return Tr::tr("%1 GiB").arg(gib(mib));
}

QString memory(const Quantity<qint64> &mib)
{
    return mib.isKnown() ? memory(static_cast<double>(mib.value())) : unknownMark();
}

QString usedOfTotal(const Quantity<qint64> &usedMib, const Quantity<qint64> &totalMib)
{
    const auto part = [](const Quantity<qint64> &mib) {
        return mib.isKnown() ? gib(static_cast<double>(mib.value())) : unknownMark();
    };
    if (!usedMib.isKnown() && !totalMib.isKnown())
        return unknownMark();
    return QString(part(usedMib) + u" / "_s + part(totalMib));
}

QString exactMib(const Quantity<qint64> &mib)
{
    return withUnit(mib, 0, Tr::tr("MiB"));
}

QString hostMemory(const Quantity<qint64> &kib)
{
    if (!kib.isKnown())
        return unknownMark();
    const auto value = static_cast<double>(kib.value());
    if (value < mibPerGib)
        return Tr::tr("%1 KiB").arg(fixed(value, 0));
    if (value < mibPerGib * mibPerGib)
        return Tr::tr("%1 MiB").arg(fixed(value / mibPerGib, 1));
    return Tr::tr("%1 GiB").arg(fixed(value / mibPerGib / mibPerGib, 1));
}

QString bytes(qint64 bytes)
{
    return Tr::tr("%1 KiB").arg(fixed(static_cast<double>(bytes) / mibPerGib, 1));
}

QString percent(const Quantity<double> &pct)
{
    return withUnit(pct, 0, u"%"_s);
}

QString celsius(const Quantity<double> &degrees)
{
    return withUnit(degrees, 0, u"°C"_s);
}

QString watts(const Quantity<double> &watts)
{
    return withUnit(watts, 0, u"W"_s);
}

QString milliseconds(double ms)
{
    return Tr::tr("%1 ms").arg(fixed(ms, 0));
}

QString count(const Quantity<qint64> &number)
{
    return number.isKnown() ? QString::number(number.value()) : unknownMark();
}

QString duration(qint64 ms)
{
    ms = std::max<qint64>(ms, 0);
    if (ms < 10 * second)
        return Tr::tr("%1 s").arg(fixed(static_cast<double>(ms / 100) / 10.0, 1));
    if (ms < 100 * second)
        return Tr::tr("%1 s").arg(ms / second);
    if (ms < hour)
        return Tr::tr("%1 min").arg(ms / minute);
    if (ms < day)
        return Tr::tr("%1 h %2 min").arg(ms / hour).arg(ms % hour / minute);
    return Tr::tr("%1 d").arg(ms / day);
}

QString ago(qint64 ms)
{
    return Tr::tr("%1 ago").arg(duration(ms));
}

QString localTime(const QDateTime &utc, const QDateTime &now)
{
    if (!utc.isValid())
        return unknownMark();
    const QDateTime local = utc.toLocalTime();
    const qint64 days = local.date().daysTo(now.toLocalTime().date());
    if (days == 0)
        return local.toString(u"HH:mm:ss"_s);
    if (days > 0 && days < 7)
        return QLocale().toString(local, u"ddd HH:mm"_s);
    return local.toString(u"yyyy-MM-dd HH:mm"_s);
}

QString utcAndAge(const QDateTime &utc, const QDateTime &now)
{
    if (!utc.isValid())
        return unknownMark();
    return Tr::tr("%1 UTC, %2").arg(utc.toUTC().toString(u"yyyy-MM-dd HH:mm:ss"_s), ago(utc.msecsTo(now)));
}

QString reason(UnknownReason reason, const QString &word)
{
    const QString why = [reason] {
        switch (reason) {
        case UnknownReason::NotSupported: return Tr::tr("Unknown: this device does not have this figure.");
        case UnknownReason::NoPermission: return Tr::tr("Unknown: this account may not see it.");
        case UnknownReason::Failed: return Tr::tr("Unknown: reading it failed on the host.");
        case UnknownReason::Absent: return Tr::tr("Unknown: the host does not report it.");
        case UnknownReason::Unparsable: return Tr::tr("Unknown: the host's answer was not understood.");
        }
        return QString();
    }();
    return word.isEmpty() ? why : QString(why + u'\n' + Tr::tr("The host said: %1").arg(word));
}

QString ranges(const QList<int> &numbers)
{
    QStringList parts;
    for (qsizetype i = 0; i < numbers.size();) {
        qsizetype last = i;
        while (last + 1 < numbers.size() && numbers.at(last + 1) == numbers.at(last) + 1)
            ++last;
        const QString first = QString::number(numbers.at(i));
        if (last == i)
            parts << first;
        else if (last == i + 1)
            parts << first << QString::number(numbers.at(last));
        else
            parts << QString(first + u'–' + QString::number(numbers.at(last)));
        i = last + 1;
    }
    return parts.join(u", "_s);
}

} // namespace pilothouse::format
