// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Stands between libssh and the person's agent: libssh waits for its agent without limit and inside
// the calling thread, so it gets one end of a socket pair, and we talk to the agent asynchronously.
// libssh sees only the keys that we choose. Lives in the session's thread; owned by the sign-in.
// cut() lets a blocked libssh call return at once.

#include "core/base/result.h"
#include "core/ssh/agentprotocol.h"

#include <QLocalSocket>
#include <QObject>
#include <QSocketNotifier>
#include <QTimer>

#include <chrono>
#include <functional>
#include <memory>

namespace pilothouse {

class AgentRelay final : public QObject
{
    Q_OBJECT
public:
    using Listed = std::function<void(Result<QList<AgentKey>>)>;

    explicit AgentRelay(QObject *parent = nullptr);
    ~AgentRelay() override;

    /// Connects and asks for the keys. `listed` is called once, never from inside. Errors (all mean: go on without):
    /// LocalIo (no agent there, or it speaks something else), Timeout (silent for `limit`).
    void open(const QString &socketPath, std::chrono::milliseconds limit, Listed listed);

    /// The end for libssh, which owns it from then on; it will be offered `keys`. Errors: LocalIo.
    [[nodiscard]] Result<int> makeEnd(const QList<AgentKey> &keys);
    /// Other keys on the same end, from the next listing on.
    void show(const QList<AgentKey> &keys) { m_keys = keys; }
    /// It was there, and is no more.
    [[nodiscard]] bool isGone() const { return m_gone; }
    /// Ends the pair: what waits on the other end gets end of file.
    void cut();
    /// The agent was asked for a signature and has not answered yet.
    [[nodiscard]] bool isWaiting() const { return m_waiting; }

signals:
    /// The agent is asked to sign: a person may have to touch, type or confirm something.
    void signatureAsked(const QString &keyComment);

private:
    void agentReadable();
    void agentGone(const QString &why);
    void endReadable();
    void answerEnd(const QByteArray &frame);
    void finishListing(Result<QList<AgentKey>> result);

    QLocalSocket m_agent;
    QTimer m_limit;
    Listed m_listed;
    AgentFrames m_fromAgent;
    AgentFrames m_fromEnd;
    QList<AgentKey> m_keys;
    int m_end = -1;
    std::unique_ptr<QSocketNotifier> m_notifier;
    bool m_waiting = false;
    bool m_gone = false;
};

} // namespace pilothouse
