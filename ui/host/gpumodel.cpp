// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/host/gpumodel.h"

#include "ui/text/formatter.h"
#include "ui/theme/plain.h"
#include "ui/theme/roles.h"
#include "ui/theme/severity.h"

#include <algorithm>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

QString memoryToolTip(const Quantity<qint64> &used, const Quantity<qint64> &total)
{
    if (!used.isKnown())
        return format::reason(used);
    if (!total.isKnown())
        return format::reason(total);
    return GpuModel::tr("Used %1 of %2").arg(format::exactMib(used), format::exactMib(total));
}

template <class T>
QString valueOrReason(const QString &title, const Quantity<T> &quantity)
{
    return quantity.isKnown() ? title : format::reason(quantity);
}

QString gpuToolTip(const Gpu &gpu)
{
    QStringList lines{GpuModel::tr("GPU %1").arg(gpu.index)};
    lines << gpu.name << gpu.uuid << gpu.busId;
    if (gpu.powerW.isKnown())
        lines << GpuModel::tr("Power %1").arg(format::watts(gpu.powerW));
    if (gpu.persistence.isKnown())
        lines << (gpu.persistence.value() ? GpuModel::tr("Persistence on") : GpuModel::tr("Persistence off"));
    if (gpu.attributedMib.isKnown())
        lines << GpuModel::tr("Held by listed processes: %1").arg(format::exactMib(gpu.attributedMib));
    if (gpu.unattributedMib.isKnown())
        lines << GpuModel::tr("Not attributed: %1").arg(format::exactMib(gpu.unattributedMib));
    if (!gpu.fault.isEmpty())
        lines << GpuModel::tr("Fault: %1").arg(gpu.fault);
    lines.removeAll(QString());
    return lines.join(u'\n');
}

QString indexText(int index)
{
    return index >= 0 ? QString::number(index) : format::unknownMark();
}

} // namespace

void GpuModel::show(const QList<Gpu> &gpus, const MemoryHistory &history)
{
    std::vector<Row> fresh;
    for (const Gpu &gpu : gpus) {
        const QString key = seriesKeyOf(gpu);
        const MemorySeries *series = history.find(key);
        Row row{key, gpu, std::nullopt, series ? series->slot : 0};
        fresh.push_back(row);
        for (const MigDevice &slice : gpu.migDevices) {
            row.key = slice.uuid.isEmpty() ? key + u'/' + QString::number(slice.index) : slice.uuid;
            row.slice = slice;
            fresh.push_back(row);
        }
    }
    mergeRows<Row, FlatModelAccess<GpuModel>>(*this, m_rows, std::move(fresh));
}

void GpuModel::setStale(bool stale)
{
    if (stale == m_stale)
        return;
    m_stale = stale;
    if (!m_rows.empty())
        emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
}

int GpuModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int GpuModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(Column::Count);
}

QVariant GpuModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const Row &row = m_rows[static_cast<std::size_t>(index.row())];
    const auto column = static_cast<Column>(index.column());
    switch (role) {
    case Qt::DisplayRole: return display(row, column);
    case Qt::ToolTipRole: return plainToolTip(toolTip(row, column));
    case Qt::AccessibleTextRole: return accessibleText(row);
    case Qt::TextAlignmentRole:
        return int((column <= Column::Bar ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    case KeyRole: return row.key;
    case StaleRole: return m_stale;
    case SlotRole: return column == Column::Index && !row.slice ? QVariant(row.slot) : QVariant();
    case IndentRole: return row.slice ? 1 : 0;
    case FractionRole: return column == Column::Bar ? fraction(row) : QVariant();
    case BarTextRole: return column == Column::Bar ? QVariant(barText(row)) : QVariant();
    case SeverityRole:
        return row.gpu.fault.isEmpty() ? QVariant() : QVariant(static_cast<int>(Severity::Critical));
    default: return {};
    }
}

QVariant GpuModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    switch (static_cast<Column>(section)) {
    case Column::Index: return tr("GPU");
    case Column::Bar: return tr("Memory");
    case Column::Memory: return tr("Used / total GiB");
    case Column::Load: return tr("Load");
    case Column::Temperature: return tr("Temperature");
    case Column::Count: break;
    }
    return {};
}

QString GpuModel::display(const Row &row, Column column)
{
    const Gpu &gpu = row.gpu;
    switch (column) {
    case Column::Index: return row.slice ? tr("MIG %1").arg(row.slice->index) : indexText(gpu.index);
    case Column::Bar: return barText(row);
    case Column::Memory:
        return row.slice ? format::usedOfTotal(row.slice->memoryUsedMib, row.slice->memoryTotalMib)
                         : format::usedOfTotal(gpu.memoryUsedMib, gpu.memoryTotalMib);
    case Column::Load: return row.slice ? QString() : format::percent(gpu.utilizationPct);
    case Column::Temperature: return row.slice ? QString() : format::celsius(gpu.temperatureC);
    case Column::Count: break;
    }
    return {};
}

QString GpuModel::toolTip(const Row &row, Column column)
{
    const Gpu &gpu = row.gpu;
    switch (column) {
    case Column::Index: {
        if (!row.slice)
            return gpuToolTip(gpu);
        return tr("MIG device %1 of GPU %2").arg(row.slice->index).arg(gpu.index) + u'\n' + row.slice->uuid;
    }
    case Column::Bar:
    case Column::Memory:
        if (!gpu.fault.isEmpty())
            return gpu.fault;
        if (gpu.unifiedMemory)
            return tr("This GPU has no memory of its own; it uses the host's.");
        return row.slice ? memoryToolTip(row.slice->memoryUsedMib, row.slice->memoryTotalMib)
                         : memoryToolTip(gpu.memoryUsedMib, gpu.memoryTotalMib);
    case Column::Load: return valueOrReason(tr("Load over the last moments"), gpu.utilizationPct);
    case Column::Temperature: return valueOrReason(tr("Temperature of the GPU"), gpu.temperatureC);
    case Column::Count: break;
    }
    return {};
}

QString GpuModel::accessibleText(const Row &row)
{
    QString text = row.slice ? tr("MIG device %1 of GPU %2").arg(row.slice->index).arg(row.gpu.index)
                             : tr("GPU %1").arg(indexText(row.gpu.index));
    const QString bar = row.gpu.fault.isEmpty() || row.slice ? barText(row) : row.gpu.fault;
    if (!bar.isEmpty())
        text += u", "_s + bar;
    text += u", "_s + tr("memory %1 GiB").arg(display(row, Column::Memory));
    if (!row.slice) {
        const QString load = display(row, Column::Load);
        text += u", "_s + tr("load %1, temperature %2").arg(load, display(row, Column::Temperature));
    }
    return text;
}

QString GpuModel::barText(const Row &row)
{
    if (!row.gpu.fault.isEmpty())
        return row.slice ? QString() : tr("fault"); // the headline has the word, and so has the tooltip
    if (row.gpu.unifiedMemory)
        return tr("host's memory");
    return fraction(row).isValid() ? QString() : tr("unknown");
}

QVariant GpuModel::fraction(const Row &row)
{
    const Quantity<qint64> &used = row.slice ? row.slice->memoryUsedMib : row.gpu.memoryUsedMib;
    const Quantity<qint64> &total = row.slice ? row.slice->memoryTotalMib : row.gpu.memoryTotalMib;
    if (!used.isKnown() || !total.isKnown() || total.value() <= 0)
        return {};
    return std::clamp(static_cast<double>(used.value()) / static_cast<double>(total.value()), 0.0, 1.0);
}

} // namespace pilothouse
