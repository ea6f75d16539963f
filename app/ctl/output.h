// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Where pilothousectl writes: data to standard output, everything else to standard error. A reader that goes away
// ends the program quietly, a full disk is a failure. One thread.

#include "app/ctl/options.h"

#include <QString>

namespace pilothouse {

enum class Ink { Plain, Heading, Dim, Good, Warning, Bad };

class Output final
{
public:
    enum class State { Fine, ReaderGone, Failed };

    explicit Output(ColorMode mode);
    Output(ColorMode mode, bool terminal);

    /// At once and whole, UTF-8. What follows a failure is dropped.
    void data(const QString &text);
    /// One line on standard error, "pilothousectl: " before it.
    void problem(const QString &text);
    /// As it is on standard error: prompts and their text.
    void prompt(const QString &text);
    [[nodiscard]] State state() const { return m_state; }
    /// Why, when Failed.
    [[nodiscard]] const QString &trouble() const { return m_trouble; }

    /// Standard output is one; a pipe or a file has no width.
    [[nodiscard]] bool isTerminal() const { return m_terminal; }
    [[nodiscard]] bool colours() const { return m_colours; }
    [[nodiscard]] QString inked(const QString &text, Ink ink) const;

private:
    State m_state = State::Fine;
    QString m_trouble;
    bool m_colours = false;
    bool m_terminal = false;
};

} // namespace pilothouse
