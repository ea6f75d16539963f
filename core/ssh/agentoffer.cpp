// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ssh/agentoffer.h"

#include "core/base/cleantext.h"

#include <chrono>

#include <unistd.h>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

/// An agent that needs nobody has signed by then.
constexpr std::chrono::milliseconds agentPatience{1'000};

class AgentOffer final : public SignInMethod
{
public:
    AgentOffer(SignInContext &context, SignInAgent &agent, KeyOffer offer)
        : m_context(context)
        , m_agent(agent)
        , m_offer(std::move(offer))
    {
    }

    [[nodiscard]] Step advance() override
    {
        if (!m_begun) {
            m_begun = true;
            m_context.words(m_offer.certificateFile.isEmpty() ? u"signing in with the agent's keys"_s
                                                              : QString(u"signing in with "_s + m_offer.name));
            if (Result<void> shown = m_agent.show(m_offer); !shown) {
                m_error = shown.error();
                return Step::Broken;
            }
            ++m_context.offered;
        }
        if (m_agent.isLent())
            return Step::Again;
        if (const std::optional<int> result = m_agent.result())
            return judge(*result);
        if (!m_agent.call()) {
            m_error = {ErrorCode::LocalIo, u"No thread for the agent."_s, {}};
            return Step::Broken;
        }
        return Step::Again;
    }
    [[nodiscard]] bool isLent() const override { return m_agent.isLent(); }
    // A result that is on its way back says "again" and knows nothing of what others read meanwhile.
    [[nodiscard]] bool readsItself() const override { return true; }
    void abandon() override { m_agent.cut(); }
    [[nodiscard]] Error error() const override { return m_error; }

private:
    [[nodiscard]] Step judge(int result)
    {
        m_agent.setWaiting(false);
        const Step step = stepOf(m_context, result);
        if (step == Step::Exhausted && result == SSH_AUTH_DENIED) {
            ++m_context.refused;
            if (!m_offer.certificateFile.isEmpty())
                m_context.tried += m_offer.name + u" (refused)"_s;
        } else if (step == Step::Exhausted) {
            const QString why = m_agent.isGone() ? u"the agent went away"_s : u"the agent gave no signature"_s;
            m_context.tried += u"%1 (%2)"_s.arg(m_offer.name, why);
        }
        return step;
    }

    SignInContext &m_context;
    SignInAgent &m_agent;
    const KeyOffer m_offer;
    bool m_begun = false;
    Error m_error;
};

} // namespace

SignInAgent::SignInAgent(SignInContext &context)
    : m_context(context)
    , m_lent([this] { m_context.wake(); })
{
    m_patience.setSingleShot(true);
    QObject::connect(&m_patience, &QTimer::timeout, &m_patience, [this] { setWaiting(true); });
    QObject::connect(&m_relay, &AgentRelay::signatureAsked, &m_relay,
                     [this](const QString &comment) { signatureAsked(comment); });
}

SignInAgent::~SignInAgent()
{
    cut();
}

bool SignInAgent::list()
{
    QString path = m_context.host.identityAgent;
    if (path == "none"_L1)
        return false;
    if (path.isEmpty())
        path = qEnvironmentVariable("SSH_AUTH_SOCK");
    if (path.isEmpty())
        return false;
    m_context.words(u"waiting for the agent"_s);
    // A quarter of the time: the key files must have their turn.
    m_relay.open(path, m_context.settings.signInTimeout / 4, [this](Result<QList<AgentKey>> keys) {
        m_listed = std::move(keys);
        m_context.wake();
    });
    return true;
}

Result<void> SignInAgent::show(const KeyOffer &offer)
{
    m_needsTouch = typeOfBlob(offer.blob).startsWith("sk-");
    const AgentKey shown{offer.blob, offer.name, offer.agentKey};
    if (std::exchange(m_hasEnd, true)) {
        m_relay.show({shown});
        return {};
    }
    const Result<int> end = m_relay.makeEnd({shown});
    if (!end)
        return tl::make_unexpected(end.error());
    if (m_context.api.setAgentSocket(m_context.session, *end) != SSH_OK) {
        ::close(*end);
        return fail(ErrorCode::Internal, u"libssh does not take the agent's socket."_s);
    }
    // libssh owns the last one that it was given, and forgets the one before.
    if (const int before = std::exchange(m_context.agentEnd, *end); before >= 0)
        ::close(before);
    return {};
}

bool SignInAgent::call()
{
    return m_lent.start([&api = m_context.api, session = m_context.session] { return api.authAgent(session); });
}

void SignInAgent::signatureAsked(const QString &comment)
{
    m_context.words(comment.isEmpty() ? u"waiting for the agent"_s
                                      : QString(u"waiting for the agent (key "_s + comment + u')'));
    if (m_needsTouch)
        setWaiting(true);
    else
        m_patience.start(agentPatience);
}

void SignInAgent::setWaiting(bool waiting)
{
    m_patience.stop();
    if (std::exchange(m_isWaiting, waiting) == waiting)
        return;
    if (waiting)
        m_context.words(agentAsksWords.toString());
    m_context.agentWaits(waiting);
}

void SignInAgent::cut()
{
    m_patience.stop();
    m_relay.cut(); // what the helper waits for ends, so that waiting for it is short
    m_lent.wait();
}

std::unique_ptr<SignInMethod> makeAgentOffer(SignInContext &context, SignInAgent &agent, const KeyOffer &offer)
{
    return std::make_unique<AgentOffer>(context, agent, offer);
}

} // namespace pilothouse
