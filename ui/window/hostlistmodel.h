// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The hosts of the store as rows, in the store's order, and the proxy that filters them. GUI thread.

#include "ui/host/hostsummary.h"

#include <QAbstractListModel>
#include <QSortFilterProxyModel>

#include <vector>

namespace pilothouse {

class HostStore;

class HostListModel final : public QAbstractListModel
{
    Q_OBJECT
public:
    explicit HostListModel(const HostStore &store, QObject *parent = nullptr);

    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role) const override;
    [[nodiscard]] int rowOf(const QString &name) const; ///< -1 when unknown
    /// Ages grow without any news; emits dataChanged only for rows whose words changed.
    void refreshAges();

private:
    struct Row
    {
        QString name;
        QString state;
        QString age;
        QString memory;
        QString toolTip;
        QString words; ///< for the filter
        Severity severity = Severity::Quiet;
        bool stale = false;
        bool locked = false; // read-only in its file

        friend bool operator==(const Row &, const Row &) = default;
    };

    [[nodiscard]] Row rowFor(const QString &name) const;
    void onAdded(const QString &name);
    void onRemoved(const QString &name);
    void refresh(int row);

    const HostStore &m_store;
    std::vector<Row> m_rows;
};

/// Every word must stand in name, tags, target or state.
class HostFilter final : public QSortFilterProxyModel
{
    Q_OBJECT
public:
    using QSortFilterProxyModel::QSortFilterProxyModel;

    void setWords(const QString &words);

protected:
    [[nodiscard]] bool filterAcceptsRow(int row, const QModelIndex &parent) const override;

private:
    QStringList m_words;
};

} // namespace pilothouse
