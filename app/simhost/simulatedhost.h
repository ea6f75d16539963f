// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// One simulated host that really runs: the sim-boot process with its namespaces, and the socket through which sessions
// are started in it. Made and ended in the main thread (the host dies with the thread that started it); sessions may be
// started from any thread.

#include "core/base/result.h"

#include <QString>

#include <array>
#include <string>
#include <sys/types.h>
#include <vector>

namespace pilothouse {

/// Descriptors of a started session, owned by who asked: in is written, the others are read. -1: closed or not there.
struct SessionPipes
{
    int in = -1;
    int out = -1;
    int err = -1;
    int status = -1; ///< one short text: "exit 0", "signal 9", "open", "refused"

    void closeAll();
};

struct TerminalSize
{
    int columns = 80;
    int rows = 24;
};

class SimulatedHost
{
public:
    /// `folder` as in tools/README.md. Waits until the host is up (milliseconds). LocalIo with the reason when this
    /// machine does not allow it.
    [[nodiscard]] static Result<SimulatedHost> boot(const QString &toolsPath, const QString &folder,
                                                    const QString &name);
    SimulatedHost(SimulatedHost &&other) noexcept;
    SimulatedHost &operator=(SimulatedHost &&other) noexcept;
    /// Ends the host with all its processes, and waits until they are gone.
    ~SimulatedHost();

    void beginEnd() const;

    /// The user's login shell with -c; an empty command is an interactive one. Runs on a terminal if one is asked for:
    /// then `in` and `out` are the same descriptor and `err` is -1.
    [[nodiscard]] Result<SessionPipes> startSession(const std::string &user, const std::string &command,
                                                    const TerminalSize *terminal) const;
    /// A TCP connection from inside the host.
    [[nodiscard]] Result<SessionPipes> connectTo(const std::string &address, int port) const;

private:
    SimulatedHost(pid_t pid, int control);
    [[nodiscard]] bool send(const std::vector<std::string> &words, const std::array<int, 4> &fds) const;

    pid_t m_pid = 0;
    int m_control = -1;
};

} // namespace pilothouse
