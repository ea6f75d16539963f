// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The `ssh` line that reaches the same host in a person's terminal. Pure, any thread.

#include "core/ssh/connectionsettings.h"

#include <QStringList>

namespace pilothouse {

/// Program and arguments, one word an entry; for a shell see shellQuoted(). ssh itself decides
/// about sign-in and host keys, by its own files or by those that the settings name instead.
[[nodiscard]] QStringList sshCommandLine(const ConnectionSettings &settings);

} // namespace pilothouse
