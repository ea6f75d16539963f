// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Help texts, made from the tables of commandtable.h. Pure.

#include <QString>

namespace pilothouse {

struct CommandRow;

[[nodiscard]] QString generalHelp();
[[nodiscard]] QString helpFor(const CommandRow &command);

} // namespace pilothouse
