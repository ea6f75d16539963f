// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Draws a host of the list in two lines: icon, name and memory; state in words and age. Roles only. GUI thread.

#include "ui/host/rowpainting.h"

namespace pilothouse {

/// `name` in at most `width` pixels. The hosts of a fleet share their domain and differ at the end of their own name:
/// the domain goes first, then the middle of the name.
[[nodiscard]] QString fittedHostName(const QString &name, const QFontMetrics &metrics, int width);

class HostDelegate final : public RowDelegate
{
    Q_OBJECT
public:
    using RowDelegate::RowDelegate;

    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override;
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const override;
};

} // namespace pilothouse
