// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// One HTTP request through an SSH session and its answer: Qt Network connects to a listener on loopback, which takes
// one connection of this account, leads it through the session and is closed. Lives in the session's thread, owned by
// HostHttp. One use.

#include "core/base/http.h"
#include "core/ssh/hostway.h"

#include <QElapsedTimer>
#include <QNetworkAccessManager>
#include <QNetworkReply>
#include <QTcpServer>
#include <QTimer>

#include <optional>

namespace pilothouse {

/// Takes one connection, of a process of this account, and listens no more; all others are closed at once.
class OneConnectionListener final : public QTcpServer
{
public:
    explicit OneConnectionListener(std::function<void(OwnedDescriptor)> taken) : m_taken(std::move(taken)) { }

protected:
    void incomingConnection(qintptr descriptor) override;

private:
    std::function<void(OwnedDescriptor)> m_taken;
};

class HttpExchange final : public QObject
{
    Q_OBJECT
public:
    /// `ways` outlives it.
    HttpExchange(WayProvider &ways, const HttpRequest &request);
    ~HttpExchange() override;

    /// done() follows once, from the event loop.
    void start();

signals:
    void done(const pilothouse::HttpAnswer &answer, bool mayBeAskedThere);

private:
    void lead(OwnedDescriptor near);
    void send(quint16 port);
    void readBody();
    void replied();
    void finish(HttpAnswer::Outcome outcome, const QString &words);

    WayProvider &m_ways;
    const HttpRequest m_request;
    OneConnectionListener m_listener;
    QNetworkAccessManager m_network;
    QNetworkReply *m_reply = nullptr; // m_network's child
    QTimer m_deadline;
    QElapsedTimer m_clock;
    HttpAnswer m_answer;
    std::optional<Error> m_refusal; ///< no way was opened
    bool m_somethingCame = false;   ///< from the host
    bool m_tooMuch = false;
    bool m_over = false;
};

} // namespace pilothouse
