// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What a person types to name a host: an alias, or [user@]host[:port], IPv6 in brackets. Pure, any
// thread.

#include "core/base/result.h"

#include <QString>

#include <optional>

namespace pilothouse {

struct SshTarget
{
    QString user; ///< empty: the configuration decides
    QString host; ///< alias, name or address without brackets
    std::optional<quint16> port;

    /// user@host:port with what is known, IPv6 in brackets.
    [[nodiscard]] QString display() const;

    friend bool operator==(const SshTarget &, const SshTarget &) = default;
};

/// Errors: Usage (empty, leading dash, blanks or control characters, port out of 1–65535, unclosed
/// bracket).
[[nodiscard]] Result<SshTarget> parseTarget(QStringView text);

/// A host in words, as OpenSSH names it: "root@gpu1 ([10.0.0.5]:2222)", the alias that the person typed and what is
/// really connected to; brackets and port only where the port is not 22. "root@[10.0.0.5]:2222" where the alias is the
/// address; `user` may be empty.
[[nodiscard]] QString hostInWords(const QString &user, const QString &alias, const QString &address, quint16 port);

} // namespace pilothouse
