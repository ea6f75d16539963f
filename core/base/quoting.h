// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Shell quoting for text that a person copies into a POSIX shell. Never the way a script gets its arguments:
// those travel through standard input (design decision 1). Any thread.

#include <QString>
#include <QStringList>

namespace pilothouse {

/// `word` as one word for a POSIX shell; untouched when it needs no quotes.
[[nodiscard]] QString shellQuoted(const QString &word);
[[nodiscard]] QString shellQuoted(const QStringList &words);

} // namespace pilothouse
