// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// A table of aligned columns for a terminal. One thread.

#include "app/ctl/output.h"

#include <QList>
#include <QStringList>

namespace pilothouse {

struct TextCell
{
    QString text;
    Ink ink = Ink::Plain;
};

class TextTable final
{
public:
    enum class Align { Left, Right };
    struct Column
    {
        QString title;
        Align align = Align::Left;
        int most = 60; ///< characters; longer cells end in an ellipsis on a terminal
    };

    explicit TextTable(QList<Column> columns);
    void add(QList<TextCell> row);
    [[nodiscard]] bool isEmpty() const { return m_rows.isEmpty(); }
    /// With headings; no blanks at the ends of lines.
    [[nodiscard]] QString text(const Output &output) const;

private:
    QList<Column> m_columns;
    QList<QList<TextCell>> m_rows;
};

} // namespace pilothouse
