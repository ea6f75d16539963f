// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Asks for a passphrase, a password or what the server's own prompts want. What was typed is wiped from the fields as
// soon as it is handed on, and nothing keeps it. Deletes itself when closed. GUI thread.

#include "core/ssh/question.h"

#include <QDialog>

class QLineEdit;

namespace pilothouse {

class Theme;

class SecretDialog final : public QDialog
{
    Q_OBJECT
public:
    SecretDialog(const Theme &theme, const Question &question, QWidget *parent);
    ~SecretDialog() override;

signals:
    /// Exactly once unless the dialog is withdrawn. The receiver wipes the replies after use.
    void answered(const pilothouse::Answer &answer);

private:
    void accept() override;
    void wipe();

    quint64 m_questionId;
    QList<QLineEdit *> m_fields;
};

/// Overwrites the characters that nobody else shares, and empties the list.
void wipeReplies(QStringList &replies);

} // namespace pilothouse
