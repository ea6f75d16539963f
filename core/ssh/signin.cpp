// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ssh/signin.h"

#include "core/base/cleantext.h"
#include "core/ssh/secret.h"

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

// ssh's own order, without what we do not have.
const QStringList &defaultOrder()
{
    static const QStringList order{u"publickey"_s, u"keyboard-interactive"_s, u"password"_s};
    return order;
}

QString methodNames(unsigned methods)
{
    QStringList names;
    if (methods & SSH_AUTH_METHOD_PUBLICKEY)
        names += u"publickey"_s;
    if (methods & SSH_AUTH_METHOD_INTERACTIVE)
        names += u"keyboard-interactive"_s;
    if (methods & SSH_AUTH_METHOD_PASSWORD)
        names += u"password"_s;
    if (methods & SSH_AUTH_METHOD_GSSAPI_MIC)
        names += u"gssapi-with-mic"_s;
    if (methods & SSH_AUTH_METHOD_HOSTBASED)
        names += u"hostbased"_s;
    return names.isEmpty() ? u"nothing that is known here"_s : names.join(u", "_s);
}

/// Of a sign-in; chains of servers have two or three. A server that never has enough is left.
constexpr int mostFactors = 10;

/// Refusals after which an end without a word is no accident of the network.
constexpr int leastBeforeSilentEnd = 3;

QString fewerKeys()
{
    return u"Set IdentitiesOnly yes and IdentityFile for this host in the SSH configuration, so that only its key is "
           "offered."_s;
}

// libssh's own constant text for a disconnect packet; a link that merely breaks reads otherwise.
bool serverHungUp(const QString &text)
{
    return text.startsWith("Received SSH_MSG_DISCONNECT"_L1);
}

} // namespace

SignInMethod::Step stepOf(SignInContext &context, int result)
{
    if (result == SSH_AUTH_SUCCESS)
        return SignInMethod::Step::Accepted;
    if (result == SSH_AUTH_PARTIAL)
        return SignInMethod::Step::Partial;
    // libssh goes on saying "again" after some disconnects.
    if (!context.api.isConnected(context.session))
        return SignInMethod::Step::Lost;
    if (result == SSH_AUTH_AGAIN)
        return SignInMethod::Step::Again;
    return SignInMethod::Step::Exhausted;
}

SignIn::SignIn(SignInContext context)
    : m_context(std::move(context))
    , m_ask(m_context.ask)
    , m_say(m_context.words)
{
    m_context.ask = [this](Question question) {
        m_asking = true;
        m_ask(std::move(question));
    };
    m_context.words = [this](const QString &words) {
        m_words = words;
        m_say(words);
    };
}

SignIn::~SignIn()
{
    abandon();
}

void SignIn::abandon()
{
    if (m_method)
        m_method->abandon();
}

void SignIn::answer(Answer answer)
{
    m_asking = false;
    if (m_method)
        m_method->answer(std::move(answer));
    else
        wipe(answer.replies);
}

SignIn::Outcome SignIn::failed(Error error)
{
    m_error = std::move(error);
    return Outcome::Failed;
}

SignIn::Outcome SignIn::begin()
{
    const int result = m_context.api.authNone(m_context.session);
    const SignInMethod::Step step = stepOf(m_context, result);
    if (step == SignInMethod::Step::Accepted)
        return Outcome::SignedIn;
    if (step == SignInMethod::Step::Lost)
        return lost();
    if (step == SignInMethod::Step::Again)
        return Outcome::Again;
    if (result == SSH_AUTH_ERROR)
        return failed({ErrorCode::HandshakeFailed, u"The server does not start the sign-in: %1."_s.arg(
                           cleanLine(QByteArrayView(m_context.api.errorText(m_context.session)), 200)), {}});
    m_begun = true;
    planMethods(m_context.api.authMethods(m_context.session));
    return Outcome::Again;
}

void SignIn::planMethods(int methods)
{
    const auto offered = static_cast<unsigned>(methods);
    m_methods = offered;
    m_plan.clear();
    const ResolvedHost &host = m_context.host;
    const auto plan = [this](Kind kind) {
        if (!m_used.contains(static_cast<int>(kind)))
            m_plan.push_back(kind);
    };
    const QStringList &order
        = host.preferredAuthentications.isEmpty() ? defaultOrder() : host.preferredAuthentications;
    for (const QString &name : order) {
        if (name == "publickey"_L1 && host.pubkeyAuthentication && (offered & SSH_AUTH_METHOD_PUBLICKEY)) {
            plan(Kind::PublicKeys);
        } else if (name == "keyboard-interactive"_L1 && host.kbdInteractiveAuthentication
                   && (offered & SSH_AUTH_METHOD_INTERACTIVE)) {
            plan(Kind::Interactive);
        } else if (name == "password"_L1 && host.passwordAuthentication && (offered & SSH_AUTH_METHOD_PASSWORD)) {
            plan(Kind::Password);
        }
    }
    m_context.personFollows = m_context.settings.askPerson && !m_plan.empty() && m_plan.back() != Kind::PublicKeys;
}

std::unique_ptr<SignInMethod> SignIn::make(Kind kind)
{
    m_used.insert(static_cast<int>(kind));
    switch (kind) {
    case Kind::PublicKeys:
        return makePublicKeySignIn(m_context);
    case Kind::Interactive:
        return makeInteractiveSignIn(m_context);
    case Kind::Password:
        break;
    }
    return makePasswordSignIn(m_context);
}

SignIn::Outcome SignIn::advance()
{
    if (!m_begun) {
        const Outcome outcome = begin();
        if (!m_begun)
            return outcome;
    }
    for (;;) {
        if (!m_method) {
            if (m_plan.empty())
                return refuse();
            m_kind = m_plan.front();
            m_plan.pop_front();
            m_method = make(m_kind);
        }
        switch (m_method->advance()) {
        case SignInMethod::Step::Again:
            return Outcome::Again;
        case SignInMethod::Step::Accepted:
            return Outcome::SignedIn;
        case SignInMethod::Step::Partial:
            if (wantsMore() == Outcome::Failed)
                return Outcome::Failed;
            break;
        case SignInMethod::Step::Exhausted:
            m_method.reset();
            break;
        case SignInMethod::Step::Lost:
            return lost();
        case SignInMethod::Step::Declined:
            return failed({ErrorCode::Cancelled, u"The question was declined."_s, {}});
        case SignInMethod::Step::Broken:
            return failed(m_method->error());
        }
    }
}

/// One factor of several was right. As with ssh, the next one may be a second of its kind, or one that was refused
/// before.
SignIn::Outcome SignIn::wantsMore()
{
    static constexpr const char16_t *names[] = {u"a key", u"keyboard-interactive", u"a password"};
    m_method.reset();
    m_context.tried += QString::fromUtf16(names[int(m_kind)]) + u" (accepted, the server wants more)"_s;
    if (++m_factors > mostFactors)
        return failed({ErrorCode::SignInRefused,
                       u"%1: the server wants more without an end."_s.arg(m_context.display), {}});
    m_used.clear();
    planMethods(m_context.api.authMethods(m_context.session));
    return Outcome::Again;
}

QString SignIn::whatWasTried() const
{
    QStringList tried = m_context.tried;
    tried.removeDuplicates(); // an agent without keys is asked again for a further factor
    return tried.isEmpty() ? u"nothing to offer"_s : tried.join(u"; "_s);
}

SignIn::Outcome SignIn::refuse()
{
    const QString detail
        = u"%1 (the server takes %2): %3."_s.arg(m_context.display, methodNames(m_methods), whatWasTried());
    if (m_context.missing)
        return failed({ErrorCode::SignInNeedsPerson, u"%1 %2"_s.arg(*m_context.missing, detail), {}});
    return failed(
        {ErrorCode::SignInRefused, detail, m_context.refused >= usualAuthTries - 1 ? fewerKeys() : QString()});
}

SignIn::Outcome SignIn::lost()
{
    const QString text = cleanLine(QByteArrayView(m_context.api.errorText(m_context.session)), 200);
    // Other servers than OpenSSH's close without a word when they have had enough.
    if (m_context.offered > 0 && (serverHungUp(text) || m_context.refused >= leastBeforeSilentEnd)) {
        const QString words = serverHungUp(text) ? text.section(u':', 2).trimmed() : QString();
        return failed({ErrorCode::SignInRefused,
                       u"%1: the server ended the connection%2 after: %3."_s.arg(
                           m_context.display, words.isEmpty() ? QString() : QString(u" (“"_s + words + u"”)"_s),
                           whatWasTried()),
                       m_context.refused > 1 ? fewerKeys() : QString()});
    }
    return failed({ErrorCode::ConnectionLost, u"The server closed the connection during the sign-in."_s, {}});
}

} // namespace pilothouse
