// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/host/rowpainting.h"

#include "ui/theme/roles.h"
#include "ui/theme/theme.h"

#include <QPainter>

namespace pilothouse {

void paintRowBackground(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index,
                        const Theme &theme)
{
    if (option.state.testFlag(QStyle::State_Selected)) {
        painter->fillRect(option.rect, theme.color(ColorId::Selection));
        // A tint alone is hard to see on a bright screen.
        const QRect bar(option.rect.topLeft(), QSize(3, option.rect.height()));
        if (index.column() == 0)
            painter->fillRect(bar, theme.color(ColorId::Accent));
    } else if (option.state.testFlag(QStyle::State_MouseOver)) {
        painter->fillRect(option.rect, theme.color(ColorId::Hover));
    }
}

RowDelegate::RowDelegate(const Theme &theme, QObject *parent)
    : QStyledItemDelegate(parent)
    , m_theme(theme)
{
}

void RowDelegate::paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const
{
    paintRowBackground(painter, option, index, m_theme);
    const int margin = space(option.widget, 2);
    paintText(painter, option, option.rect.adjusted(margin, 0, -margin, 0), index);
}

QSize RowDelegate::sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const
{
    const QSize size = QStyledItemDelegate::sizeHint(option, index);
    return {size.width(), option.fontMetrics.height() + space(option.widget, 2)};
}

QColor RowDelegate::textColor(const QModelIndex &index) const
{
    if (index.data(StaleRole).toBool())
        return m_theme.color(ColorId::SeverityStale);
    const QVariant severity = index.data(SeverityRole);
    return severity.isValid() ? m_theme.color(static_cast<Severity>(severity.toInt())) : m_theme.color(ColorId::Text);
}

void RowDelegate::paintText(QPainter *painter, const QStyleOptionViewItem &option, const QRect &cell,
                            const QModelIndex &index) const
{
    const QVariant alignment = index.data(Qt::TextAlignmentRole);
    const QVariant font = index.data(Qt::FontRole);
    painter->setFont(font.isValid() ? font.value<QFont>() : option.font);
    painter->setPen(textColor(index));
    const QString full = index.data(Qt::DisplayRole).toString();
    const QString text = painter->fontMetrics().elidedText(full, Qt::ElideRight, cell.width());
    const int flags = alignment.isValid() ? alignment.toInt() : int(Qt::AlignLeft | Qt::AlignVCenter);
    painter->drawText(cell, flags | Qt::TextSingleLine, text);
}

} // namespace pilothouse
