// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Asks whether a host is to leave this console and shows the lines of the inventory that go with it. Enter never
// removes: Cancel is the default button. Deletes itself when closed. GUI thread.

#include <QDialog>

namespace pilothouse {

class Theme;

class RemoveHostDialog final : public QDialog
{
    Q_OBJECT
public:
    /// `file` and its `lines`; both empty for a host that stands in no file.
    RemoveHostDialog(const Theme &theme, const QString &name, const QString &file, const QString &lines,
                     QWidget *parent);

signals:
    void confirmed();
};

} // namespace pilothouse
