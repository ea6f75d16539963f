// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "units.h"

#include "claims.h"
#include "role.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace pilothouse::sim {
namespace {

long nowMicroseconds()
{
    timespec now = {};
    clock_gettime(CLOCK_REALTIME, &now);
    return now.tv_sec * 1'000'000 + now.tv_nsec / 1000;
}

std::string timestamp(long microseconds, const char *format)
{
    const std::time_t seconds = microseconds / 1'000'000;
    tm parts = {};
    gmtime_r(&seconds, &parts);
    char text[64];
    std::strftime(text, sizeof text, format, &parts);
    return microseconds == 0 ? std::string() : text;
}

/// "90", "5min", "infinity" as seconds.
double secondsOf(const std::string &text, double fallback)
{
    if (text == "infinity")
        return 1e9;
    char *end = nullptr;
    const double number = std::strtod(text.c_str(), &end);
    if (end == text.c_str())
        return fallback;
    const std::string unit = trimmed(end);
    return unit == "min" ? number * 60 : unit == "ms" ? number / 1000 : number;
}

/// What systemd does to a command line before the program sees it, as far as a shell does not do it: `$$` is one `$`.
std::string withoutDoubledDollars(const std::string &line)
{
    std::string text;
    for (std::size_t i = 0; i < line.size(); ++i) {
        text += line[i];
        if (line[i] == '$' && i + 1 < line.size() && line[i + 1] == '$')
            ++i;
    }
    return text;
}

} // namespace

Units::Units(Cgroups &cgroups, std::map<std::string, std::string> texts)
    : m_cgroups(cgroups)
{
    for (auto &[name, text] : texts) {
        Unit &unit = m_units[name];
        unit.name = name;
        unit.settings = Config::parse(text);
        unit.group = cgroups.numberOfPath("/system.slice/" + name);
    }
}

std::vector<std::string> Units::names() const
{
    std::vector<std::string> all;
    for (const auto &[name, unit] : m_units)
        all.push_back(name);
    return all;
}

Units::Unit *Units::find(const std::string &name)
{
    const auto found = m_units.find(name);
    return found == m_units.end() ? nullptr : &found->second;
}

void Units::enterState(Unit &unit, const std::string &active, const std::string &sub)
{
    if (active == "active" && unit.active != "active")
        unit.activeEnter = nowMicroseconds();
    if ((active == "inactive" || active == "failed") && unit.active != active)
        unit.inactiveEnter = nowMicroseconds();
    unit.active = active;
    unit.sub = sub;
    unit.changed = nowMicroseconds();
    unit.stateSince = uptimeSeconds();
}

std::string Units::start(const std::string &name)
{
    Unit *unit = find(name);
    if (!unit)
        return "Failed to start " + name + ": Unit " + name + " not found.";
    if (unit->active == "deactivating")
        unit->wantsStart = true;
    if (unit->active != "inactive" && unit->active != "failed" && unit->sub != "auto-restart")
        return {};
    unit->wantsStop = false;
    unit->result = "success";
    unit->mainCode = unit->mainStatus = 0;
    unit->preStep = 0;
    log(*unit, "systemd", 1, "Starting " + unit->settings.value("Description", name) + "...");
    nextStep(*unit);
    return {};
}

/// The next ExecStartPre, or the service itself.
void Units::nextStep(Unit &unit)
{
    const auto before = unit.settings.values("ExecStartPre");
    if (unit.preStep < before.size()) {
        enterState(unit, "activating", "start-pre");
        unit.controlPid = spawn(unit, before[unit.preStep++]);
        return;
    }
    unit.controlPid = 0;
    unit.mainPid = spawn(unit, "exec " + unit.settings.value("ExecStart"));
    unit.mainStart = nowMicroseconds();
    unit.mainExit = 0;
    enterState(unit, "active", "running");
    log(unit, "systemd", 1, "Started " + unit.settings.value("Description", unit.name) + ".");
}

pid_t Units::spawn(Unit &unit, const std::string &commandLine)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
        return 0;
    const std::string command = withoutDoubledDollars(commandLine);
    const pid_t pid = fork();
    if (pid == 0) {
        setsid();
        m_cgroups.enter(unit.group);
        const int nothing = open("/dev/null", O_RDONLY);
        dup2(nothing, 0);
        fcntl(ends[1], F_SETFL, 0);
        dup2(ends[1], 1);
        dup2(ends[1], 2);
        resetSignals();
        for (const std::string &pair : unit.settings.values("Environment"))
            putenv(strdup(pair.c_str()));
        execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
        _exit(203);
    }
    close(ends[1]);
    // What the last step still had to say comes before the next one's words.
    while (readOnce(unit)) { }
    if (unit.output >= 0)
        close(unit.output);
    unit.output = ends[0];
    unit.logPid = pid;
    return pid;
}

std::string Units::stop(const std::string &name)
{
    Unit *unit = find(name);
    if (!unit)
        return "Failed to stop " + name + ": Unit " + name + " not loaded.";
    unit->wantsStop = true;
    unit->wantsStart = false;
    if (unit->sub == "auto-restart")
        enterState(*unit, "inactive", "dead");
    else if (unit->active == "active" || unit->active == "activating")
        beginStop(*unit);
    return {};
}

std::string Units::restart(const std::string &name)
{
    Unit *unit = find(name);
    if (!unit)
        return "Failed to restart " + name + ": Unit " + name + " not found.";
    if (unit->active == "inactive" || unit->active == "failed")
        return start(name);
    stop(name);
    unit->wantsStart = true;
    return {};
}

std::string Units::resetFailed(const std::string &name)
{
    Unit *unit = find(name);
    if (!unit)
        return "Failed to reset failed state of unit " + name + ": Unit " + name + " not loaded.";
    if (unit->active == "failed")
        enterState(*unit, "inactive", "dead");
    unit->result = "success";
    return {};
}

void Units::signalGroup(const Unit &unit, int number)
{
    m_cgroups.refresh();
    const std::string mode = unit.settings.value("KillMode", "control-group");
    for (const pid_t pid : m_cgroups.membersOf(unit.group)) {
        const bool first = pid == unit.mainPid || pid == unit.controlPid;
        if (mode == "control-group" || (mode == "mixed" && (first || number == SIGKILL))
            || (mode == "process" && first))
            kill(pid, number);
    }
}

void Units::beginStop(Unit &unit)
{
    log(unit, "systemd", 1, "Stopping " + unit.settings.value("Description", unit.name) + "...");
    enterState(unit, "deactivating", "stop-sigterm");
    signalGroup(unit, SIGTERM);
}

void Units::childEnded(pid_t pid, int status)
{
    for (auto &[name, unit] : m_units) {
        const bool bad = !WIFEXITED(status) || WEXITSTATUS(status) != 0;
        if (pid == unit.controlPid) {
            unit.controlPid = 0;
            if (unit.active == "activating" && !bad)
                nextStep(unit);
            else if (unit.active == "activating") {
                unit.result = WIFEXITED(status) ? "exit-code" : "signal";
                beginStop(unit);
            }
        } else if (pid == unit.mainPid) {
            unit.mainPid = 0;
            unit.mainExit = nowMicroseconds();
            unit.mainCode = WIFEXITED(status) ? 1 : 2;
            unit.mainStatus = WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status);
            const bool clean = !bad || (WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
            // The first failure counts: what a stop's SIGKILL did is none of its own.
            if (!clean && unit.result == "success")
                unit.result = WIFEXITED(status) ? "exit-code" : "signal";
            log(unit, "systemd", 1,
                name + ": Main process exited, code=" + (WIFEXITED(status) ? "exited" : "killed")
                    + ", status=" + std::to_string(unit.mainStatus));
            if (unit.active != "deactivating") {
                enterState(unit, "deactivating", "stop-sigterm");
                signalGroup(unit, SIGTERM);
            }
        }
    }
}

void Units::finish(Unit &unit)
{
    const bool failed = unit.result != "success";
    const std::string policy = unit.settings.value("Restart", "no");
    enterState(unit, failed ? "failed" : "inactive", failed ? "failed" : "dead");
    log(unit, "systemd", 1,
        failed ? unit.name + ": Failed with result '" + unit.result + "'."
               : "Stopped " + unit.settings.value("Description", unit.name) + ".");
    if (unit.wantsStart) {
        unit.wantsStart = false;
        start(unit.name);
    } else if (!unit.wantsStop && (policy == "always" || (policy == "on-failure" && failed))) {
        enterState(unit, "activating", "auto-restart");
    }
}

void Units::tickOne(Unit &unit)
{
    const double inState = uptimeSeconds() - unit.stateSince;
    if (unit.sub == "auto-restart") {
        if (inState > secondsOf(unit.settings.value("RestartSec"), 0.1)) {
            ++unit.restarts;
            start(unit.name);
        }
        return;
    }
    if (unit.active == "activating"
        && inState > secondsOf(unit.settings.value("TimeoutStartSec"), 90)) {
        unit.result = "timeout";
        beginStop(unit);
        return;
    }
    if (unit.active != "deactivating")
        return;
    const std::string mode = unit.settings.value("KillMode", "control-group");
    const bool waitsForAll = mode == "control-group" || mode == "mixed";
    const bool over = waitsForAll ? m_cgroups.membersOf(unit.group).empty()
                                  : unit.mainPid == 0 && unit.controlPid == 0;
    if (over && inState > 0.05) {
        finish(unit);
    } else if (unit.sub == "stop-sigterm"
               && inState > secondsOf(unit.settings.value("TimeoutStopSec"), 90)) {
        unit.result = "timeout";
        enterState(unit, "deactivating", "stop-sigkill");
        signalGroup(unit, SIGKILL);
    }
}

void Units::tick()
{
    for (auto &[name, unit] : m_units)
        tickOne(unit);
}

std::vector<int> Units::outputs() const
{
    std::vector<int> fds;
    for (const auto &[name, unit] : m_units) {
        if (unit.output >= 0)
            fds.push_back(unit.output);
    }
    return fds;
}

void Units::readOutput(int fd)
{
    for (auto &[name, unit] : m_units) {
        if (unit.output == fd && !readOnce(unit)) {
            close(fd);
            unit.output = -1;
        }
    }
}

bool Units::readOnce(Unit &unit)
{
    char buffer[4096];
    const ssize_t count = unit.output < 0 ? 0 : read(unit.output, buffer, sizeof buffer);
    if (count <= 0)
        return false;
    unit.pending.append(buffer, static_cast<std::size_t>(count));
    while (unit.pending.find('\n') != std::string::npos || unit.pending.size() > 4096) {
        const auto end = std::min(unit.pending.find('\n'), unit.pending.size());
        log(unit, "vllm", unit.logPid, unit.pending.substr(0, end));
        unit.pending.erase(0, end + 1);
    }
    return true;
}

void Units::log(Unit &unit, const std::string &tag, pid_t pid, const std::string &line)
{
    const std::string path = stateDirectory() + "/journal/" + unit.name;
    const int fd = open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
    if (fd < 0)
        return;
    char host[65] = {};
    gethostname(host, sizeof host - 1);
    const std::string text = timestamp(nowMicroseconds(), "%Y-%m-%dT%H:%M:%S+0000") + ' ' + host
        + ' ' + tag + '[' + std::to_string(pid) + "]: " + line + '\n';
    if (write(fd, text.data(), text.size()) < 0)
        std::perror("journal");
    close(fd);
}

std::string Units::properties(const std::string &name) const
{
    const auto found = m_units.find(name);
    std::string text;
    const auto add = [&](const std::string &key, const std::string &value) {
        text += key + '=' + value + '\n';
    };
    static const char *const format = "%a %Y-%m-%d %H:%M:%S UTC";
    if (found == m_units.end()) {
        for (const char *line : {"MainPID=0", "NRestarts=0", "Result=success", "ExecMainCode=0",
                                 "ExecMainStatus=0", "ControlGroup=", "KillMode=control-group",
                                 "Restart=no", "Type=simple"})
            text += std::string(line) + '\n';
        add("Id", name);
        add("Names", name);
        add("Description", name);
        add("LoadState", "not-found");
        add("ActiveState", "inactive");
        add("SubState", "dead");
        add("LoadError", "org.freedesktop.systemd1.NoSuchUnit \"Unit " + name + " not found.\"");
        return text;
    }
    const Unit &unit = found->second;
    const bool grouped = unit.active != "inactive" && unit.active != "failed"
        && unit.sub != "auto-restart";
    add("Type", unit.settings.value("Type", "simple"));
    add("Restart", unit.settings.value("Restart", "no"));
    add("RestartUSec", unit.settings.value("RestartSec", "100ms"));
    add("TimeoutStartUSec", unit.settings.value("TimeoutStartSec", "1min 30s"));
    add("TimeoutStopUSec", unit.settings.value("TimeoutStopSec", "1min 30s"));
    add("MainPID", std::to_string(unit.mainPid));
    add("ControlPID", std::to_string(unit.controlPid));
    add("StatusText", "");
    add("Result", unit.result);
    add("User", unit.settings.value("User"));
    add("NRestarts", std::to_string(unit.restarts));
    add("ExecMainStartTimestamp", timestamp(unit.mainStart, format));
    add("ExecMainExitTimestamp", timestamp(unit.mainExit, format));
    add("ExecMainPID", std::to_string(unit.mainPid));
    add("ExecMainCode", std::to_string(unit.mainCode));
    add("ExecMainStatus", std::to_string(unit.mainStatus));
    for (const std::string &line : unit.settings.values("ExecStartPre"))
        add("ExecStartPre", "{ path=" + line.substr(0, line.find(' ')) + " ; argv[]=" + line + " }");
    const std::string command = unit.settings.value("ExecStart");
    add("ExecStart", "{ path=" + command.substr(0, command.find(' ')) + " ; argv[]=" + command + " }");
    add("Slice", "system.slice");
    add("ControlGroup", grouped ? "/system.slice/" + name : "");
    add("KillMode", unit.settings.value("KillMode", "control-group"));
    add("Id", name);
    add("Names", name);
    add("Description", unit.settings.value("Description", name));
    add("LoadState", "loaded");
    add("ActiveState", unit.active);
    add("SubState", unit.sub);
    add("FragmentPath", "/etc/systemd/system/" + name);
    add("UnitFileState", unit.settings.has("WantedBy") ? "enabled" : "static");
    add("StateChangeTimestamp", timestamp(unit.changed, format));
    add("StateChangeTimestampMonotonic", std::to_string(long(unit.stateSince * 1e6)));
    add("ActiveEnterTimestamp", timestamp(unit.activeEnter, format));
    add("InactiveEnterTimestamp", timestamp(unit.inactiveEnter, format));
    add("NeedDaemonReload", "no");
    add("LoadError", "");
    return text;
}

} // namespace pilothouse::sim
