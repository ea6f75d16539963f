// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Listening sockets of /proc/net/tcp and /proc/net/tcp6 (one text may hold both). Pure, any thread.

#include <QByteArrayView>
#include <QList>
#include <QString>

namespace pilothouse {

struct ListeningSocket
{
    QString address;    ///< numeric, IPv6 shortened (RFC 5952), without brackets
    quint16 port = 0;
    qint64 uid = -1;
    quint64 inode = 0;

    friend bool operator==(const ListeningSocket &, const ListeningSocket &) = default;
};

/// Only state 0A; other lines and headers are passed over. Addresses are read as a little-endian host writes them.
[[nodiscard]] QList<ListeningSocket> parseListening(QByteArrayView text);

} // namespace pilothouse
