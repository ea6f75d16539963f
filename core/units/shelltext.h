// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The text behind `sh -c`, read only as far as the unit check needs it: its simple commands, and how long it waits. A
// reader of hints, not a shell: what it does not understand it leaves out. "$$" of a unit file reads as "$". Pure.

#include <QList>
#include <QString>
#include <QStringList>

#include <chrono>
#include <optional>

namespace pilothouse {

struct ShellWord
{
    QString text; ///< without quotes
    qsizetype begin = 0;
    qsizetype end = 0;
};

/// Between two of ; & | ( ) and line feeds; those in $( ) and ` ` are commands of their own.
struct ShellCommand
{
    QList<ShellWord> words;

    /// Where the program stands, behind `if`, `while`, `!`, `sudo`, assignments …; -1: nowhere.
    [[nodiscard]] qsizetype program() const;
    [[nodiscard]] QString programName() const; ///< without folder
};

[[nodiscard]] QList<ShellCommand> shellCommands(QStringView text);

/// Names that it sets: assignments, `for`, `read`.
[[nodiscard]] QStringList namesSetBy(QStringView text);

/// Names that it counts up.
[[nodiscard]] QStringList countersIn(const QString &text);

/// How long it waits at most, by its loops and sleeps: endlessTime for a loop without a bound; no value where nothing
/// says so. `isLoop` tells that it waits for something.
struct ShellWait
{
    std::chrono::microseconds limit{0};
    bool isLoop = false;
};
[[nodiscard]] std::optional<ShellWait> waitOf(const QString &text);

} // namespace pilothouse
