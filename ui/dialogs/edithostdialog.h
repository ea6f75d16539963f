// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Edits a host of the inventory, or shows one that its file's keeper alone changes, and why. Checks what is typed and
// hands it on; whoever saves it closes the dialog, or lets it say why not. Deletes itself when closed. GUI thread.

#include "core/fleet/hostspec.h"

#include <QDialog>

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QSpinBox;

namespace pilothouse {

class ServicesEditor;
class Theme;

class EditHostDialog final : public QDialog
{
    Q_OBJECT
public:
    /// `taken`: names of other hosts.
    EditHostDialog(const Theme &theme, const HostSpec &host, const QStringList &taken, QWidget *parent);

    /// In place of closing: what could not be saved and why.
    void showFailure(const QString &text);
    /// The file has another description of the host meanwhile: what was edited here stays, all else follows the file;
    /// `difference` says what that was. The next save starts from there.
    void rebase(const HostSpec &host, const QString &difference);

signals:
    void submitted(const pilothouse::HostSpec &host);
    void fileRequested(const QString &file);

private:
    void buildHost();
    void addReason(const Theme &theme);
    void setReadOnly();
    void fill(const HostSpec &host);
    void check();
    void submit();
    [[nodiscard]] HostSpec typed() const;
    [[nodiscard]] QString complaint() const;

    HostSpec m_base;
    QStringList m_taken;
    QLineEdit *m_name;
    QLineEdit *m_ssh;
    QLineEdit *m_tags;
    QComboBox *m_access;
    QComboBox *m_sudo;
    QSpinBox *m_gpus;
    QSpinBox *m_threshold;
    ServicesEditor *m_services;
    QLabel *m_message;
    QPushButton *m_save;
};

} // namespace pilothouse
