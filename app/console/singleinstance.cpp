// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/console/singleinstance.h"

#include "core/base/cleantext.h"

#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QLocalServer>
#include <QLocalSocket>

#include <cerrno>
#include <cstring>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype longestTarget = 1024;

/// In the state directory; a directory too long for a socket's name gets one in the runtime directory, by its hash.
QString socketPath(const QString &stateDir)
{
    const QString path = stateDir + u"/console.socket"_s;
    if (QFile::encodeName(path).size() < static_cast<qsizetype>(sizeof(sockaddr_un::sun_path)))
        return path;
    const QByteArray hash = QCryptographicHash::hash(stateDir.toUtf8(), QCryptographicHash::Sha256).toHex().left(16);
    const QString runtime = qEnvironmentVariable("XDG_RUNTIME_DIR", QDir::tempPath());
    return runtime + u"/pilothouse-"_s + QString::fromLatin1(hash) + u".socket"_s;
}

class Descriptor final
{
public:
    explicit Descriptor(int fd)
        : m_fd(fd)
    {
    }
    ~Descriptor()
    {
        if (m_fd >= 0)
            ::close(m_fd);
    }
    Descriptor(const Descriptor &) = delete;
    Descriptor &operator=(const Descriptor &) = delete;
    [[nodiscard]] int get() const { return m_fd; }

private:
    int m_fd;
};

} // namespace

SingleInstance::SingleInstance(const QString &stateDir, QObject *parent)
    : QObject(parent)
    , m_stateDir(stateDir)
    , m_socket(socketPath(stateDir))
    , m_server(new QLocalServer(this))
{
    connect(m_server, &QLocalServer::newConnection, this, &SingleInstance::onConnection);
}

SingleInstance::~SingleInstance() = default;

Result<bool> SingleInstance::claim()
{
    if (!QDir().mkpath(m_stateDir))
        return fail(ErrorCode::LocalIo, u"The folder %1 cannot be made."_s.arg(m_stateDir));
    QFile::setPermissions(m_stateDir, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    m_lock = std::make_unique<QLockFile>(m_stateDir + u"/console.lock"_s);
    m_lock->setStaleLockTime(0); // only a dead owner makes it stale
    if (!m_lock->tryLock(0)) {
        if (m_lock->error() == QLockFile::LockFailedError)
            return false;
        return fail(ErrorCode::LocalIo, u"%1/console.lock cannot be written."_s.arg(m_stateDir));
    }
    QLocalServer::removeServer(m_socket); // of one that did not end well: its lock was free
    m_server->setSocketOptions(QLocalServer::UserAccessOption);
    if (!m_server->listen(m_socket))
        return fail(ErrorCode::LocalIo, u"%1: %2."_s.arg(m_socket, m_server->errorString()));
    return true;
}

Result<void> SingleInstance::handOver(const QString &target) const
{
    // A local socket connects at once or not at all, so that nothing waits here.
    const Descriptor fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const QByteArray path = QFile::encodeName(m_socket);
    std::memcpy(address.sun_path, path.constData(),
                std::min(static_cast<std::size_t>(path.size()), sizeof(address.sun_path) - 1));
    const QByteArray line = target.toUtf8().left(longestTarget).replace('\n', ' ') + '\n';
    const auto *generic = static_cast<const sockaddr *>(static_cast<const void *>(&address));
    if (fd.get() < 0 || ::connect(fd.get(), generic, sizeof address) != 0
        || ::send(fd.get(), line.constData(), static_cast<std::size_t>(line.size()), MSG_NOSIGNAL) != line.size()) {
        return fail(ErrorCode::LocalIo,
                    u"Another console runs on %1, but does not answer: %2."_s.arg(
                        m_stateDir, QString::fromLocal8Bit(std::strerror(errno))));
    }
    return {};
}

void SingleInstance::onConnection()
{
    while (QLocalSocket *socket = m_server->nextPendingConnection()) {
        connect(socket, &QLocalSocket::disconnected, socket, &QObject::deleteLater);
        connect(socket, &QLocalSocket::readyRead, this, [this, socket] {
            if (!socket->canReadLine() && socket->bytesAvailable() <= longestTarget)
                return;
            const QByteArray line = socket->readLine(longestTarget + 1).trimmed();
            socket->close();
            emit raised(cleanLine(line, longestTarget));
        });
    }
}

} // namespace pilothouse
