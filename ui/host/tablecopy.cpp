// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/host/tablecopy.h"

#include <QAbstractItemView>
#include <QClipboard>
#include <QGuiApplication>
#include <QItemSelectionModel>
#include <QShortcut>

#include <algorithm>

namespace pilothouse {

namespace {

QString cellText(const QVariant &value)
{
    // Cells come cleaned of control characters; a tab would still shift the columns.
    return value.toString().replace(u'\t', u' ').replace(u'\n', u' ');
}

} // namespace

QString tableText(const QAbstractItemView &view)
{
    const QAbstractItemModel &model = *view.model();
    QList<int> rows;
    for (const QModelIndex &index : view.selectionModel()->selectedRows())
        rows << index.row();
    std::ranges::sort(rows);
    if (rows.isEmpty()) {
        for (int row = 0; row < model.rowCount(); ++row)
            rows << row;
    }
    QStringList lines;
    QStringList cells;
    for (int column = 0; column < model.columnCount(); ++column)
        cells << cellText(model.headerData(column, Qt::Horizontal));
    lines << cells.join(u'\t');
    for (const int row : std::as_const(rows)) {
        cells.clear();
        for (int column = 0; column < model.columnCount(); ++column)
            cells << cellText(model.index(row, column).data());
        lines << cells.join(u'\t');
    }
    return lines.join(u'\n') + u'\n';
}

void copyOnRequest(QAbstractItemView *view)
{
    auto *shortcut = new QShortcut(QKeySequence::Copy, view);
    shortcut->setContext(Qt::WidgetShortcut);
    QObject::connect(shortcut, &QShortcut::activated, view,
                     [view] { QGuiApplication::clipboard()->setText(tableText(*view)); });
}

} // namespace pilothouse
