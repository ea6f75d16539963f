// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/probe/parse/procfiles.h"

#include "core/probe/parse/busid.h"
#include "core/base/cleantext.h"
#include "core/probe/parse/bytes.h"

#include <QHash>
#include <QMap>

#include <algorithm>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 mostKib = qint64(1) << 50; // no host has more memory
constexpr quint64 nvidiaVendor = 0x10de;
constexpr quint64 displayClass = 0x03; // VGA, 3D and other display controllers; switches and audio are others

std::optional<quint64> hexOf(QByteArrayView text)
{
    return toUnsigned(text.startsWith("0x") ? text.sliced(2) : text, 16);
}

} // namespace

ProcStatus parseProcStatus(QByteArrayView lines)
{
    constexpr quint64 killBit = 1U << 8U; // signal 9
    ProcStatus status;
    for (const QByteArrayView line : linesOf(lines)) {
        const qsizetype colon = line.indexOf(':');
        if (colon < 0)
            continue;
        const QByteArrayView key = line.first(colon);
        const QByteArrayView value = line.sliced(colon + 1).trimmed();
        if (key == "SigPnd" || key == "ShdPnd") {
            if (const auto signals_ = toUnsigned(value, 16))
                status.killPending = status.killPending.value_or(false) || (*signals_ & killBit) != 0;
        } else if (key == "VmLck" || key == "VmPin") {
            const QList<QByteArrayView> words = wordsOf(value);
            const auto kib = words.size() == 2 && words.at(1) == "kB" ? toInteger(words.at(0)) : std::nullopt;
            if (kib && *kib >= 0 && *kib < mostKib)
                status.lockedKib = status.lockedKib.value_or(0) + *kib;
        } else if (key == "wchan" && !value.isEmpty() && value != "0") {
            status.waitsIn = cleanLine(value, 64);
        }
    }
    return status;
}

QList<LoginSession> parseSessions(QByteArrayView text)
{
    QMap<QByteArray, QHash<QByteArray, QByteArray>> sessions;
    QHash<QByteArray, qint64> touched; // by terminal, and the latest by "uid N"
    std::optional<qint64> now;
    for (const QByteArrayView line : linesOf(text)) {
        if (!line.startsWith('/')) {
            const QList<QByteArrayView> words = wordsOf(line);
            const auto seconds = words.size() == 3 ? toInteger(words.at(0)) : std::nullopt;
            if (seconds && words.at(2) == "/proc/self/stat") {
                now = *seconds;
            } else if (seconds && words.at(2).startsWith("/dev/")) {
                touched.insert(words.at(2).sliced(5).toByteArray(), *seconds);
                qint64 &latest = touched["uid " + words.at(1).toByteArray()];
                latest = std::max(latest, *seconds);
            }
            continue;
        }
        const qsizetype colon = line.indexOf(':');
        const qsizetype equals = line.indexOf('=');
        if (colon < 0 || equals < colon)
            continue;
        const QByteArrayView file = line.first(colon);
        sessions[file.sliced(lastOf(file, '/') + 1).toByteArray()].insert(
            line.sliced(colon + 1, equals - colon - 1).toByteArray(), line.sliced(equals + 1).toByteArray());
    }
    QList<LoginSession> list;
    for (auto session = sessions.cbegin(); session != sessions.cend(); ++session) {
        if (session->value("STATE") == "closing" || session->value("CLASS").startsWith("manager") || !session->contains("USER"))
            continue;
        LoginSession login;
        login.name = cleanLine(session->value("SCOPE", "session-" + session.key() + ".scope"), 128);
        login.user = cleanLine(session->value("USER"), 64);
        auto at = touched.constFind(session->value("TTY"));
        if (at == touched.cend() && !session->contains("TTY"))
            at = touched.constFind("uid " + session->value("UID"));
        if (now && at != touched.cend())
            login.idleS = std::max(0.0, double(*now) - double(*at));
        list += login;
    }
    return list;
}

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
