// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/probe/parse/procfiles.h"

#include "core/probe/parse/busid.h"
#include "core/probe/parse/bytes.h"

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr quint64 nvidiaVendor = 0x10de;
constexpr quint64 displayClass = 0x03; // VGA, 3D and other display controllers; switches and audio are others

std::optional<quint64> hexOf(QByteArrayView text)
{
    return toUnsigned(text.startsWith("0x") ? text.sliced(2) : text, 16);
}

} // namespace

HostMemory parseMeminfo(QByteArrayView meminfo)
{
    HostMemory memory;
    for (const QByteArrayView line : linesOf(meminfo)) {
        const QList<QByteArrayView> words = wordsOf(line);
        if (words.size() != 3 || words.at(2) != "kB")
            continue;
        const auto kib = toInteger(words.at(1));
        if (!kib || *kib < 0)
            continue;
        if (words.at(0) == "MemTotal:")
            memory.totalKib = *kib;
        else if (words.at(0) == "MemAvailable:")
            memory.availableKib = *kib;
    }
    return memory;
}

Quantity<double> parseLoad1(QByteArrayView loadavg)
{
    const QList<QByteArrayView> words = wordsOf(loadavg.trimmed());
    const auto load = words.size() >= 3 ? toDecimal(words.first()) : std::nullopt;
    if (!load || *load < 0)
        return Quantity<double>::unknown(UnknownReason::Unparsable);
    return *load;
}

Quantity<qint64> parseOomKills(QByteArrayView vmstat)
{
    for (const QByteArrayView line : linesOf(vmstat)) {
        const QList<QByteArrayView> words = wordsOf(line);
        if (words.size() == 2 && words.first() == "oom_kill") {
            const auto count = toInteger(words.last());
            return count && *count >= 0 ? Quantity<qint64>(*count)
                                        : Quantity<qint64>::unknown(UnknownReason::Unparsable);
        }
    }
    return {};
}

QStringList parsePciGpus(QByteArrayView pci)
{
    QStringList ids;
    for (const QByteArrayView line : linesOf(pci)) {
        const QList<QByteArrayView> words = wordsOf(line);
        if (words.size() != 3)
            continue;
        const QString id = normalBusId(words.at(0));
        const auto vendor = hexOf(words.at(1));
        const auto deviceClass = hexOf(words.at(2));
        if (!id.isEmpty() && vendor == nvidiaVendor && deviceClass && *deviceClass >> 16U == displayClass
            && !ids.contains(id))
            ids += id;
    }
    ids.sort();
    return ids;
}

} // namespace pilothouse
