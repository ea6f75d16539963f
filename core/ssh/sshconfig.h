// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Reads what `ssh -G` prints, and decides what of it keeps us from connecting. Pure, any thread.
// Running ssh is the business of SshConfigResolver.

#include "core/base/result.h"
#include "core/ssh/resolvedhost.h"

#include <QByteArrayView>
#include <QHash>

namespace pilothouse {

/// Who we are on this machine, for ~, %-tokens and ${…} in paths that ssh leaves as written.
struct LocalIdentity
{
    QString home; ///< of the password database, as ssh does; never $HOME
    QString user;
    QString uid;
    QString hostName; ///< with its domain, as gethostname says
    QHash<QString, QString> environment;

    [[nodiscard]] static LocalIdentity current();
};

/// `alias` is what ssh -G was asked for. Errors: SshConfigInvalid (no host name, user or port in
/// it, a value that cannot be, a keyword twice, a token that ssh would refuse, binary or overlong
/// output).
[[nodiscard]] Result<ResolvedHost> parseSshConfig(QByteArrayView output, const QString &alias,
                                                  const LocalIdentity &self);

/// SshConfigRefused with the keyword and its value where the configuration asks for something that
/// we do not honour and that makes the connection go elsewhere or be checked less: KnownHostsCommand, ….
[[nodiscard]] Result<void> checkSshConfig(const ResolvedHost &host);

/// What we do with a keyword of `ssh -G`. The reasons stand in README.md, one row a keyword.
enum class SshKeywordPolicy {
    Honoured,
    Refused, ///< unless it has its default or "none"
    Harmless, ///< not honoured; can only make us do less than ssh, or check more
    Unknown, ///< newer than this table
};
/// `keyword` in lower case.
[[nodiscard]] SshKeywordPolicy policyOf(QStringView keyword);
[[nodiscard]] QStringList keywordsWith(SshKeywordPolicy policy);

} // namespace pilothouse
