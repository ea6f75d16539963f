// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Questions on the terminal without blocking the event loop: the text goes to standard error, the answer is read from
// standard input. One question at a time; main thread.

#include <QObject>
#include <QSocketNotifier>

#include <functional>
#include <memory>
#include <optional>

namespace pilothouse {

class Interrupts;
class Output;

class Terminal final : public QObject
{
    Q_OBJECT
public:
    enum class Typing { Shown, Hidden };
    using Reply = std::function<void(std::optional<QString>)>;

    Terminal(Output &output, Interrupts &interrupts);

    /// Both standard input and standard error are terminals.
    [[nodiscard]] static bool isThere();
    /// `reply` gets the line without its end, or nothing at the end of the input.
    void ask(const QString &prompt, Typing typing, Reply reply);

private:
    void readLine();

    Output &m_output;
    Interrupts &m_interrupts;
    std::unique_ptr<QSocketNotifier> m_notifier;
    Typing m_typing = Typing::Shown;
    Reply m_reply;
};

} // namespace pilothouse
