// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/panel.h"

#include "ui/theme/runlabel.h"
#include "ui/theme/theme.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QVBoxLayout>

namespace pilothouse {

Panel::Panel(const Theme &theme, const QString &title, QWidget *parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_header(new RunLabel(theme, this))
    , m_title(title)
    , m_bar(new QWidget(this))
    , m_barLayout(new QHBoxLayout(m_bar))
{
    setAccessibleName(title);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(1, 1, 1, 1);
    column->setSpacing(0);
    m_barLayout->setContentsMargins(space(this, 3), space(this, 1), space(this, 2), space(this, 1));
    m_barLayout->setSpacing(space(this, 1));
    m_barLayout->addWidget(m_header, 1);
    m_bar->setFixedHeight(fontMetrics().height() + space(this, 4));
    column->addWidget(m_bar);
    setRemark({});
    connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

void Panel::setRemark(const QString &text)
{
    m_remark = text;
    m_header->setRuns({{.text = m_title, .color = ColorId::Text, .bold = true},
                       {.text = text, .color = ColorId::TextMuted}});
}

QString Panel::remark() const
{
    return m_remark;
}

void Panel::addControl(QWidget *control)
{
    m_barLayout->addWidget(control);
}

void Panel::setContent(QWidget *content)
{
    content->setParent(this);
    static_cast<QVBoxLayout *>(layout())->addWidget(content, 1);
}

void Panel::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(m_theme.color(ColorId::Border));
    painter.setBrush(m_theme.color(ColorId::Panel));
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
    const double y = m_bar->geometry().bottom() + 0.5;
    painter.drawLine(QPointF(1, y), QPointF(width() - 1, y));
}

} // namespace pilothouse
