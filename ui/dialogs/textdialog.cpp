// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/textdialog.h"

#include <QDialog>
#include <QDialogButtonBox>
#include <QFontDatabase>
#include <QPlainTextEdit>
#include <QVBoxLayout>

#include <algorithm>

namespace pilothouse {

void showText(QWidget *parent, const QString &objectName, const QString &title, const QString &text)
{
    auto *dialog = new QDialog(parent);
    dialog->setObjectName(objectName);
    dialog->setWindowTitle(title);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    auto *view = new QPlainTextEdit(text);
    view->setObjectName(objectName + QStringLiteral("Text"));
    view->setAccessibleName(title);
    view->setReadOnly(true);
    view->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    view->setTabChangesFocus(true);
    constexpr int columns = 72;
    constexpr int mostRows = 30;
    const QFontMetrics metrics = view->fontMetrics();
    const int rows = std::min<int>(static_cast<int>(text.count(u'\n')) + 3, mostRows);
    view->setMinimumSize(metrics.averageCharWidth() * columns, metrics.height() * rows);
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    auto *column = new QVBoxLayout(dialog);
    column->addWidget(view);
    column->addWidget(buttons);
    QObject::connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::reject);
    dialog->open();
}

} // namespace pilothouse
