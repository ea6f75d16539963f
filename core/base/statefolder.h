// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Where a person's state lies: $XDG_STATE_HOME/pilothouse, private. Any thread; waits for the disk.

#include "core/base/result.h"

namespace pilothouse {

/// Its path, whether it exists or not; ~/.local/state/pilothouse where the variable is not set or not absolute.
[[nodiscard]] QString stateFolder();

/// Makes `folder` (with what is above it) and takes others' rights to it away. Returns it. Errors: LocalIo (cannot be
/// made, belongs to somebody else).
[[nodiscard]] Result<QString> makeStateFolder(const QString &folder);

} // namespace pilothouse
