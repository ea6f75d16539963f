// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ssh/sshconnector.h"

#include "core/base/cleantext.h"
#include "core/ssh/socketoptions.h"

#include <algorithm>
#include <cerrno>

#include <sys/socket.h>
#include <unistd.h>

namespace pilothouse {

using namespace Qt::StringLiterals;

struct SshConnector::Attempt
{
    QString address;
    int fd = -1;
    std::unique_ptr<QSocketNotifier> notifier;

    ~Attempt()
    {
        notifier.reset();
        if (fd >= 0)
            ::close(fd);
    }
};

namespace {

ErrorCode codeOf(int error)
{
    switch (error) {
    case ECONNREFUSED:
    case ECONNRESET:
        return ErrorCode::ConnectRefused;
    case ETIMEDOUT:
        return ErrorCode::ConnectTimeout;
    case EMFILE:
    case ENFILE:
    case ENOBUFS:
    case ENOMEM:
        return ErrorCode::LocalIo;
    default:
        return ErrorCode::Unreachable;
    }
}

bool isWanted(const QHostAddress &address, const QString &family, const QString &bindAddress)
{
    QHostAddress from;
    if (from.setAddress(bindAddress) && from.protocol() != address.protocol())
        return false;
    if (family == "inet"_L1)
        return address.protocol() == QAbstractSocket::IPv4Protocol;
    if (family == "inet6"_L1)
        return address.protocol() == QAbstractSocket::IPv6Protocol;
    return true;
}

} // namespace

SshConnector::SshConnector(QObject *parent)
    : QObject(parent)
{
    m_deadline.setSingleShot(true);
    m_stagger.setSingleShot(true);
    m_stagger.setInterval(nextAddressAfter);
    connect(&m_deadline, &QTimer::timeout, this, [this] { finish(fail(summary(true))); });
    connect(&m_stagger, &QTimer::timeout, this, &SshConnector::startNext);
}

SshConnector::~SshConnector()
{
    if (m_lookup >= 0)
        QHostInfo::abortHostLookup(m_lookup);
}

void SshConnector::start(const Destination &destination, Words words, Done done)
{
    m_destination = destination;
    m_words = std::move(words);
    m_done = std::move(done);
    m_deadline.start(destination.deadline);

    if (!destination.addresses.isEmpty()) {
        QMetaObject::invokeMethod(this, [this] { useAddresses(m_destination.addresses); }, Qt::QueuedConnection);
        return;
    }
    // A literal goes no way through the resolver, which would ask for its name.
    QString literal = destination.hostName;
    if (literal.startsWith(u'[') && literal.endsWith(u']'))
        literal = literal.mid(1, literal.size() - 2);
    QHostAddress address;
    if (address.setAddress(literal)) {
        QMetaObject::invokeMethod(this, [this, address] { useAddresses({address}); }, Qt::QueuedConnection);
        return;
    }
    m_words(u"looking up "_s + cleanLine(destination.hostName));
    // By name and not by pointer: in Qt 6.4 two threads release the slot object of the other overload, and now and then
    // the second one writes to freed memory (seen as an abort when the thread ends).
    m_lookup = QHostInfo::lookupHost(destination.hostName, this, SLOT(lookedUp(QHostInfo)));
}

void SshConnector::lookedUp(const QHostInfo &info)
{
    m_lookup = -1;
    if (info.error() != QHostInfo::NoError || info.addresses().isEmpty()) {
        const QString why = info.error() == QHostInfo::HostNotFound || info.error() == QHostInfo::NoError
            ? u"no address is known"_s
            : cleanLine(info.errorString());
        finish(fail(ErrorCode::NameNotResolved, u"%1: %2."_s.arg(cleanLine(m_destination.hostName), why)));
        return;
    }
    useAddresses(info.addresses());
}

void SshConnector::useAddresses(const QList<QHostAddress> &addresses)
{
    std::copy_if(addresses.begin(), addresses.end(), std::back_inserter(m_waiting),
                 [this](const QHostAddress &address) {
                     return isWanted(address, m_destination.addressFamily, m_destination.bindAddress);
                 });
    if (m_waiting.isEmpty()) {
        finish(fail(ErrorCode::NameNotResolved,
                    u"%1 has no address of the family that the configuration asks for (AddressFamily, BindAddress)."_s
                        .arg(cleanLine(m_destination.hostName))));
        return;
    }
    startNext();
}

Result<int> SshConnector::openSocket(const QHostAddress &address) const
{
    const bool v6 = address.protocol() == QAbstractSocket::IPv6Protocol;
    const int fd = ::socket(v6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return fail(ErrorCode::LocalIo, u"No socket: %1."_s.arg(errnoText(errno)));
    Result<void> done = prepareSocket(fd, m_destination.userTimeout);
    if (done && !m_destination.bindInterface.isEmpty())
        done = bindToInterface(fd, m_destination.bindInterface);
    if (done && !m_destination.bindAddress.isEmpty())
        done = bindToAddress(fd, m_destination.bindAddress, v6);
    if (!done) {
        ::close(fd);
        return fail(done.error());
    }
    return fd;
}

void SshConnector::startNext()
{
    if (m_waiting.isEmpty())
        return;
    const QHostAddress address = m_waiting.takeFirst();
    const QString text = address.toString();
    m_words(u"connecting to "_s + text);

    const Result<int> fd = openSocket(address);
    if (!fd) {
        finish(fail(fd.error()));
        return;
    }
    auto attempt = std::make_unique<Attempt>();
    attempt->address = text;
    attempt->fd = *fd;
    const SocketAddress where = socketAddress(address, m_destination.port);
    if (::connect(*fd, where.data(), where.length) != 0 && errno != EINPROGRESS) {
        const int error = errno;
        attempt.reset();
        attemptFailed(text, error);
        return;
    }
    attempt->notifier = std::make_unique<QSocketNotifier>(*fd, QSocketNotifier::Write);
    connect(attempt->notifier.get(), &QSocketNotifier::activated, this,
            [this, raw = attempt.get()] { attemptReady(raw); });
    m_attempts.push_back(std::move(attempt));
    if (!m_waiting.isEmpty())
        m_stagger.start();
}

void SshConnector::attemptReady(Attempt *attempt)
{
    const auto found = std::find_if(m_attempts.begin(), m_attempts.end(),
                                    [&](const auto &each) { return each.get() == attempt; });
    if (found == m_attempts.end())
        return;
    attempt->notifier->setEnabled(false);
    int error = 0;
    socklen_t length = sizeof error;
    if (::getsockopt(attempt->fd, SOL_SOCKET, SO_ERROR, &error, &length) != 0)
        error = errno;
    if (error == 0) {
        finish(Connection{std::exchange(attempt->fd, -1), attempt->address});
        return;
    }
    // The notifier is on the stack above us: it goes when the event is done.
    attempt->notifier.release()->deleteLater();
    const QString address = attempt->address;
    m_attempts.erase(found);
    attemptFailed(address, error);
}

void SshConnector::attemptFailed(const QString &address, int error)
{
    m_failures.append({address, error});
    if (!m_waiting.isEmpty()) {
        m_stagger.stop();
        // Not from here: a long list of addresses that fail at once would recurse.
        QMetaObject::invokeMethod(this, &SshConnector::startNext, Qt::QueuedConnection);
    } else if (m_attempts.empty()) {
        finish(fail(summary(false)));
    }
}

Error SshConnector::summary(bool timedOut) const
{
    QStringList parts;
    for (const Failure &failure : m_failures)
        parts += failure.address + u": "_s + errnoText(failure.error);
    if (!timedOut)
        return {codeOf(m_failures.constFirst().error),
                u"Port %1, %2."_s.arg(m_destination.port).arg(parts.join(u"; "_s)),
                {}};

    const QString seconds = QString::number(double(m_destination.deadline.count()) / 1000.0);
    if (m_lookup >= 0)
        return {ErrorCode::NameNotResolved,
                u"%1: the resolver gave no answer within %2 s."_s.arg(cleanLine(m_destination.hostName), seconds), {}};
    for (const auto &attempt : m_attempts)
        parts += attempt->address + u": no answer within "_s + seconds + u" s"_s;
    return {ErrorCode::ConnectTimeout, u"Port %1, %2."_s.arg(m_destination.port).arg(parts.join(u"; "_s)), {}};
}

void SshConnector::finish(Result<Connection> result)
{
    m_deadline.stop();
    m_stagger.stop();
    m_waiting.clear();
    for (auto &attempt : m_attempts) {
        if (attempt->notifier) {
            attempt->notifier->setEnabled(false);
            attempt->notifier.release()->deleteLater(); // may be on the stack above us
        }
    }
    m_attempts.clear();
    if (m_lookup >= 0)
        QHostInfo::abortHostLookup(std::exchange(m_lookup, -1));
    if (Done done = std::exchange(m_done, {}))
        done(std::move(result));
    else if (result)
        ::close(result->fd);
}

} // namespace pilothouse
