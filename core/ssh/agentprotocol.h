// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The four messages of the SSH agent protocol that we touch (draft-miller-ssh-agent). Pure, any thread.

#include <QByteArray>
#include <QByteArrayView>
#include <QList>
#include <QString>

#include <optional>

namespace pilothouse {

enum class AgentMessage : quint8 {
    Failure = 5,
    RequestIdentities = 11,
    IdentitiesAnswer = 12,
    SignRequest = 13,
    SignResponse = 14,
};

struct AgentKey
{
    QByteArray blob; ///< public key as on the wire
    QString comment; ///< cleaned
    QByteArray signer{}; ///< the agent's key that signs, where `blob` is a certificate that the agent does not have

    friend bool operator==(const AgentKey &, const AgentKey &) = default;
};

/// Length, type and body.
[[nodiscard]] QByteArray agentFrame(AgentMessage type, QByteArrayView body = {});

/// Cuts a byte stream into messages (type and body, without the length).
class AgentFrames final
{
public:
    /// What libssh accepts from an agent.
    static constexpr quint32 longest = 256 * 1024;

    void add(QByteArrayView bytes);
    [[nodiscard]] std::optional<QByteArray> take();
    /// A length of zero or beyond the limit came: the stream is of no use any more.
    [[nodiscard]] bool isBroken() const { return m_broken; }

private:
    QByteArray m_bytes;
    bool m_broken = false;
};

[[nodiscard]] std::optional<AgentMessage> agentMessageType(QByteArrayView message);
/// The keys of an IdentitiesAnswer; nothing when the message is another or is malformed. At most 1024.
[[nodiscard]] std::optional<QList<AgentKey>> agentKeys(QByteArrayView message);
/// The frame of an IdentitiesAnswer with these keys.
[[nodiscard]] QByteArray agentKeysFrame(const QList<AgentKey> &keys);
/// Which key a SignRequest asks for; empty when malformed.
[[nodiscard]] QByteArray agentSignKey(QByteArrayView message);
/// The frame of that SignRequest for another key; empty when malformed.
[[nodiscard]] QByteArray agentSignFrame(QByteArrayView message, const QByteArray &key);

} // namespace pilothouse
