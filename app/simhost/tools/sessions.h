// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// A login session's command inside a simulated host, as sshd runs it: a process titled "sshd: root@notty" whose child
// is the login shell with -c. Process 1 alone.

#include "cgroups.h"
#include "hostfiles.h"

#include <vector>

namespace pilothouse::sim {

/// One request of the console side: words and descriptors, which are closed afterwards.
struct SessionRequest
{
    std::vector<std::string> words; ///< "exec" USER COMMAND TTY, or "connect" ADDRESS PORT
    std::vector<int> fds;           ///< in, out, err, status
};

/// Reads one request; no words at all means that the other side is gone.
[[nodiscard]] SessionRequest readRequest(int controlFd);

class Sessions
{
public:
    Sessions(Cgroups &cgroups, const HostFiles &files);
    void start(const SessionRequest &request);
    /// The host's boot script, as somebody's forgotten login.
    void startBootScript();

private:
    [[noreturn]] void runShell(const HostUser &user, int group, const SessionRequest &request) const;
    [[noreturn]] void supervise(const HostUser &user, int group, const SessionRequest &request) const;

    Cgroups &m_cgroups;
    std::vector<HostUser> m_users;
    int m_lastSession = 0;
};

} // namespace pilothouse::sim
