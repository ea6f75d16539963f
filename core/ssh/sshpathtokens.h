// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Expands ~, %-tokens and ${NAME} in the paths that `ssh -G` leaves as written in the
// configuration, as ssh does when it opens them. Plain values, any thread; refers to what it was
// made from.

#include "core/base/result.h"
#include "core/ssh/sshconfig.h"

namespace pilothouse {

class SshPathTokens final
{
public:
    /// `host` has its names, user, port and HostKeyAlias already.
    SshPathTokens(const ResolvedHost &host, const LocalIdentity &self);

    /// Errors: SshConfigInvalid with the reason alone (a token that ssh does not know, an unset
    /// variable).
    [[nodiscard]] Result<QString> expanded(const QString &written) const;
    /// Only ~ and ~/ at the beginning.
    [[nodiscard]] QString withHome(const QString &path) const;
    /// IdentityAgent: empty for SSH_AUTH_SOCK, "none", or a path; $NAME names a variable.
    [[nodiscard]] QString agentSocket(const QString &value) const;

private:
    [[nodiscard]] std::optional<QString> token(QChar letter) const;

    const ResolvedHost &m_host;
    const LocalIdentity &m_self;
};

} // namespace pilothouse
