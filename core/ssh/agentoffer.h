// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// One key whose private half is in the agent, offered to the server; and the agent that all of them share. The agent
// may ask a person for a touch or a PIN before it signs: then the clock of the sign-in stops. Session's thread.

#include "core/ssh/agentrelay.h"
#include "core/ssh/keyoffers.h"
#include "core/ssh/lentcall.h"
#include "core/ssh/signinmethod.h"

namespace pilothouse {

class SignInAgent final
{
public:
    explicit SignInAgent(SignInContext &context);
    ~SignInAgent();

    /// False when there is none to ask. Otherwise keys() has a value later, after a wake.
    [[nodiscard]] bool list();
    [[nodiscard]] const std::optional<Result<QList<AgentKey>>> &keys() const { return m_listed; }
    [[nodiscard]] bool isGone() const { return m_relay.isGone(); }

    /// What libssh sees from now on. Errors: LocalIo, Internal.
    [[nodiscard]] Result<void> show(const KeyOffer &offer);
    [[nodiscard]] bool isLent() const { return m_lent.isOut(); }
    /// One call of ssh_userauth_agent; its result comes with a wake. False when there is no thread for it.
    [[nodiscard]] bool call();
    [[nodiscard]] std::optional<int> result() { return m_lent.take(); }
    void setWaiting(bool waiting);
    void cut();

private:
    void signatureAsked(const QString &comment);

    SignInContext &m_context;
    AgentRelay m_relay;
    LentCall m_lent;
    QTimer m_patience;
    bool m_hasEnd = false;
    bool m_isWaiting = false; ///< perhaps for a person
    bool m_needsTouch = false; ///< the key that is shown
    std::optional<Result<QList<AgentKey>>> m_listed;
};

/// Exhausted: the next key may be offered.
[[nodiscard]] std::unique_ptr<SignInMethod> makeAgentOffer(SignInContext &context, SignInAgent &agent,
                                                           const KeyOffer &offer);
[[nodiscard]] std::unique_ptr<SignInMethod> makeKeyFileOffer(SignInContext &context, const KeyOffer &offer);

} // namespace pilothouse
