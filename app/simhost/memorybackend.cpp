// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "memorybackend.h"

#include "probeanswer.h"

namespace pilothouse {

using namespace Qt::StringLiterals;

MemoryBackend::MemoryBackend(const QString &name, int processes, MemoryState state)
    : m_host(std::make_shared<const MemoryHost>(name.toStdString(), processes, state))
{
}

Result<StartedCommand> MemoryBackend::start(const std::string &, const std::string &command,
                                            const TerminalSize *terminal) const
{
    if (terminal || (command != "exec /bin/sh" && command != "/bin/sh" && command != "sh"))
        return fail(ErrorCode::ChannelRefused, u"A host in memory runs no commands."_s);
    return StartedCommand{std::nullopt, std::make_unique<ProbeShell>(m_host)};
}

Result<SessionPipes> MemoryBackend::connectTo(const std::string &, int) const
{
    return fail(ErrorCode::ConnectRefused, u"A host in memory forwards nothing."_s);
}

bool MemoryBackend::knowsUser(const std::string &) const { return true; }

} // namespace pilothouse
