// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// A host that really runs, behind the channels. Made in the main thread, used by connection threads.

#include "backend.h"

#include <set>

namespace pilothouse {

class NamespaceBackend final : public HostBackend
{
public:
    NamespaceBackend(SimulatedHost host, std::set<std::string> users);
    [[nodiscard]] Result<StartedCommand> start(const std::string &user, const std::string &command,
                                               const TerminalSize *terminal) const override;
    [[nodiscard]] Result<SessionPipes> connectTo(const std::string &address, int port) const override;
    [[nodiscard]] bool knowsUser(const std::string &user) const override;
    void beginEnd() override { m_host.beginEnd(); }

private:
    SimulatedHost m_host;
    std::set<std::string> m_users;
};

} // namespace pilothouse
