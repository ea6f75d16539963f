// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// From a host name to a connected TCP socket: asynchronous look-up, the addresses in turn (the next one starts when
// one fails or stays silent for a moment, the first to connect wins), all under one deadline. Lives in the session's
// thread; owned by the session; destroying it stops everything and closes what is open.

#include "core/base/result.h"

#include <QHostAddress>
#include <QHostInfo>
#include <QObject>
#include <QSocketNotifier>
#include <QTimer>

#include <chrono>
#include <functional>
#include <memory>
#include <vector>

namespace pilothouse {

struct Destination
{
    QString hostName; ///< or a literal address
    QList<QHostAddress> addresses; ///< known already: the name is not looked up
    quint16 port = 22;
    QString addressFamily; ///< any, inet, inet6; empty: any
    QString bindAddress;
    QString bindInterface;
    std::chrono::milliseconds deadline{10'000};
    std::chrono::milliseconds userTimeout{45'000}; ///< TCP_USER_TIMEOUT: unacknowledged for so long is dead
};

struct Connection
{
    int fd = -1; ///< non-blocking, close-on-exec, no delay; the receiver owns it
    QString address; ///< without port, IPv6 without brackets
};

class SshConnector final : public QObject
{
    Q_OBJECT
public:
    using Words = std::function<void(const QString &)>;
    using Done = std::function<void(Result<Connection>)>;

    explicit SshConnector(QObject *parent = nullptr);
    ~SshConnector() override;

    /// Once. `words` say what is tried now; `done` is called exactly once, never from inside start().
    /// Errors: NameNotResolved, ConnectRefused, Unreachable, ConnectTimeout, LocalIo, SshConfigInvalid (bind address).
    void start(const Destination &destination, Words words, Done done);

    /// Silence after which the next address is tried as well.
    static constexpr std::chrono::milliseconds nextAddressAfter{700};

private slots:
    void lookedUp(const QHostInfo &info);

private:
    struct Attempt;
    struct Failure
    {
        QString address;
        int error;
    };

    void useAddresses(const QList<QHostAddress> &addresses);
    void startNext();
    [[nodiscard]] Result<int> openSocket(const QHostAddress &address) const;
    void attemptReady(Attempt *attempt);
    void attemptFailed(const QString &address, int error);
    void finish(Result<Connection> result);
    [[nodiscard]] Error summary(bool timedOut) const;

    Destination m_destination;
    Words m_words;
    Done m_done;
    QTimer m_deadline;
    QTimer m_stagger;
    int m_lookup = -1;
    QList<QHostAddress> m_waiting;
    std::vector<std::unique_ptr<Attempt>> m_attempts;
    QList<Failure> m_failures;
};

} // namespace pilothouse
