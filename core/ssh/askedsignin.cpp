// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ssh/secret.h"
#include "core/ssh/signinmethod.h"

#include "core/base/cleantext.h"

// The two ways that a person answers: a password, and the server's own prompts.

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

class PasswordSignIn final : public SignInMethod
{
public:
    explicit PasswordSignIn(SignInContext &context)
        : m_context(context)
    {
    }
    ~PasswordSignIn() override { wipe(m_password); }

    [[nodiscard]] Step advance() override;
    void answer(Answer answer) override;

private:
    enum class State { Ask, Asking, Sending };
    void ask();

    SignInContext &m_context;
    State m_state = State::Ask;
    QByteArray m_password;
    int m_attempt = 0;
    bool m_declined = false;
};

void PasswordSignIn::ask()
{
    m_state = State::Asking;
    Question question;
    question.kind = Question::Kind::Password;
    question.attempt = ++m_attempt;
    question.title = u"Password"_s;
    question.prompts = {{u"Password of %1"_s.arg(m_context.display), false}};
    question.note = m_context.keysNote;
    m_context.words(u"waiting for the password"_s);
    m_context.ask(std::move(question));
}

void PasswordSignIn::answer(Answer answer)
{
    if (m_state == State::Asking) {
        m_declined = !answer.accepted;
        m_password = answer.replies.value(0).toUtf8();
        m_state = State::Sending;
        ++m_context.offered;
    }
    wipe(answer.replies);
}

SignInMethod::Step PasswordSignIn::advance()
{
    if (m_declined)
        return Step::Declined;
    if (m_state == State::Ask) {
        if (!m_context.settings.askPerson) {
            m_context.missing = u"The server wants a password."_s;
            return Step::Exhausted;
        }
        ask();
    }
    if (m_state == State::Asking)
        return Step::Again;
    const int result = m_context.api.authPassword(m_context.session, m_password.constData());
    const Step step = stepOf(m_context, result);
    if (step == Step::Again)
        return step;
    wipe(m_password);
    if (step != Step::Exhausted)
        return step;
    ++m_context.refused;
    if (result == SSH_AUTH_DENIED && m_attempt < mostAttempts) {
        ask();
        return Step::Again;
    }
    m_context.tried += u"a password (refused)"_s;
    return Step::Exhausted;
}

class InteractiveSignIn final : public SignInMethod
{
public:
    explicit InteractiveSignIn(SignInContext &context)
        : m_context(context)
    {
    }

    [[nodiscard]] Step advance() override;
    void answer(Answer answer) override;

private:
    [[nodiscard]] Step round();

    SignInContext &m_context;
    bool m_asking = false;
    bool m_declined = false;
    bool m_asked = false; ///< in this attempt
    int m_prompts = 0;
    int m_attempt = 1;
    int m_rounds = 0;
};

/// Of a sign-in in all; real ones have two or three.
constexpr int mostRounds = 30;
/// Of an instruction: it must not push the fields off the screen.
constexpr int mostLines = 20;

/// The server has sent prompts: none are answered at once, others by the person.
SignInMethod::Step InteractiveSignIn::round()
{
    LibsshApi &api = m_context.api;
    m_prompts = api.interactivePromptCount(m_context.session);
    if (m_prompts <= 0)
        return Step::Accepted;
    if (!m_context.settings.askPerson) {
        m_context.missing = u"The server asks questions (keyboard-interactive)."_s;
        return Step::Exhausted;
    }
    Question question;
    question.kind = Question::Kind::KeyboardInteractive;
    question.attempt = m_asked ? 1 : m_attempt; // a further round of the same attempt: nothing was wrong
    question.note = m_context.keysNote;
    question.title = cleanLine(QByteArrayView(api.interactiveName(m_context.session)), 120);
    question.instruction =
        cleanText(QByteArrayView(api.interactiveInstruction(m_context.session)), 2000).section(u'\n', 0, mostLines - 1);
    for (int i = 0; i < m_prompts; ++i) {
        char echo = 0;
        const char *text = api.interactivePrompt(m_context.session, static_cast<unsigned>(i), &echo);
        question.prompts.append({cleanLine(QByteArrayView(text), 400), echo != 0});
    }
    m_asking = true;
    m_asked = true;
    m_context.words(u"waiting for an answer"_s);
    m_context.ask(std::move(question));
    return Step::Again;
}

void InteractiveSignIn::answer(Answer answer)
{
    if (std::exchange(m_asking, false)) {
        m_declined = !answer.accepted;
        ++m_context.offered;
        for (int i = 0; i < m_prompts && !m_declined; ++i) {
            QByteArray reply = answer.replies.value(i).toUtf8();
            m_context.api.interactiveAnswer(m_context.session, static_cast<unsigned>(i), reply.constData());
            wipe(reply);
        }
    }
    wipe(answer.replies);
}

SignInMethod::Step InteractiveSignIn::advance()
{
    if (m_declined)
        return Step::Declined;
    while (!m_asking) {
        const int result = m_context.api.authInteractive(m_context.session);
        if (result == SSH_AUTH_INFO) {
            if (++m_rounds > mostRounds) {
                m_context.tried += u"keyboard-interactive (the server asked without an end)"_s;
                return Step::Exhausted;
            }
            if (const Step step = round(); step != Step::Accepted)
                return step;
            continue;
        }
        const Step step = stepOf(m_context, result);
        if (step != Step::Exhausted)
            return step;
        ++m_context.refused;
        if (result == SSH_AUTH_DENIED && std::exchange(m_asked, false) && ++m_attempt <= mostAttempts)
            continue;
        m_context.tried += u"keyboard-interactive (refused)"_s;
        return Step::Exhausted;
    }
    return Step::Again;
}

} // namespace

std::unique_ptr<SignInMethod> makePasswordSignIn(SignInContext &context)
{
    return std::make_unique<PasswordSignIn>(context);
}

std::unique_ptr<SignInMethod> makeInteractiveSignIn(SignInContext &context)
{
    return std::make_unique<InteractiveSignIn>(context);
}

} // namespace pilothouse
