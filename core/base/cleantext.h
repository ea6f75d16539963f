// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Everything from a host is hostile text: here it becomes a bounded, printable string, once. Any thread.

#include <QByteArrayView>
#include <QString>

namespace pilothouse {

/// Host bytes as one printable line: invalid UTF-8 becomes U+FFFD; control characters (C0, C1, DEL, line and
/// paragraph separators) become visible pictures (U+2400 block) or U+FFFD; bidirectional controls and other
/// invisible format characters are shown as U+FFFD. At most `limit` UTF-16 units; a longer text ends in U+2026.
[[nodiscard]] QString cleanLine(QByteArrayView bytes, qsizetype limit = 512);
[[nodiscard]] QString cleanLine(QStringView text, qsizetype limit = 512);

/// The same for several lines: LF is kept, CR LF becomes LF, at most `limit` units.
[[nodiscard]] QString cleanText(QByteArrayView bytes, qsizetype limit = 65536);

} // namespace pilothouse
