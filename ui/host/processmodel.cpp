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

namespace {

/// Of the processes of a deep look, by the key of their row.
QHash<QString, qsizetype> rowsOf(const Findings &findings)
{
    QHash<QString, qsizetype> rows;
    const QList<Process> processes = findings.snapshot->processes.value_or(QList<Process>());
    for (qsizetype at = 0; at < std::min(processes.size(), findings.diagnosis.processes.size()); ++at)
        rows.insert(rowKeyOf(processes.at(at)), at);
    return rows;
}

Holder holderOf(const Process &process, const ProcessVerdict &verdict, const QHash<QString, Verdict> &families)
{
    return {process, verdict, families.value(verdict.family, verdict.verdict)};
}

/// Worth a row although no tick lists it: it has a GPU open, or belongs to a family.
bool countsThough(const Process &process, const ProcessVerdict &verdict)
{
    return process.gpuMemory.isEmpty()
        && (!verdict.family.isEmpty() || (process.devices && !process.devices->isEmpty()));
}

} // namespace

void ProcessModel::show(const QList<Process> &processes, bool driverRead, const FindingsPtr &findings)
{
    const bool turned = driverRead != m_driverRead;
    m_driverRead = driverRead;
    m_choice.setFindings(findings);
    QHash<QString, qsizetype> judged = findings ? rowsOf(*findings) : QHash<QString, qsizetype>();
    QHash<QString, Verdict> families;
    for (const Family &family : findings ? findings->diagnosis.families : QList<Family>())
        families.insert(family.id, family.verdict);
    std::vector<Row> fresh;
    fresh.reserve(static_cast<std::size_t>(processes.size()));
    for (const Process &process : processes) {
        Row row{rowKeyOf(process), {process, std::nullopt, Verdict::Unknown}};
        if (const auto at = judged.find(row.key); at != judged.end()) {
            row.holder = holderOf(process, findings->diagnosis.processes.at(*at), families);
            judged.erase(at);
        }
        fresh.push_back(std::move(row));
    }
    QList<qsizetype> rest = judged.values();
    std::ranges::sort(rest);
    for (const qsizetype at : std::as_const(rest)) {
        const Process &process = findings->snapshot->processes->at(at);
        const ProcessVerdict &verdict = findings->diagnosis.processes.at(at);
        if (countsThough(process, verdict))
            fresh.push_back({rowKeyOf(process), holderOf(process, verdict, families), true});
    }
    mergeRows<Row, FlatModelAccess<ProcessModel>>(*this, m_rows, std::move(fresh));
    if (turned && !m_rows.empty())
        emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
    ticksChanged(); // the plan may differ although no row does
}

void ProcessModel::setUnlocked(bool unlocked)
{
    m_choice.setUnlocked(unlocked);
    ticksChanged();
    emit choiceChanged();
}

void ProcessModel::ticksChanged()
{
    if (!m_rows.empty())
        emit dataChanged(index(0, 0), index(rowCount() - 1, 0), {Qt::CheckStateRole});
}

const ProcessVerdict *ProcessModel::verdictAt(int row) const
{
    const auto &verdict = m_rows[static_cast<std::size_t>(row)].holder.verdict;
    return verdict ? &*verdict : nullptr;
}

const Process &ProcessModel::processAt(int row) const
{
    return m_rows[static_cast<std::size_t>(row)].holder.process;
}

QVariant ProcessModel::tick(const Row &row) const
{
    using Tick = HolderChoice::Tick;
    const Tick tick = row.holder.verdict ? m_choice.tickOf(*row.holder.verdict) : Tick::None;
    return tick == Tick::None ? QVariant() : QVariant(tick == Tick::On ? Qt::Checked : Qt::Unchecked);
}

Qt::ItemFlags ProcessModel::flags(const QModelIndex &index) const
{
    using Tick = HolderChoice::Tick;
    const Qt::ItemFlags usual = QAbstractTableModel::flags(index);
    const ProcessVerdict *verdict = index.isValid() ? verdictAt(index.row()) : nullptr;
    if (!verdict || index.column() != static_cast<int>(ProcessColumn::Name))
        return usual;
    const Tick tick = m_choice.tickOf(*verdict);
    return tick == Tick::On || tick == Tick::Off ? usual | Qt::ItemIsUserCheckable : usual;
}

bool ProcessModel::setData(const QModelIndex &index, const QVariant &value, int role)
{
    const ProcessVerdict *verdict = index.isValid() ? verdictAt(index.row()) : nullptr;
    if (role != Qt::CheckStateRole || !verdict || value == index.data(Qt::CheckStateRole) || !m_choice.toggle(*verdict))
        return false;
    ticksChanged(); // its family goes with it
    emit choiceChanged();
    return true;
}

bool ProcessModel::isGpuUnknown(const Row &row, int column) const
{
    const auto which = static_cast<ProcessColumn>(column);
    return !m_driverRead && row.holder.process.gpuMemory.isEmpty()
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
    case Qt::DisplayRole: return info.display(row.holder);
    case Qt::ToolTipRole:
        if (row.seenBefore && column == ProcessColumn::Name)
            return plainToolTip(info.hint(row.holder) + u'\n'
                                + tr("Only a deep look lists it; it stands as seen then."));
        return plainToolTip(info.hint(row.holder));
    case Qt::AccessibleTextRole:
        return column == ProcessColumn::Name ? rowText(row.holder) : info.display(row.holder);
    case Qt::TextAlignmentRole: return int((info.right ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    case Qt::CheckStateRole: return column == ProcessColumn::Name ? tick(row) : QVariant();
    case SortRole: return info.sort(row.holder);
    case KeyRole: return row.key;
    case StaleRole: return m_stale;
    case FilterRole: return rowText(row.holder);
    case SeverityRole: {
        const bool stuck = row.holder.process.state == QChar(u'D') || row.holder.process.state == QChar(u'Z');
        if (column == ProcessColumn::State && stuck)
            return static_cast<int>(Severity::Warning);
        if (column == ProcessColumn::Judged && row.holder.verdict)
            return static_cast<int>(severityOf(row.holder.verdict->verdict));
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

QString ProcessModel::rowText(const Holder &holder)
{
    QStringList cells;
    for (const ProcessColumnInfo &info : processColumns()) {
        const QString text = info.display(holder);
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
