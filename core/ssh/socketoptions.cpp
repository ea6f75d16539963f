// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ssh/socketoptions.h"

#include "core/base/cleantext.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <net/if.h>
#include <netinet/tcp.h>
#include <sys/stat.h>
#include <unistd.h>

namespace pilothouse {

using namespace Qt::StringLiterals;

const sockaddr *SocketAddress::data() const
{
    return reinterpret_cast<const sockaddr *>(&storage);
}

SocketAddress socketAddress(const QHostAddress &address, quint16 port)
{
    SocketAddress result;
    if (address.protocol() == QAbstractSocket::IPv6Protocol) {
        sockaddr_in6 in{};
        in.sin6_family = AF_INET6;
        in.sin6_port = htons(port);
        const Q_IPV6ADDR raw = address.toIPv6Address();
        std::memcpy(&in.sin6_addr, &raw, sizeof raw);
        const QByteArray scope = address.scopeId().toLocal8Bit();
        if (!scope.isEmpty()) {
            in.sin6_scope_id = ::if_nametoindex(scope.constData());
            if (in.sin6_scope_id == 0)
                in.sin6_scope_id = scope.toUInt();
        }
        std::memcpy(&result.storage, &in, sizeof in);
        result.length = sizeof in;
    } else {
        sockaddr_in in{};
        in.sin_family = AF_INET;
        in.sin_port = htons(port);
        in.sin_addr.s_addr = htonl(address.toIPv4Address());
        std::memcpy(&result.storage, &in, sizeof in);
        result.length = sizeof in;
    }
    return result;
}

QString errnoText(int error)
{
    const char *text = ::strerrordesc_np(error); // untranslated and thread-safe, unlike strerror
    return text ? QString::fromLatin1(text).toLower() : u"error %1"_s.arg(error);
}

namespace {

bool setInt(int fd, int level, int option, int value)
{
    return ::setsockopt(fd, level, option, &value, sizeof value) == 0;
}

} // namespace

Result<void> prepareSocket(int fd, std::chrono::milliseconds userTimeout)
{
    const bool done = setInt(fd, IPPROTO_TCP, TCP_NODELAY, 1) && setInt(fd, SOL_SOCKET, SO_KEEPALIVE, 1)
        && setInt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, static_cast<int>(userTimeout.count()));
    if (!done)
        return fail(ErrorCode::LocalIo, u"A socket option cannot be set: %1."_s.arg(errnoText(errno)));
    return {};
}

Result<void> bindToInterface(int fd, const QString &name)
{
    const QByteArray device = name.toLocal8Bit();
    if (::setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, device.constData(), static_cast<socklen_t>(device.size())) != 0)
        return fail(ErrorCode::LocalIo, u"BindInterface %1: %2."_s.arg(cleanLine(name), errnoText(errno)));
    return {};
}

Result<void> bindToAddress(int fd, const QString &address, bool v6)
{
    QHostAddress parsed;
    if (!parsed.setAddress(address) || (parsed.protocol() == QAbstractSocket::IPv6Protocol) != v6)
        return fail(ErrorCode::SshConfigInvalid,
                    u"BindAddress %1 is not an %2 address."_s.arg(cleanLine(address), v6 ? u"IPv6"_s : u"IPv4"_s));
    const SocketAddress from = socketAddress(parsed, 0);
    if (::bind(fd, from.data(), from.length) != 0)
        return fail(ErrorCode::LocalIo, u"BindAddress %1: %2."_s.arg(cleanLine(address), errnoText(errno)));
    return {};
}

void setNonBlocking(int fd)
{
    const int flags = ::fcntl(fd, F_GETFL);
    if (flags >= 0 && !(flags & O_NONBLOCK))
        ::fcntl(fd, F_SETFL, flags | O_NONBLOCK);
}

DescriptorGuard::DescriptorGuard(int fd)
    : m_fd(fd)
{
    struct stat state{};
    if (::fstat(fd, &state) != 0) {
        m_fd = -1;
        return;
    }
    m_device = state.st_dev;
    m_inode = state.st_ino;
}

void DescriptorGuard::closeIfSame()
{
    const int fd = std::exchange(m_fd, -1);
    struct stat state{};
    if (fd < 0 || ::fstat(fd, &state) != 0)
        return;
    if (state.st_dev == m_device && state.st_ino == m_inode)
        ::close(fd);
}

} // namespace pilothouse
