// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/consolestyle.h"

#include <QPainter>
#include <QStyleOption>

namespace pilothouse {

namespace {

constexpr double radius = 3;
constexpr int sortArrow = 8;
constexpr int sortPadding = 4;

/// Border and accent stand in the palette: Theme puts them there.
void drawFrame(QPainter *painter, const QRect &rect, const QColor &color, double rounding = radius)
{
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(color);
    painter->setBrush(Qt::NoBrush);
    painter->drawRoundedRect(QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5), rounding, rounding);
    painter->restore();
}

} // namespace

ConsoleStyle::ConsoleStyle()
    : QProxyStyle(QStringLiteral("Fusion"))
{
}

int ConsoleStyle::pixelMetric(PixelMetric metric, const QStyleOption *option, const QWidget *widget) const
{
    constexpr int headerMargin = 8;
    if (metric == PM_HeaderMargin)
        return headerMargin;
    if (metric == PM_FocusFrameHMargin) // of an item's text, to which its view adds one: below that of the header
        return headerMargin - 1;
    return QProxyStyle::pixelMetric(metric, option, widget);
}

QSize ConsoleStyle::sizeFromContents(ContentsType type, const QStyleOption *option, const QSize &size,
                                     const QWidget *widget) const
{
    const QSize wanted = QProxyStyle::sizeFromContents(type, option, size, widget);
    if (type == CT_PushButton)
        return wanted + QSize(16, 4);
    return type == CT_ItemViewItem ? wanted + QSize(0, 6) : wanted;
}

QRect ConsoleStyle::subElementRect(SubElement element, const QStyleOption *option, const QWidget *widget) const
{
    constexpr int padding = 4;
    const QRect rect = QProxyStyle::subElementRect(element, option, widget);
    return element == SE_LineEditContents ? rect.adjusted(padding, 0, -padding, 0) : rect;
}

void ConsoleStyle::drawPrimitive(PrimitiveElement element, const QStyleOption *option, QPainter *painter,
                                 const QWidget *widget) const
{
    if (element == PE_FrameLineEdit) {
        const bool focus = option->state.testFlag(State_HasFocus);
        drawFrame(painter, option->rect, option->palette.color(focus ? QPalette::Highlight : QPalette::Mid));
        return;
    }
    if (element == PE_PanelLineEdit) {
        const bool readOnly = option->state.testFlag(State_ReadOnly);
        painter->fillRect(option->rect.adjusted(1, 1, -1, -1),
                          option->palette.brush(readOnly ? QPalette::Window : QPalette::Base));
        drawPrimitive(PE_FrameLineEdit, option, painter, widget);
        return;
    }
    if (element == PE_IndicatorCheckBox || element == PE_IndicatorRadioButton) {
        QProxyStyle::drawPrimitive(element, option, painter, widget);
        // Fusion's own outline is darker than the window: on a dark one it is not there.
        drawFrame(painter, option->rect, option->palette.color(QPalette::PlaceholderText),
                  element == PE_IndicatorRadioButton ? option->rect.height() / 2.0 : radius);
        return;
    }
    if (element == PE_IndicatorHeaderArrow && widget) {
        // At the right end and in the middle; Fusion puts it at the upper edge.
        QStyleOptionHeader arrow = *static_cast<const QStyleOptionHeader *>(option);
        arrow.rect = QRect(option->rect.right() - sortArrow + sortPadding, (widget->height() - sortArrow) / 2,
                           sortArrow, sortArrow);
        QProxyStyle::drawPrimitive(element, &arrow, painter, widget);
        return;
    }
    QProxyStyle::drawPrimitive(element, option, painter, widget);
}

void ConsoleStyle::drawControl(ControlElement element, const QStyleOption *option, QPainter *painter,
                               const QWidget *widget) const
{
    if (element == CE_HeaderSection || element == CE_HeaderEmptyArea) {
        painter->fillRect(option->rect, option->palette.brush(QPalette::Base));
        painter->setPen(option->palette.color(QPalette::Mid));
        painter->drawLine(option->rect.bottomLeft(), option->rect.bottomRight());
        return;
    }
    const auto *header = qstyleoption_cast<const QStyleOptionHeader *>(option);
    if (element == CE_HeaderLabel && header && header->sortIndicator != QStyleOptionHeader::None) {
        QStyleOptionHeader label = *header;
        if (label.textAlignment.testFlag(Qt::AlignRight))
            label.rect.adjust(0, 0, -sortArrow - sortPadding, 0); // beside the arrow, not below it
        QProxyStyle::drawControl(element, &label, painter, widget);
        return;
    }
    QProxyStyle::drawControl(element, option, painter, widget);
}

} // namespace pilothouse
