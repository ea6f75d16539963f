// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// An error as a person needs it: what happened, why as far as known, what to do. Translated by code; the detail is
// the core's English sentence. Pure, any thread.

#include "core/base/error.h"

namespace pilothouse {

struct ErrorText
{
    QString word;   ///< two or three words for a list: "not reachable"
    QString what;   ///< a sentence without full stop
    QString why;    ///< may be empty
    QString advice; ///< may be empty
};

[[nodiscard]] ErrorText textOf(const Error &error);

/// The three as one paragraph.
[[nodiscard]] QString paragraphOf(const Error &error);

} // namespace pilothouse
