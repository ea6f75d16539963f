// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Unknown host keys of several hosts in one list; keys that come while it is open join it, hosts that go away leave it.
// Nothing is chosen beforehand, and more than one key is trusted only after a person has said that all of them were
// compared. Enter never accepts. Deletes itself when closed. GUI thread.

#include "core/ssh/question.h"

#include <QDialog>
#include <QHash>

class QCheckBox;
class QLabel;
class QPushButton;
class QTreeWidget;
class QTreeWidgetItem;

namespace pilothouse {

class Theme;

class HostKeyListDialog final : public QDialog
{
    Q_OBJECT
public:
    HostKeyListDialog(const Theme &theme, QWidget *parent);

    /// `host` as the window names it: of it, or of a jump host on the way to it, is the key.
    void addKey(const QString &host, const Question &question);
    /// It no longer waits for an answer.
    void removeKey(const QString &host);
    [[nodiscard]] bool isEmpty() const { return m_questions.isEmpty(); }

signals:
    /// Once for each key that was not removed.
    void answered(const QString &host, const pilothouse::Answer &answer);

private:
    void buildTable();
    void buildButtons();
    void rowsChanged();
    void check();
    void showDetails();
    void copyRows(bool selectedOnly) const;
    void answerRows(const QList<QTreeWidgetItem *> &rows, bool accepted);
    [[nodiscard]] QList<QTreeWidgetItem *> checkedRows() const;

    const Theme &m_theme;
    QHash<QString, Question> m_questions; ///< by host
    QLabel *m_what;
    QTreeWidget *m_table;
    QLabel *m_details;
    QCheckBox *m_compared;
    QCheckBox *m_store;
    QPushButton *m_trust;
    QPushButton *m_decline;
};

} // namespace pilothouse
