// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The person's terminal with a command in it, always as a list of arguments: nothing is quoted, nothing is parsed
// again. GUI thread.

#include "core/base/result.h"

#include <QStringList>

#include <functional>

namespace pilothouse {

/// Where a program of that name is; empty: nowhere.
using FindProgram = std::function<QString(const QString &name)>;

/// Program and arguments that run `command` in the terminal that `preferred` ($TERMINAL, may hold arguments) names,
/// else in the first one of a list that is installed. Error: LocalIo, none is.
[[nodiscard]] Result<QStringList> terminalLine(const QStringList &command, const QString &preferred,
                                               const FindProgram &find);

/// Starts it, apart from this program. Error: LocalIo.
[[nodiscard]] Result<void> openTerminal(const QStringList &command);

} // namespace pilothouse
