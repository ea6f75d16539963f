// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What makes one simulated host: the files of its folder, read before the namespaces are entered, because the mapped
// root inside may not read the folder any more. Plain values.

#include "statedir.h"

#include <map>
#include <string>
#include <vector>

namespace pilothouse::sim {

struct HostFiles
{
    std::string name;
    Config config;                            ///< host.conf
    std::string gpus;                         ///< gpus.conf as it stands
    std::string boot;                         ///< script, run by /bin/sh in a login session's place; may be empty
    std::string kernelLog;
    std::map<std::string, std::string> units; ///< "vllm.service" -> text
    int frozenDriver = -1; ///< /dev/fuse, see frozendriver.h
    bool rootOnly = false; ///< started by an ordinary user, who may map one number alone

    static HostFiles read(const std::string &directory, const std::string &name);
};

struct HostUser
{
    std::string name;
    unsigned id = 0;
    std::string home;
    std::string shell;
};

/// root first, then the `user = NAME ID` lines of host.conf where the machine allows more than one.
[[nodiscard]] std::vector<HostUser> usersOf(const HostFiles &files);

/// Builds the host's own root file system and enters it. Called by process 1 of fresh user, PID and mount namespaces.
/// False with a sentence on standard error.
bool enterOwnRoot(const HostFiles &files, int toolsFd);

/// Writes what sysfs shows of the cards on the PCI bus below `devices` (/sys/bus/pci/devices).
void writePciDevices(const Config &gpus, const std::string &devices);

} // namespace pilothouse::sim
