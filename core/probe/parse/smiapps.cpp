// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/probe/parse/smiapps.h"

#include "core/base/cleantext.h"
#include "core/probe/parse/bytes.h"
#include "core/probe/parse/smicsv.h"
#include "core/probe/parse/smiwords.h"

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 largestPid = 4'194'304; // PID_MAX_LIMIT

bool isGpuUuid(QByteArrayView cell)
{
    return (cell.startsWith("GPU-") || cell.startsWith("MIG-")) && cell.size() >= 8 && cell.size() <= 80
        && !cell.contains(' ');
}

Quantity<qint64> mibOf(QByteArrayView cell)
{
    QByteArrayView digits = cell;
    if (digits.endsWith("MiB"))
        digits = digits.chopped(3).trimmed();
    const auto mib = toDecimal(digits);
    if (mib && *mib >= 0 && *mib < 1e9)
        return qint64(*mib);
    return Quantity<qint64>::unknown(reasonOf(kindOfCell(cell)), cleanLine(cell, 120));
}

struct Columns
{
    qsizetype uuid;
    qsizetype pid;
    qsizetype memory;
    qsizetype name;
};

Columns columnsOf(const QStringList &asked)
{
    const auto either = [&](const QString &a, const QString &b) { return qMax(asked.indexOf(a), asked.indexOf(b)); };
    return {asked.indexOf(u"gpu_uuid"_s), asked.indexOf(u"pid"_s), either(u"used_memory"_s, u"used_gpu_memory"_s),
        either(u"process_name"_s, u"name"_s)};
}

/// Prose that is nobody's has no number, and no word in a number's place, at its beginning or where the PID stands.
bool standsForARow(QByteArrayView first, QByteArrayView pid)
{
    const auto isFigure = [](QByteArrayView cell) {
        return toInteger(cell) || (cell.startsWith('[') && kindOfCell(cell) != CellKind::Value);
    };
    return isFigure(first) || isFigure(pid);
}

/// A row that has lost its end, or stands in a word's place: what can still be said of its card.
void addBroken(SmiApps &result, QByteArrayView line, QByteArrayView pid)
{
    const qsizetype comma = line.indexOf(',');
    const QByteArrayView uuid = (comma < 0 ? line : line.first(comma)).trimmed();
    if (!isGpuUuid(uuid)) {
        if (auto message = smiMessageOf(line)) {
            result.messages += std::move(*message);
        } else if (standsForARow(uuid, pid)) {
            ++result.unreadableRows;
            result.unreadableOn += QString();
        } else {
            ++result.ignoredLines;
        }
        return;
    }
    const QByteArrayView rest = comma < 0 ? QByteArrayView() : line.sliced(comma + 1);
    const qsizetype next = rest.indexOf(',');
    const QByteArrayView second = (next < 0 ? rest : rest.first(next)).trimmed();
    const QString gpuUuid = cleanLine(uuid, 80);
    const CellKind kind = kindOfCell(second);
    if (kind == CellKind::NotSupported) {
        result.listNotSupported += gpuUuid;
    } else if (kind == CellKind::Value || kind == CellKind::Empty) {
        ++result.unreadableRows;
        result.unreadableOn += gpuUuid;
    } else {
        result.hidden += SmiHiddenApp{gpuUuid, wordOf(second), reasonOf(kind),
            Quantity<qint64>::unknown(reasonOf(kind), wordOf(second))};
    }
}

void addRow(SmiApps &result, const Columns &columns, const QList<QByteArrayView> &cells)
{
    const auto cell = [&](qsizetype column) { return column < 0 ? QByteArrayView() : cells.at(column); };
    const QString uuid = isGpuUuid(cell(columns.uuid)) ? cleanLine(cell(columns.uuid), 80) : QString();
    const auto pid = toInteger(cell(columns.pid));
    if (pid && *pid > 0 && *pid <= largestPid) {
        SmiApp app{uuid, *pid, mibOf(cell(columns.memory)), {}, false};
        const CellKind kind = kindOfCell(cell(columns.name), true);
        if (kind == CellKind::Value)
            app.name = cleanLine(cell(columns.name), 512);
        app.nameNotFound = kind == CellKind::NotFound;
        result.apps += std::move(app);
        return;
    }
    const CellKind kind = kindOfCell(cell(columns.pid));
    if (kind == CellKind::NotSupported && kindOfCell(cell(columns.memory)) != CellKind::Value) {
        result.listNotSupported += uuid;
    } else if (kind == CellKind::Value || kind == CellKind::Empty) {
        ++result.unreadableRows;
        result.unreadableOn += uuid;
    } else {
        result.hidden += SmiHiddenApp{uuid, wordOf(cell(columns.pid)), reasonOf(kind), mibOf(cell(columns.memory))};
    }
}

} // namespace

QStringList smiAppFields()
{
    static const QStringList names{u"gpu_uuid"_s, u"pid"_s, u"used_memory"_s, u"process_name"_s};
    return names;
}

SmiApps parseSmiApps(const QStringList &asked, QByteArrayView output, QByteArrayView errors)
{
    SmiApps result;
    const Columns columns = columnsOf(asked);
    for (const QByteArrayView line : linesOf(output)) {
        if (line.trimmed().isEmpty())
            continue;
        const QList<QByteArrayView> cells = csvCells(line, asked.size(), columns.name);
        const bool hasUuid = columns.uuid < 0 || (!cells.isEmpty() && isGpuUuid(cells.at(columns.uuid)));
        if (cells.isEmpty() || !hasUuid)
            addBroken(result, line, cells.value(columns.pid));
        else
            addRow(result, columns, cells);
    }
    for (const QByteArrayView line : linesOf(errors)) {
        if (auto message = smiMessageOf(line))
            result.messages += std::move(*message);
    }
    return result;
}

} // namespace pilothouse
