// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The holders of a host as rows, merged by identity at each snapshot, with what the last deep look said of each, and
// the proxy that sorts and filters them. GUI thread.

#include "ui/host/holderchoice.h"
#include "ui/host/processcolumns.h"
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
    /// `findings` of the same boot; null: nothing is known yet. Who only a deep look lists keeps a row from it.
    void show(const QList<Process> &processes, bool driverRead = true, const FindingsPtr &findings = {});
    void setStale(bool stale);
    /// The person says that they know what others than leftovers are.
    void setUnlocked(bool unlocked);
    [[nodiscard]] const HolderChoice &choice() const { return m_choice; }
    /// Null: no deep look has seen it.
    [[nodiscard]] const ProcessVerdict *verdictAt(int row) const;
    [[nodiscard]] const Process &processAt(int row) const;

    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    [[nodiscard]] Qt::ItemFlags flags(const QModelIndex &index) const override;
    bool setData(const QModelIndex &index, const QVariant &value, int role) override;

signals:
    void choiceChanged();

private:
    friend struct FlatModelAccess<ProcessModel>;

    struct Row
    {
        QString key;
        Holder holder;
        bool seenBefore = false; ///< by the last deep look; a light one does not list it

        friend bool operator==(const Row &, const Row &) = default;
    };

    [[nodiscard]] static QString rowText(const Holder &holder);
    [[nodiscard]] QVariant tick(const Row &row) const;
    [[nodiscard]] bool isGpuUnknown(const Row &row, int column) const;
    void ticksChanged();

    std::vector<Row> m_rows;
    HolderChoice m_choice;
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
