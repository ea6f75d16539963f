// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The SSH side of all simulated hosts: a loopback port each, one thread that accepts, one thread a connection. Made and
// destroyed in the main thread.

#include "sshconnection.h"

#include <QString>

#include <list>
#include <vector>

namespace pilothouse {

class SshServer
{
public:
    /// `address` is 127.x.y.z: anything else is refused (Usage), so that nobody outside this machine can ever connect.
    [[nodiscard]] static Result<std::unique_ptr<SshServer>> make(const QString &address, ssh_key userKey,
                                                                 ServerLimits limits);
    ~SshServer();
    SshServer(const SshServer &) = delete;
    SshServer &operator=(const SshServer &) = delete;

    /// Opens a port for one host and answers its number. `backend` outlives the server. Before start().
    [[nodiscard]] Result<int> addHost(const HostBackend &backend, const QString &hostKeyFile);
    void start();

private:
    struct Listener
    {
        int fd = -1;
        ssh_bind bind = nullptr;
        const HostBackend *backend = nullptr;
    };
    SshServer(std::uint32_t address, ssh_key userKey, ServerLimits limits);
    void acceptLoop();
    void acceptOne(const Listener &listener);

    std::uint32_t m_address; ///< host byte order
    ssh_key m_userKey;
    ServerLimits m_limits;
    std::vector<Listener> m_listeners;
    std::list<std::unique_ptr<SshConnection>> m_connections;
    int m_wake = -1;
    std::thread m_thread;
};

} // namespace pilothouse
