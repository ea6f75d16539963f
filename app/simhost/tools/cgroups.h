// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The picture of control groups inside a simulated host. An ordinary user may make no real ones, so membership travels
// in a resource limit that nobody uses (the message queue size), which children inherit as they inherit a cgroup and
// which anybody may read. /proc/PID/cgroup and the cgroup.procs files are then made to tell it. Process 1 alone.

#include <map>
#include <set>
#include <string>
#include <sys/types.h>
#include <vector>

namespace pilothouse::sim {

class Cgroups
{
public:
    /// The number that stands for `path` ("/system.slice/vllm.service"), from now on.
    int numberOfPath(const std::string &path);
    /// In a child, before it executes: makes it a member.
    void enter(int number) const;
    /// Reads all processes, then brings the files up to date.
    void refresh();
    [[nodiscard]] std::vector<pid_t> membersOf(int number) const;

private:
    struct Known
    {
        unsigned long long startTicks = 0;
        int number = 0;
    };
    void show(pid_t pid, int number) const;

    std::vector<std::string> m_paths = {"/init.scope"};
    std::map<pid_t, Known> m_known;
    std::map<int, std::set<pid_t>> m_members;
    std::map<int, std::set<pid_t>> m_written;
};

} // namespace pilothouse::sim
