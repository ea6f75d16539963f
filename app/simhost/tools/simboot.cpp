// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "frozendriver.h"
#include "hostfiles.h"
#include "init.h"
#include "proctitle.h"
#include "tools.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <grp.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace pilothouse::sim {
namespace {

// Run by root, the host's users are mapped to numbers that no account of the machine has, so that root inside is
// nobody outside.
constexpr unsigned mappedBase = 0x60000000;

volatile pid_t initPid = 0;
void endInit(int) { kill(initPid, SIGKILL); }

bool complain(const char *what)
{
    std::fprintf(stderr, "simulated host: %s: %s\n", what, std::strerror(errno));
    return false;
}

bool writeMap(pid_t pid, const char *name, const std::string &text)
{
    const std::string path = "/proc/" + std::to_string(pid) + '/' + name;
    const int fd = open(path.c_str(), O_WRONLY | O_CLOEXEC);
    const bool good = fd >= 0 && write(fd, text.data(), text.size()) == ssize_t(text.size());
    if (fd >= 0)
        close(fd);
    return good;
}

/// `frozenDriver` is opened in between: it belongs to the new namespace, and the machine's root may open it still.
bool enterUserNamespaceAsRoot(int &frozenDriver)
{
    // Only a process of the outer namespace may write a map with many numbers.
    int ready[2];
    if (pipe2(ready, O_CLOEXEC) != 0)
        return complain("no pipe");
    const pid_t self = getpid();
    const pid_t helper = fork();
    if (helper == 0) {
        char byte = 0;
        close(ready[1]);
        if (read(ready[0], &byte, 1) != 1)
            _exit(1);
        const std::string map = "0 " + std::to_string(mappedBase) + " 65536";
        _exit(writeMap(self, "uid_map", map) && writeMap(self, "gid_map", map) ? 0 : 1);
    }
    close(ready[0]);
    if (unshare(CLONE_NEWUSER) != 0)
        return complain("no user namespace");
    frozenDriver = openFrozenDriver();
    if (write(ready[1], "x", 1) != 1)
        return complain("no helper");
    close(ready[1]);
    int status = 0;
    if (waitpid(helper, &status, 0) != helper || status != 0)
        return complain("cannot map its users");
    return (setgroups(0, nullptr) == 0 && setresgid(0, 0, 0) == 0 && setresuid(0, 0, 0) == 0)
        || complain("cannot become its root");
}

bool enterUserNamespace(int &frozenDriver)
{
    if (geteuid() == 0)
        return enterUserNamespaceAsRoot(frozenDriver);
    const std::string user = "0 " + std::to_string(geteuid()) + " 1";
    const std::string group = "0 " + std::to_string(getegid()) + " 1";
    if (unshare(CLONE_NEWUSER) != 0)
        return complain("this machine lets no ordinary user make namespaces");
    frozenDriver = openFrozenDriver();
    writeMap(getpid(), "setgroups", "deny");
    return (writeMap(getpid(), "uid_map", user) && writeMap(getpid(), "gid_map", group))
        || complain("cannot map its root");
}

bool raiseLoopback()
{
    const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    ifreq request = {};
    std::strncpy(request.ifr_name, "lo", sizeof request.ifr_name - 1);
    request.ifr_flags = IFF_UP | IFF_RUNNING;
    const bool good = fd >= 0 && ioctl(fd, SIOCSIFFLAGS, &request) == 0;
    if (fd >= 0)
        close(fd);
    return good || complain("cannot raise its loopback");
}

void dieWithParent(pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (parent != 0 && getppid() != parent)
        _exit(1);
}

/// Process 1 dies with this one, and the kernel ends every process of its namespace before it is gone.
int waitForInit(pid_t init)
{
    initPid = init;
    struct sigaction action = {};
    action.sa_handler = endInit;
    sigaction(SIGTERM, &action, nullptr);
    int status = 0;
    while (waitpid(init, &status, 0) < 0 && errno == EINTR) { }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 0;
}

} // namespace

int simBoot(const std::vector<std::string> &arguments)
{
    if (arguments.size() != 3) {
        std::fputs("usage: sim-boot CONTROL-FD FOLDER NAME (started by pilothouse-simhost)\n", stderr);
        return 2;
    }
    const pid_t parent = getppid();
    dieWithParent(parent);
    const int control = int(numberOf(arguments[0], -1));
    HostFiles files = HostFiles::read(arguments[1], arguments[2]);
    files.rootOnly = geteuid() != 0;
    const int tools = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    if (tools < 0 || !enterUserNamespace(files.frozenDriver))
        return 1;
    // Two steps: a change of user clears the signal of the parent's death, and dumpability with it.
    prctl(PR_SET_DUMPABLE, 1);
    dieWithParent(parent);
    if (unshare(CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWNET
                | CLONE_NEWCGROUP)
        != 0) {
        complain("no namespaces");
        return 1;
    }
    const pid_t init = fork();
    if (init < 0)
        return 1;
    if (init != 0) {
        close(control);
        return waitForInit(init);
    }
    dieWithParent(0);
    if (sethostname(files.name.c_str(), files.name.size()) != 0 || !raiseLoopback()
        || !enterOwnRoot(files, tools))
        return 1;
    close(tools);
    setTitle("/sbin/init");
    setComm("systemd");
    return runInit(files, control);
}

int simPci(const std::vector<std::string> &arguments)
{
    if (arguments.size() != 1) {
        std::fputs("usage: sim-pci FOLDER: writes the cards of gpus.conf as sysfs shows them\n", stderr);
        return 2;
    }
    writePciDevices(Config::ofHost(), arguments.front());
    return 0;
}

} // namespace pilothouse::sim
