// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// HTTP servers on loopback as they should not be: what one sends is decided by the path that is asked for. Plain, with
// TLS, or at a UNIX socket. In the test's own thread. For tests only.

#include <QFile>
#include <QLocalServer>
#include <QLocalSocket>
#include <QSslCertificate>
#include <QSslKey>
#include <QSslSocket>
#include <QTcpServer>
#include <QTcpSocket>
#include <QTimer>

namespace pilothouse::test {

class WebServer final : public QTcpServer
{
public:
    WebServer() { listen(QHostAddress::LocalHost); }

    /// Speaks TLS by these files (PEM).
    void useTls(const QString &certificate, const QString &key)
    {
        QFile certificateFile(certificate);
        QFile keyFile(key);
        if (certificateFile.open(QIODevice::ReadOnly) && keyFile.open(QIODevice::ReadOnly)) {
            m_certificate = QSslCertificate(&certificateFile);
            m_key = QSslKey(&keyFile, QSsl::Rsa);
        }
    }
    [[nodiscard]] bool listenAt(const QString &path)
    {
        QObject::connect(&m_local, &QLocalServer::newConnection, this, [this] {
            while (QLocalSocket *peer = m_local.nextPendingConnection())
                serve(peer);
        });
        return m_local.listen(path);
    }
    /// What `/own` answers.
    void setOwn(const QByteArray &answer) { m_own = answer; }

    QList<QByteArray> requests; ///< whole, headers first
    qint64 sent = 0;

protected:
    void incomingConnection(qintptr descriptor) override
    {
        if (m_key.isNull()) {
            auto *peer = new QTcpSocket(this);
            peer->setSocketDescriptor(descriptor);
            serve(peer);
            return;
        }
        auto *peer = new QSslSocket(this);
        peer->setSocketDescriptor(descriptor);
        peer->setLocalCertificate(m_certificate);
        peer->setPrivateKey(m_key);
        peer->startServerEncryption();
        serve(peer);
    }

private:
    template <class Peer>
    void serve(Peer *peer)
    {
        QObject::connect(peer, &Peer::readyRead, peer, [this, peer, text = QByteArray()]() mutable {
            text += peer->readAll();
            const qsizetype end = text.indexOf("\r\n\r\n");
            if (end < 0)
                return;
            const qsizetype at = text.toLower().indexOf("content-length:");
            const qsizetype length = at < 0 ? 0 : text.mid(at + 15, text.indexOf('\r', at) - at - 15).trimmed().toInt();
            if (text.size() < end + 4 + length)
                return;
            requests += text;
            answer(peer, text.split(' ').value(1), text);
            text.clear();
        });
        QObject::connect(peer, &Peer::disconnected, peer, &QObject::deleteLater);
    }
    template <class Peer>
    void write(Peer *peer, const QByteArray &bytes)
    {
        sent += bytes.size();
        peer->write(bytes);
    }
    /// As fast as it is taken.
    template <class Peer>
    void flood(Peer *peer, const QByteArray &part)
    {
        QObject::connect(peer, &Peer::bytesWritten, peer, [this, peer, part] {
            if (peer->bytesToWrite() < part.size())
                write(peer, part);
        });
        write(peer, part);
    }
    template <class Peer>
    void hangUp(Peer *peer)
    {
        QTimer::singleShot(0, peer, [peer] {
            if constexpr (std::is_same_v<Peer, QLocalSocket>)
                peer->disconnectFromServer();
            else
                peer->disconnectFromHost();
        });
    }
    template <class Peer>
    void answer(Peer *peer, const QByteArray &path, const QByteArray &request)
    {
        const auto whole = [](const QByteArray &status, const QByteArray &body, const QByteArray &more = {}) {
            return "HTTP/1.1 " + status + "\r\nContent-Length: " + QByteArray::number(body.size()) + "\r\n" + more
                + "\r\n" + body;
        };
        if (path == "/echo")
            write(peer, whole("200 OK", request));
        else if (path == "/own")
            write(peer, m_own);
        else if (path == "/redirect")
            write(peer, whole("302 Found", "", "Location: http://127.0.0.1:"
                                  + QByteArray::number(serverPort()) + "/stolen\r\n"));
        else if (path == "/key")
            write(peer, whole("401 Unauthorized", "{}", "WWW-Authenticate: Bearer\r\n"));
        else if (path == "/starting")
            write(peer, whole("503 Service Unavailable", R"({"error":"starting"})"));
        else if (path == "/cookie")
            write(peer, whole("200 OK", "", "Set-Cookie: a=b\r\nStrict-Transport-Security: max-age=99999\r\n"));
        else if (path == "/forever")
            drip(peer);
        else if (path == "/4gib") {
            write(peer, "HTTP/1.1 200 OK\r\nContent-Length: 4294967296\r\n\r\n");
            flood(peer, QByteArray(256 * 1024, 'x'));
        } else if (path == "/headers") {
            write(peer, "HTTP/1.1 200 OK\r\n");
            flood(peer, "X-More: " + QByteArray(4000, 'x') + "\r\n");
        } else if (path == "/interim") {
            flood(peer, QByteArray("HTTP/1.1 102 Processing\r\n\r\n").repeated(1000));
        } else if (path == "/short") {
            write(peer, "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nten bytes.");
            hangUp(peer);
        } else if (path == "/long") {
            write(peer, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello, and more than that");
        } else if (path == "/minus") {
            write(peer, "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nhello");
            hangUp(peer);
        } else if (path == "/packed") {
            write(peer, whole("200 OK", "\x1f\x8b\x08 not unpacked", "Content-Encoding: gzip\r\n"));
        } else if (path == "/garbage") {
            write(peer, "SSH-2.0-other\r\n\r\n");
            hangUp(peer);
        } else if (path == "/close") {
            hangUp(peer);
        } else if (path != "/stall") {
            write(peer, whole("404 Not Found", "{}"));
        }
    }
    template <class Peer>
    void drip(Peer *peer)
    {
        write(peer, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
        auto *timer = new QTimer(peer);
        QObject::connect(timer, &QTimer::timeout, peer, [this, peer] { write(peer, "4\r\ntick\r\n"); });
        timer->start(20);
    }

    QLocalServer m_local;
    QSslCertificate m_certificate;
    QSslKey m_key;
    QByteArray m_own;
};

} // namespace pilothouse::test
