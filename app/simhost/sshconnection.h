// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// One accepted SSH connection to a simulated host, in a thread of its own from key exchange to end. Owned by the
// server; stop() may be called from any thread.

#include "backend.h"
#include "sshchannelpump.h"

#include <libssh/server.h>

#include <atomic>
#include <thread>

namespace pilothouse {

struct ServerLimits
{
    int maxSessions = 10;   ///< session channels a connection, as sshd's MaxSessions
};

class SshConnection
{
public:
    /// Takes the session over. `backend` and `userKey` outlive the connection.
    SshConnection(ssh_session session, const HostBackend &backend, ssh_key userKey, ServerLimits limits);
    ~SshConnection();
    SshConnection(const SshConnection &) = delete;
    SshConnection &operator=(const SshConnection &) = delete;

    void stop();
    [[nodiscard]] bool isOver() const { return m_over; }

private:
    void run();
    void serve(ssh_event event);
    void waitForBytes();
    int authenticate(const std::string &user, ssh_key key, char state);
    ssh_channel openSession();
    int openForward(ssh_message message);
    [[nodiscard]] int sessionCount() const;

    ssh_session m_session;
    const HostBackend &m_backend;
    ssh_key m_userKey;
    ServerLimits m_limits;
    ssh_server_callbacks_struct m_callbacks = {};
    std::string m_user;
    bool m_signedIn = false;
    std::vector<std::unique_ptr<SshChannelPump>> m_channels;
    int m_wake = -1;
    std::atomic<bool> m_stop = false;
    std::atomic<bool> m_over = false;
    std::thread m_thread;
};

} // namespace pilothouse
