// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/host/processmodel.h"

#include "ui/host/processcolumns.h"
#include "ui/text/formatter.h"
#include "ui/theme/plain.h"
#include "ui/theme/roles.h"
#include "ui/theme/severity.h"

#include <QCoreApplication>

#include <algorithm>

namespace pilothouse {

using namespace Qt::StringLiterals;

void ProcessModel::show(const QList<Process> &processes, bool driverRead)
{
    const bool turned = driverRead != m_driverRead;
    m_driverRead = driverRead;
    std::vector<Row> fresh;
    fresh.reserve(static_cast<std::size_t>(processes.size()));
    for (const Process &process : processes)
        fresh.push_back({rowKeyOf(process), process});
    mergeRows<Row, FlatModelAccess<ProcessModel>>(*this, m_rows, std::move(fresh));
    if (turned && !m_rows.empty())
        emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
}

bool ProcessModel::isGpuUnknown(const Row &row, int column) const
{
    const auto which = static_cast<ProcessColumn>(column);
    return !m_driverRead && row.process.gpuMemory.isEmpty()
        && (which == ProcessColumn::GpuMemory || which == ProcessColumn::Gpus);
}

void ProcessModel::setStale(bool stale)
{
    if (stale == m_stale)
        return;
    m_stale = stale;
    if (!m_rows.empty())
        emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
}

int ProcessModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int ProcessModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(ProcessColumn::Count);
}

QVariant ProcessModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const Row &row = m_rows[static_cast<std::size_t>(index.row())];
    const auto column = static_cast<ProcessColumn>(index.column());
    const ProcessColumnInfo &info = infoOf(column);
    if (isGpuUnknown(row, index.column())) {
        if (role == Qt::DisplayRole)
            return format::unknownMark();
        if (role == Qt::ToolTipRole)
            return tr("Unknown: the driver's list of processes could not be read.");
    }
    switch (role) {
    case Qt::DisplayRole: return info.display(row.process);
    case Qt::ToolTipRole: return plainToolTip(info.hint(row.process));
    case Qt::AccessibleTextRole:
        return column == ProcessColumn::Name ? rowText(row.process) : info.display(row.process);
    case Qt::TextAlignmentRole: return int((info.right ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    case SortRole: return info.sort(row.process);
    case KeyRole: return row.key;
    case StaleRole: return m_stale;
    case FilterRole: return rowText(row.process);
    case SeverityRole: {
        const bool stuck = row.process.state == QChar(u'D') || row.process.state == QChar(u'Z');
        if (column == ProcessColumn::State && stuck)
            return static_cast<int>(Severity::Warning);
        const bool loud = column <= ProcessColumn::ProcessId;
        return loud ? QVariant() : QVariant(static_cast<int>(Severity::Quiet));
    }
    default: return {};
    }
}

QVariant ProcessModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount())
        return {};
    const ProcessColumnInfo &info = infoOf(static_cast<ProcessColumn>(section));
    if (role == Qt::DisplayRole)
        return QCoreApplication::translate("ProcessTable", info.title);
    if (role == Qt::TextAlignmentRole)
        return int((info.right ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    return {};
}

QString ProcessModel::rowText(const Process &process)
{
    QStringList cells;
    for (const ProcessColumnInfo &info : processColumns()) {
        const QString text = info.display(process);
        if (!text.isEmpty())
            cells << text;
    }
    return cells.join(u", "_s);
}

ProcessFilter::ProcessFilter(QObject *parent)
    : QSortFilterProxyModel(parent)
{
    setSortRole(SortRole);
    setDynamicSortFilter(true);
}

void ProcessFilter::setWords(const QString &words)
{
    m_words = words.split(u' ', Qt::SkipEmptyParts);
    invalidateFilter();
}

bool ProcessFilter::filterAcceptsRow(int row, const QModelIndex &parent) const
{
    if (m_words.isEmpty())
        return true;
    const QString text = sourceModel()->index(row, 0, parent).data(FilterRole).toString();
    return std::ranges::all_of(m_words,
                               [&text](const QString &word) { return text.contains(word, Qt::CaseInsensitive); });
}

bool ProcessFilter::lessThan(const QModelIndex &left, const QModelIndex &right) const
{
    const QVariant a = left.data(SortRole);
    const QVariant b = right.data(SortRole);
    if (a == b) {
        constexpr int pid = static_cast<int>(ProcessColumn::ProcessId);
        const qint64 first = left.siblingAtColumn(pid).data(SortRole).toLongLong();
        const qint64 second = right.siblingAtColumn(pid).data(SortRole).toLongLong();
        // Ascending whatever the order of the column, so that a click on the header turns groups, not their members.
        return sortOrder() == Qt::AscendingOrder ? first < second : second < first;
    }
    if (a.userType() == QMetaType::QString)
        return QString::localeAwareCompare(a.toString(), b.toString()) < 0;
    return a.toLongLong() < b.toLongLong();
}

} // namespace pilothouse
