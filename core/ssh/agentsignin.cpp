// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ssh/agentrelay.h"
#include "core/ssh/lentcall.h"
#include "core/ssh/signinmethod.h"

#include "core/base/cleantext.h"

#include <QtEndian>

#include <algorithm>

#include <unistd.h>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

// libssh stops at the first key of the list that it cannot read, so that only these are shown to it.
bool isReadable(const AgentKey &key)
{
    static const QList<QByteArray> types{
        "ssh-ed25519", "ssh-rsa", "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384", "ecdsa-sha2-nistp521",
        "sk-ssh-ed25519@openssh.com", "sk-ecdsa-sha2-nistp256@openssh.com",
        "ssh-ed25519-cert-v01@openssh.com", "ssh-rsa-cert-v01@openssh.com",
        "ecdsa-sha2-nistp256-cert-v01@openssh.com", "ecdsa-sha2-nistp384-cert-v01@openssh.com",
        "ecdsa-sha2-nistp521-cert-v01@openssh.com"};
    if (key.blob.size() < 4)
        return false;
    const auto length = qFromBigEndian<quint32>(key.blob.constData());
    return length <= static_cast<quint64>(key.blob.size() - 4)
        && types.contains(key.blob.mid(4, static_cast<qsizetype>(length)));
}

class AgentSignIn final : public SignInMethod
{
public:
    explicit AgentSignIn(SignInContext &context)
        : m_context(context)
        , m_lent([this] { m_context.wake(); })
    {
        QObject::connect(&m_relay, &AgentRelay::signatureAsked, &m_relay, [this](const QString &comment) {
            m_context.words(comment.isEmpty() ? u"waiting for the agent"_s
                                              : QString(u"waiting for the agent (key "_s + comment + u')'));
        });
    }
    ~AgentSignIn() override { abandon(); }

    [[nodiscard]] Step advance() override;
    [[nodiscard]] bool isLent() const override { return m_lent.isOut(); }
    // A result that is on its way back says "again" and knows nothing of what others read meanwhile.
    [[nodiscard]] bool readsItself() const override { return m_state == State::Offering; }
    void abandon() override
    {
        m_relay.cut(); // what the helper waits for ends, so that waiting for it is short
        m_lent.wait();
    }
    [[nodiscard]] Error error() const override { return m_error; }

private:
    enum class State { Start, Listing, Offering };

    [[nodiscard]] Step start();
    [[nodiscard]] Step offer();
    [[nodiscard]] Step judge(int result);
    [[nodiscard]] QString socketPath() const;
    [[nodiscard]] QList<AgentKey> chosen(const QList<AgentKey> &all) const;

    SignInContext &m_context;
    AgentRelay m_relay;
    LentCall m_lent;
    State m_state = State::Start;
    std::optional<Result<QList<AgentKey>>> m_listed;
    QList<AgentKey> m_keys;
    Error m_error;
};

QString AgentSignIn::socketPath() const
{
    if (!m_context.settings.identityFile.isEmpty() || m_context.host.identityAgent == "none"_L1)
        return {};
    if (!m_context.host.identityAgent.isEmpty())
        return m_context.host.identityAgent;
    return qEnvironmentVariable("SSH_AUTH_SOCK");
}

SignInMethod::Step AgentSignIn::start()
{
    const QString path = socketPath();
    if (path.isEmpty())
        return Step::Exhausted;
    m_state = State::Listing;
    m_context.words(u"waiting for the agent"_s);
    // A quarter of the time: the key files must have their turn.
    m_relay.open(path, m_context.settings.signInTimeout / 4, [this](Result<QList<AgentKey>> keys) {
        m_listed = std::move(keys);
        m_context.wake();
    });
    return Step::Again;
}

QList<AgentKey> AgentSignIn::chosen(const QList<AgentKey> &all) const
{
    QList<QByteArray> configured;
    for (const QString &file : m_context.host.identityFiles) {
        if (const QByteArray blob = publicBlobOfFile(m_context.api, file); !blob.isEmpty())
            configured += blob;
    }
    // As ssh does: the keys that the configuration names first, since servers count attempts.
    QList<AgentKey> first;
    QList<AgentKey> rest;
    for (const AgentKey &key : all) {
        if (isReadable(key))
            (configured.contains(key.blob) ? first : rest).append(key);
    }
    return m_context.host.identitiesOnly ? first : first + rest;
}

SignInMethod::Step AgentSignIn::offer()
{
    m_context.words(u"signing in with the agent's keys"_s);
    Result<int> end = m_relay.makeEnd(m_keys);
    if (!end) {
        m_error = end.error();
        return Step::Broken;
    }
    if (m_context.api.setAgentSocket(m_context.session, *end) != SSH_OK) {
        ::close(*end);
        m_error = {ErrorCode::Internal, u"libssh does not take the agent's socket."_s, {}};
        return Step::Broken;
    }
    m_context.offered += static_cast<int>(m_keys.size());
    m_context.tried += m_keys.size() == 1 ? u"the agent's key"_s
                                          : u"the agent's %1 keys"_s.arg(m_keys.size());
    m_state = State::Offering;
    return Step::Again;
}

SignInMethod::Step AgentSignIn::judge(int result)
{
    const Step step = stepOf(m_context, result);
    if (step != Step::Exhausted)
        return step;
    if (result == SSH_AUTH_DENIED) {
        for (const AgentKey &key : std::as_const(m_keys))
            m_context.refusedKeys.insert(key.blob);
    } else {
        m_context.tried.last() += u" (it gave no signature)"_s;
    }
    return step;
}

SignInMethod::Step AgentSignIn::advance()
{
    if (m_state == State::Start)
        return start();
    if (m_state == State::Listing) {
        if (!m_listed)
            return Step::Again;
        if (!*m_listed) {
            m_context.tried += m_listed->error().detail.chopped(1);
            return Step::Exhausted;
        }
        m_keys = chosen(**m_listed);
        if (m_keys.isEmpty())
            return Step::Exhausted;
        if (const Step step = offer(); step != Step::Again)
            return step;
    }
    if (m_lent.isOut())
        return Step::Again;
    if (const std::optional<int> result = m_lent.take())
        return judge(*result);
    const auto call = [&api = m_context.api, session = m_context.session] { return api.authAgent(session); };
    if (!m_lent.start(call)) {
        m_error = {ErrorCode::LocalIo, u"No thread for the agent."_s, {}};
        return Step::Broken;
    }
    return Step::Again;
}

} // namespace

std::unique_ptr<SignInMethod> makeAgentSignIn(SignInContext &context)
{
    return std::make_unique<AgentSignIn>(context);
}

} // namespace pilothouse
