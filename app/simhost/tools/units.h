// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The services of a simulated host, as much of systemd 252 as a console can tell apart: start with ExecStartPre, stop
// with SIGTERM and SIGKILL over the whole control group, restart, failure. Process 1 alone, one thread.

#include "cgroups.h"
#include "statedir.h"

#include <map>
#include <string>
#include <vector>

namespace pilothouse::sim {

class Units
{
public:
    Units(Cgroups &cgroups, std::map<std::string, std::string> texts);

    /// Each answers with the tool's error text, or nothing.
    std::string start(const std::string &name);
    std::string stop(const std::string &name);
    std::string restart(const std::string &name);
    std::string resetFailed(const std::string &name);
    /// Key=value lines of `systemctl show`, all that is known; a unit that is not there has lines too.
    [[nodiscard]] std::string properties(const std::string &name) const;
    [[nodiscard]] std::vector<std::string> names() const;

    void childEnded(pid_t pid, int status);
    /// Time limits, empty groups, restarts: several times a second.
    void tick();
    /// Descriptors of running services' output, to wait for; then read.
    [[nodiscard]] std::vector<int> outputs() const;
    void readOutput(int fd);

private:
    struct Unit
    {
        std::string name;
        Config settings;
        int group = 0;
        std::string active = "inactive", sub = "dead", result = "success";
        pid_t mainPid = 0, controlPid = 0;
        std::size_t preStep = 0;
        int restarts = 0;
        int mainCode = 0, mainStatus = 0;
        double stateSince = 0;       ///< uptime
        long activeEnter = 0, inactiveEnter = 0, changed = 0, mainStart = 0, mainExit = 0; ///< microseconds, UTC
        bool wantsStop = false, wantsStart = false;
        int output = -1;
        pid_t logPid = 0;
        std::string pending;
    };
    Unit *find(const std::string &name);
    void enterState(Unit &unit, const std::string &active, const std::string &sub);
    void nextStep(Unit &unit);
    pid_t spawn(Unit &unit, const std::string &commandLine);
    void signalGroup(const Unit &unit, int number);
    void beginStop(Unit &unit);
    void finish(Unit &unit);
    /// Journals one read of the unit's output; false when nothing came.
    bool readOnce(Unit &unit);
    void log(Unit &unit, const std::string &tag, pid_t pid, const std::string &line);
    void tickOne(Unit &unit);

    Cgroups &m_cgroups;
    std::map<std::string, Unit> m_units;
};

} // namespace pilothouse::sim
