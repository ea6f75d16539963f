// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The processes of a snapshot as rows, merged by identity at each one, and the proxy that sorts and filters them.
// GUI thread.

#include "core/host/process.h"
#include "ui/host/rowmerge.h"

#include <QAbstractTableModel>
#include <QSortFilterProxyModel>

namespace pilothouse {

class ProcessModel final : public QAbstractTableModel
{
    Q_OBJECT
public:
    using QAbstractTableModel::QAbstractTableModel;

    /// `driverRead`: the driver's lists came; otherwise a process without GPU memory has an unknown amount of it.
    void show(const QList<Process> &processes, bool driverRead = true);
    void setStale(bool stale);

    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    friend struct FlatModelAccess<ProcessModel>;

    struct Row
    {
        QString key;
        Process process;

        friend bool operator==(const Row &, const Row &) = default;
    };

    [[nodiscard]] static QString rowText(const Process &process);

    [[nodiscard]] bool isGpuUnknown(const Row &row, int column) const;

    std::vector<Row> m_rows;
    bool m_driverRead = true;
    bool m_stale = false;
};

/// Every word of the filter must stand somewhere in the row, in any case. Equal rows keep the order of their PIDs.
class ProcessFilter final : public QSortFilterProxyModel
{
    Q_OBJECT
public:
    explicit ProcessFilter(QObject *parent = nullptr);

    void setWords(const QString &words);

protected:
    [[nodiscard]] bool filterAcceptsRow(int row, const QModelIndex &parent) const override;
    [[nodiscard]] bool lessThan(const QModelIndex &left, const QModelIndex &right) const override;

private:
    QStringList m_words;
};

} // namespace pilothouse
