// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What stands behind the channels of a host: a real shell in namespaces, or answers from memory. The connection's
// thread calls it.

#include "core/base/result.h"
#include "simulatedhost.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace pilothouse {

/// A shell that lives in this process: bytes in, bytes out.
class MemoryShell
{
public:
    virtual ~MemoryShell() = default;
    /// What comes back for `input`; an exit status once the shell ends.
    [[nodiscard]] virtual std::string feed(std::string_view input) = 0;
    [[nodiscard]] virtual std::optional<int> exitStatus() const = 0;
};

/// Exactly one of the two is set.
struct StartedCommand
{
    std::optional<SessionPipes> pipes;
    std::unique_ptr<MemoryShell> memory;
};

class HostBackend
{
public:
    virtual ~HostBackend() = default;
    /// Any thread.
    [[nodiscard]] virtual Result<StartedCommand> start(const std::string &user, const std::string &command,
                                                       const TerminalSize *terminal) const = 0;
    [[nodiscard]] virtual Result<SessionPipes> connectTo(const std::string &address, int port) const = 0;
    [[nodiscard]] virtual bool knowsUser(const std::string &user) const = 0;
    /// Main thread: the host shall end; destroying it waits until it has.
    virtual void beginEnd() { }
};

} // namespace pilothouse
