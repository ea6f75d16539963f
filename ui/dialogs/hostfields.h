// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What the dialogs for a new and for a known host share. GUI thread.

#include <QString>

class QComboBox;
class QFormLayout;
class QWidget;

namespace pilothouse {

/// With a mnemonic in `title`.
void addField(QFormLayout *form, const QString &title, QWidget *field, const QString &objectName, const QString &hint);

/// The item's data is the enum's value as int.
void fillWithAccess(QComboBox *box);
void fillWithSudo(QComboBox *box);

} // namespace pilothouse
