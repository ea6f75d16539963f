// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// How much something matters. Colour and icon follow from it; a word always stands beside them. Value, any thread.

namespace pilothouse {

enum class Severity {
    Quiet,    ///< well and worth no colour
    Ok,       ///< well and worth saying so
    Notice,   ///< something goes on
    Stale,    ///< old or not there
    Warning,
    Critical,
};

} // namespace pilothouse
