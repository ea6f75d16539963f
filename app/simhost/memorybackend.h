// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// A host that exists in memory alone, for scale: it speaks the protocol of resources/probe with answers of true size,
// runs no shell and no process. Made in the main thread, used by connection threads.

#include "backend.h"
#include "memoryhost.h"

#include <QString>

namespace pilothouse {

class MemoryBackend final : public HostBackend
{
public:
    MemoryBackend(const QString &name, int processes, MemoryState state);
    [[nodiscard]] Result<StartedCommand> start(const std::string &user, const std::string &command,
                                               const TerminalSize *terminal) const override;
    [[nodiscard]] Result<SessionPipes> connectTo(const std::string &address, int port) const override;
    [[nodiscard]] bool knowsUser(const std::string &user) const override;

private:
    std::shared_ptr<const MemoryHost> m_host; ///< shared by the shells, read only
};

} // namespace pilothouse
