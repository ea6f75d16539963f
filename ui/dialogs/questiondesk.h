// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The questions of all connections, asked one after the other over the main window; unknown host keys of several hosts
// in one list. GUI thread; owned by it.

#include "core/ssh/question.h"

#include <QObject>
#include <QPointer>

#include <deque>

class QDialog;
class QWidget;

namespace pilothouse {

class HostKeyListDialog;
class Theme;

class QuestionDesk final : public QObject
{
    Q_OBJECT
public:
    QuestionDesk(const Theme &theme, QWidget *window);

    /// A newer question of the same host takes the place of its older one.
    void ask(const QString &host, const Question &question);
    /// The host no longer waits for an answer.
    void withdraw(const QString &host);

signals:
    void answered(const QString &host, const pilothouse::Answer &answer);

private:
    struct Entry
    {
        QString host;
        Question question;
    };

    void showNext();
    void openDialog(const Entry &entry);
    void openList(const Entry &first);
    void dropDialog();
    void finish(const QString &host, const Answer &answer);

    const Theme &m_theme;
    QWidget *m_window;
    std::deque<Entry> m_waiting;
    Entry m_shown; ///< by m_dialog, unless that is the list
    QPointer<QDialog> m_dialog;
    QPointer<HostKeyListDialog> m_list; ///< the same, while it is that one
};

} // namespace pilothouse
