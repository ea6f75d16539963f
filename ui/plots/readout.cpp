// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/readout.h"

#include "ui/theme/theme.h"

#include <QPainter>

namespace pilothouse {

namespace {

constexpr int rowsPerColumn = 8;

} // namespace

Readout::Readout(const Theme &theme, QWidget *parent)
    : QWidget(parent)
    , m_theme(theme)
{
    setObjectName(QStringLiteral("plotReadout"));
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setAttribute(Qt::WA_NoSystemBackground);
    hide();
}

void Readout::showAt(int x, const QRect &area, const QString &title, const QList<ReadoutRow> &rows)
{
    m_x = x;
    m_area = area;
    m_title = title;
    m_rows = rows;
    setGeometry(parentWidget()->rect());
    setAccessibleName(text());
    setVisible(true);
    raise();
    update();
}

QString Readout::text() const
{
    if (isHidden())
        return {};
    QString text = m_title;
    for (const ReadoutRow &row : m_rows)
        text += u'\n' + row.name + u' ' + row.value;
    return text;
}

QSize Readout::boxSize() const
{
    const QFontMetrics metrics = fontMetrics();
    const auto columns = std::max<qsizetype>(1, (m_rows.size() + rowsPerColumn - 1) / rowsPerColumn);
    const auto rows = std::min<qsizetype>(m_rows.size(), rowsPerColumn);
    const int cell = metrics.horizontalAdvance(QStringLiteral("00  000.0")) + space(this, 9);
    const int width = std::max(cell * static_cast<int>(columns), metrics.horizontalAdvance(m_title) + space(this, 4));
    return {width + space(this, 2), metrics.height() * (static_cast<int>(rows) + 1) + space(this, 3)};
}

void Readout::paintRow(QPainter &painter, const ReadoutRow &row, const QRect &cell) const
{
    const int dash = space(this, 5);
    painter.setPen(m_theme.seriesPen(row.slot, 2));
    painter.drawLine(cell.left(), cell.center().y(), cell.left() + dash, cell.center().y());
    painter.setPen(m_theme.color(ColorId::TextMuted));
    const int nameWidth = fontMetrics().horizontalAdvance(QStringLiteral("00"));
    const QRect name(cell.left() + dash + space(this, 1), cell.top(), nameWidth, cell.height());
    painter.drawText(name, Qt::AlignRight | Qt::AlignVCenter, row.name);
    painter.setPen(m_theme.color(ColorId::Text));
    painter.drawText(cell.adjusted(0, 0, -space(this, 2), 0), Qt::AlignRight | Qt::AlignVCenter, row.value);
}

void Readout::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setPen(QPen(m_theme.color(ColorId::TextMuted), 1, Qt::DashLine));
    painter.drawLine(m_x, m_area.top(), m_x, m_area.bottom());

    const QSize size = boxSize();
    const int gap = space(this, 2);
    const bool left = m_x + gap + size.width() > m_area.right();
    const QRect box(left ? std::max(m_area.left(), m_x - gap - size.width()) : m_x + gap, m_area.top() + gap,
                    size.width(), size.height());
    painter.setPen(m_theme.color(ColorId::Border));
    painter.setBrush(m_theme.color(ColorId::Chrome));
    painter.drawRect(box.adjusted(0, 0, -1, -1));

    const QRect inside = box.adjusted(space(this, 2), space(this, 1), 0, -space(this, 1));
    const int line = fontMetrics().height();
    painter.setPen(m_theme.color(ColorId::Text));
    const QRect title(inside.left(), inside.top(), inside.width(), line);
    painter.drawText(title, Qt::AlignLeft | Qt::AlignVCenter, m_title);
    const auto columns = std::max<qsizetype>(1, (m_rows.size() + rowsPerColumn - 1) / rowsPerColumn);
    const int cellWidth = inside.width() / static_cast<int>(columns);
    for (qsizetype i = 0; i < m_rows.size(); ++i) {
        const int column = static_cast<int>(i) / rowsPerColumn;
        const int row = static_cast<int>(i) % rowsPerColumn;
        const QPoint at(inside.left() + column * cellWidth, inside.top() + line * (row + 1) + space(this, 1));
        paintRow(painter, m_rows.at(i), QRect(at, QSize(cellWidth, line)));
    }
}

} // namespace pilothouse
