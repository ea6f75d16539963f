// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// A simulated process must show the command line of the program it plays. The tool therefore starts itself anew with
// that command line; what it shall do then travels in the environment, as a role and its options.

#include <string>
#include <vector>

namespace pilothouse::sim {

/// Replaces this process. Returns (an exit code) only when the kernel refuses.
int becomeRole(const std::string &role, const std::vector<std::string> &commandLine,
               const std::vector<std::string> &options);

int runServer(const std::vector<std::string> &commandLine, const std::vector<std::string> &options);
int runTracker(const std::vector<std::string> &options);
int runHog(const std::vector<std::string> &options);

/// How a process takes SIGTERM.
struct TermHabit
{
    bool ignores = false;
    long delayMs = 0;

    /// "default", "ignore" or "slow:SECONDS".
    static TermHabit parse(const std::string &text);
};

/// In a child of process 1, which blocks and ignores signals: back to what every program expects.
void resetSignals();

/// Installs the handler that asked() reports.
void watchSignals(const TermHabit &habit);
/// SIGTERM or SIGINT came, and the habit's delay has passed.
[[nodiscard]] bool askedToLeave();
/// It came, whatever the delay.
[[nodiscard]] bool heardTerm();

/// "SECONDS" with a fraction, or "never" (negative).
[[nodiscard]] long releaseMsOf(const std::string &text);

} // namespace pilothouse::sim
