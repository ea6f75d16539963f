// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/probe/parse/procstat.h"

#include "core/base/cleantext.h"
#include "core/base/quoting.h"
#include "core/probe/parse/bytes.h"

#include <algorithm>
#include <array>
#include <limits>

namespace pilothouse {

namespace {

constexpr quint64 exitingFlag = 0x00000004; // include/linux/sched.h: PF_EXITING
constexpr quint64 kernelThreadFlag = 0x00200000; // PF_KTHREAD
constexpr qsizetype mostArguments = 512;
constexpr qsizetype longestDisplay = 4096; // UTF-16 units

// Fields of proc(5), counted from 3 behind the bracket.
enum Field { State = 0, Ppid, Pgid, Sid, Flags = 6, Utime = 11, Stime, Threads = 17, StartTime = 19, Rss = 21, Used };

using Fields = std::array<QByteArrayView, Used>;

/// The fields that are read, without those behind them; false when there are too few.
bool takeFields(QByteArrayView rest, Fields &fields)
{
    const char *at = rest.data();
    const char *const end = at + rest.size();
    const auto blank = [](char c) { return c == ' ' || c == '\t'; };
    for (QByteArrayView &field : fields) {
        at = std::find_if_not(at, end, blank);
        const char *const stop = std::find_if(at, end, blank);
        if (stop == at)
            return false;
        field = QByteArrayView(at, stop);
        at = stop;
    }
    return true;
}

} // namespace

std::optional<ProcStat> parseProcStat(QByteArrayView stat)
{
    const qsizetype open = stat.indexOf('(');
    const qsizetype close = lastOf(stat, ')');
    if (open < 1 || close < open)
        return std::nullopt;
    QByteArrayView rest = stat.sliced(close + 1);
    while (rest.endsWith('\n'))
        rest.chop(1);
    Fields fields;
    if (!takeFields(rest, fields))
        return std::nullopt;
    const auto pid = toInteger(stat.first(open).trimmed());
    if (!pid || *pid < 1 || fields.at(State).size() != 1)
        return std::nullopt;
    const auto ppid = toInteger(fields.at(Ppid));
    const auto pgid = toInteger(fields.at(Pgid));
    const auto sid = toInteger(fields.at(Sid));
    const auto flags = toUnsigned(fields.at(Flags));
    const auto utime = toUnsigned(fields.at(Utime));
    const auto stime = toUnsigned(fields.at(Stime));
    const auto threads = toInteger(fields.at(Threads));
    const auto start = toUnsigned(fields.at(StartTime));
    const auto rss = toInteger(fields.at(Rss));
    if (!ppid || !pgid || !sid || !flags || !utime || !stime || !threads || !start || !rss)
        return std::nullopt;
    if (*threads < 0 || *threads > std::numeric_limits<int>::max() || *rss < 0)
        return std::nullopt;
    return ProcStat{
        .pid = *pid,
        .comm = cleanLine(stat.sliced(open + 1, close - open - 1), 64),
        .state = QLatin1Char(fields.at(State).front()),
        .ppid = *ppid,
        .pgid = *pgid,
        .sid = *sid,
        .exiting = (*flags & exitingFlag) != 0,
        .kernelThread = (*flags & kernelThreadFlag) != 0,
        .cpuTicks = *utime + *stime,
        .threads = int(*threads),
        .startTicks = *start,
        .rssPages = *rss,
    };
}

CommandLine parseCommandLine(QByteArrayView cmdline, bool cut)
{
    // A rewritten title is padded with NULs or blanks to the size of what stood there before.
    while (cmdline.endsWith('\0'))
        cmdline.chop(1);
    CommandLine line;
    if (cmdline.trimmed().isEmpty())
        return line;
    for (qsizetype at = 0; at <= cmdline.size() && line.arguments.size() < mostArguments;) {
        const qsizetype nul = cmdline.indexOf('\0', at);
        const qsizetype end = nul < 0 ? cmdline.size() : nul;
        line.arguments += cleanLine(cmdline.sliced(at, end - at), 4096);
        at = end + 1;
    }
    if (line.arguments.size() == 1)
        line.arguments.first() = line.arguments.first().trimmed();
    if (cut)
        line.arguments.last() += QChar(0x2026);
    const bool title = line.arguments.size() == 1;
    for (const QString &argument : std::as_const(line.arguments)) {
        if (line.display.size() > longestDisplay)
            break;
        const bool quoted = !title && (argument.isEmpty() || argument.contains(u' '));
        if (!line.display.isEmpty())
            line.display += u' ';
        line.display += quoted ? shellQuoted(argument) : argument;
    }
    if (line.display.size() > longestDisplay)
        line.display = cleanLine(QStringView(line.display), longestDisplay);
    return line;
}

} // namespace pilothouse
