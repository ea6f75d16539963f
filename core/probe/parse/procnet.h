// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Sockets of /proc/net/tcp and /proc/net/tcp6 (one text may hold both). Addresses are read as a little-endian host writes
// them. Pure, any thread.

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

/// Only state 0A; other lines and headers are passed over.
[[nodiscard]] QList<ListeningSocket> parseListening(QByteArrayView text);

struct SocketEnd
{
    QString address; ///< as above; IPv4 inside IPv6 is IPv4
    quint16 port = 0;

    friend bool operator==(const SocketEnd &, const SocketEnd &) = default;
};

struct EstablishedTcp
{
    SocketEnd local;
    SocketEnd remote;
    quint64 inode = 0;

    friend bool operator==(const EstablishedTcp &, const EstablishedTcp &) = default;
};

/// Only state 01, established.
[[nodiscard]] QList<EstablishedTcp> parseConnections(QByteArrayView text);

/// "10.0.0.9:5001", "[2001:db8::1]:5001".
[[nodiscard]] QString textOf(const SocketEnd &end);
[[nodiscard]] bool isLoopback(const SocketEnd &end);

} // namespace pilothouse
