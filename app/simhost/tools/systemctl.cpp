// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "init.h"
#include "tools.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <utility>

namespace pilothouse::sim {
namespace {

constexpr const char *noSystemd
    = "System has not been booted with systemd as init system (PID 1). Can't operate.\n"
      "Failed to connect to bus: Host is down";

struct Call
{
    std::string verb;
    std::vector<std::string> units;
    std::vector<std::string> properties;
    bool value = false;
    bool user = false;
    bool version = false;
    bool waits = true;
};

std::string fullName(const std::string &unit)
{
    return unit.find('.') == std::string::npos ? unit + ".service" : unit;
}

Call callOf(const std::vector<std::string> &arguments)
{
    Call call;
    const auto addProperties = [&](const std::string &list) {
        for (const std::string &name : splitAt(list, ','))
            call.properties.push_back(name);
    };
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string &word = arguments[i];
        if (word == "-p" && i + 1 < arguments.size())
            addProperties(arguments[++i]);
        else if (word.starts_with("--property="))
            addProperties(word.substr(11));
        else if (word == "-P" && i + 1 < arguments.size())
            call.value = (addProperties(arguments[++i]), true);
        else if (word == "--value")
            call.value = true;
        else if (word == "--user")
            call.user = true;
        else if (word == "--version")
            call.version = true;
        else if (word == "--no-block")
            call.waits = false;
        else if (word.starts_with('-') && (word == "-n" || word == "-o"))
            ++i;
        else if (word.starts_with('-'))
            continue;
        else if (call.verb.empty())
            call.verb = word;
        else
            call.units.push_back(fullName(word));
    }
    return call;
}

/// False when process 1 does not answer.
bool ask(const std::string &verb, const std::string &unit, std::string &answer)
{
    const int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, initSocketPath().c_str(), sizeof address.sun_path - 1);
    const std::string request = verb + ' ' + unit;
    bool good = connect(fd, reinterpret_cast<sockaddr *>(&address), sizeof address) == 0
        && send(fd, request.data(), request.size(), MSG_NOSIGNAL) > 0;
    if (good) {
        static char text[65536];
        const ssize_t count = recv(fd, text, sizeof text, 0);
        good = count >= 0;
        answer.assign(text, static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    }
    close(fd);
    return good;
}

std::string valueOf(const std::string &properties, const std::string &key)
{
    for (const std::string &line : splitAt(properties, '\n')) {
        if (line.starts_with(key + '='))
            return line.substr(key.size() + 1);
    }
    return {};
}

int show(const Call &call)
{
    bool first = true;
    for (const std::string &unit : call.units) {
        std::string all;
        if (!ask("show", unit, all)) {
            std::fprintf(stderr, "%s\n", noSystemd);
            return 1;
        }
        if (!std::exchange(first, false))
            std::putchar('\n');
        for (const std::string &line : splitAt(all, '\n')) {
            const std::string key = line.substr(0, line.find('='));
            const bool wanted = call.properties.empty()
                || std::find(call.properties.begin(), call.properties.end(), key)
                    != call.properties.end();
            if (wanted)
                std::puts((call.value ? line.substr(key.size() + 1) : line).c_str());
        }
    }
    return 0;
}

int isActive(const Call &call)
{
    int code = 3;
    for (const std::string &unit : call.units) {
        std::string all;
        if (!ask("show", unit, all))
            return 1;
        const std::string state = valueOf(all, "ActiveState");
        std::puts(state.c_str());
        if (state == "active")
            code = 0;
    }
    return code;
}

int status(const Call &call)
{
    int code = 0;
    for (const std::string &unit : call.units) {
        std::string all;
        if (!ask("show", unit, all))
            return 1;
        if (valueOf(all, "LoadState") == "not-found") {
            std::fprintf(stderr, "Unit %s could not be found.\n", unit.c_str());
            return 4;
        }
        const std::string active = valueOf(all, "ActiveState");
        std::printf("* %s - %s\n     Loaded: loaded (%s; %s)\n     Active: %s (%s)\n   Main PID: %s\n",
                    unit.c_str(), valueOf(all, "Description").c_str(),
                    valueOf(all, "FragmentPath").c_str(), valueOf(all, "UnitFileState").c_str(),
                    active.c_str(), valueOf(all, "SubState").c_str(),
                    valueOf(all, "MainPID").c_str());
        if (active != "active")
            code = 3;
    }
    return code;
}

int cat(const Call &call)
{
    for (const std::string &unit : call.units) {
        const std::string path = "/etc/systemd/system/" + unit;
        const std::string text = unit.find('/') == std::string::npos ? readFile(path) : "";
        if (text.empty()) {
            std::fprintf(stderr, "No files found for %s.\n", unit.c_str());
            return 1;
        }
        std::printf("# %s\n%s", path.c_str(), text.c_str());
    }
    return 0;
}

/// Waits for the job's end as systemctl does.
int act(const Call &call)
{
    int code = 0;
    for (const std::string &unit : call.units) {
        std::string complaint;
        if (!ask(call.verb, unit, complaint)) {
            std::fprintf(stderr, "%s\n", noSystemd);
            return 1;
        }
        if (!complaint.empty()) {
            std::fprintf(stderr, "%s\n", complaint.c_str());
            code = 5;
            continue;
        }
        std::string all;
        std::string active = "deactivating";
        while (call.waits && (active == "deactivating" || active == "activating")) {
            sleepMs(50);
            if (!ask("show", unit, all))
                return 1;
            active = valueOf(all, "ActiveState");
            if (valueOf(all, "SubState") == "auto-restart")
                break;
        }
        if (call.verb != "stop" && call.verb != "reset-failed" && active == "failed") {
            std::fprintf(stderr,
                         "Job for %s failed because the control process exited with error code.\n",
                         unit.c_str());
            code = 1;
        }
    }
    return code;
}

int list()
{
    std::string names;
    if (!ask("list", "all", names))
        return 1;
    for (const std::string &unit : splitAt(names, '\n')) {
        std::string all;
        ask("show", unit, all);
        std::printf("%s loaded %s %s %s\n", unit.c_str(), valueOf(all, "ActiveState").c_str(),
                    valueOf(all, "SubState").c_str(), valueOf(all, "Description").c_str());
    }
    return 0;
}

} // namespace

int systemctl(const std::vector<std::string> &arguments)
{
    const Call call = callOf(arguments);
    if (call.version) {
        std::puts("systemd 252 (252.39-1~deb12u2)\n+PAM +AUDIT +SELINUX");
        return 0;
    }
    if (call.user) {
        std::fputs("Failed to connect to bus: No medium found\n", stderr);
        return 1;
    }
    static const std::map<std::string, int (*)(const Call &)> verbs = {
        {"show", show}, {"is-active", isActive}, {"status", status}, {"cat", cat},
        {"start", act}, {"stop", act}, {"restart", act}, {"reset-failed", act},
    };
    if (const auto verb = verbs.find(call.verb); verb != verbs.end())
        return verb->second(call);
    if (call.verb == "list-units" || call.verb == "list-unit-files" || call.verb.empty())
        return list();
    if (call.verb == "is-system-running") {
        std::puts("running");
        return 0;
    }
    if (call.verb == "daemon-reload" || call.verb == "enable" || call.verb == "disable")
        return 0;
    std::fprintf(stderr, "Unknown command verb %s.\n", call.verb.c_str());
    return 1;
}

int journalctl(const std::vector<std::string> &arguments)
{
    std::vector<std::string> units;
    long lines = 1000;
    bool kernel = false;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string &word = arguments[i];
        if ((word == "-u" || word == "-n" || word == "-o" || word == "-S" || word == "-b")
            && i + 1 < arguments.size()) {
            ++i;
            if (word == "-u")
                units.push_back(fullName(arguments[i]));
            if (word == "-n")
                lines = numberOf(arguments[i], lines);
        } else if (word.starts_with("--unit=")) {
            units.push_back(fullName(word.substr(7)));
        } else if (word.starts_with("--lines=")) {
            lines = numberOf(word.substr(8), lines);
        } else if (word == "-k" || word == "--dmesg") {
            kernel = true;
        }
    }
    std::string text;
    if (kernel)
        text = readFile(stateDirectory() + "/kernel.log");
    for (const std::string &unit : units) {
        if (unit.find('/') == std::string::npos)
            text += readFile(stateDirectory() + "/journal/" + unit);
    }
    const auto all = splitAt(text, '\n');
    if (all.empty())
        std::puts("-- No entries --");
    const std::size_t first = all.size() > std::size_t(lines) ? all.size() - std::size_t(lines) : 0;
    for (std::size_t i = first; i < all.size(); ++i)
        std::puts(all[i].c_str());
    return 0;
}

} // namespace pilothouse::sim
