// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/probe/parse/systemctl.h"

#include "core/base/cleantext.h"
#include "core/probe/parse/bytes.h"

#include <QHash>
#include <QTimeZone>

#include <algorithm>
#include <array>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr std::array propertyNames{
    "Id", "Names", "LoadState", "LoadError", "ActiveState", "SubState", "Result", "Type", "KillMode", "MainPID",
    "ControlGroup", "NRestarts", "ExecMainCode", "ExecMainStatus", "UnitFileState", "StatusText", "Restart", "User",
    "NeedDaemonReload", "StateChangeTimestamp", "StateChangeTimestampMonotonic", "ActiveEnterTimestamp",
    "ActiveEnterTimestampMonotonic", "InactiveEnterTimestamp", "InactiveEnterTimestampMonotonic",
    "InactiveExitTimestamp", "InactiveExitTimestampMonotonic", "ActiveExitTimestamp", "ActiveExitTimestampMonotonic",
};

using Block = QHash<QByteArray, QByteArray>;

/// The key of "Key=value"; anything else continues the value before it.
QByteArrayView keyOf(QByteArrayView line)
{
    const qsizetype equals = line.indexOf('=');
    if (equals < 2 || line.front() < 'A' || line.front() > 'Z')
        return {};
    const QByteArrayView key = line.first(equals);
    const bool plain = std::all_of(key.begin(), key.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    });
    return plain ? key : QByteArrayView();
}

bool isAskedFor(QByteArrayView key)
{
    return std::any_of(propertyNames.begin(), propertyNames.end(),
        [&](const char *name) { return key == QByteArrayView(name); });
}

QList<Block> blocksOf(QByteArrayView output)
{
    QList<Block> blocks;
    bool gap = true; // since an empty line, or the beginning
    QByteArray last;
    for (const QByteArrayView line : linesOf(output)) {
        if (line.isEmpty()) {
            gap = true;
            continue;
        }
        const QByteArrayView key = keyOf(line);
        if (key.isEmpty()) {
            gap = gap && last.isEmpty(); // an empty line inside a value was none between blocks
            if (!last.isEmpty() && blocks.last().value(last).size() < 8192)
                blocks.last()[last] += '\n' + line.toByteArray();
            continue;
        }
        if (gap)
            blocks += Block();
        gap = false;
        last.clear();
        if (!isAskedFor(key) || blocks.last().contains(key.toByteArray()))
            continue; // said twice: the first stands
        last = key.toByteArray();
        blocks.last().insert(last, line.sliced(key.size() + 1).toByteArray());
    }
    return blocks;
}

Quantity<int> counterOf(const Block &block, const char *key, bool zeroMeansNone)
{
    const auto found = block.constFind(key);
    if (found == block.cend() || found->isEmpty())
        return {};
    // [not set], [no data], infinity and 2^64-1 all say that there is no figure.
    const auto number = toInteger(*found);
    if (!number || *number < 0 || *number > 2'147'483'647 || (zeroMeansNone && *number == 0))
        return Quantity<int>::unknown(UnknownReason::Absent, number ? QString() : cleanLine(*found, 80));
    return int(*number);
}

QString textOf(const Block &block, const char *key, qsizetype limit = 512)
{
    return cleanLine(block.value(key), limit);
}

QDateTime stampOf(const Block &block, const QByteArray &name, const HostClock &clock)
{
    const QDateTime wall = parseSystemdTime(block.value(name));
    if (wall.isValid())
        return wall;
    const auto monotonic = toUnsigned(block.value(name + "Monotonic"));
    if (!monotonic || *monotonic == 0 || !clock.now.isValid() || double(*monotonic) / 1e6 > clock.uptimeS)
        return {};
    return clock.now.addMSecs(qint64(double(*monotonic) / 1e3 - clock.uptimeS * 1e3));
}

/// Since when the unit is in its present state.
QDateTime sinceOf(const Block &block, const HostClock &clock)
{
    const QByteArray active = block.value("ActiveState");
    QByteArray name = "StateChangeTimestamp";
    if (active == "active" || active == "reloading" || active == "refreshing")
        name = "ActiveEnterTimestamp";
    else if (active == "inactive" || active == "failed")
        name = "InactiveEnterTimestamp";
    else if (active == "activating")
        name = "InactiveExitTimestamp";
    else if (active == "deactivating")
        name = "ActiveExitTimestamp";
    const QDateTime since = stampOf(block, name, clock);
    return since.isValid() ? since : stampOf(block, "StateChangeTimestamp", clock);
}

Unit unitOf(const QString &name, const Block &block, const HostClock &clock, bool user)
{
    Unit unit;
    unit.name = name;
    unit.user = user;
    unit.load = textOf(block, "LoadState", 80);
    unit.active = textOf(block, "ActiveState", 80);
    unit.sub = textOf(block, "SubState", 80);
    unit.result = textOf(block, "Result", 80);
    unit.type = textOf(block, "Type", 80);
    unit.killMode = textOf(block, "KillMode", 80);
    const Quantity<int> main = counterOf(block, "MainPID", true);
    unit.mainPid =
        main.isKnown() ? Quantity<qint64>(main.value()) : Quantity<qint64>::unknown(main.reason(), main.word());
    unit.controlGroup = textOf(block, "ControlGroup", 1024);
    unit.restarts = counterOf(block, "NRestarts", false);
    unit.execMainCode = counterOf(block, "ExecMainCode", true);
    if (unit.execMainCode.isKnown()) // 0 without a code is "no main process has ended", not success
        unit.execMainStatus = counterOf(block, "ExecMainStatus", false);
    unit.hostSince = sinceOf(block, clock);
    unit.unitFileState = textOf(block, "UnitFileState", 80);
    unit.statusText = textOf(block, "StatusText");
    unit.loadError = textOf(block, "LoadError");
    unit.restart = textOf(block, "Restart", 80);
    unit.userName = textOf(block, "User", 80);
    unit.needDaemonReload = block.value("NeedDaemonReload") == "yes";
    return unit;
}

bool answersTo(const Block &block, const QByteArray &name)
{
    return block.value("Id") == name || block.value("Names").split(' ').contains(name);
}

void readErrors(UnitBlocks &result, QByteArrayView output, QByteArrayView errors)
{
    for (const QByteArrayView text : {errors, output}) {
        for (const QByteArrayView line : linesOf(text)) {
            const QByteArray lower = lowered(line);
            const bool bus = lower.contains("failed to connect to") && lower.contains("bus");
            const bool absent = lower.contains("has not been booted with systemd")
                                || lower.contains("systemctl: not found")
                                || lower.contains("systemctl: command not found")
                                || lower.contains("systemctl: permission denied"); // the shell's word: no such program for us
            result.noBus = result.noBus || bus;
            result.noSystemd = result.noSystemd || absent;
            const bool worthShowing =
                bus || absent || lower.startsWith("failed to") || lower.startsWith("invalid unit name");
            if (worthShowing && result.message.isEmpty())
                result.message = cleanLine(line.trimmed(), 300);
        }
    }
}

} // namespace

QStringList unitProperties()
{
    QStringList names;
    for (const char *name : propertyNames)
        names += QString::fromLatin1(name);
    return names;
}

QDateTime parseSystemdTime(QByteArrayView text)
{
    text = text.trimmed();
    if (text.startsWith('@')) {
        const auto seconds = toDecimal(text.sliced(1));
        if (!seconds || *seconds <= 0 || *seconds > 253'402'300'799.0)
            return {};
        return QDateTime::fromMSecsSinceEpoch(qint64(*seconds * 1e3), Qt::UTC);
    }
    const QList<QByteArrayView> words = wordsOf(text); // weekday, date, time, zone
    if (words.size() != 4 || words.at(3) != "UTC" || words.at(1).size() != 10 || words.at(2).size() < 8)
        return {};
    const QDate date = QDate::fromString(QString::fromLatin1(words.at(1)), Qt::ISODate);
    QTime time = QTime::fromString(QString::fromLatin1(words.at(2).first(8)), Qt::ISODate);
    if (words.at(2).size() > 8) {
        const auto fraction = words.at(2).at(8) == '.' ? toUnsigned(words.at(2).sliced(9)) : std::nullopt;
        if (!fraction || words.at(2).size() != 15) // microseconds
            return {};
        time = time.addMSecs(int(*fraction / 1000));
    }
    const QDateTime stamp(date, time, Qt::UTC);
    return date.isValid() && time.isValid() ? stamp : QDateTime();
}

UnitBlocks parseUnits(const QStringList &asked, QByteArrayView output, QByteArrayView errors, const HostClock &clock,
    bool user)
{
    UnitBlocks result;
    QList<Block> blocks = blocksOf(output);
    readErrors(result, blocks.isEmpty() ? output : QByteArrayView(), errors);
    QStringList open;
    for (const QString &name : asked) {
        const QByteArray wanted = name.toUtf8();
        const bool done =
            std::any_of(result.units.begin(), result.units.end(), [&](const Unit &u) { return u.name == name; });
        const auto block =
            std::find_if(blocks.begin(), blocks.end(), [&](const Block &b) { return answersTo(b, wanted); });
        if (done)
            continue; // asked twice, answered twice
        if (block == blocks.end()) {
            if (!open.contains(name))
                open += name;
            continue;
        }
        result.units += unitOf(name, *block, clock, user);
    }
    result.unanswered = open;
    return result;
}

} // namespace pilothouse
