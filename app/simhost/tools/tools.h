// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The programs of the multi-call binary, chosen by argv[0] or by the first argument. Each gets the arguments after its
// own name and returns its exit code.

#include <string>
#include <vector>

namespace pilothouse::sim {

int nvidiaSmi(const std::vector<std::string> &arguments);
int simServer(const std::vector<std::string> &arguments);
int simHog(const std::vector<std::string> &arguments);
int simIdle(const std::vector<std::string> &arguments);
int simBoot(const std::vector<std::string> &arguments);
int simPci(const std::vector<std::string> &arguments);
int systemctl(const std::vector<std::string> &arguments);
int journalctl(const std::vector<std::string> &arguments);

/// A process that started itself anew under a title of its own; see role.h.
int continueInRole(int argc, char **argv);

} // namespace pilothouse::sim
