// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Chooses hosts of the SSH configuration or of an Ansible inventory. Shows what is new, what is there already, and what
// is left out and why. Reads no file itself: asks for a list, hands on what is chosen; whoever keeps it closes the
// dialog or lets it say why not. Deletes itself when closed. GUI thread.

#include "core/fleet/imports/importlist.h"

#include <QDialog>
#include <QHash>

class QLabel;
class QPushButton;
class QRadioButton;
class QTreeWidget;
class QTreeWidgetItem;

namespace pilothouse {

class Theme;

class ImportDialog final : public QDialog
{
    Q_OBJECT
public:
    ImportDialog(const Theme &theme, QWidget *parent);

    /// `taken`: name to file of the hosts that are there already, without those of an earlier import of this list,
    /// which are `before`.
    void showList(const ImportList &list, const QHash<QString, QString> &taken, const QStringList &before);
    /// In place of a list, or of closing: what went wrong.
    void showFailure(const QString &text);

signals:
    void sshWanted();
    void ansibleWanted(const QString &path);
    /// Those with a check mark, in the order of the list.
    void submitted(const QList<pilothouse::HostSpec> &hosts);

private:
    void buildSource();
    void chooseFile();
    void addHostRow(const ImportedHost &host, const QString &takenBy, bool before);
    void addLeftOutRow(const ImportLeftOut &left);
    void check();
    void submit();
    [[nodiscard]] QList<HostSpec> chosen() const;

    const Theme &m_theme;
    ImportList m_list;
    QRadioButton *m_ssh;
    QRadioButton *m_ansible;
    QPushButton *m_file;
    QLabel *m_source;
    QTreeWidget *m_hosts;
    QLabel *m_notes;
    QLabel *m_summary;
    QLabel *m_message;
    QPushButton *m_import;
};

} // namespace pilothouse
