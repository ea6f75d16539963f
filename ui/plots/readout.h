// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What hovers over the plot: a line at a moment and the value of each GPU there. Takes no mouse. GUI thread.

#include <QPen>
#include <QWidget>

namespace pilothouse {

class Theme;

struct ReadoutRow
{
    int slot = 0;
    QString name;  ///< "0"
    QString value; ///< "94.4" or a dash
};

class Readout final : public QWidget
{
    Q_OBJECT
public:
    explicit Readout(const Theme &theme, QWidget *parent);

    /// At `x` of the parent, kept inside `area`.
    void showAt(int x, const QRect &area, const QString &title, const QList<ReadoutRow> &rows);
    /// As plain text, one GPU a line; empty while hidden.
    [[nodiscard]] QString text() const;

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    [[nodiscard]] QSize boxSize() const;
    void paintRow(QPainter &painter, const ReadoutRow &row, const QRect &cell) const;

    const Theme &m_theme;
    QString m_title;
    QList<ReadoutRow> m_rows;
    QRect m_area;
    int m_x = 0;
};

} // namespace pilothouse
