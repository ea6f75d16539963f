// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ssh/agentprotocol.h"

#include "core/base/cleantext.h"

#include <QtEndian>

namespace pilothouse {

namespace {

constexpr quint32 mostKeys = 1024;

std::optional<quint32> takeNumber(QByteArrayView &from)
{
    if (from.size() < 4)
        return {};
    const auto value = qFromBigEndian<quint32>(from.data());
    from = from.sliced(4);
    return value;
}

std::optional<QByteArrayView> takeString(QByteArrayView &from)
{
    const std::optional<quint32> length = takeNumber(from);
    if (!length || *length > static_cast<quint64>(from.size()))
        return {};
    const QByteArrayView text = from.first(static_cast<qsizetype>(*length));
    from = from.sliced(text.size());
    return text;
}

void putNumber(QByteArray &to, qsizetype value)
{
    const quint32 big = qToBigEndian(static_cast<quint32>(value));
    to.append(reinterpret_cast<const char *>(&big), sizeof big);
}

void putString(QByteArray &to, QByteArrayView text)
{
    putNumber(to, text.size());
    to.append(text);
}

} // namespace

QByteArray agentFrame(AgentMessage type, QByteArrayView body)
{
    QByteArray frame;
    putNumber(frame, body.size() + 1);
    frame.append(static_cast<char>(type));
    frame.append(body);
    return frame;
}

void AgentFrames::add(QByteArrayView bytes)
{
    if (!m_broken)
        m_bytes.append(bytes);
}

std::optional<QByteArray> AgentFrames::take()
{
    QByteArrayView rest(m_bytes);
    const std::optional<quint32> length = takeNumber(rest);
    if (!length || m_broken)
        return {};
    if (*length == 0 || *length > longest) {
        m_broken = true;
        m_bytes.clear();
        return {};
    }
    if (*length > static_cast<quint64>(rest.size()))
        return {};
    const QByteArray message = rest.first(static_cast<qsizetype>(*length)).toByteArray();
    m_bytes.remove(0, 4 + message.size());
    return message;
}

std::optional<AgentMessage> agentMessageType(QByteArrayView message)
{
    if (message.isEmpty())
        return {};
    return static_cast<AgentMessage>(message.front());
}

std::optional<QList<AgentKey>> agentKeys(QByteArrayView message)
{
    if (agentMessageType(message) != AgentMessage::IdentitiesAnswer)
        return {};
    message = message.sliced(1);
    const std::optional<quint32> count = takeNumber(message);
    if (!count || *count > mostKeys)
        return {};
    QList<AgentKey> keys;
    for (quint32 i = 0; i < *count; ++i) {
        const auto blob = takeString(message);
        const auto comment = blob ? takeString(message) : std::nullopt;
        if (!comment)
            return {};
        keys.append({blob->toByteArray(), cleanLine(*comment, 120), {}});
    }
    return keys;
}

QByteArray agentKeysFrame(const QList<AgentKey> &keys)
{
    QByteArray body;
    putNumber(body, keys.size());
    for (const AgentKey &key : keys) {
        putString(body, key.blob);
        putString(body, key.comment.toUtf8());
    }
    return agentFrame(AgentMessage::IdentitiesAnswer, body);
}

QByteArray agentSignKey(QByteArrayView message)
{
    if (agentMessageType(message) != AgentMessage::SignRequest)
        return {};
    message = message.sliced(1);
    const auto blob = takeString(message);
    return blob ? blob->toByteArray() : QByteArray();
}

QByteArray agentSignFrame(QByteArrayView message, const QByteArray &key)
{
    if (agentMessageType(message) != AgentMessage::SignRequest)
        return {};
    message = message.sliced(1);
    if (!takeString(message))
        return {};
    QByteArray body;
    putString(body, key);
    body.append(message);
    return agentFrame(AgentMessage::SignRequest, body);
}

} // namespace pilothouse
