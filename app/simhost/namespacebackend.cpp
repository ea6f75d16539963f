// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "namespacebackend.h"

namespace pilothouse {

NamespaceBackend::NamespaceBackend(SimulatedHost host, std::set<std::string> users)
    : m_host(std::move(host))
    , m_users(std::move(users))
{
}

Result<StartedCommand> NamespaceBackend::start(const std::string &user, const std::string &command,
                                               const TerminalSize *terminal) const
{
    auto pipes = m_host.startSession(user, command, terminal);
    if (!pipes)
        return fail(pipes.error());
    return StartedCommand{*pipes, nullptr};
}

Result<SessionPipes> NamespaceBackend::connectTo(const std::string &address, int port) const
{
    return m_host.connectTo(address, port);
}

bool NamespaceBackend::knowsUser(const std::string &user) const { return m_users.contains(user); }

} // namespace pilothouse
