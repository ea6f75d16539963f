// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Draws a host of the list in two lines: icon, name and memory; state in words and age. Roles only. GUI thread.

#include "ui/host/rowpainting.h"

namespace pilothouse {

class HostDelegate final : public RowDelegate
{
    Q_OBJECT
public:
    using RowDelegate::RowDelegate;

    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override;
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const override;
};

} // namespace pilothouse
