// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The cards of the simulated host as nvidia-smi sees them at this moment: gpus.conf joined with the claims.

#include "claims.h"
#include "statedir.h"

#include <map>
#include <string>
#include <vector>

namespace pilothouse::sim {

struct MigDevice
{
    std::string profile;  ///< "1g.18gb"
    int instance = 0;     ///< GPU instance: arbitrary numbers, as in reality
    int computeInstance = 0;
    long totalMib = 0;
    long usedMib = 0;
};

struct App
{
    pid_t pid = 0;
    std::string name; ///< first string of the command line, or a bracketed word
    long mib = 0;
    int migInstance = -1;
};

struct Card
{
    int index = 0;
    int minor = 0;
    bool missing = false;     ///< fell off the bus before the tool started: not listed
    bool handleError = false; ///< an error line and a row of error words
    std::string fault;        ///< bracketed word in all sensor and memory cells
    std::map<std::string, std::string> cells; ///< overrides by field name
    std::string name, uuid, serial, busId;
    long totalMib = 0, reservedMib = 0, usedMib = 0;
    int utilization = 0, temperature = 0;
    double powerW = 0;
    bool persistence = true;
    bool mig = false;
    std::vector<MigDevice> migDevices;
    std::vector<App> apps;

    [[nodiscard]] long freeMib() const { return totalMib - reservedMib - usedMib; }
};

struct Machine
{
    std::string driverVersion, cudaVersion;
    std::vector<Card> cards; ///< missing ones included

    [[nodiscard]] int listedCount() const;
};

[[nodiscard]] Machine machineNow(const Config &config);

/// What a cell of --query-gpu shows, without its unit.
[[nodiscard]] std::string cellOf(const Machine &machine, const Card &card, const std::string &field);

/// "2026/07/14 08:12:53.500" in local time.
[[nodiscard]] std::string smiTimestamp();

/// "0000:83:00.0", as sysfs and the kernel log spell it.
[[nodiscard]] std::string shortBusId(const Card &card);

} // namespace pilothouse::sim
