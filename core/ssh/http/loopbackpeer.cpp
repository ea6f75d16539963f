// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ssh/http/loopbackpeer.h"

#include <QByteArray>
#include <QFile>
#include <QList>

#include <netinet/in.h>
#include <sys/socket.h>

namespace pilothouse {

namespace {

/// As the kernel prints it: the address as one number of this machine's byte order.
QByteArray endOf(const sockaddr_in &address)
{
    return QString::asprintf("%08X:%04X", address.sin_addr.s_addr, unsigned(ntohs(address.sin_port))).toLatin1();
}

} // namespace

std::optional<uid_t> ownerInTable(QByteArrayView table, QByteArrayView local, QByteArrayView remote)
{
    for (const QByteArray &line : table.toByteArray().split('\n')) {
        // sl local remote state queues timer retransmits uid
        const QList<QByteArray> words = line.simplified().split(' ');
        if (words.size() < 8 || words.at(1) != local || words.at(2) != remote)
            continue;
        bool isNumber = false;
        const uint uid = words.at(7).toUInt(&isNumber);
        return isNumber ? std::optional<uid_t>(uid) : std::nullopt;
    }
    return std::nullopt;
}

std::optional<uid_t> ownerOfPeer(int fd)
{
    sockaddr_in here = {};
    sockaddr_in there = {};
    socklen_t length = sizeof here;
    if (::getsockname(fd, reinterpret_cast<sockaddr *>(&here), &length) != 0 || here.sin_family != AF_INET)
        return std::nullopt;
    length = sizeof there;
    if (::getpeername(fd, reinterpret_cast<sockaddr *>(&there), &length) != 0)
        return std::nullopt;
    QFile table(QStringLiteral("/proc/self/net/tcp"));
    if (!table.open(QIODevice::ReadOnly))
        return std::nullopt;
    return ownerInTable(table.readAll(), endOf(there), endOf(here)); // the peer's own row
}

} // namespace pilothouse
