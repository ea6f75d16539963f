// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "hostfiles.h"

#include "frozendriver.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <random>
#include <sys/mount.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace pilothouse::sim {
namespace {

constexpr const char *newRoot = "/tmp";

bool complain(const std::string &what)
{
    std::fprintf(stderr, "simulated host: %s: %s\n", what.c_str(), std::strerror(errno));
    return false;
}

std::string inside(const std::string &path) { return newRoot + path; }

void makeDirectory(const std::string &path, unsigned mode = 0755)
{
    mkdir(inside(path).c_str(), mode);
    chmod(inside(path).c_str(), mode);
}

/// A mount keeps the flags that the machine has locked on it, or the kernel refuses the change.
void makeReadOnly(const std::string &target)
{
    struct statvfs info = {};
    if (statvfs(target.c_str(), &info) != 0)
        return;
    unsigned long flags = MS_REMOUNT | MS_BIND | MS_RDONLY;
    if (info.f_flag & ST_NOSUID)
        flags |= MS_NOSUID;
    if (info.f_flag & ST_NODEV)
        flags |= MS_NODEV;
    if (info.f_flag & ST_NOEXEC)
        flags |= MS_NOEXEC;
    mount(nullptr, target.c_str(), nullptr, flags, nullptr);
}

bool bindDirectory(const std::string &path)
{
    makeDirectory(path);
    if (mount(path.c_str(), inside(path).c_str(), nullptr, MS_BIND | MS_REC, nullptr) != 0)
        return complain("cannot show " + path);
    makeReadOnly(inside(path));
    return true;
}

bool bindFile(const std::string &source, const std::string &path)
{
    const int fd = open(inside(path).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    if (fd >= 0)
        close(fd);
    return mount(source.c_str(), inside(path).c_str(), nullptr, MS_BIND, nullptr) == 0;
}

bool showPrograms()
{
    if (!bindDirectory("/usr"))
        return false;
    for (const char *name : {"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"}) {
        char target[256];
        const ssize_t length = readlink(name, target, sizeof target - 1);
        if (length > 0) {
            target[length] = 0;
            if (symlink(target, inside(name).c_str()) != 0)
                return complain("cannot link " + std::string(name));
        } else if (access(name, F_OK) == 0 && !bindDirectory(name)) {
            return false;
        }
    }
    return true;
}

std::string newBootId()
{
    std::random_device random;
    char text[40];
    std::snprintf(text, sizeof text, "%08x-%04x-4%03x-8%03x-%04x%08x\n", random(), random() & 0xffffu,
                  random() & 0xfffu, random() & 0xfffu, random() & 0xffffu, random());
    return text;
}

void writeAccounts(const HostFiles &files)
{
    std::string passwd;
    std::string group;
    for (const HostUser &user : usersOf(files)) {
        const std::string id = std::to_string(user.id);
        passwd += user.name + ":x:" + id + ':' + id + "::" + user.home + ':' + user.shell + '\n';
        group += user.name + ":x:" + id + ":\n";
        makeDirectory(user.home, 0700);
        if (chown(inside(user.home).c_str(), user.id, user.id) != 0)
            complain("cannot give " + user.home + " to " + user.name);
    }
    writeFile(inside("/etc/passwd"), passwd + "nobody:x:65534:65534::/nonexistent:/usr/sbin/nologin\n");
    writeFile(inside("/etc/group"), group + "nogroup:x:65534:\n");
}

void fillEtc(const HostFiles &files)
{
    makeDirectory("/home");
    writeAccounts(files);
    writeFile(inside("/etc/hostname"), files.name + '\n');
    writeFile(inside("/etc/hosts"), "127.0.0.1 localhost " + files.name + '\n');
    writeFile(inside("/etc/os-release"),
              "NAME=\"Debian GNU/Linux\"\nVERSION_ID=\"12\"\nID=debian\n"
              "PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n");
    for (const char *path : {"/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/localtime"})
        bindFile(path, path);
    if (access("/etc/alternatives", F_OK) == 0)
        bindDirectory("/etc/alternatives");
    makeDirectory("/etc/systemd");
    makeDirectory("/etc/systemd/system");
    for (const auto &[unit, text] : files.units)
        writeFile(inside("/etc/systemd/system/" + unit), text);
}

void fillDev(const Config &gpus)
{
    makeDirectory("/dev");
    for (const char *node : {"null", "zero", "full", "random", "urandom", "tty"})
        bindFile(std::string("/dev/") + node, std::string("/dev/") + node);
    makeDirectory("/dev/shm", 01777);
    for (const char *link : {"fd", "stdin", "stdout", "stderr"}) {
        const std::string name = link;
        const std::string target = name == "fd" ? "/proc/self/fd"
            : name == "stdin"                   ? "/proc/self/fd/0"
            : name == "stdout"                  ? "/proc/self/fd/1"
                                                : "/proc/self/fd/2";
        if (symlink(target.c_str(), inside("/dev/" + name).c_str()) != 0)
            complain("cannot link /dev/" + name);
    }
    // A bind of /dev/null under the NVIDIA name: it opens, and /proc/PID/fd shows the name.
    const long count = gpus.number("count", 8);
    for (long i = 0; i < count; ++i)
        bindFile("/dev/null", "/dev/nvidia" + std::to_string(i));
    if (count > 0) {
        bindFile("/dev/null", "/dev/nvidiactl");
        bindFile("/dev/null", "/dev/nvidia-uvm");
    }
}

bool copyTools(int toolsFd, const HostFiles &files)
{
    struct stat info = {};
    const int fd = open(inside("/run/pilothouse-sim/bin/pilothouse-simtools").c_str(),
                        O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
    if (fd < 0 || fstat(toolsFd, &info) != 0)
        return complain("cannot write the tools");
    off_t offset = 0;
    while (offset < info.st_size) {
        if (sendfile(fd, toolsFd, &offset, static_cast<std::size_t>(info.st_size - offset)) <= 0)
            return complain("cannot copy the tools");
    }
    fchmod(fd, 0755);
    close(fd);
    std::vector<std::string> names = {"sim-server", "sim-hog", "sim-idle"};
    if (files.config.value("nvidia_smi", "on") == "on")
        names.push_back("nvidia-smi");
    if (files.config.value("systemd", "on") == "on") {
        names.push_back("systemctl");
        names.push_back("journalctl");
    }
    for (const std::string &name : names) {
        if (symlink("pilothouse-simtools", inside("/run/pilothouse-sim/bin/" + name).c_str()) != 0)
            return complain("cannot link " + name);
    }
    return true;
}

/// The machine's own tools of these names must not be reached by their full path either.
void coverRealTools()
{
    writeFile(inside("/run/pilothouse-sim/none"), "");
    for (const char *path :
         {"/usr/bin/nvidia-smi", "/usr/bin/systemctl", "/usr/bin/journalctl", "/usr/bin/loginctl",
          "/usr/bin/nvidia-persistenced", "/usr/bin/docker", "/usr/bin/podman"}) {
        if (access(inside(path).c_str(), F_OK) != 0)
            continue;
        const std::string name = std::string(path).substr(std::strlen("/usr/bin/"));
        const std::string own = inside("/run/pilothouse-sim/bin/" + name);
        const bool played = access(own.c_str(), F_OK) == 0;
        const std::string source = played ? inside("/run/pilothouse-sim/bin/pilothouse-simtools")
                                          : inside("/run/pilothouse-sim/none");
        mount(source.c_str(), inside(path).c_str(), nullptr, MS_BIND, nullptr);
    }
}

void fillRun(const HostFiles &files)
{
    makeDirectory("/run/pilothouse-sim");
    makeDirectory("/run/pilothouse-sim/claims", 01777);
    makeDirectory("/run/pilothouse-sim/bin");
    makeDirectory("/run/pilothouse-sim/journal");
    makeDirectory("/run/pilothouse-sim/cgroups");
    writeFile(inside("/run/pilothouse-sim/gpus.conf"), files.gpus);
    writeFile(inside("/run/pilothouse-sim/boot"), files.boot);
    writeFile(inside("/run/pilothouse-sim/kernel.log"), files.kernelLog);
    makeDirectory("/run/systemd");
    if (files.config.value("systemd", "on") == "on")
        makeDirectory("/run/systemd/system");
}

/// Where the kernel does not let us, a hung nvidia-smi can be killed.
void fillDriver(int frozenDriver)
{
    if (frozenDriver < 0)
        return;
    makeDirectory("/run/pilothouse-sim/driver");
    if (!mountFrozenDriver(frozenDriver, inside("/run/pilothouse-sim/driver")))
        rmdir(inside("/run/pilothouse-sim/driver").c_str());
}

void fillSys(const Config &gpus)
{
    for (const char *path : {"/sys", "/sys/bus", "/sys/bus/pci", "/sys/bus/pci/devices", "/sys/fs",
                             "/sys/fs/cgroup"})
        makeDirectory(path);
    writeFile(inside("/sys/fs/cgroup/cgroup.controllers"), "cpu memory pids\n");
    writePciDevices(gpus, inside("/sys/bus/pci/devices"));
}

bool switchRoot(const HostFiles &files)
{
    makeDirectory("/proc", 0555);
    if (mount("proc", inside("/proc").c_str(), "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr) != 0)
        return complain("cannot mount a /proc of its own");
    const std::string bootId = inside("/run/pilothouse-sim/boot_id");
    writeFile(bootId, files.config.value("boot_id", newBootId()), 0444);
    if (mount(bootId.c_str(), inside("/proc/sys/kernel/random/boot_id").c_str(), nullptr, MS_BIND,
              nullptr)
        != 0)
        return complain("cannot give it a boot id of its own");
    makeDirectory("/old");
    if (syscall(SYS_pivot_root, newRoot, inside("/old").c_str()) != 0)
        return complain("cannot enter its root");
    if (chdir("/") != 0 || umount2("/old", MNT_DETACH) != 0)
        return complain("cannot leave the machine's root");
    rmdir("/old");
    return true;
}

} // namespace

bool enterOwnRoot(const HostFiles &files, int toolsFd)
{
    umask(022);
    const Config gpus = Config::parse(files.gpus);
    if (mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
        return complain("cannot make its mounts private");
    if (mount("tmpfs", newRoot, "tmpfs", MS_NOATIME, "mode=755,size=128m") != 0)
        return complain("cannot mount its root");
    for (const char *path : {"/etc", "/run", "/var", "/var/lib", "/var/log", "/opt", "/srv", "/mnt"})
        makeDirectory(path);
    makeDirectory("/tmp", 01777);
    makeDirectory("/var/tmp", 01777);
    fillRun(files);
    fillDriver(files.frozenDriver);
    if (!showPrograms() || !copyTools(toolsFd, files))
        return false;
    coverRealTools();
    fillEtc(files);
    fillDev(gpus);
    fillSys(gpus);
    return switchRoot(files);
}

} // namespace pilothouse::sim
