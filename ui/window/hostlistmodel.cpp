// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/hostlistmodel.h"

#include "ui/host/hoststore.h"
#include "ui/theme/icons.h"
#include "ui/theme/plain.h"
#include "ui/theme/roles.h"

#include <algorithm>

namespace pilothouse {

using namespace Qt::StringLiterals;

HostListModel::HostListModel(const HostStore &store, QObject *parent)
    : QAbstractListModel(parent)
    , m_store(store)
{
    for (const QString &name : store.names())
        m_rows.push_back(rowFor(name));
    connect(&store, &HostStore::added, this, &HostListModel::onAdded);
    connect(&store, &HostStore::removed, this, &HostListModel::onRemoved);
    connect(&store, &HostStore::changed, this, [this](const QString &name) { refresh(rowOf(name)); });
}

int HostListModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

QVariant HostListModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const Row &row = m_rows[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole:
    case KeyRole: return row.name;
    case DetailRole: return row.state;
    case DetailEndRole: return row.age;
    case EndRole: return row.memory;
    case SeverityRole: return static_cast<int>(row.severity);
    case StaleRole: return row.stale;
    case LockedRole: return row.locked;
    case FilterRole: return row.words;
    case Qt::ToolTipRole: return plainToolTip(row.toolTip);
    case Qt::AccessibleTextRole: {
        QStringList parts{row.name, severityWord(row.severity), row.state, row.memory,
                          row.locked ? tr("read-only") : QString()};
        parts.removeAll(QString());
        return parts.join(u", "_s);
    }
    default: return {};
    }
}

int HostListModel::rowOf(const QString &name) const
{
    const auto it = std::ranges::find(m_rows, name, &Row::name);
    return it == m_rows.end() ? -1 : static_cast<int>(it - m_rows.begin());
}

void HostListModel::refreshAges()
{
    for (int row = 0; row < rowCount(); ++row)
        refresh(row);
}

HostListModel::Row HostListModel::rowFor(const QString &name) const
{
    Row row;
    row.name = name;
    const HostData *host = m_store.find(name);
    if (!host)
        return row;
    const QDateTime now = m_store.now();
    const HostSummary summary = summaryOf(*host, now);
    row.severity = summary.severity;
    row.state = summary.word;
    row.age = ageWords(*host, now);
    row.memory = memoryWords(*host);
    row.stale = host->isStale(now);
    row.locked = isReadOnly(host->spec.origin);
    row.words = QStringList{name, host->spec.ssh, host->spec.tags.join(u' '), summary.word}.join(u' ');
    row.toolTip = QStringList{tr("Host %1").arg(name), summary.headline, summary.rest, factsLine(*host),
                                 readOnlyReason(host->spec)}
                      .join(u'\n')
                      .trimmed();
    return row;
}

void HostListModel::onAdded(const QString &name)
{
    const int row = rowCount();
    beginInsertRows({}, row, row);
    m_rows.push_back(rowFor(name));
    endInsertRows();
}

void HostListModel::onRemoved(const QString &name)
{
    const int row = rowOf(name);
    if (row < 0)
        return;
    beginRemoveRows({}, row, row);
    m_rows.erase(m_rows.begin() + row);
    endRemoveRows();
}

void HostListModel::refresh(int row)
{
    if (row < 0 || row >= rowCount())
        return;
    Row &known = m_rows[static_cast<std::size_t>(row)];
    Row fresh = rowFor(known.name);
    if (fresh == known)
        return;
    known = std::move(fresh);
    emit dataChanged(index(row), index(row));
}

void HostFilter::setWords(const QString &words)
{
    m_words = words.split(u' ', Qt::SkipEmptyParts);
    invalidateFilter();
}

bool HostFilter::filterAcceptsRow(int row, const QModelIndex &parent) const
{
    if (m_words.isEmpty())
        return true;
    const QString text = sourceModel()->index(row, 0, parent).data(FilterRole).toString();
    return std::ranges::all_of(m_words,
                               [&text](const QString &word) { return text.contains(word, Qt::CaseInsensitive); });
}

} // namespace pilothouse
