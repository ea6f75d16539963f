// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// A title and plain text to read, select and copy: key table, about, a failure. Opens itself, does not block, deletes
// itself when closed. GUI thread.

#include <QString>

class QWidget;

namespace pilothouse {

void showText(QWidget *parent, const QString &objectName, const QString &title, const QString &text);

} // namespace pilothouse
