// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Strict little readers for bytes of a host: whole lines, whole numbers, nothing tolerated around them.
// A number that does not fit, or that anything follows, is no number. Pure, any thread.

#include <QByteArrayView>
#include <QList>

#include <optional>

namespace pilothouse {

/// Lines without their line ends (LF or CR LF, several CR too). Views into `text`. Empty lines are kept, a last one
/// without a line feed counts, an empty text has none.
[[nodiscard]] QList<QByteArrayView> linesOf(QByteArrayView text);

/// Cut at every blank or tab, runs of them as one.
[[nodiscard]] QList<QByteArrayView> wordsOf(QByteArrayView line);

/// -1: not there.
[[nodiscard]] qsizetype lastOf(QByteArrayView text, char c);

[[nodiscard]] std::optional<qint64> toInteger(QByteArrayView digits);
[[nodiscard]] std::optional<quint64> toUnsigned(QByteArrayView digits, int base = 10);
/// Plain decimal notation, no exponent, finite.
[[nodiscard]] std::optional<double> toDecimal(QByteArrayView text);

/// A, B, C … for the keys of our tables: ASCII only.
[[nodiscard]] QByteArray lowered(QByteArrayView text);

} // namespace pilothouse
