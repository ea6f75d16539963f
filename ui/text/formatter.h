// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Numbers as text, with fixed decimals so that columns stand still. Unknown is an en dash, and its reason is a
// sentence for a tooltip. Pure, any thread. Input units stand in the names.

#include "core/base/quantity.h"

#include <QDateTime>
#include <QString>

namespace pilothouse {

namespace format {

/// "–"
[[nodiscard]] QString unknownMark();

/// One decimal, GiB, without its unit: "94.4".
[[nodiscard]] QString gib(double mib);
/// "94.4 GiB".
[[nodiscard]] QString memory(double mib);
[[nodiscard]] QString memory(const Quantity<qint64> &mib);
/// "94.4 / 95.6", either part a dash when unknown.
[[nodiscard]] QString usedOfTotal(const Quantity<qint64> &usedMib, const Quantity<qint64> &totalMib);
/// Exact, for a tooltip: "96619 MiB".
[[nodiscard]] QString exactMib(const Quantity<qint64> &mib);
/// Host memory: "512 KiB", "3.1 MiB", "12.4 GiB".
[[nodiscard]] QString hostMemory(const Quantity<qint64> &kib);
[[nodiscard]] QString bytes(qint64 bytes);

[[nodiscard]] QString percent(const Quantity<double> &pct);
[[nodiscard]] QString celsius(const Quantity<double> &degrees);
[[nodiscard]] QString watts(const Quantity<double> &watts);
[[nodiscard]] QString milliseconds(double ms);
[[nodiscard]] QString count(const Quantity<qint64> &number);

/// Two units at most: "0.8 s", "14 s", "12 min", "2 h 10 min", "41 d". Negative counts as zero.
[[nodiscard]] QString duration(qint64 ms);
/// "0.8 s ago".
[[nodiscard]] QString ago(qint64 ms);

/// Local: "14:03:22" on the day of `now`, else "Mon 14:03" within a week, else "2026-11-30 14:03".
[[nodiscard]] QString localTime(const QDateTime &utc, const QDateTime &now);
/// For a tooltip: "2026-12-01 13:03:22 UTC, 12 min ago".
[[nodiscard]] QString utcAndAge(const QDateTime &utc, const QDateTime &now);

/// Why there is no value: "This device does not have this figure." and the host's word, if it had one.
[[nodiscard]] QString reason(UnknownReason reason, const QString &word = {});
template <class T>
[[nodiscard]] QString reason(const Quantity<T> &quantity)
{
    return quantity.isKnown() ? QString() : reason(quantity.reason(), quantity.word());
}

/// "0–3, 6" from ascending numbers.
[[nodiscard]] QString ranges(const QList<int> &numbers);

} // namespace format

} // namespace pilothouse
