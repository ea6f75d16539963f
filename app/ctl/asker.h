// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// A connection's questions put to the person at the terminal. Main thread.

#include "app/ctl/terminal.h"
#include "core/ssh/question.h"

namespace pilothouse {

class Asker final : public QObject
{
    Q_OBJECT
public:
    Asker(Output &output, Interrupts &interrupts);

    /// A newer question replaces the one that is open.
    void ask(const Question &question);

signals:
    void answered(const pilothouse::Answer &answer);

private:
    void askYesNo();
    void askNextPrompt();
    void finish(bool accepted);

    Output &m_output;
    Terminal m_terminal;
    Question m_question;
    QStringList m_replies;
};

} // namespace pilothouse
