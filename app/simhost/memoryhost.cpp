// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "memoryhost.h"

#include <QCryptographicHash>

#include <algorithm>
#include <ctime>

namespace pilothouse {
namespace {

constexpr int crowdBegins = 10'000;
const std::string unitName = "vllm-kimi-k25.service";

/// A made-up id that stays the same for the same words.
std::string idFrom(const std::string &words)
{
    std::string hex = QCryptographicHash::hash(QByteArray::fromStdString(words), QCryptographicHash::Sha256)
                          .toHex()
                          .first(32)
                          .toStdString();
    for (const std::size_t at : {20u, 16u, 12u, 8u})
        hex.insert(at, 1, '-');
    return hex;
}

std::string hexByte(int number)
{
    static constexpr char digits[] = "0123456789ABCDEF";
    return {digits[(number >> 4) & 15], digits[number & 15]};
}

} // namespace

double uptimeNow()
{
    timespec now = {};
    clock_gettime(CLOCK_BOOTTIME, &now);
    return double(now.tv_sec) + double(now.tv_nsec) / 1e9;
}

MemoryHost::MemoryHost(std::string name, int processes, MemoryState state)
    : m_name(std::move(name))
    , m_state(state)
    , m_bootId(idFrom("boot " + m_name))
    , m_startedAt(uptimeNow())
{
    if (holds())
        addServer();
    for (int pid = crowdBegins; int(m_processes.size()) < processes; ++pid)
        m_processes.push_back({pid, 1, "worker", {"/usr/sbin/worker", "--pool", "general"}, -1});
}

void MemoryHost::addServer()
{
    const bool serves = listens();
    if (serves) {
        m_processes.push_back({serverPid, 1, "python3",
                               {"/usr/bin/python3", "-m", "vllm.entrypoints.openai.api_server", "--model",
                                "/models/kimi-k2.5", "--served-model-name", "kimi-k2.5", "--tensor-parallel-size",
                                "8", "--port", "8000"},
                               -1});
    }
    const int launcher = serves ? serverPid : 1;
    m_processes.push_back({serverPid + 1, launcher, "python3",
                           {"/usr/bin/python3", "-c", "from multiprocessing.resource_tracker import main;main(37)"},
                           -1});
    m_processes.push_back({serverPid + 2, launcher, "VLLM::EngineCor", {"VLLM::EngineCore"}, -1});
    for (int gpu = 0; gpu < cards; ++gpu) {
        m_processes.push_back({serverPid + 10 + gpu, serverPid + 2, "VLLM::Worker_TP",
                               {"VLLM::Worker_TP" + std::to_string(gpu)}, gpu});
    }
}

std::string MemoryHost::unitMembers() const
{
    std::string pids;
    for (const MemoryProcess &process : m_processes) {
        if (listens() && process.pid < crowdBegins)
            pids += ' ' + std::to_string(process.pid);
    }
    return pids;
}

std::string MemoryHost::uuid(int gpu) const { return "GPU-" + idFrom(m_name + ' ' + std::to_string(gpu)); }

std::string MemoryHost::gpuCell(int gpu, const std::string &field) const
{
    if (field == "index")
        return std::to_string(gpu);
    if (field == "uuid" || field == "gpu_uuid")
        return uuid(gpu);
    if (field == "name")
        return "NVIDIA RTX PRO 6000 Blackwell Server Edition";
    if (field == "pci.bus_id")
        return "00000000:" + hexByte(1 + 0x20 * gpu) + ":00.0";
    if (!listens() && field == "utilization.gpu")
        return "0";
    if (!holds() && (field == "memory.used" || field == "memory.free"))
        return field == "memory.used" ? "4" : "97245";
    if (!listens() && field.starts_with("power.draw"))
        return std::to_string(78 + gpu) + ".50";
    if (field == "utilization.gpu")
        return std::to_string(30 + (int(uptimeNow()) + 3 * gpu) % 40);
    if (field.starts_with("power.draw"))
        return std::to_string(240 + (int(uptimeNow()) + 7 * gpu) % 60) + ".50";
    static const std::vector<std::pair<std::string, std::string>> same = {
        {"driver_version", "590.48.01"}, {"memory.total", "97887"}, {"memory.used", "96619"},
        {"memory.free", "630"}, {"memory.reserved", "638"}, {"utilization.memory", "9"},
        {"temperature.gpu", "51"}, {"persistence_mode", "Enabled"}, {"mig.mode.current", "Disabled"},
        {"gpu_recovery_action", "None"}, {"pstate", "P0"}, {"power.limit", "600.00"},
        {"enforced.power.limit", "600.00"}, {"compute_mode", "Default"}, {"clocks.sm", "2280"},
        {"clocks.mem", "12481"}, {"ecc.errors.uncorrected.volatile.total", "0"},
        {"ecc.errors.corrected.volatile.total", "0"},
    };
    for (const auto &[known, value] : same) {
        if (known == field)
            return value;
    }
    return "[N/A]";
}

std::string MemoryHost::gpuRows(const std::vector<std::string> &fields) const
{
    std::string rows;
    for (int gpu = 0; gpu < cards; ++gpu) {
        for (std::size_t i = 0; i < fields.size(); ++i)
            rows += (i == 0 ? "" : ", ") + gpuCell(gpu, fields[i]);
        rows += '\n';
    }
    return rows;
}

std::string MemoryHost::appRows(const std::vector<std::string> &fields) const
{
    std::string rows;
    for (const MemoryProcess &process : m_processes) {
        if (process.gpu < 0)
            continue;
        for (std::size_t i = 0; i < fields.size(); ++i) {
            const std::string &field = fields[i];
            rows += i == 0 ? "" : ", ";
            rows += field == "gpu_uuid"                                   ? uuid(process.gpu)
                : field == "pid"                                          ? std::to_string(process.pid)
                : field == "used_memory" || field == "used_gpu_memory"    ? "96615"
                : field == "process_name" || field == "name"              ? process.arguments.front()
                                                                          : "[N/A]";
        }
        rows += '\n';
    }
    return rows;
}

std::string MemoryHost::pciLines() const
{
    std::string lines;
    for (int gpu = 0; gpu < cards; ++gpu) {
        std::string bus = hexByte(1 + 0x20 * gpu);
        for (char &c : bus)
            c = c >= 'A' ? static_cast<char>(c - 'A' + 'a') : c;
        lines += "0000:" + bus + ":00.0 0x10de 0x030200\n";
    }
    return lines;
}

std::string MemoryHost::unitValue(const std::string &unit, const std::string &property) const
{
    const bool known = unit == unitName;
    if (property == "Id" || property == "Names" || property == "Description")
        return unit;
    if (property == "LoadState")
        return known ? "loaded" : "not-found";
    if (property == "ActiveState")
        return !known || !holds() ? "inactive" : listens() ? "active" : "activating";
    if (property == "SubState")
        return !known || !holds() ? "dead" : listens() ? "running" : "start-pre";
    if (property == "MainPID" || property == "ExecMainPID")
        return known && listens() ? std::to_string(serverPid) : "0";
    if (property == "ControlGroup")
        return known && holds() ? "/system.slice/" + unit : "";
    if (property == "UnitFileState")
        return known ? "enabled" : "";
    if (property == "StateChangeTimestampMonotonic")
        return known ? std::to_string(static_cast<long long>(m_startedAt * 1e6)) : "0";
    static const std::vector<std::pair<std::string, std::string>> same = {
        {"Result", "success"}, {"Type", "simple"}, {"KillMode", "control-group"}, {"NRestarts", "0"},
        {"ExecMainCode", "0"}, {"ExecMainStatus", "0"}, {"NeedDaemonReload", "no"}, {"Restart", "on-failure"}};
    for (const auto &[name, value] : same) {
        if (name == property)
            return value;
    }
    return {};
}

std::string MemoryHost::unitLines(const std::vector<std::string> &units,
                                  const std::vector<std::string> &properties) const
{
    std::string text;
    for (const std::string &unit : units) {
        text += text.empty() ? "" : "\n";
        for (const std::string &property : properties)
            text += property + '=' + unitValue(unit, property) + '\n';
    }
    return text;
}

std::string MemoryHost::processLines(const MemoryProcess &process, bool brief) const
{
    const std::string pid = std::to_string(process.pid);
    // Some seconds before the host was made: none is younger than its first sample.
    const auto start = std::max(0LL, static_cast<long long>(m_startedAt * 100) - 3000) + process.pid % 100;
    std::string text = pid + "/stat:" + pid + " (" + process.comm + ") S " + std::to_string(process.parent)
        + " 4001 4001 0 -1 4194560 1822333 12 45 0 " + std::to_string(static_cast<long long>(uptimeNow()))
        + " 811 0 0 20 0 77 0 " + std::to_string(start)
        + " 187264630784 5242880 18446744073709551615 1 1 0 0 0 0 0 16781312 17642 0 0 0 17 3 0 0 0 0 0 0 0 0 0 0 0 0 0\n";
    if (brief)
        return text;
    const std::string group = process.pid >= crowdBegins ? "/system.slice/worker.service"
        : listens()                                      ? "/system.slice/" + unitName
                                                         : "/user.slice/user-0.slice/session-2.scope";
    text += pid + "/cgroup:0::" + group + '\n';
    text += pid + "/cmdline:";
    for (std::size_t i = 0; i < process.arguments.size(); ++i) {
        if (i > 0)
            text += '\0';
        text += process.arguments[i];
    }
    return text + '\n';
}

} // namespace pilothouse
