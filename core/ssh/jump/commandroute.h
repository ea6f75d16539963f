// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The way of a ProxyCommand: run by the person's shell as ssh runs it, its input and output carried to a socket pair,
// its messages kept for the error. Lives in the session's thread; owned by the session, and ends the command with it.

#include "core/ssh/jump/route.h"

#include <memory>

namespace pilothouse {

/// `request.host.proxyCommand` is not empty. Errors of `done`: SshConfigInvalid (a token that ssh does not know),
/// LocalIo (no shell, no pipe). What the command makes of the connection is for failure().
[[nodiscard]] std::unique_ptr<Route> makeCommandRoute(const RouteRequest &request, RouteListener listener);

} // namespace pilothouse
