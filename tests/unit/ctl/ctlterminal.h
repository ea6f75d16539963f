// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// pilothousectl on a terminal of its own: what it shows there and what a person types. For tests only.

#include <QByteArray>
#include <QProcess>
#include <QStringList>

namespace pilothouse::test {

class CtlTerminal final
{
public:
    explicit CtlTerminal(const QString &home);
    ~CtlTerminal();
    CtlTerminal(const CtlTerminal &) = delete;
    CtlTerminal &operator=(const CtlTerminal &) = delete;

    /// Standard input and error on the terminal, which is the controlling one; standard output is a pipe.
    [[nodiscard]] bool start(const QStringList &arguments);
    /// True as soon as the terminal has shown `words` since the last call.
    [[nodiscard]] bool waitFor(const QByteArray &words, int limitMs = 20'000);
    void type(const QByteArray &bytes);
    /// The exit code; -1 when it does not end in time or crashed.
    [[nodiscard]] int end(int limitMs = 20'000);
    /// Whether the terminal shows what is typed.
    [[nodiscard]] bool echoes() const;
    [[nodiscard]] const QByteArray &shown() const { return m_shown; }
    [[nodiscard]] QByteArray output() { return m_process.readAllStandardOutput(); }
    [[nodiscard]] qint64 pid() const { return m_process.processId(); }

private:
    void readShown(int limitMs);

    QProcess m_process;
    int m_master = -1;
    int m_slave = -1; // kept open, so that the terminal outlives the program
    QByteArray m_shown;
    qsizetype m_seen = 0;
};

} // namespace pilothouse::test
