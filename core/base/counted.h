// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// A count and its noun: "1 row", "2 rows". Pure, any thread.

#include <QString>

namespace pilothouse {

/// `one` is the singular, `many` the plural where it is not the singular with an s.
[[nodiscard]] inline QString counted(qint64 count, QLatin1StringView one, QLatin1StringView many = {})
{
    const QString text = QString::number(count) + u' ';
    if (count == 1)
        return text + one;
    return many.isEmpty() ? QString(text + one + u's') : QString(text + many);
}

} // namespace pilothouse
