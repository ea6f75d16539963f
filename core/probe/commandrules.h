// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The command lines that a light snapshot looks for, read from resources/rules/commands.txt. Plain
// value, any thread.

#include "core/base/result.h"

#include <QByteArray>
#include <QByteArrayView>
#include <QList>

namespace pilothouse {

struct CommandRule
{
    QByteArray role; ///< "vllm.worker"
    QByteArray pattern; ///< fixed text in the arguments joined by one blank each
    bool atStart = false;
    QByteArray word; ///< piece of the pattern without a blank, for the host's grep

    friend bool operator==(const CommandRule &, const CommandRule &) = default;
};

class CommandRules
{
public:
    /// Errors: Internal, with the line that cannot be read.
    [[nodiscard]] static Result<CommandRules> parse(QByteArrayView text);
    /// The rules that the program carries.
    [[nodiscard]] static const CommandRules &builtIn();

    [[nodiscard]] const QList<CommandRule> &rules() const { return m_rules; }
    /// Words for one `grep -F`, each once, none that another one contains.
    [[nodiscard]] QList<QByteArray> words() const;
    /// `cmdline`: raw, arguments divided by NULs. Null when no rule recognises it.
    [[nodiscard]] const CommandRule *match(QByteArrayView cmdline) const;

private:
    QList<CommandRule> m_rules;
};

} // namespace pilothouse
