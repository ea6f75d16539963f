// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// pilothouse from its command line to its exit code. Main thread, once in a process.

#include <chrono>

namespace pilothouse {

/// `threadLimit`: for the end of all threads together; then the program ends without them.
[[nodiscard]] int runProgram(int argc, char **argv, std::chrono::milliseconds threadLimit);

} // namespace pilothouse
