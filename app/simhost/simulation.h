// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Everything that runs: the hosts, the SSH server, the files of the console. Built and destroyed in the main thread;
// destroying it ends all that it started and removes all that it wrote.

#include "consolefiles.h"
#include "consolefolder.h"
#include "keys.h"
#include "sshserver.h"

#include <memory>
#include <vector>

namespace pilothouse {

struct SimulationOptions
{
    QList<ScenarioHost> hosts;
    QString folder;            ///< absolute; see ConsoleFolder
    QString toolsPath;         ///< pilothouse-simtools
    QString address = QStringLiteral("127.0.0.1");
    bool inMemory = false;
    int processes = 300;       ///< of a host in memory
    ServerLimits limits;
};

class Simulation
{
public:
    [[nodiscard]] static Result<std::unique_ptr<Simulation>> start(const SimulationOptions &options);
    ~Simulation();

    [[nodiscard]] QByteArray readyLine() const;

private:
    Simulation(const SimulationOptions &options, ConsoleFolder folder);
    [[nodiscard]] Result<void> addHost(const ScenarioHost &host);
    [[nodiscard]] Result<std::unique_ptr<HostBackend>> makeBackend(const ScenarioHost &host) const;
    [[nodiscard]] Result<void> writeFiles();

    SimulationOptions m_options;
    ConsoleFolder m_folder; ///< outlives the hosts
    SshKey m_userKey;
    std::vector<std::unique_ptr<HostBackend>> m_backends; ///< outlive the server
    std::unique_ptr<SshServer> m_server;
    QList<ServedHost> m_served;
};

} // namespace pilothouse
