// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The few plain socket calls that Qt does not offer. Linux. Any thread.

#include "core/base/result.h"

#include <QHostAddress>

#include <chrono>

#include <netinet/in.h>
#include <sys/socket.h>

namespace pilothouse {

struct SocketAddress
{
    sockaddr_storage storage{};
    socklen_t length = 0;
    [[nodiscard]] const sockaddr *data() const;
};
[[nodiscard]] SocketAddress socketAddress(const QHostAddress &address, quint16 port);

/// The system's words for an error number, in lower case: "connection refused".
[[nodiscard]] QString errnoText(int error);

/// No delay, keepalive by the kernel, and TCP_USER_TIMEOUT. Errors: LocalIo.
[[nodiscard]] Result<void> prepareSocket(int fd, std::chrono::milliseconds userTimeout);
/// Errors: LocalIo (no such interface, no right).
[[nodiscard]] Result<void> bindToInterface(int fd, const QString &name);
/// Errors: SshConfigInvalid (no literal address of that family), LocalIo (not an address of this machine).
[[nodiscard]] Result<void> bindToAddress(int fd, const QString &address, bool v6);

void setNonBlocking(int fd);

/// Which open file a descriptor stands for: libssh may or may not have closed the number that we gave it, and by then
/// another thread may own it.
class DescriptorGuard final
{
public:
    DescriptorGuard() = default;
    explicit DescriptorGuard(int fd);
    [[nodiscard]] int fd() const { return m_fd; }
    /// Closes the descriptor if it is still the same file; then, and otherwise, forgets it.
    void closeIfSame();

private:
    int m_fd = -1;
    quint64 m_device = 0;
    quint64 m_inode = 0;
};

} // namespace pilothouse
