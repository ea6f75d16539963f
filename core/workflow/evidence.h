// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What was gathered of processes before they were ended, kept for a post-mortem without its secrets. Any thread; waits for
// the disk.

#include "core/base/result.h"

#include <QByteArray>
#include <QDateTime>

namespace pilothouse {

/// Values of keys, tokens, passwords and the like are taken out, wherever they stand in a log or a unit; what is left is
/// cleaned of control characters.
[[nodiscard]] QString withoutSecrets(QByteArrayView text);

/// Writes it under `stateFolder`/evidence, 0600, and returns where. Errors: LocalIo.
[[nodiscard]] Result<QString> keepEvidence(const QString &stateFolder, const QString &host, const QDateTime &at, QByteArrayView text);

} // namespace pilothouse
