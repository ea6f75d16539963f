// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/host/gpudelegate.h"

#include "ui/theme/icons.h"
#include "ui/theme/roles.h"
#include "ui/theme/theme.h"

#include <QPainter>

namespace pilothouse {

void GpuDelegate::paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const
{
    paintRowBackground(painter, option, index, theme());
    const int margin = space(option.widget, 2);
    QRect cell = option.rect.adjusted(margin, 0, -margin, 0);
    const QString barText = index.data(BarTextRole).toString();
    if (index.data(FractionRole).isValid() && barText.isEmpty()) {
        paintBar(painter, cell, index);
        return;
    }
    cell.adjust(index.data(IndentRole).toInt() * margin, 0, 0, 0);
    if (const QVariant slot = index.data(SlotRole); slot.isValid())
        cell.setLeft(paintSlot(painter, cell, slot.toInt()));
    if (const QVariant severity = index.data(SeverityRole); severity.isValid() && !barText.isEmpty()) {
        const int side = option.fontMetrics.ascent();
        const QPixmap icon = severityPixmap(theme(), static_cast<Severity>(severity.toInt()), side,
                                            painter->device()->devicePixelRatioF());
        painter->drawPixmap(cell.left(), cell.center().y() - side / 2, icon);
        cell.adjust(side + margin / 2, 0, 0, 0);
    }
    paintText(painter, option, cell, index);
}

void GpuDelegate::paintBar(QPainter *painter, const QRect &cell, const QModelIndex &index) const
{
    const bool stale = index.data(StaleRole).toBool();
    const bool slice = index.data(IndentRole).toInt() > 0;
    const int height = slice ? cell.height() / 4 : cell.height() / 2;
    const QRect track(cell.left(), cell.center().y() - height / 2 + 1, cell.width(), height);
    painter->fillRect(track, theme().color(ColorId::BarTrack));
    QRect used = track;
    used.setWidth(qRound(track.width() * index.data(FractionRole).toDouble()));
    if (stale)
        painter->fillRect(used, QBrush(theme().color(ColorId::SeverityStale), Qt::Dense4Pattern));
    else
        painter->fillRect(used, theme().color(ColorId::Bar));
}

int GpuDelegate::paintSlot(QPainter *painter, const QRect &cell, int slot) const
{
    // The same short line as in the plot's legend, so that dash tells the ninth series from the first.
    const int length = cell.height() * 4 / 5;
    painter->setPen(theme().seriesPen(slot, 3));
    painter->drawLine(cell.left(), cell.center().y() + 1, cell.left() + length, cell.center().y() + 1);
    return cell.left() + length + cell.height() / 4;
}

} // namespace pilothouse
