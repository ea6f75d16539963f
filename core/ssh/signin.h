// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The whole sign-in on a connected session whose host key was accepted: "none", then the ways that server and
// configuration both allow, in the configuration's order. Session's thread; owned by the session.

#include "core/ssh/signinmethod.h"

#include <deque>

namespace pilothouse {

class SignIn final
{
public:
    enum class Outcome { Again, SignedIn, Failed };

    /// The context's callbacks are set by the session; all that it refers to outlives this.
    explicit SignIn(SignInContext context);
    ~SignIn();

    /// Call when the peer may have answered, and when woken; never while isLent().
    [[nodiscard]] Outcome advance();
    [[nodiscard]] const Error &error() const { return m_error; }

    [[nodiscard]] bool isLent() const { return m_method && m_method->isLent(); }
    /// The pump leaves the socket alone: see SignInMethod::readsItself().
    [[nodiscard]] bool readsItself() const { return m_method && m_method->readsItself(); }
    [[nodiscard]] bool isAsking() const { return m_asking; }
    void answer(Answer answer);
    /// Before the session goes: ends helpers.
    void abandon();
    /// For a deadline that passed: what was being waited for.
    [[nodiscard]] QString waitingFor() const { return m_words; }

private:
    enum class Kind { PublicKeys, Interactive, Password };

    [[nodiscard]] Outcome begin();
    void planMethods(int methods);
    [[nodiscard]] std::unique_ptr<SignInMethod> make(Kind kind);
    [[nodiscard]] Outcome wantsMore();
    [[nodiscard]] QString whatWasTried() const;
    [[nodiscard]] Outcome refuse();
    [[nodiscard]] Outcome lost();
    [[nodiscard]] Outcome failed(Error error);

    SignInContext m_context;
    std::function<void(Question)> m_ask;
    std::function<void(const QString &)> m_say;
    std::unique_ptr<SignInMethod> m_method;
    Kind m_kind = Kind::PublicKeys; ///< of m_method
    std::deque<Kind> m_plan;
    QSet<int> m_used; ///< kinds that were tried for the factor that is wanted now
    int m_factors = 0; ///< that the server has accepted and found too few
    bool m_begun = false;
    bool m_asking = false;
    unsigned m_methods = 0; ///< SSH_AUTH_METHOD_… that the server takes
    QString m_words;
    Error m_error;
};

} // namespace pilothouse
