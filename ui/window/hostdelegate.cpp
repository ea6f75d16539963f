// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/hostdelegate.h"

#include "ui/theme/icons.h"
#include "ui/theme/roles.h"
#include "ui/theme/theme.h"

#include <QPainter>

#include <algorithm>

namespace pilothouse {

namespace {

using Fit = QString (*)(const QString &, const QFontMetrics &, int);

QString elided(const QString &text, const QFontMetrics &metrics, int width)
{
    return metrics.elidedText(text, Qt::ElideRight, width);
}

/// Left text fitted into what the right text leaves.
void paintLine(QPainter *painter, const QRect &line, const QString &left, const QString &right, const QFont &leftFont,
               const QFont &rightFont, const QColor &leftColor, const QColor &rightColor, Fit fit = elided)
{
    painter->setFont(rightFont);
    const int rightWidth = right.isEmpty() ? 0 : painter->fontMetrics().horizontalAdvance(right) + line.height() / 2;
    painter->setPen(rightColor);
    painter->drawText(line, Qt::AlignRight | Qt::AlignVCenter | Qt::TextSingleLine, right);
    painter->setFont(leftFont);
    painter->setPen(leftColor);
    const QString text = fit(left, painter->fontMetrics(), line.width() - rightWidth);
    painter->drawText(line, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine, text);
}

/// A padlock: the host stands in a file that is not this person's.
void paintLock(QPainter *painter, const QRectF &box, const QColor &color)
{
    constexpr double bodyShare = 0.55;
    const double pen = std::max(1.0, box.width() / 8);
    const QRectF body(box.left() + pen / 2, box.bottom() - box.height() * bodyShare, box.width() - pen,
                      box.height() * bodyShare - pen / 2);
    const QRectF shackle(box.left() + box.width() / 4, box.top() + pen / 2, box.width() / 2, box.height() * 0.8);
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(QPen(color, pen));
    painter->drawArc(shackle, 0, 180 * 16);
    painter->setPen(Qt::NoPen);
    painter->setBrush(color);
    painter->drawRoundedRect(body, pen, pen);
    painter->restore();
}

} // namespace

QString fittedHostName(const QString &name, const QFontMetrics &metrics, int width)
{
    const QString shortened = metrics.elidedText(name, Qt::ElideRight, width);
    if (shortened == name)
        return name;
    const qsizetype dot = name.indexOf(u'.');
    const QString own = name.left(dot);
    const bool isAddress = std::ranges::none_of(own, [](QChar letter) { return letter.isLetter(); });
    if (dot <= 0 || isAddress)
        return metrics.elidedText(name, Qt::ElideMiddle, width);
    if (shortened.size() > dot)
        return shortened; // its own name is whole
    const QString more(QChar(0x2026));
    const int room = width - metrics.horizontalAdvance(more);
    return room <= 0 ? more : metrics.elidedText(own, Qt::ElideMiddle, room) + more;
}

void HostDelegate::paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const
{
    paintRowBackground(painter, option, index, theme());
    const auto severity = static_cast<Severity>(index.data(SeverityRole).toInt());
    const bool stale = index.data(StaleRole).toBool();
    const int margin = space(option.widget, 3);
    const int height = option.fontMetrics.height();
    const int side = option.fontMetrics.ascent();
    const QRect inside = option.rect.adjusted(margin, space(option.widget, 1), -margin, -space(option.widget, 1));
    const int indent = side + space(option.widget, 2);
    QRect line(inside.left() + indent, inside.top(), inside.width() - indent, height);
    const QPixmap icon = severityPixmap(theme(), severity, side, painter->device()->devicePixelRatioF());
    painter->drawPixmap(inside.left(), line.center().y() - side / 2, icon);

    QFont bold = option.font;
    bold.setBold(true);
    const QColor muted = theme().color(ColorId::TextMuted);
    const QColor figures = theme().color(stale ? ColorId::SeverityStale : ColorId::Text);
    paintLine(painter, line, index.data(Qt::DisplayRole).toString(), index.data(EndRole).toString(), bold, option.font,
              theme().color(ColorId::Text), figures, fittedHostName);
    line.translate(0, height);
    if (index.data(LockedRole).toBool()) {
        constexpr int gap = 2;
        paintLock(painter,
                  QRectF(inside.left() + gap, line.center().y() - side / 2 + gap, side - 2 * gap, side - 2 * gap),
                  muted);
    }
    paintLine(painter, line, index.data(DetailRole).toString(), index.data(DetailEndRole).toString(), option.font,
              option.font, theme().color(severity), muted);
    if (option.state.testFlag(QStyle::State_HasFocus)) {
        painter->setPen(theme().color(ColorId::Accent));
        painter->drawRect(option.rect.adjusted(0, 0, -1, -1));
    }
}

QSize HostDelegate::sizeHint(const QStyleOptionViewItem &option, const QModelIndex &) const
{
    return {space(option.widget, 40), option.fontMetrics.height() * 2 + space(option.widget, 2)};
}

} // namespace pilothouse
