// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The known_hosts files of one connection: which key types to ask for, what to make of the key that came, and keeping
// an accepted one. Reads and writes small local files. Session's thread; a plain value.

#include "core/ssh/connectionsettings.h"
#include "core/ssh/knownhosts.h"
#include "core/ssh/question.h"
#include "core/ssh/resolvedhost.h"

#include <variant>

namespace pilothouse {

class HostKeyCheck final
{
public:
    /// --known-hosts replaces all files of the configuration.
    HostKeyCheck(const ConnectionSettings &settings, const ResolvedHost &host);

    /// Errors: LocalIo.
    [[nodiscard]] Result<void> load();
    /// Comma separated, the known types first; empty: let the library choose.
    [[nodiscard]] QString algorithms() const;

    struct Accepted
    {
    };
    struct AcceptedNew ///< by --accept-new-host-key: store() it
    {
    };
    using Verdict = std::variant<Accepted, AcceptedNew, Question, Error>;
    [[nodiscard]] Verdict judge(const QByteArray &blob, const QString &display);
    /// Appends the judged key to the first of the person's files. Errors: LocalIo.
    [[nodiscard]] Result<void> store() const;

private:
    QStringList m_paths;
    QString m_store;
    QList<KnownHostsFile> m_files;
    KnownHostsName m_name;
    QString m_allowed;
    bool m_hashed = false;
    bool m_acceptNew = false;
    bool m_askPerson = true; ///< and the configuration lets a person decide
    std::optional<HostKey> m_key;
};

} // namespace pilothouse
