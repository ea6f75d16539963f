// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// An Exec value as systemd 252 splits it: commands, prefixes, words; specifiers and variables are still in it. Pure,
// any
// thread.

#include <QList>
#include <QString>

namespace pilothouse {

struct ExecWord
{
    QString text; ///< without quotes, escapes read
    QList<qsizetype> from; ///< where in the value each unit of `text` begins; one more for its end
    qsizetype begin = 0; ///< in the value, quotes included
    qsizetype end = 0;
    bool quoted = false; ///< a part of it is

    [[nodiscard]] QStringView baseName() const; ///< behind the last slash
};

struct ExecCommand
{
    QString prefix; ///< of "-@:+!", as written
    QList<ExecWord> words; ///< the program first, without prefix
    qsizetype begin = 0; ///< in the value, prefix included
    qsizetype end = 0;

    [[nodiscard]] bool mayFail() const { return prefix.contains(u'-'); }
    [[nodiscard]] bool expandsVariables() const { return !prefix.contains(u':'); }
    [[nodiscard]] bool isPrivileged() const { return prefix.contains(u'+') || prefix.contains(u'!'); }
};

struct ExecLine
{
    QList<ExecCommand> commands;
    bool unbalanced = false; ///< a quote is open: systemd refuses the unit
};

[[nodiscard]] ExecLine readExecLine(const QString &value);

/// A text between quotes of systemd that stands for `text`: with ' and \ escaped, all else as it is.
[[nodiscard]] QString execQuoted(QStringView text);

/// The words of an assignment like Environment=, by the same rules of quotes; up to one that stays open.
[[nodiscard]] QList<ExecWord> readWords(const QString &value);

} // namespace pilothouse
