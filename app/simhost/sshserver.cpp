// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "sshserver.h"

#include <QFile>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

namespace pilothouse {

using namespace Qt::StringLiterals;

Result<std::unique_ptr<SshServer>> SshServer::make(const QString &address, ssh_key userKey,
                                                   ServerLimits limits)
{
    in_addr parsed = {};
    if (inet_pton(AF_INET, address.toLatin1().constData(), &parsed) != 1
        || (ntohl(parsed.s_addr) >> 24) != 127) {
        return fail(ErrorCode::Usage,
                    u"Simulated hosts listen on this machine's loopback only (127.0.0.0/8), not on %1."_s.arg(
                        address));
    }
    return std::unique_ptr<SshServer>(new SshServer(ntohl(parsed.s_addr), userKey, limits));
}

SshServer::SshServer(std::uint32_t address, ssh_key userKey, ServerLimits limits)
    : m_address(address)
    , m_userKey(userKey)
    , m_limits(limits)
    , m_wake(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK))
{
}

SshServer::~SshServer()
{
    const std::uint64_t one = 1;
    if (m_thread.joinable() && write(m_wake, &one, sizeof one) == sizeof one)
        m_thread.join();
    for (const auto &connection : m_connections)
        connection->stop();
    m_connections.clear();
    for (const Listener &listener : m_listeners) {
        ssh_bind_free(listener.bind);
        close(listener.fd);
    }
    close(m_wake);
}

Result<int> SshServer::addHost(const HostBackend &backend, const QString &hostKeyFile)
{
    Listener listener;
    listener.backend = &backend;
    listener.bind = ssh_bind_new();
    const bool no = false;
    ssh_bind_options_set(listener.bind, SSH_BIND_OPTIONS_PROCESS_CONFIG, &no);
    if (ssh_bind_options_set(listener.bind, SSH_BIND_OPTIONS_HOSTKEY, QFile::encodeName(hostKeyFile).constData())
        != SSH_OK) {
        ssh_bind_free(listener.bind);
        return fail(ErrorCode::LocalIo, u"The host key %1 cannot be used."_s.arg(hostKeyFile));
    }
    listener.fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(m_address);
    socklen_t length = sizeof address;
    if (bind(listener.fd, reinterpret_cast<sockaddr *>(&address), sizeof address) != 0
        || listen(listener.fd, 64) != 0
        || getsockname(listener.fd, reinterpret_cast<sockaddr *>(&address), &length) != 0) {
        ssh_bind_free(listener.bind);
        close(listener.fd);
        return fail(ErrorCode::LocalIo, u"No port can be opened on the loopback."_s);
    }
    m_listeners.push_back(listener);
    return int(ntohs(address.sin_port));
}

void SshServer::start()
{
    m_thread = std::thread([this] { acceptLoop(); });
}

void SshServer::acceptLoop()
{
    std::vector<pollfd> waits = {{m_wake, POLLIN, 0}};
    for (const Listener &listener : m_listeners)
        waits.push_back({listener.fd, POLLIN, 0});
    while (poll(waits.data(), waits.size(), -1) >= 0 && waits.front().revents == 0) {
        for (std::size_t i = 0; i < m_listeners.size(); ++i) {
            if (waits[i + 1].revents != 0)
                acceptOne(m_listeners[i]);
        }
        std::erase_if(m_connections, [](const auto &connection) { return connection->isOver(); });
    }
}

void SshServer::acceptOne(const Listener &listener)
{
    const int fd = accept4(listener.fd, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0)
        return;
    const int yes = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    const ssh_session session = ssh_new();
    const bool no = false;
    ssh_options_set(session, SSH_OPTIONS_PROCESS_CONFIG, &no);
    if (ssh_bind_accept_fd(listener.bind, session, fd) != SSH_OK) {
        close(fd);
        ssh_free(session);
        return;
    }
    m_connections.push_back(
        std::make_unique<SshConnection>(session, *listener.backend, m_userKey, m_limits));
}

} // namespace pilothouse
