// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What the person's SSH configuration changes in our own defaults: times, batch mode, and two limits that libssh takes.
// What was set for this connection alone (a command-line option) stays. Pure, any thread.

#include "core/ssh/connectionsettings.h"
#include "core/ssh/resolvedhost.h"

#include <optional>

namespace pilothouse {

/// ConnectTimeout, ServerAliveInterval and ServerAliveCountMax where they are shorter than our
/// defaults and nothing else was set; BatchMode yes asks nobody.
[[nodiscard]] ConnectionSettings effectiveSettings(ConnectionSettings settings, const ResolvedHost &host);

struct RekeyLimit
{
    std::uint64_t bytes = 0;   ///< 0: the library's own
    std::uint32_t seconds = 0; ///< 0: none

    friend bool operator==(const RekeyLimit &, const RekeyLimit &) = default;
};
/// From the "bytes seconds" that ssh -G prints; all zero for anything else.
[[nodiscard]] RekeyLimit rekeyLimitOf(const ResolvedHost &host);

/// RequiredRSASize in bits, when libssh takes it.
[[nodiscard]] std::optional<int> requiredRsaSize(const ResolvedHost &host);

} // namespace pilothouse
