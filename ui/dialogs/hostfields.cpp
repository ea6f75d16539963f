// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/hostfields.h"

#include "core/fleet/hostspec.h"

#include <QComboBox>
#include <QCoreApplication>
#include <QFormLayout>
#include <QLabel>

namespace pilothouse {

namespace {

QString tr(const char *text)
{
    return QCoreApplication::translate("HostFields", text);
}

} // namespace

void addField(QFormLayout *form, const QString &title, QWidget *field, const QString &objectName, const QString &hint)
{
    field->setObjectName(objectName);
    field->setToolTip(hint);
    auto *label = new QLabel(title);
    label->setBuddy(field);
    field->setAccessibleName(QString(title).remove(u'&'));
    form->addRow(label, field);
}

void fillWithAccess(QComboBox *box)
{
    box->addItem(tr("Read-only"), static_cast<int>(Access::ReadOnly));
    box->addItem(tr("Confirm each change"), static_cast<int>(Access::Confirm));
    box->addItem(tr("Normal"), static_cast<int>(Access::Normal));
}

void fillWithSudo(QComboBox *box)
{
    box->addItem(tr("Never"), static_cast<int>(SudoPolicy::Never));
    box->addItem(tr("Without a password"), static_cast<int>(SudoPolicy::NoPassword));
    box->addItem(tr("Ask for a password"), static_cast<int>(SudoPolicy::Ask));
}

} // namespace pilothouse
