// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The GPUs of a host as rows, MIG devices below their card. Merged by identity at each snapshot. GUI thread.

#include "core/history/memoryhistory.h"
#include "ui/host/rowmerge.h"

#include <QAbstractTableModel>

namespace pilothouse {

class GpuModel final : public QAbstractTableModel
{
    Q_OBJECT
public:
    enum class Column { Index, Bar, Memory, Load, Temperature, Count };

    using QAbstractTableModel::QAbstractTableModel;

    /// `history` tells each card's colour slot.
    void show(const QList<Gpu> &gpus, const MemoryHistory &history);
    void setStale(bool stale);

    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    friend struct FlatModelAccess<GpuModel>;

    struct Row
    {
        QString key;
        Gpu gpu;
        std::optional<MigDevice> slice;
        int slot = 0;

        friend bool operator==(const Row &, const Row &) = default;
    };

    [[nodiscard]] static QString display(const Row &row, Column column);
    [[nodiscard]] static QString toolTip(const Row &row, Column column);
    [[nodiscard]] static QString accessibleText(const Row &row);
    [[nodiscard]] static QString barText(const Row &row);
    [[nodiscard]] static QVariant fraction(const Row &row);

    std::vector<Row> m_rows;
    bool m_stale = false;
};

} // namespace pilothouse
