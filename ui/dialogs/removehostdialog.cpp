// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/removehostdialog.h"

#include "ui/theme/plain.h"
#include "ui/theme/theme.h"

#include <QDialogButtonBox>
#include <QFontDatabase>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

QPlainTextEdit *linesView(const QString &lines)
{
    constexpr int mostRows = 14;
    constexpr int columns = 60;
    auto *view = new QPlainTextEdit(lines.trimmed());
    view->setObjectName(u"removeHostLines"_s);
    view->setAccessibleName(RemoveHostDialog::tr("Lines that are removed"));
    view->setReadOnly(true);
    view->setTabChangesFocus(true);
    view->setLineWrapMode(QPlainTextEdit::NoWrap);
    view->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    const QFontMetrics metrics = view->fontMetrics();
    const int rows = std::min<int>(view->document()->blockCount() + 1, mostRows);
    view->setFixedHeight(metrics.lineSpacing() * rows);
    view->setMinimumWidth(metrics.averageCharWidth() * columns);
    return view;
}

} // namespace

RemoveHostDialog::RemoveHostDialog(const Theme &theme, const QString &name, const QString &file, const QString &lines,
                                   QWidget *parent)
    : QDialog(parent)
{
    setObjectName(u"removeHostDialog"_s);
    setWindowTitle(tr("Remove Host"));
    setAttribute(Qt::WA_DeleteOnClose);
    auto *column = new QVBoxLayout(this);
    column->setSpacing(space(this, 3));
    const auto addText = [&](const QString &objectName, const QString &text) {
        QLabel *label = plainLabel(text);
        label->setObjectName(objectName);
        label->setWordWrap(true);
        column->addWidget(label);
        return label;
    };
    QLabel *what = addText(u"removeHostWhat"_s, tr("Remove %1 from this console?").arg(name));
    QFont bold = what->font();
    bold.setBold(true);
    what->setFont(bold);
    if (file.isEmpty()) {
        addText(u"removeHostWhere"_s, tr("It stands in no file; it goes from this window only."));
    } else {
        addText(u"removeHostWhere"_s, tr("These lines go from %1; all others stay as they are.").arg(file));
        column->addWidget(linesView(lines));
    }
    tint(addText(u"removeHostAdvice"_s, tr("Nothing changes on the host itself.")), theme, ColorId::TextMuted);

    auto *buttons = new QDialogButtonBox;
    QPushButton *remove = buttons->addButton(tr("&Remove"), QDialogButtonBox::ActionRole);
    QPushButton *cancel = buttons->addButton(QDialogButtonBox::Cancel);
    remove->setObjectName(u"removeHostRemove"_s);
    cancel->setObjectName(u"removeHostCancel"_s);
    column->addWidget(buttons);
    remove->setAutoDefault(false);
    cancel->setDefault(true);
    cancel->setFocus();
    connect(remove, &QPushButton::clicked, this, [this] {
        emit confirmed();
        accept();
    });
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
}

} // namespace pilothouse
