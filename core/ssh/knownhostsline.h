// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// One line of a known_hosts file, split but not copied: it refers to the bytes it was made from.
// Pure, any thread.

#include "core/ssh/knownhosts.h"

#include <QByteArrayView>

namespace pilothouse {

struct KnownHostsLine
{
    enum class Kind { Empty, Invalid, Entry };
    enum class Marker { None, CertAuthority, Revoked };

    Kind kind = Kind::Empty;
    Marker marker = Marker::None;
    QByteArrayView names;
    QByteArrayView keyType;
    QByteArrayView keyText; ///< base64

    /// `line` without its line feed.
    [[nodiscard]] static KnownHostsLine split(QByteArrayView line);
    /// `name` as KnownHostsName::text gives it.
    [[nodiscard]] bool matches(const QString &name) const;
    /// Decoded; empty when it is no key, or of another type than the line says.
    [[nodiscard]] std::optional<HostKey> key() const;
};

/// OpenSSH's pattern list: comma separated, * and ?, a matching !pattern excludes. `name` in lower
/// case.
[[nodiscard]] bool matchesPatternList(QByteArrayView name, QByteArrayView patterns);

/// "|1|salt|hash" of a name.
[[nodiscard]] QByteArray hashedName(const QByteArray &name, const QByteArray &salt);

} // namespace pilothouse
