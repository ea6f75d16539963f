// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Draws the rows of the GPU table: the colour of its line in the plot, the bar of used memory. Roles only. GUI thread.

#include "ui/host/rowpainting.h"

namespace pilothouse {

class GpuDelegate final : public RowDelegate
{
    Q_OBJECT
public:
    using RowDelegate::RowDelegate;

    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override;

private:
    void paintBar(QPainter *painter, const QRect &cell, const QModelIndex &index) const;
    /// Left end of what follows it.
    [[nodiscard]] int paintSlot(QPainter *painter, const QRect &cell, int slot) const;
};

} // namespace pilothouse
