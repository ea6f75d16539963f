// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Adds hosts: by hand, or any number of aliases of the SSH configuration at once. Checks what is typed and hands it on;
// whoever saves it closes the dialog or lets it say why not. Deletes itself when closed. GUI thread.

#include "core/fleet/hostspec.h"

#include <QDialog>

class QComboBox;
class QLabel;
class QLineEdit;
class QListWidget;
class QPushButton;

namespace pilothouse {

class HostTestPanel;
class Theme;

class AddHostDialog final : public QDialog
{
    Q_OBJECT
public:
    /// `aliases` of the SSH configuration; `taken` are the names that the window has already.
    AddHostDialog(const Theme &theme, const QStringList &aliases, const QStringList &taken, QWidget *parent);

    /// Starts with the list of aliases, or with the fields filled from `spec`.
    void startWithAliases();
    void startWith(const HostSpec &spec);
    /// In place of closing: what could not be saved and why.
    void showFailure(const QString &text);
    /// Of testRequested(): told what happens.
    [[nodiscard]] HostTestPanel *testPanel() const { return m_test; }

signals:
    void submitted(const QList<pilothouse::HostSpec> &hosts);
    void testRequested(const pilothouse::HostSpec &host);
    void testStopped();

private:
    void buildAliases(const QStringList &aliases);
    void buildFields();
    void filterAliases(const QString &words);
    void onAliasesChosen();
    void check();
    void submit();
    [[nodiscard]] QStringList chosenAliases() const;
    [[nodiscard]] HostSpec typed() const;
    [[nodiscard]] QString complaint() const;

    QStringList m_taken;
    QLineEdit *m_aliasFilter;
    QListWidget *m_aliases;
    QLineEdit *m_target;
    QLineEdit *m_name;
    QLineEdit *m_unit;
    QComboBox *m_access;
    QComboBox *m_sudo;
    QLabel *m_message;
    HostTestPanel *m_test;
    QPushButton *m_add;
};

} // namespace pilothouse
