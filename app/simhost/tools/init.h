// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Process 1 of a simulated host: reaps, runs units and login sessions, keeps the picture of cgroups true. It is asked
// through two sockets: the console side's control (start a session, with descriptors) and systemctl's.

#include "hostfiles.h"

namespace pilothouse::sim {

/// Never returns as long as the host lives.
int runInit(const HostFiles &files, int controlFd);

/// Where systemctl finds process 1.
[[nodiscard]] std::string initSocketPath();

} // namespace pilothouse::sim
