// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ssh/agentrelay.h"

#include "core/base/cleantext.h"
#include "core/ssh/socketoptions.h"

#include <algorithm>
#include <array>
#include <cerrno>

#include <sys/socket.h>
#include <unistd.h>

namespace pilothouse {

using namespace Qt::StringLiterals;

AgentRelay::AgentRelay(QObject *parent)
    : QObject(parent)
{
    m_limit.setSingleShot(true);
    connect(&m_limit, &QTimer::timeout, this, [this] {
        m_agent.abort();
        finishListing(fail(ErrorCode::Timeout, u"The agent does not answer."_s));
    });
    connect(&m_agent, &QLocalSocket::connected, this,
            [this] { m_agent.write(agentFrame(AgentMessage::RequestIdentities)); });
    connect(&m_agent, &QLocalSocket::readyRead, this, &AgentRelay::agentReadable);
    // Queued: an immediate failure would otherwise answer from inside open().
    connect(
        &m_agent, &QLocalSocket::errorOccurred, this,
        [this] { agentGone(cleanLine(m_agent.errorString())); }, Qt::QueuedConnection);
}

AgentRelay::~AgentRelay()
{
    m_agent.disconnect(this);
    cut();
}

void AgentRelay::open(const QString &socketPath, std::chrono::milliseconds limit, Listed listed)
{
    m_listed = std::move(listed);
    m_limit.start(limit);
    m_agent.connectToServer(socketPath);
}

void AgentRelay::finishListing(Result<QList<AgentKey>> result)
{
    m_limit.stop();
    if (const Listed listed = std::exchange(m_listed, {}))
        listed(std::move(result));
}

void AgentRelay::agentReadable()
{
    m_fromAgent.add(m_agent.readAll());
    while (const std::optional<QByteArray> message = m_fromAgent.take()) {
        if (m_listed) {
            std::optional<QList<AgentKey>> keys = agentKeys(*message);
            if (keys)
                finishListing(std::move(*keys));
            else
                finishListing(fail(ErrorCode::LocalIo, u"The agent gives no list of its keys."_s));
            return;
        }
        if (std::exchange(m_waiting, false)) {
            const auto type = static_cast<AgentMessage>(message->front());
            answerEnd(agentFrame(type, QByteArrayView(*message).sliced(1)));
        }
    }
    if (m_fromAgent.isBroken())
        agentGone(u"it does not speak the agent protocol"_s);
}

void AgentRelay::agentGone(const QString &why)
{
    m_gone = true;
    m_agent.abort();
    if (std::exchange(m_waiting, false))
        answerEnd(agentFrame(AgentMessage::Failure));
    finishListing(fail(ErrorCode::LocalIo, u"The agent cannot be used: %1."_s.arg(why)));
}

Result<int> AgentRelay::makeEnd(const QList<AgentKey> &keys)
{
    cut();
    std::array<int, 2> pair{-1, -1};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()) != 0)
        return fail(ErrorCode::LocalIo, u"No socket for the agent: %1."_s.arg(errnoText(errno)));
    m_keys = keys;
    m_fromEnd = {};
    m_end = pair[0];
    setNonBlocking(m_end);
    m_notifier = std::make_unique<QSocketNotifier>(m_end, QSocketNotifier::Read);
    connect(m_notifier.get(), &QSocketNotifier::activated, this, &AgentRelay::endReadable);
    return pair[1];
}

void AgentRelay::cut()
{
    m_waiting = false;
    if (m_notifier) {
        m_notifier->setEnabled(false);
        m_notifier.release()->deleteLater(); // may be on the stack above us
    }
    if (m_end >= 0)
        ::close(std::exchange(m_end, -1));
}

void AgentRelay::endReadable()
{
    std::array<char, 4096> bytes{};
    const ssize_t count = ::recv(m_end, bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (count <= 0) {
        cut();
        return;
    }
    m_fromEnd.add(QByteArrayView(bytes.data(), count));
    while (const std::optional<QByteArray> message = m_fromEnd.take()) {
        const std::optional<AgentMessage> type = agentMessageType(*message);
        if (type == AgentMessage::RequestIdentities) {
            answerEnd(agentKeysFrame(m_keys));
        } else if (type == AgentMessage::SignRequest && m_agent.state() == QLocalSocket::ConnectedState) {
            m_waiting = true;
            const QByteArray blob = agentSignKey(*message);
            const auto key = std::find_if(m_keys.cbegin(), m_keys.cend(),
                                          [&](const AgentKey &each) { return each.blob == blob; });
            // ssh does so too: the certificate is shown, its bare key signs.
            m_agent.write(key == m_keys.cend() || key->signer.isEmpty()
                              ? agentFrame(*type, QByteArrayView(*message).sliced(1))
                              : agentSignFrame(*message, key->signer));
            emit signatureAsked(key == m_keys.cend() ? QString() : key->comment);
        } else {
            answerEnd(agentFrame(AgentMessage::Failure));
        }
        if (m_end < 0)
            return;
    }
    if (m_fromEnd.isBroken())
        cut();
}

void AgentRelay::answerEnd(const QByteArray &frame)
{
    // The pair's buffer (over 200 KiB) holds any answer of use; one that does not fit ends the attempt.
    if (m_end >= 0 && ::send(m_end, frame.constData(), static_cast<size_t>(frame.size()), MSG_NOSIGNAL | MSG_DONTWAIT)
            != frame.size())
        cut();
}

} // namespace pilothouse
