// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions.h"

#include "proctitle.h"
#include "role.h"

#include <algorithm>
#include <arpa/inet.h>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace pilothouse::sim {
namespace {

void tellStatus(int fd, const std::string &text)
{
    if (write(fd, text.data(), text.size()) < 0)
        return;
}

/// Copies what came; false at the end of the stream.
bool copyOnce(int from, int to)
{
    char buffer[16384];
    const ssize_t count = read(from, buffer, sizeof buffer);
    for (ssize_t sent = 0; sent < count;) {
        const ssize_t part = write(to, buffer + sent, static_cast<std::size_t>(count - sent));
        if (part <= 0)
            return false;
        sent += part;
    }
    return count > 0;
}

/// The host's end of a forwarded connection.
[[noreturn]] void forward(const SessionRequest &request)
{
    const int connection = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(numberOf(request.words[2], 0)));
    const std::string name = request.words[1] == "localhost" ? "127.0.0.1" : request.words[1];
    if (inet_pton(AF_INET, name.c_str(), &address.sin_addr) != 1
        || connect(connection, reinterpret_cast<sockaddr *>(&address), sizeof address) != 0) {
        tellStatus(request.fds[3], "refused");
        _exit(1);
    }
    tellStatus(request.fds[3], "open");
    pollfd waits[] = {{request.fds[0], POLLIN, 0}, {connection, POLLIN, 0}};
    while (waits[1].fd >= 0 && poll(waits, 2, -1) >= 0) {
        if (waits[0].revents != 0 && !copyOnce(request.fds[0], connection)) {
            shutdown(connection, SHUT_WR);
            waits[0].fd = -1;
        }
        if (waits[1].revents != 0 && !copyOnce(connection, request.fds[1]))
            waits[1].fd = -1;
    }
    _exit(0);
}

} // namespace

SessionRequest readRequest(int controlFd)
{
    char text[65536];
    alignas(cmsghdr) char control[CMSG_SPACE(4 * sizeof(int))];
    iovec part = {text, sizeof text};
    msghdr message = {};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    const ssize_t count = recvmsg(controlFd, &message, MSG_CMSG_CLOEXEC);
    SessionRequest request;
    for (cmsghdr *head = CMSG_FIRSTHDR(&message); count > 0 && head;
         head = CMSG_NXTHDR(&message, head)) {
        if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS)
            continue;
        request.fds.resize((head->cmsg_len - CMSG_LEN(0)) / sizeof(int));
        std::memcpy(request.fds.data(), CMSG_DATA(head), request.fds.size() * sizeof(int));
    }
    std::string word;
    for (ssize_t i = 0; i < count; ++i) {
        if (text[i] != 0)
            word += text[i];
        else
            request.words.push_back(std::exchange(word, {}));
    }
    return request;
}

Sessions::Sessions(Cgroups &cgroups, const HostFiles &files)
    : m_cgroups(cgroups)
    , m_users(usersOf(files))
{
}

void Sessions::runShell(const HostUser &user, int group, const SessionRequest &request) const
{
    const std::string &command = request.words[2];
    setsid();
    m_cgroups.enter(group);
    if (request.words.size() > 3 && request.words[3] == "1")
        ioctl(request.fds[0], TIOCSCTTY, 0);
    for (int i = 0; i < 3; ++i)
        dup2(request.fds[std::size_t(i)], i);
    for (const int fd : request.fds) {
        if (fd > 2)
            close(fd);
    }
    if (user.id != 0
        && (setgroups(0, nullptr) != 0 || setresgid(user.id, user.id, user.id) != 0
            || setresuid(user.id, user.id, user.id) != 0)) {
        std::perror("cannot become that user");
        _exit(255);
    }
    clearenv();
    setenv("HOME", user.home.c_str(), 1);
    setenv("USER", user.name.c_str(), 1);
    setenv("LOGNAME", user.name.c_str(), 1);
    setenv("SHELL", user.shell.c_str(), 1);
    setenv("PATH", "/run/pilothouse-sim/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", 1);
    setenv("SSH_CONNECTION", "127.0.0.1 0 127.0.0.1 22", 1);
    if (request.words.size() > 3 && request.words[3] == "1")
        setenv("TERM", "xterm-256color", 1);
    if (chdir(user.home.c_str()) != 0 && chdir("/") != 0)
        _exit(255);
    const std::string name = user.shell.substr(user.shell.rfind('/') + 1);
    if (command.empty())
        execl(user.shell.c_str(), ('-' + name).c_str(), nullptr);
    else
        execl(user.shell.c_str(), name.c_str(), "-c", command.c_str(), nullptr);
    std::perror(user.shell.c_str());
    _exit(127);
}

void Sessions::supervise(const HostUser &user, int group, const SessionRequest &request) const
{
    const pid_t shell = fork();
    if (shell == 0)
        runShell(user, group, request);
    setTitle("sshd: " + user.name + (request.words[3] == "1" ? "@pts/0" : "@notty"));
    setComm("sshd");
    for (std::size_t i = 0; i < 3; ++i)
        close(request.fds[i]);
    int status = 0;
    waitpid(shell, &status, 0);
    tellStatus(request.fds[3],
               WIFEXITED(status) ? "exit " + std::to_string(WEXITSTATUS(status))
                                 : "signal " + std::to_string(WTERMSIG(status)));
    _exit(0);
}

void Sessions::start(const SessionRequest &request)
{
    const bool isExec = request.words.size() == 4 && request.words[0] == "exec";
    const bool isConnect = request.words.size() == 3 && request.words[0] == "connect";
    const auto user = std::find_if(m_users.begin(), m_users.end(), [&](const HostUser &one) {
        return isExec && one.name == request.words[1];
    });
    if (request.fds.size() == 4 && (isConnect || user != m_users.end())) {
        const int session = isExec ? ++m_lastSession + 2 : 2;
        const std::string path = isExec ? "/user.slice/user-" + std::to_string(user->id) + ".slice/session-"
                + std::to_string(session) + ".scope"
                                        : "/system.slice/ssh.service";
        const int group = m_cgroups.numberOfPath(path);
        if (fork() == 0) {
            resetSignals();
            setsid();
            m_cgroups.enter(group);
            if (isConnect)
                forward(request);
            supervise(*user, group, request);
        }
    } else if (request.fds.size() == 4) {
        tellStatus(request.fds[3], "exit 255");
    }
    for (const int fd : request.fds)
        close(fd);
}

void Sessions::startBootScript()
{
    const std::string script = stateDirectory() + "/boot";
    if (readFile(script).empty())
        return;
    const int group = m_cgroups.numberOfPath("/user.slice/user-0.slice/session-2.scope");
    if (fork() != 0)
        return;
    resetSignals();
    setsid();
    m_cgroups.enter(group);
    setenv("PATH", "/run/pilothouse-sim/bin:/usr/sbin:/usr/bin:/sbin:/bin", 1);
    const int nothing = open("/dev/null", O_RDWR);
    for (int i = 0; i < 3; ++i)
        dup2(nothing, i);
    execl("/bin/sh", "sh", script.c_str(), nullptr);
    _exit(127);
}

} // namespace pilothouse::sim
