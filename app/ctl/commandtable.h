// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The one list of commands and options: parsing, help and dispatch follow it. Constant data.

#include "app/ctl/options.h"

#include <memory>
#include <span>

namespace pilothouse {

class Command;
struct CommandContext;

struct OptionRow
{
    const char16_t *name;      ///< with its two dashes
    const char16_t *value;     ///< word for the value in help; empty: a flag
    const char16_t *help;
    /// Returns what was expected instead; empty when the value is taken.
    QString (*take)(Options &options, const QString &value);
};

struct CommandRow
{
    const char16_t *name;
    const char16_t *synopsis;  ///< what follows the name
    const char16_t *summary;
    int leastArguments;
    int mostArguments;
    std::span<const OptionRow> options;
    /// Null: announced, but not in this version.
    std::unique_ptr<Command> (*make)(const CommandContext &context);
};

[[nodiscard]] std::span<const CommandRow> commandRows();
[[nodiscard]] std::span<const OptionRow> commonOptionRows();
[[nodiscard]] const CommandRow *findCommand(QStringView name);

} // namespace pilothouse
