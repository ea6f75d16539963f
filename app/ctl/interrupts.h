// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// SIGINT, SIGTERM and SIGHUP as a Qt signal; a second one ends the program at once. Also hides typed secrets: whatever
// ends or stops the program, the terminal shows what is typed again. At most one object, in the main thread.

#include <QObject>
#include <QSocketNotifier>

#include <memory>

namespace pilothouse {

class Interrupts final : public QObject
{
    Q_OBJECT
public:
    Interrupts();
    ~Interrupts() override;

    /// What is typed on standard input is not shown until showTyping(). False: it is no terminal.
    bool hideTyping();
    void showTyping();

signals:
    void interrupted();

private:
    int m_pipe[2] = {-1, -1};
    std::unique_ptr<QSocketNotifier> m_notifier;
};

} // namespace pilothouse
