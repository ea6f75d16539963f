// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The command line of pilothouse-simhost. Main thread.

#include "simulation.h"

namespace pilothouse {

struct SimhostOptions
{
    SimulationOptions simulation;
    bool mayFallBack = false; ///< to answers from memory, where namespaces are not to be had
    bool watchInput = true;   ///< the end of standard input ends the program
    QString printAndExit;     ///< text of --help or --version
};

/// Usage or LocalIo.
[[nodiscard]] Result<SimhostOptions> parseOptions(const QStringList &arguments);

} // namespace pilothouse
