// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/primarybutton.h"

#include "ui/theme/theme.h"

#include <QPainter>

namespace pilothouse {

namespace {

constexpr double radius = 4;
constexpr int darker = 112; // of 100, while it is pressed

} // namespace

PrimaryButton::PrimaryButton(const Theme &theme, QWidget *parent)
    : QPushButton(parent)
    , m_theme(theme)
{
    setAutoDefault(false);
    QFont bold = font();
    bold.setBold(true);
    setFont(bold);
    connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

QSize PrimaryButton::sizeHint() const
{
    const QFontMetrics metrics = fontMetrics();
    const QString shown = QString(text()).remove(u'&');
    return {metrics.horizontalAdvance(shown) + space(this, 8), metrics.height() + space(this, 4)};
}

void PrimaryButton::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF inside = QRectF(rect()).adjusted(1, 1, -1, -1);
    QColor fill = m_theme.color(isEnabled() ? ColorId::Accent : ColorId::BarTrack);
    if (isDown())
        fill = fill.darker(darker);
    painter.setPen(Qt::NoPen);
    painter.setBrush(fill);
    painter.drawRoundedRect(inside, radius, radius);
    if (hasFocus()) {
        painter.setPen(QPen(m_theme.color(ColorId::AccentText), 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(inside.adjusted(2, 2, -2, -2), radius - 1, radius - 1);
    }
    painter.setPen(m_theme.color(isEnabled() ? ColorId::AccentText : ColorId::TextMuted));
    painter.setFont(font());
    painter.drawText(rect(), Qt::AlignCenter | Qt::TextShowMnemonic, text());
}

} // namespace pilothouse
