// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "init.h"

#include "cgroups.h"
#include "frozendriver.h"
#include "sessions.h"
#include "tools.h"
#include "units.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

namespace pilothouse::sim {
namespace {

constexpr double refreshEvery = 0.25; // seconds

int listenForSystemctl()
{
    const int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, initSocketPath().c_str(), sizeof address.sun_path - 1);
    if (bind(fd, reinterpret_cast<sockaddr *>(&address), sizeof address) != 0 || listen(fd, 32) != 0)
        std::perror("systemctl's socket");
    chmod(address.sun_path, 0666);
    return fd;
}

int watchChildren()
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigprocmask(SIG_BLOCK, &set, nullptr);
    for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGPIPE})
        std::signal(number, SIG_IGN);
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

class Init
{
public:
    Init(const HostFiles &files, int controlFd)
        : m_control(controlFd)
        , m_children(watchChildren())
        , m_systemctl(listenForSystemctl())
        , m_driver(files.frozenDriver)
        , m_units(m_cgroups, files.units)
        , m_sessions(m_cgroups, files)
    {
        m_cgroups.refresh();
        // A host that has been up for a while does not count from 2.
        if (std::FILE *last = std::fopen("/proc/sys/kernel/ns_last_pid", "w")) {
            std::fprintf(last, "%ld", files.config.number("first_pid", 1200) - 1);
            std::fclose(last);
        }
        for (const std::string &unit : files.config.values("start"))
            m_units.start(unit);
        for (const std::string &line : files.config.values("crowd"))
            startCrowd(line);
        m_sessions.startBootScript();
    }

    void run()
    {
        // Tells the console side that the host is up.
        if (send(m_control, "up", 2, MSG_NOSIGNAL) != 2)
            return;
        while (step()) { }
    }

private:
    bool step()
    {
        std::vector<pollfd> waits = {{m_control, POLLIN, 0}, {m_children, POLLIN, 0},
                                     {m_systemctl, POLLIN, 0}, {m_driver.fd(), POLLIN, 0}};
        const std::size_t firstOutput = waits.size();
        for (const int fd : m_units.outputs())
            waits.push_back({fd, POLLIN, 0});
        poll(waits.data(), waits.size(), 250);
        if (waits[1].revents != 0)
            reap();
        for (std::size_t i = firstOutput; i < waits.size(); ++i) {
            if (waits[i].revents != 0)
                m_units.readOutput(waits[i].fd);
        }
        if (waits[2].revents != 0)
            answerSystemctl();
        if (uptimeSeconds() - m_refreshedAt > refreshEvery) {
            m_refreshedAt = uptimeSeconds();
            m_cgroups.refresh();
            m_units.tick();
        }
        if (waits[3].revents != 0 || m_driver.waiting() > 0)
            m_driver.serve(Config::ofHost().value("hang") == "stuck");
        if (waits[0].revents == 0)
            return true;
        const SessionRequest request = readRequest(m_control);
        if (request.words.empty())
            return false; // the console side is gone, and the host with it
        m_sessions.start(request);
        return true;
    }

    /// "COUNT TITLE": processes that do nothing, as members of a service of the title's name.
    void startCrowd(const std::string &line)
    {
        const auto words = splitAt(line, ' ');
        if (words.size() < 2)
            return;
        std::string service = words[1].substr(words[1].rfind('/') + 1);
        service.resize(std::min(service.find(':'), service.size()));
        const int group = m_cgroups.numberOfPath("/system.slice/" + service + ".service");
        if (fork() != 0)
            return;
        m_cgroups.enter(group);
        _exit(simIdle({words[0], trimmed(std::string_view(line).substr(words[0].size()))}));
    }

    void reap()
    {
        signalfd_siginfo info[16];
        while (read(m_children, info, sizeof info) > 0) { }
        int status = 0;
        for (pid_t pid = 0; (pid = waitpid(-1, &status, WNOHANG)) > 0;)
            m_units.childEnded(pid, status);
    }

    void answerSystemctl()
    {
        const int fd = accept4(m_systemctl, nullptr, nullptr, SOCK_CLOEXEC);
        const timeval limit = {1, 0};
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
        char text[4096];
        const ssize_t count = recv(fd, text, sizeof text, 0);
        if (count > 0) {
            const auto words = splitAt(std::string_view(text, static_cast<std::size_t>(count)), ' ');
            const std::string answer = words.size() == 2 ? answerTo(words[0], words[1]) : "";
            send(fd, answer.data(), answer.size(), MSG_NOSIGNAL);
        }
        close(fd);
    }

    std::string answerTo(const std::string &verb, const std::string &unit)
    {
        if (verb == "show")
            return m_units.properties(unit);
        if (verb == "start")
            return m_units.start(unit);
        if (verb == "stop")
            return m_units.stop(unit);
        if (verb == "restart")
            return m_units.restart(unit);
        if (verb == "reset-failed")
            return m_units.resetFailed(unit);
        std::string names;
        for (const std::string &name : m_units.names())
            names += name + '\n';
        return names;
    }

    int m_control;
    int m_children;
    int m_systemctl;
    FrozenDriver m_driver;
    Cgroups m_cgroups;
    Units m_units;
    Sessions m_sessions;
    double m_refreshedAt = 0;
};

} // namespace

std::string initSocketPath() { return stateDirectory() + "/init.sock"; }

int runInit(const HostFiles &files, int controlFd)
{
    // Nothing of the operator's environment comes along.
    clearenv();
    setenv("PATH", "/run/pilothouse-sim/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", 1);
    Init(files, controlFd).run();
    return 0;
}

} // namespace pilothouse::sim
