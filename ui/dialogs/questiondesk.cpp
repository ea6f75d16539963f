// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/questiondesk.h"

#include "ui/dialogs/hostkeydialog.h"
#include "ui/dialogs/secretdialog.h"

#include <QWidget>

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
    m_waiting.push_back({host, question});
    showNext();
}

void QuestionDesk::withdraw(const QString &host)
{
    std::erase_if(m_waiting, [&host](const Entry &entry) { return entry.host == host; });
    if (!m_dialog || m_shownHost != host)
        return;
    QDialog *dialog = std::exchange(m_dialog, nullptr);
    dialog->disconnect(this);
    dialog->blockSignals(true); // nobody waits for its answer
    dialog->hide();
    dialog->deleteLater();
    m_shownHost.clear();
    showNext();
}

void QuestionDesk::showNext()
{
    if (m_dialog || m_waiting.empty())
        return;
    const Entry entry = m_waiting.front();
    m_waiting.pop_front();
    m_shownHost = entry.host;
    openDialog(entry);
}

void QuestionDesk::openDialog(const Entry &entry)
{
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
    m_shownHost.clear();
    emit answered(host, answer);
    // The next dialog after this one has gone, or it would come up below it.
    QMetaObject::invokeMethod(this, &QuestionDesk::showNext, Qt::QueuedConnection);
}

} // namespace pilothouse
