// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Reads and writes a whole small file of this machine. Blocks as long as the disk does: beside the GUI thread. Any
// thread.

#include "core/base/result.h"

#include <QByteArray>

namespace pilothouse {

/// Follows symbolic links; a pipe, a socket, a device or a folder in that place is refused at once, never waited for.
/// Errors: LocalIo, "PATH cannot be read: WHY."
[[nodiscard]] Result<QByteArray> readLocalFile(const QString &path, qint64 mostBytes);

/// In place of what is there, whole or not at all; 0600, its folder is made where it is missing. Errors: LocalIo.
[[nodiscard]] Result<void> keepPrivately(const QString &path, const QByteArray &bytes);

} // namespace pilothouse
