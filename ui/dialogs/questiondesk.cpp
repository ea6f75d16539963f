// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/questiondesk.h"

#include "ui/dialogs/hostkeydialog.h"
#include "ui/dialogs/hostkeylistdialog.h"
#include "ui/dialogs/secretdialog.h"

#include <QWidget>

#include <algorithm>
#include <utility>

namespace pilothouse {

QuestionDesk::QuestionDesk(const Theme &theme, QWidget *window)
    : QObject(window)
    , m_theme(theme)
    , m_window(window)
{
}

void QuestionDesk::ask(const QString &host, const Question &question)
{
    withdraw(host);
    const Entry entry{host, question};
    const bool isKey = question.kind == Question::Kind::UnknownHostKey;
    if (isKey && m_list)
        m_list->addKey(host, question);
    else if (isKey && m_dialog && m_shown.question.kind == Question::Kind::UnknownHostKey)
        openList(entry); // with the one that is shown
    else
        m_waiting.push_back(entry);
    showNext();
}

void QuestionDesk::withdraw(const QString &host)
{
    std::erase_if(m_waiting, [&host](const Entry &entry) { return entry.host == host; });
    if (m_list) {
        m_list->removeKey(host);
        if (!m_list->isEmpty())
            return;
    } else if (!m_dialog || m_shown.host != host) {
        return;
    }
    dropDialog();
    showNext();
}

/// Nobody waits for its answer.
void QuestionDesk::dropDialog()
{
    QDialog *dialog = std::exchange(m_dialog, nullptr);
    m_list = nullptr;
    m_shown = {};
    dialog->disconnect(this);
    dialog->blockSignals(true);
    dialog->hide();
    dialog->deleteLater();
}

void QuestionDesk::showNext()
{
    if (m_dialog || m_waiting.empty())
        return;
    const Entry entry = m_waiting.front();
    m_waiting.pop_front();
    const auto isKey = [](const Entry &each) { return each.question.kind == Question::Kind::UnknownHostKey; };
    if (isKey(entry) && std::ranges::any_of(m_waiting, isKey)) {
        openList(entry);
        for (const Entry &each : m_waiting) {
            if (isKey(each))
                m_list->addKey(each.host, each.question);
        }
        std::erase_if(m_waiting, isKey);
        return;
    }
    openDialog(entry);
}

void QuestionDesk::openList(const Entry &first)
{
    const Entry shown = m_shown;
    const bool takesOver = m_dialog;
    if (takesOver)
        dropDialog();
    m_list = new HostKeyListDialog(m_theme, m_window);
    m_dialog = m_list;
    connect(m_list, &HostKeyListDialog::answered, this, &QuestionDesk::answered);
    connect(m_list, &QDialog::finished, this, [this] {
        m_dialog = nullptr;
        m_list = nullptr;
        QMetaObject::invokeMethod(this, &QuestionDesk::showNext, Qt::QueuedConnection);
    });
    if (takesOver)
        m_list->addKey(shown.host, shown.question);
    m_list->addKey(first.host, first.question);
    m_list->open();
}

void QuestionDesk::openDialog(const Entry &entry)
{
    m_shown = entry;
    const QString host = entry.host;
    if (entry.question.kind == Question::Kind::UnknownHostKey) {
        auto *dialog = new HostKeyDialog(m_theme, entry.question, m_window);
        connect(dialog, &HostKeyDialog::answered, this,
                [this, host](const Answer &answer) { finish(host, answer); });
        m_dialog = dialog;
    } else {
        auto *dialog = new SecretDialog(m_theme, entry.question, m_window);
        connect(dialog, &SecretDialog::answered, this, [this, host](const Answer &answer) { finish(host, answer); });
        m_dialog = dialog;
    }
    m_dialog->open();
}

void QuestionDesk::finish(const QString &host, const Answer &answer)
{
    m_dialog = nullptr;
    m_shown = {};
    emit answered(host, answer);
    // The next dialog after this one has gone, or it would come up below it.
    QMetaObject::invokeMethod(this, &QuestionDesk::showNext, Qt::QueuedConnection);
}

} // namespace pilothouse
