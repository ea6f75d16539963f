// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/texttable.h"

#include <algorithm>

namespace pilothouse {

using namespace Qt::StringLiterals;

TextTable::TextTable(QList<Column> columns)
    : m_columns(std::move(columns))
{
}

void TextTable::add(QList<TextCell> row)
{
    row.resize(m_columns.size());
    m_rows += std::move(row);
}

QString TextTable::text(const Output &output) const
{
    auto rows = m_rows;
    if (output.isTerminal()) { // anything else has no width
        for (auto &row : rows) {
            for (qsizetype i = 0; i < row.size(); ++i) {
                const int most = m_columns.at(i).most;
                if (row.at(i).text.size() > most)
                    row[i].text = row.at(i).text.left(most - 1) + u'…';
            }
        }
    }
    QList<qsizetype> widths;
    for (qsizetype i = 0; i < m_columns.size(); ++i) {
        qsizetype width = m_columns.at(i).title.size();
        for (const auto &row : rows)
            width = std::max(width, row.at(i).text.size());
        widths += width;
    }
    QString text;
    const auto addLine = [&](const auto &cellAt) {
        QString blanks; // held back, so that no line ends in them
        for (qsizetype i = 0; i < m_columns.size(); ++i) {
            const TextCell cell = cellAt(i);
            const QString room(widths.at(i) - cell.text.size(), u' ');
            const bool right = m_columns.at(i).align == Align::Right;
            if (right)
                blanks += room;
            if (!cell.text.isEmpty()) {
                text += blanks + output.inked(cell.text, cell.ink);
                blanks.clear();
            }
            blanks += (right ? QString() : room) + u"  "_s;
        }
        text += u'\n';
    };
    addLine([&](qsizetype i) { return TextCell{m_columns.at(i).title, Ink::Heading}; });
    for (const auto &row : rows)
        addLine([&](qsizetype i) { return row.at(i); });
    return text;
}

} // namespace pilothouse
