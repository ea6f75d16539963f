// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// One way to sign in (agent, key files, password, keyboard-interactive) as a small machine that
// SignIn drives. A new way (certificates, several factors) is a new subclass and a line in SignIn.
// Session's thread; owned by SignIn.

#include "core/base/error.h"
#include "core/ssh/connectionsettings.h"
#include "core/ssh/libsshapi.h"
#include "core/ssh/question.h"
#include "core/ssh/resolvedhost.h"

#include <QSet>

#include <functional>
#include <memory>
#include <optional>

namespace pilothouse {

/// What the methods share and leave behind for the final sentence. References outlive the sign-in.
struct SignInContext
{
    LibsshApi &api;
    ssh_session session = nullptr;
    const ResolvedHost &host;
    const ConnectionSettings &settings;
    QString display; ///< as hostInWords() says it

    std::function<void(const QString &)> words;
    std::function<void(Question)> ask; ///< fills id and host
    std::function<void()> wake;        ///< advance() again, from the event loop
    /// The agent may be waiting for a person: a touch, a PIN, a confirmation.
    std::function<void(bool)> agentWaits;

    QStringList tried;              ///< what was tried or left out, in order, for people
    QSet<QByteArray> usedKeys;      ///< blobs that the server does not take, or not once more
    std::optional<QString> missing; ///< what only a person could have given
    int offered = 0;                ///< keys and answers that the server has judged or is judging
    int refused = 0;                ///< of these; servers end the connection after some
    bool personFollows = false;     ///< after the keys a person may still type something
    QString keysNote;               ///< why not all keys were offered, for that person
    int agentEnd = -1;              ///< what libssh was given last to talk to the agent
};

class SignInMethod
{
public:
    enum class Step {
        Again,     ///< waiting: for the peer, the agent, the helper thread or a person
        Accepted,
        Partial,   ///< accepted, and the server wants more
        Exhausted, ///< nothing left to try here
        Lost,      ///< the connection is gone
        Declined,  ///< by the person
        Broken,    ///< a local fault; error() says which
    };

    virtual ~SignInMethod() = default;
    [[nodiscard]] virtual Step advance() = 0;
    /// The reply to the question that is open.
    virtual void answer(Answer) {}
    /// A helper thread has the session: nobody else may touch it.
    [[nodiscard]] virtual bool isLent() const { return false; }
    /// Its calls read the socket: nobody else may read what they wait for.
    [[nodiscard]] virtual bool readsItself() const { return false; }
    /// Gives the session back at once, whatever waits.
    virtual void abandon() {}
    [[nodiscard]] virtual Error error() const { return {}; }
};

[[nodiscard]] std::unique_ptr<SignInMethod> makePublicKeySignIn(SignInContext &context);
[[nodiscard]] std::unique_ptr<SignInMethod> makePasswordSignIn(SignInContext &context);
[[nodiscard]] std::unique_ptr<SignInMethod> makeInteractiveSignIn(SignInContext &context);

/// How often a passphrase, a password or a round of prompts is asked for.
constexpr int mostAttempts = 3;
/// sshd's MaxAuthTries as it comes: it ends the connection with that many refusals.
constexpr int usualAuthTries = 6;

/// What becomes of a return value of ssh_userauth_… that is neither success nor another try.
[[nodiscard]] SignInMethod::Step stepOf(SignInContext &context, int result);

} // namespace pilothouse
