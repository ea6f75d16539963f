// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What a hung nvidia-smi waits in: a FUSE file system whose one file is not answered for while gpus.conf says so. The
// kernel then holds the caller in D, and not even SIGKILL ends it before the answer, as with a real driver. Process 1
// answers; when it ends, the kernel lets everybody go. Needs /dev/fuse; without it nothing is mounted.

#include <cstdint>
#include <string>
#include <vector>

namespace pilothouse::sim {

/// /dev/fuse, opened in the user namespace that will mount it; -1: this machine has none for us.
[[nodiscard]] int openFrozenDriver();

/// Mounts it there. False: this kernel lets nobody mount it in a user namespace.
bool mountFrozenDriver(int fd, const std::string &folder);

/// The folder in a host, and the file in it that one waits for.
[[nodiscard]] std::string frozenDriverFolder();
[[nodiscard]] std::string frozenDriverFile();

/// Returns when the driver is well; in D until then.
void waitInFrozenDriver();

class FrozenDriver
{
public:
    /// Takes the descriptor over; -1: does nothing.
    explicit FrozenDriver(int fd);
    ~FrozenDriver();
    FrozenDriver(const FrozenDriver &) = delete;
    FrozenDriver &operator=(const FrozenDriver &) = delete;

    [[nodiscard]] int fd() const { return m_fd; }
    /// Takes the requests that came; those for the file are kept unanswered while `frozen`.
    void serve(bool frozen);
    [[nodiscard]] std::size_t waiting() const { return m_waiting.size(); }

private:
    void take(const char *request, bool frozen);
    void reply(std::uint64_t unique, int error, const void *body = nullptr, std::size_t size = 0) const;

    int m_fd;
    std::vector<std::uint64_t> m_waiting; ///< the kernel's numbers of the requests
};

} // namespace pilothouse::sim
