// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/probe/parse/smicsv.h"

#include "core/base/cleantext.h"
#include "core/probe/parse/busid.h"
#include "core/probe/parse/bytes.h"
#include "core/probe/parse/smiwords.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype mostRemembered = 64; // rows

using Setter = void (*)(SmiRow &row, QByteArrayView cell);

struct Field
{
    const char16_t *name;
    Setter set;
    bool core;
    bool figure = false; ///< what is set comes from this cell alone, and nothing else does
};

/// The number in a cell, with one of the known units or none behind it.
std::optional<double> numberOf(QByteArrayView cell, double least, double most)
{
    const qsizetype blank = cell.indexOf(' ');
    if (blank > 0) {
        const QByteArrayView unit = cell.sliced(blank + 1).trimmed();
        if (unit != "MiB" && unit != "W" && unit != "%" && unit != "C")
            return std::nullopt;
        cell = cell.first(blank);
    }
    const auto number = toDecimal(cell);
    return number && *number >= least && *number <= most ? number : std::nullopt;
}

template <class T>
Quantity<T> quantityOf(QByteArrayView cell, double least, double most)
{
    const CellKind kind = kindOfCell(cell);
    if (kind == CellKind::Value) {
        if (const auto number = numberOf(cell, least, most))
            return static_cast<T>(std::is_integral_v<T> ? std::floor(*number) : *number);
    }
    return Quantity<T>::unknown(reasonOf(kind), cleanLine(cell, 120));
}

Quantity<bool> switchOf(QByteArrayView cell)
{
    const QByteArray lower = lowered(cell);
    if (lower == "enabled" || lower == "on")
        return true;
    if (lower == "disabled" || lower == "off")
        return false;
    return Quantity<bool>::unknown(reasonOf(kindOfCell(cell)), cleanLine(cell, 120));
}

Quantity<qint64> mibOf(QByteArrayView cell)
{
    return quantityOf<qint64>(cell, 0, 1e9);
}

bool isUuid(QByteArrayView cell)
{
    if (!(cell.startsWith("GPU-") || cell.startsWith("MIG-")) || cell.size() < 8 || cell.size() > 80)
        return false;
    return std::all_of(cell.begin(), cell.end(), [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '/';
    });
}

bool isVersion(QByteArrayView cell)
{
    return !cell.isEmpty() && cell.size() < 32
        && std::all_of(cell.begin(), cell.end(), [](char c) { return (c >= '0' && c <= '9') || c == '.'; });
}

void setIndex(SmiRow &row, QByteArrayView cell)
{
    const auto index = toInteger(cell);
    if (index && *index >= 0 && *index < 4096) {
        row.gpu.index = int(*index);
        row.hasIdentity = true;
    }
}

void setUuid(SmiRow &row, QByteArrayView cell)
{
    if (isUuid(cell)) {
        row.gpu.uuid = cleanLine(cell, 80);
        row.hasIdentity = true;
    }
}

void setRecoveryAction(SmiRow &row, QByteArrayView cell)
{
    const CellKind kind = kindOfCell(cell);
    // "None" is a value here; "GPU Reset" is the verdict, not a reading that failed.
    if (kind == CellKind::Value)
        row.gpu.recoveryAction = cleanLine(cell, 120).toLower();
    else
        row.gpu.recoveryAction = Quantity<QString>::unknown(reasonOf(kind), cleanLine(cell, 120));
}

constexpr std::array fields{
    Field{u"index", setIndex, true},
    Field{u"uuid", setUuid, true},
    Field{u"pci.bus_id", [](SmiRow &row, QByteArrayView cell) { row.gpu.busId = normalBusId(cell); }, true},
    Field{u"driver_version",
        [](SmiRow &row, QByteArrayView cell) { row.driverVersion = isVersion(cell) ? cleanLine(cell, 32) : QString(); },
        false},
    Field{u"memory.total", [](SmiRow &row, QByteArrayView cell) { row.gpu.memoryTotalMib = mibOf(cell); }, true, true},
    Field{u"memory.used", [](SmiRow &row, QByteArrayView cell) { row.gpu.memoryUsedMib = mibOf(cell); }, true, true},
    Field{u"memory.free", [](SmiRow &row, QByteArrayView cell) { row.gpu.memoryFreeMib = mibOf(cell); }, false, true},
    Field{u"memory.reserved", [](SmiRow &row, QByteArrayView cell) { row.gpu.memoryReservedMib = mibOf(cell); }, false, true},
    Field{u"utilization.gpu",
        [](SmiRow &row, QByteArrayView cell) { row.gpu.utilizationPct = quantityOf<double>(cell, 0, 100); }, false, true},
    Field{u"temperature.gpu",
        [](SmiRow &row, QByteArrayView cell) { row.gpu.temperatureC = quantityOf<double>(cell, -100, 300); }, false, true},
    Field{u"power.draw",
        [](SmiRow &row, QByteArrayView cell) { row.gpu.powerW = quantityOf<double>(cell, 0, 20'000); }, false, true},
    Field{u"persistence_mode", [](SmiRow &row, QByteArrayView cell) { row.gpu.persistence = switchOf(cell); }, false},
    Field{u"mig.mode.current", [](SmiRow &row, QByteArrayView cell) { row.gpu.mig = switchOf(cell); }, false},
    Field{u"gpu_recovery_action", setRecoveryAction, false},
    Field{u"name",
        [](SmiRow &row, QByteArrayView cell) {
            if (kindOfCell(cell, true) == CellKind::Value)
                row.gpu.name = cleanLine(cell, 120);
        },
        false},
};

const Field *fieldCalled(const QString &name)
{
    const auto found = std::find_if(fields.begin(), fields.end(),
        [&](const Field &field) { return QStringView(field.name) == name; });
    return found == fields.end() ? nullptr : &*found;
}

int rankOf(const QString &word)
{
    if (word.contains("lost"_L1, Qt::CaseInsensitive) || word.contains("fallen off"_L1, Qt::CaseInsensitive))
        return 3;
    if (word.contains("reset"_L1, Qt::CaseInsensitive))
        return 2;
    return word.isEmpty() ? 0 : 1;
}

SmiRow rowOf(const QList<const Field *> &columns, qsizetype name, const QList<QByteArrayView> &cells)
{
    SmiRow row;
    for (qsizetype i = 0; i < cells.size(); ++i) {
        const QByteArrayView cell = cells.at(i);
        const Field *field = columns.at(i);
        if (kindOfCell(cell, i == name) == CellKind::Fault) {
            if (rankOf(wordOf(cell)) > rankOf(row.fault))
                row.fault = wordOf(cell);
        } else {
            row.onlyFaults = false;
        }
        if (field)
            field->set(row, cell);
    }
    return row;
}

SmiGpusMemo::Line remembered(QByteArrayView line, QList<QByteArrayView> cells, const SmiRow &row)
{
    const QByteArray bytes = line.toByteArray();
    for (QByteArrayView &cell : cells)
        cell = QByteArrayView(bytes).sliced(cell.data() - line.data(), cell.size());
    return {bytes, cells, row};
}

/// The row as it was with the figures that are new; no value where anything else is.
std::optional<SmiRow> withNewFigures(const SmiGpusMemo::Line &before, const QList<const Field *> &columns,
    const QList<QByteArrayView> &cells)
{
    if (!before.row.fault.isEmpty() || before.row.onlyFaults || before.cells.size() != cells.size())
        return std::nullopt;
    SmiRow row = before.row;
    for (qsizetype i = 0; i < cells.size(); ++i) {
        if (cells.at(i) == before.cells.at(i))
            continue;
        const Field *field = columns.at(i);
        if (!field || !field->figure || columns.count(field) != 1 || kindOfCell(cells.at(i)) != CellKind::Value)
            return std::nullopt;
        field->set(row, cells.at(i));
    }
    return row;
}

/// No memory of its own: either nothing about memory is supported while the card answers otherwise, or its name says
/// so (some integrated parts report a small carve-out as if it were all).
bool isUnified(const Gpu &gpu)
{
    static const QStringList integrated{u"GB10"_s, u"Thor"_s, u"Orin"_s, u"N1X"_s, u"Tegra"_s, u"Xavier"_s};
    for (const QStringView word : qTokenize(gpu.name, u' ', Qt::SkipEmptyParts)) {
        if (integrated.contains(word))
            return true;
    }
    const auto unsupported = [](const Quantity<qint64> &q) {
        return !q.isKnown() && q.reason() == UnknownReason::NotSupported;
    };
    return unsupported(gpu.memoryTotalMib) && unsupported(gpu.memoryUsedMib)
        && (unsupported(gpu.memoryFreeMib) || gpu.memoryFreeMib == Quantity<qint64>());
}

bool looksLikeRow(const QStringList &asked, QByteArrayView line)
{
    const QByteArrayView first = line.first(qMax<qsizetype>(0, line.indexOf(','))).trimmed();
    if (first.isEmpty())
        return false;
    if (asked.value(0) == "index"_L1 && toInteger(first))
        return true;
    return isUuid(first) || line.contains("GPU-");
}

void addMessage(SmiGpus &result, QByteArrayView line, bool count)
{
    if (auto message = smiMessageOf(line)) {
        result.messages += std::move(*message);
    } else if (count) {
        if (++result.ignoredLines == 1)
            result.firstIgnored = cleanLine(line, 200);
    }
}

void addRow(SmiGpus &result, SmiRow row)
{
    if (row.onlyFaults) {
        ++result.faultRows;
        result.faultWord = row.fault;
        return;
    }
    const auto sameAs = [&](const Gpu &other) {
        return other.uuid == row.gpu.uuid && other.busId == row.gpu.busId
            && (!row.gpu.uuid.isEmpty() || !row.gpu.busId.isEmpty() || other.index == row.gpu.index);
    };
    if (std::any_of(result.gpus.begin(), result.gpus.end(), sameAs)) {
        ++result.repeatedRows;
        return;
    }
    const auto sameIndex = [&](const Gpu &other) { return row.gpu.index >= 0 && other.index == row.gpu.index; };
    if (std::any_of(result.gpus.begin(), result.gpus.end(), sameIndex)) {
        ++result.repeatedRows;
        if (row.gpu.uuid.isEmpty() && row.gpu.busId.isEmpty())
            return; // nothing else says which card it is
        row.gpu.index = -1; // another card under the same number: the number says nothing
    }
    if (result.driverVersion.isEmpty())
        result.driverVersion = row.driverVersion;
    row.gpu.unifiedMemory = isUnified(row.gpu);
    if (!row.fault.isEmpty())
        taint(row.gpu, row.fault);
    result.gpus += std::move(row.gpu);
}

} // namespace

QStringList smiGpuFields()
{
    static const QStringList names = [] {
        QStringList all;
        for (const Field &field : fields)
            all += QString::fromUtf16(field.name);
        return all;
    }();
    return names;
}

QStringList smiCoreGpuFields()
{
    QStringList names;
    for (const Field &field : fields) {
        if (field.core)
            names += QString::fromUtf16(field.name);
    }
    return names;
}

QList<QByteArrayView> csvCells(QByteArrayView line, qsizetype columns, qsizetype flexible)
{
    const qsizetype surplus = line.count(',') + 1 - columns;
    if (surplus < 0 || columns < 1 || (surplus > 0 && (flexible < 0 || flexible >= columns)))
        return {};
    QList<QByteArrayView> cells;
    cells.reserve(columns);
    qsizetype at = 0;
    for (qsizetype i = 0; i < columns; ++i) {
        qsizetype end = line.indexOf(',', at);
        for (qsizetype more = i == flexible ? surplus : 0; more > 0; --more)
            end = line.indexOf(',', end + 1);
        if (end < 0)
            end = line.size();
        cells += line.sliced(at, end - at).trimmed();
        at = end + 1;
    }
    return cells;
}

void taint(Gpu &gpu, const QString &word)
{
    if (rankOf(word) > rankOf(gpu.fault))
        gpu.fault = word;
    const auto failed = Quantity<qint64>::unknown(UnknownReason::Failed, gpu.fault);
    for (Quantity<qint64> *memory : {&gpu.memoryTotalMib, &gpu.memoryUsedMib, &gpu.memoryFreeMib,
             &gpu.memoryReservedMib, &gpu.attributedMib, &gpu.unattributedMib})
        *memory = failed;
    gpu.utilizationPct = Quantity<double>::unknown(UnknownReason::Failed, gpu.fault);
}

SmiGpus parseSmiGpus(const QStringList &asked, QByteArrayView output, QByteArrayView errors)
{
    SmiGpusMemo none;
    return parseSmiGpus(asked, output, errors, none);
}

SmiGpus parseSmiGpus(const QStringList &asked, QByteArrayView output, QByteArrayView errors, SmiGpusMemo &memo)
{
    if (memo.asked != asked)
        memo = {asked, {}, {}, {}};
    else if (!output.isEmpty() && memo.output == output && errors.isEmpty())
        return memo.gpus;
    SmiGpus result;
    const qsizetype flexible = asked.indexOf(u"name"_s);
    QList<const Field *> columns;
    columns.reserve(asked.size());
    for (const QString &name : asked)
        columns += fieldCalled(name);
    result.gpus.reserve(std::min<qsizetype>(output.count('\n') + 1, 64));
    qsizetype rows = 0;
    const auto take = [&](SmiRow row, QByteArrayView line, QByteArrayView first) {
        // A sentence may hold as many commas as a row; error words in brackets are cells.
        const bool sentence = !row.hasIdentity && !line.trimmed().startsWith('[') && smiMessageOf(line);
        if ((row.hasIdentity || row.onlyFaults) && !sentence)
            addRow(result, std::move(row));
        else if (first != asked.value(0).toLatin1()) // the header, where somebody insists on one
            addMessage(result, line, true);
    };
    for (const QByteArrayView line : linesOf(output)) {
        if (line.trimmed().isEmpty())
            continue;
        const SmiGpusMemo::Line *before = rows < memo.lines.size() ? &memo.lines.at(rows) : nullptr;
        if (before && before->bytes == line) {
            ++rows;
            take(before->row, line, before->cells.first());
            continue;
        }
        const QList<QByteArrayView> cells = csvCells(line, asked.size(), flexible);
        if (cells.isEmpty()) {
            const bool broken = !smiMessageOf(line) && looksLikeRow(asked, line);
            result.unreadableRows += broken ? 1 : 0;
            addMessage(result, line, !broken);
            continue;
        }
        std::optional<SmiRow> row = before ? withNewFigures(*before, columns, cells) : std::nullopt;
        if (!row)
            row = rowOf(columns, flexible, cells);
        if (rows < mostRemembered) {
            if (rows == memo.lines.size())
                memo.lines.emplaceBack();
            memo.lines[rows] = remembered(line, cells, *row);
        }
        ++rows;
        take(*std::move(row), line, cells.first());
    }
    for (const QByteArrayView line : linesOf(errors)) {
        if (!line.trimmed().isEmpty())
            addMessage(result, line, false);
    }
    memo.output = errors.isEmpty() && rows <= mostRemembered ? output.toByteArray() : QByteArray();
    memo.gpus = memo.output.isEmpty() ? SmiGpus() : result;
    return result;
}

} // namespace pilothouse
