// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/host/holderdelegate.h"

#include "ui/theme/roles.h"
#include "ui/theme/severity.h"
#include "ui/theme/theme.h"

#include <QApplication>
#include <QMouseEvent>
#include <QPainter>

namespace pilothouse {

QRect HolderDelegate::tickRect(const QStyleOptionViewItem &option)
{
    const int side = option.fontMetrics.ascent();
    const int margin = space(option.widget, 2);
    return {option.rect.left() + margin, option.rect.center().y() - side / 2, side, side};
}

void HolderDelegate::paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const
{
    paintRowBackground(painter, option, index, theme());
    const int margin = space(option.widget, 2);
    QRect cell = option.rect.adjusted(margin, 0, -margin, 0);
    if (index.column() == 0) {
        const QRect box = tickRect(option);
        const QVariant tick = index.data(Qt::CheckStateRole);
        if (tick.isValid()) {
            QStyleOptionButton button;
            button.rect = box;
            button.palette = option.palette;
            button.fontMetrics = option.fontMetrics;
            button.state = tick.toInt() == Qt::Checked ? QStyle::State_On : QStyle::State_Off;
            if (index.flags().testFlag(Qt::ItemIsUserCheckable))
                button.state |= QStyle::State_Enabled;
            else
                button.palette.setCurrentColorGroup(QPalette::Disabled);
            painter->save();
            if (!button.state.testFlag(QStyle::State_Enabled))
                painter->setOpacity(0.35);
            QApplication::style()->drawPrimitive(QStyle::PE_IndicatorCheckBox, &button, painter, option.widget);
            painter->restore();
        }
        cell.setLeft(box.right() + margin);
    }
    QStyleOptionViewItem bold = option;
    const QVariant severity = index.data(SeverityRole);
    const bool isLoud = severity.isValid() && severity.toInt() == static_cast<int>(Severity::Critical);
    bold.font.setBold(isLoud && !index.data(StaleRole).toBool());
    paintText(painter, bold, cell, index);
}

bool HolderDelegate::editorEvent(QEvent *event, QAbstractItemModel *model, const QStyleOptionViewItem &option,
                                 const QModelIndex &index)
{
    const QVariant tick = index.data(Qt::CheckStateRole);
    if (event->type() != QEvent::MouseButtonRelease || !tick.isValid()
        || !index.flags().testFlag(Qt::ItemIsUserCheckable))
        return false;
    const auto *mouse = static_cast<QMouseEvent *>(event);
    const int reach = space(option.widget, 1);
    if (mouse->button() != Qt::LeftButton
        || !tickRect(option).adjusted(-reach, -reach, reach, reach).contains(mouse->position().toPoint()))
        return false;
    return model->setData(index, tick.toInt() == Qt::Checked ? Qt::Unchecked : Qt::Checked, Qt::CheckStateRole);
}

} // namespace pilothouse
