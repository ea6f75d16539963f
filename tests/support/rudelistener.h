// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// A loopback listener that is no SSH server: silent, chatty, or gone at once. Counts who came. For tests only.

#include <QTcpServer>
#include <QTcpSocket>

namespace pilothouse::test {

class RudeListener final : public QObject
{
public:
    /// `greeting` is sent to everybody; `hangUp` closes after it.
    explicit RudeListener(QByteArray greeting = {}, bool hangUp = false)
        : m_greeting(std::move(greeting))
        , m_hangUp(hangUp)
    {
        connect(&m_server, &QTcpServer::newConnection, this, &RudeListener::greet);
        m_server.listen(QHostAddress::LocalHost);
    }

    /// From now on the greeting never ends.
    void repeat() { m_endless = true; }
    [[nodiscard]] quint16 port() const { return m_server.serverPort(); }
    [[nodiscard]] int visitors() const { return m_visitors; }

private:
    void greet()
    {
        while (QTcpSocket *peer = m_server.nextPendingConnection()) {
            ++m_visitors;
            if (m_endless)
                connect(peer, &QTcpSocket::bytesWritten, peer, [this, peer] {
                    if (peer->bytesToWrite() < m_greeting.size())
                        peer->write(m_greeting);
                });
            peer->write(m_greeting);
            if (m_hangUp)
                peer->disconnectFromHost();
        }
    }

    QTcpServer m_server;
    QByteArray m_greeting;
    bool m_hangUp;
    bool m_endless = false;
    int m_visitors = 0;
};

} // namespace pilothouse::test
