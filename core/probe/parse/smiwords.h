// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The words that nvidia-smi prints where a value should stand, by class (the words of NVML's error strings, in square
// brackets in CSV, bare in -q). Pure, any thread.

#include "core/base/quantity.h"

#include <QByteArrayView>
#include <QString>

namespace pilothouse {

enum class CellKind {
    Value,        ///< text or a number, to be read on
    Empty,
    NotSupported, ///< the device or this library has no such figure, or no longer
    NoPermission,
    NotFound,     ///< the object is gone or lives in another PID namespace
    Failed,       ///< any other bracketed text
    Fault,        ///< the card or its driver is in trouble: taints the whole row
};

/// `cell` as it stands between two commas; blanks around it do not count. In `freeText` cells (names) only words in
/// brackets are words.
[[nodiscard]] CellKind kindOfCell(QByteArrayView cell, bool freeText = false);

/// Same, for a text without brackets, as prose carries it ("Unknown Error", "GPU is lost").
[[nodiscard]] bool isFaultText(QByteArrayView text);

/// For the kinds without a value; Value is unparsable (it was tried).
[[nodiscard]] UnknownReason reasonOf(CellKind kind);

/// The word without its brackets, cleaned, for people.
[[nodiscard]] QString wordOf(QByteArrayView cell);

} // namespace pilothouse
