// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Draws the table of holders: the first column has room for a tick, verdicts that matter are bold. Roles only. GUI
// thread.

#include "ui/host/rowpainting.h"

namespace pilothouse {

class HolderDelegate final : public RowDelegate
{
    Q_OBJECT
public:
    using RowDelegate::RowDelegate;

    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override;
    /// Where a click ticks; in the view's coordinates.
    [[nodiscard]] static QRect tickRect(const QStyleOptionViewItem &option);

protected:
    bool editorEvent(QEvent *event, QAbstractItemModel *model, const QStyleOptionViewItem &option,
                     const QModelIndex &index) override;
};

} // namespace pilothouse
