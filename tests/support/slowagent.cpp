// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/slowagent.h"

#include "core/ssh/agentprotocol.h"

#include <QLocalServer>
#include <QLocalSocket>

namespace pilothouse::test {

SlowAgent::SlowAgent()
    : m_server(std::make_unique<QLocalServer>())
{
    connect(m_server.get(), &QLocalServer::newConnection, this, &SlowAgent::takeClient);
}

SlowAgent::~SlowAgent() = default;

bool SlowAgent::start(const QString &path, const QString &realPath)
{
    m_realPath = realPath;
    return m_server->listen(path);
}

void SlowAgent::takeClient()
{
    QLocalSocket *client = m_server->nextPendingConnection();
    auto *real = new QLocalSocket(client);
    real->connectToServer(m_realPath);
    auto frames = std::make_shared<AgentFrames>();
    connect(client, &QLocalSocket::readyRead, this, [this, client, frames] {
        frames->add(client->readAll());
        while (const auto message = frames->take())
            take(client, *message);
    });
    connect(client, &QLocalSocket::destroyed, this, [this, client] {
        if (m_heldFor == client)
            m_heldFor = nullptr;
    });
    connect(real, &QLocalSocket::readyRead, client, [client, real] { client->write(real->readAll()); });
    connect(client, &QLocalSocket::disconnected, client, &QObject::deleteLater);
}

void SlowAgent::take(QLocalSocket *client, const QByteArray &request)
{
    const auto pass = [&] {
        client->findChild<QLocalSocket *>()->write(
            agentFrame(static_cast<AgentMessage>(request.front()), QByteArrayView(request).sliced(1)));
    };
    if (agentMessageType(request) != AgentMessage::SignRequest) {
        if (m_spoilsList)
            client->write(QByteArray("\0\0\0\x05\x0cHTTP", 9));
        else
            pass();
        return;
    }
    ++m_asked;
    switch (m_mood) {
    case Mood::Sign:
        pass();
        break;
    case Mood::Hold:
        m_heldFor = client;
        m_held = request;
        break;
    case Mood::Refuse:
        client->write(agentFrame(AgentMessage::Failure));
        break;
    case Mood::Garbage:
        client->write(QByteArray("\xff\xff\xff\xff nonsense", 13));
        break;
    case Mood::Die:
        client->abort();
        m_server->close();
        break;
    }
}

void SlowAgent::touch()
{
    if (m_heldFor)
        m_heldFor->findChild<QLocalSocket *>()->write(
            agentFrame(AgentMessage::SignRequest, QByteArrayView(m_held).sliced(1)));
    m_heldFor = nullptr;
}

} // namespace pilothouse::test
