// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "frozendriver.h"

#include "statedir.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <linux/fuse.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <unistd.h>

namespace pilothouse::sim {
namespace {

constexpr std::size_t bufferSize = 64 * 1024; // the kernel wants room for the largest request
constexpr std::uint32_t minorVersion = 31;    // of protocol 7
constexpr std::uint64_t interruptionBit = 1;  // in a request's number: its FUSE_INTERRUPT is meant (fs/fuse/dev.c)

template <class T>
T partOf(const char *bytes)
{
    T part;
    std::memcpy(&part, bytes, sizeof part);
    return part;
}

fuse_attr folderAttributes()
{
    fuse_attr attributes = {};
    attributes.ino = FUSE_ROOT_ID;
    attributes.mode = S_IFDIR | 0755;
    attributes.nlink = 2;
    attributes.blksize = 4096;
    return attributes;
}

} // namespace

int openFrozenDriver()
{
    return open("/dev/fuse", O_RDWR | O_CLOEXEC | O_NONBLOCK);
}

bool mountFrozenDriver(int fd, const std::string &folder)
{
    const std::string options
        = "fd=" + std::to_string(fd) + ",rootmode=40755,user_id=0,group_id=0,allow_other";
    return fd >= 0
        && mount("pilothouse-sim", folder.c_str(), "fuse", MS_NOSUID | MS_NODEV, options.c_str()) == 0;
}

void waitInFrozenDriver()
{
    struct statfs state = {};
    if (statfs(frozenDriverFolder().c_str(), &state) != 0 || access(frozenDriverFile().c_str(), F_OK) != 0)
        return; // there is no such file: the driver is well
}

std::string frozenDriverFolder() { return stateDirectory() + "/driver"; }
std::string frozenDriverFile() { return frozenDriverFolder() + "/card"; }

FrozenDriver::FrozenDriver(int fd)
    : m_fd(fd)
{
}

FrozenDriver::~FrozenDriver()
{
    if (m_fd >= 0)
        close(m_fd);
}

void FrozenDriver::reply(std::uint64_t unique, int error, const void *body, std::size_t size) const
{
    fuse_out_header header = {};
    header.len = static_cast<std::uint32_t>(sizeof header + size);
    header.error = -error;
    header.unique = unique;
    const iovec parts[] = {{&header, sizeof header}, {const_cast<void *>(body), size}};
    if (writev(m_fd, parts, size > 0 ? 2 : 1) < 0)
        return; // its caller is gone
}

void FrozenDriver::take(const char *request, bool frozen)
{
    const auto header = partOf<fuse_in_header>(request);
    switch (header.opcode) {
    case FUSE_INIT: {
        const auto asked = partOf<fuse_init_in>(request + sizeof header);
        fuse_init_out answer = {};
        answer.major = FUSE_KERNEL_VERSION;
        answer.minor = std::min(asked.minor, minorVersion);
        answer.max_write = 4096;
        answer.flags = asked.flags & FUSE_PARALLEL_DIROPS; // who waits keeps nobody from listing the folder
        reply(header.unique, 0, &answer, sizeof answer);
        return;
    }
    case FUSE_GETATTR: {
        fuse_attr_out answer = {};
        answer.attr = folderAttributes();
        reply(header.unique, 0, &answer, sizeof answer);
        return;
    }
    case FUSE_STATFS: {
        // As the answer to an interruption would: from now on nobody waits interruptibly (state S) for this driver.
        reply(header.unique | interruptionBit, ENOSYS);
        const fuse_statfs_out answer = {};
        reply(header.unique, 0, &answer, sizeof answer);
        return;
    }
    case FUSE_OPENDIR: {
        const fuse_open_out answer = {};
        reply(header.unique, 0, &answer, sizeof answer);
        return;
    }
    case FUSE_LOOKUP:
        if (frozen)
            m_waiting.push_back(header.unique);
        else
            reply(header.unique, ENOENT);
        return;
    case FUSE_READDIR:
    case FUSE_RELEASEDIR:
        reply(header.unique, 0);
        return;
    case FUSE_FORGET:
    case FUSE_BATCH_FORGET:
        return; // these want no answer
    default:
        reply(header.unique, ENOSYS);
    }
}

void FrozenDriver::serve(bool frozen)
{
    if (m_fd < 0)
        return;
    std::vector<char> buffer(bufferSize);
    while (read(m_fd, buffer.data(), buffer.size()) >= ssize_t(sizeof(fuse_in_header)))
        take(buffer.data(), frozen);
    if (frozen)
        return;
    for (const std::uint64_t unique : m_waiting)
        reply(unique, ENOENT);
    m_waiting.clear();
}

} // namespace pilothouse::sim
