// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulatedhost.h"

#include <QFile>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr int bootTimeoutMs = 15'000;
constexpr int endTimeoutMs = 5'000;

void closeOne(int &fd)
{
    if (fd >= 0)
        close(fd);
    fd = -1;
}

tl::unexpected<Error> failed(const QString &what)
{
    return fail(ErrorCode::LocalIo, u"%1: %2."_s.arg(what, QString::fromLocal8Bit(std::strerror(errno))));
}

/// The child's end of things: only the control socket and the three standard descriptors stay open.
[[noreturn]] void runBoot(const QByteArray &tools, const QByteArray &folder, const QByteArray &name,
                          int control, int complaints)
{
    fcntl(control, F_SETFD, 0);
    dup2(complaints, STDERR_FILENO);
    const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    dup2(nothing, STDIN_FILENO);
    dup2(nothing, STDOUT_FILENO);
    // Our own signals are blocked in all threads; the host starts with none.
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    const QByteArray fd = QByteArray::number(control);
    execl(tools.constData(), "pilothouse-simtools", "sim-boot", fd.constData(), folder.constData(),
          name.constData(), nullptr);
    _exit(127);
}

/// What sim-boot had to say before it gave up.
QString complaintOf(int fd)
{
    char text[512];
    const ssize_t count = read(fd, text, sizeof text);
    return count > 0 ? QString::fromLocal8Bit(text, count).trimmed() : QString();
}

} // namespace

void SessionPipes::closeAll()
{
    if (out == in)
        out = -1;
    for (int *fd : {&in, &out, &err, &status})
        closeOne(*fd);
}

Result<SimulatedHost> SimulatedHost::boot(const QString &toolsPath, const QString &folder,
                                          const QString &name)
{
    int control[2];
    int complaints[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, control) != 0
        || pipe2(complaints, O_CLOEXEC) != 0)
        return failed(u"No socket for a simulated host"_s);
    const QByteArray tools = QFile::encodeName(toolsPath);
    const QByteArray path = QFile::encodeName(folder);
    const QByteArray hostName = name.toUtf8();
    const pid_t pid = fork();
    if (pid == 0)
        runBoot(tools, path, hostName, control[1], complaints[1]);
    close(control[1]);
    close(complaints[1]);
    SimulatedHost host(pid, control[0]);
    pollfd wait = {control[0], POLLIN, 0};
    char word[8];
    const bool up = poll(&wait, 1, bootTimeoutMs) > 0 && recv(control[0], word, sizeof word, 0) == 2;
    const QString complaint = up ? QString() : complaintOf(complaints[0]);
    close(complaints[0]);
    if (up)
        return host;
    return fail(ErrorCode::LocalIo, u"The simulated host %1 cannot be started here. %2"_s.arg(name, complaint));
}

SimulatedHost::SimulatedHost(pid_t pid, int control)
    : m_pid(pid)
    , m_control(control)
{
}

SimulatedHost::SimulatedHost(SimulatedHost &&other) noexcept
    : m_pid(std::exchange(other.m_pid, 0))
    , m_control(std::exchange(other.m_control, -1))
{
}

SimulatedHost &SimulatedHost::operator=(SimulatedHost &&other) noexcept
{
    std::swap(m_pid, other.m_pid);
    std::swap(m_control, other.m_control);
    return *this;
}

void SimulatedHost::beginEnd() const
{
    // sim-boot ends process 1 and with it the namespace, and is gone only when all of it is.
    if (m_pid > 0)
        kill(m_pid, SIGTERM);
}

SimulatedHost::~SimulatedHost()
{
    closeOne(m_control);
    if (m_pid <= 0)
        return;
    beginEnd();
    for (int waited = 0; waited < endTimeoutMs; waited += 5) {
        if (waitpid(m_pid, nullptr, WNOHANG) != 0)
            return;
        poll(nullptr, 0, 5);
    }
    kill(m_pid, SIGKILL);
    waitpid(m_pid, nullptr, 0);
}

bool SimulatedHost::send(const std::vector<std::string> &words, const std::array<int, 4> &fds) const
{
    std::string text;
    for (const std::string &word : words)
        text.append(word).push_back('\0');
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * 4)] = {};
    iovec part = {text.data(), text.size()};
    msghdr message = {};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    cmsghdr *head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof(int) * 4);
    std::memcpy(CMSG_DATA(head), fds.data(), sizeof(int) * 4);
    return sendmsg(m_control, &message, MSG_NOSIGNAL) == ssize_t(text.size());
}

Result<SessionPipes> SimulatedHost::startSession(const std::string &user, const std::string &command,
                                                 const TerminalSize *terminal) const
{
    int in[2] = {-1, -1};
    int out[2] = {-1, -1};
    int err[2] = {-1, -1};
    int status[2] = {-1, -1};
    SessionPipes pipes;
    bool good = pipe2(status, O_CLOEXEC) == 0;
    if (terminal) {
        const int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
        grantpt(master);
        unlockpt(master);
        char name[128];
        good = good && ptsname_r(master, name, sizeof name) == 0;
        in[0] = out[1] = err[1] = good ? open(name, O_RDWR | O_NOCTTY | O_CLOEXEC) : -1;
        winsize size = {};
        size.ws_col = static_cast<unsigned short>(terminal->columns);
        size.ws_row = static_cast<unsigned short>(terminal->rows);
        ioctl(master, TIOCSWINSZ, &size);
        pipes = {master, master, -1, status[0]};
    } else {
        good = good && pipe2(in, O_CLOEXEC) == 0 && pipe2(out, O_CLOEXEC) == 0
            && pipe2(err, O_CLOEXEC) == 0;
        pipes = {in[1], out[0], err[0], status[0]};
    }
    good = good
        && send({"exec", user, command, terminal ? "1" : "0"}, {in[0], out[1], err[1], status[1]});
    const QString reason = QString::fromLocal8Bit(std::strerror(errno));
    if (terminal)
        out[1] = err[1] = -1;
    for (int *fd : {&in[0], &out[1], &err[1], &status[1]})
        closeOne(*fd);
    if (good)
        return pipes;
    pipes.closeAll();
    return fail(ErrorCode::LocalIo, u"No session in the simulated host: %1."_s.arg(reason));
}

Result<SessionPipes> SimulatedHost::connectTo(const std::string &address, int port) const
{
    int in[2];
    int out[2];
    int status[2];
    if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0 || pipe2(status, O_CLOEXEC) != 0)
        return failed(u"No pipe"_s);
    const bool sent
        = send({"connect", address, std::to_string(port)}, {in[0], out[1], out[1], status[1]});
    for (const int fd : {in[0], out[1], status[1]})
        close(fd);
    SessionPipes pipes{in[1], out[0], -1, status[0]};
    pollfd wait = {status[0], POLLIN, 0};
    char word[16] = {};
    if (sent && poll(&wait, 1, 3000) > 0 && read(status[0], word, sizeof word) > 0 && word[0] == 'o')
        return pipes;
    pipes.closeAll();
    return fail(ErrorCode::ConnectRefused, u"Nothing listens on port %1 in the simulated host."_s.arg(port));
}

} // namespace pilothouse
