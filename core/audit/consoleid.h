// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The name by which hosts know this console: in their locks and their log. Any thread; waits for the disk.

#include "core/base/result.h"

namespace pilothouse {

/// 32 lower-case hex digits, drawn once for a state folder and kept in its file console-id, so that a console that comes
/// back finds its own lock. `folder` as from makeStateFolder(). Errors: LocalIo.
[[nodiscard]] Result<QString> consoleId(const QString &folder);

/// "ada@desk": the account that sits at this console, cleaned. Waits for no disk.
[[nodiscard]] QString personHere();

} // namespace pilothouse
