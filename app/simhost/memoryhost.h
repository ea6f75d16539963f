// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What a host in memory has: eight cards held by one vLLM server, and the crowd of processes that a deep look walks
// through. Answers in the words of nvidia-smi, /proc and systemctl. A value; pure but for the clock.

#include <string>
#include <vector>

namespace pilothouse {

/// What the host's server is about.
enum class MemoryState {
    Serving,
    Free,
    Leftover, ///< its launcher was killed, the unit waits for free cards
};

struct MemoryProcess
{
    int pid = 0;
    int parent = 1;
    std::string comm;
    std::vector<std::string> arguments;
    int gpu = -1;
};

class MemoryHost
{
public:
    /// `processes` in all; those that a light look matches are among them.
    MemoryHost(std::string name, int processes, MemoryState state = MemoryState::Serving);

    [[nodiscard]] const std::vector<MemoryProcess> &processes() const { return m_processes; }
    [[nodiscard]] const std::string &bootId() const { return m_bootId; }
    [[nodiscard]] std::string gpuRows(const std::vector<std::string> &fields) const;
    [[nodiscard]] std::string appRows(const std::vector<std::string> &fields) const;
    [[nodiscard]] std::string pciLines() const;
    [[nodiscard]] std::string unitLines(const std::vector<std::string> &units,
                                        const std::vector<std::string> &properties) const;
    /// PIDs in the cgroups of the units.
    [[nodiscard]] std::string unitMembers() const;
    /// Lines "PID/stat:…", "PID/cgroup:…", "PID/cmdline:…" of one process; the first alone when `brief`.
    [[nodiscard]] std::string processLines(const MemoryProcess &process, bool brief) const;

    /// The server's HTTP side answers.
    [[nodiscard]] bool listens() const { return m_state == MemoryState::Serving; }
    [[nodiscard]] bool holds() const { return m_state != MemoryState::Free; }

    static constexpr int cards = 8;
    static constexpr int serverPid = 4001;

private:
    [[nodiscard]] std::string uuid(int gpu) const;
    [[nodiscard]] std::string gpuCell(int gpu, const std::string &field) const;
    void addServer();
    [[nodiscard]] std::string unitValue(const std::string &unit, const std::string &property) const;

    std::string m_name;
    MemoryState m_state;
    std::string m_bootId;
    double m_startedAt; ///< seconds since the machine's boot
    std::vector<MemoryProcess> m_processes;
};

/// As /proc/uptime counts.
[[nodiscard]] double uptimeNow();

} // namespace pilothouse
