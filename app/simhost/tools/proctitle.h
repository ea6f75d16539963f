// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Renames a process as the setproctitle package does: the new title over the old arguments, the rest NUL, the
// environment area zeroed, comm set to the title's first 15 bytes. Single-threaded programs.

#include <string>

namespace pilothouse::sim {

/// Once, at the start of main: moves the environment away from the area that titles overwrite.
void prepareTitle(int argc, char **argv);

void setTitle(const std::string &title);

/// comm alone, for a process that was started through /proc/self/exe.
void setComm(const std::string &comm);

} // namespace pilothouse::sim
