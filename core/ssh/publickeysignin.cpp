// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ssh/agentoffer.h"

#include "core/base/cleantext.h"

#include <QFileInfo>

#include <deque>

// All keys, one after the other: those of the agent and those of files.

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

class PublicKeySignIn final : public SignInMethod
{
public:
    explicit PublicKeySignIn(SignInContext &context)
        : m_context(context)
        , m_agent(context)
    {
    }
    ~PublicKeySignIn() override { abandon(); }

    [[nodiscard]] Step advance() override;
    void answer(Answer answer) override
    {
        if (m_offer)
            m_offer->answer(std::move(answer));
    }
    [[nodiscard]] bool isLent() const override { return m_offer && m_offer->isLent(); }
    [[nodiscard]] bool readsItself() const override { return m_offer && m_offer->readsItself(); }
    void abandon() override { m_agent.cut(); }
    [[nodiscard]] Error error() const override { return m_offer ? m_offer->error() : Error(); }

private:
    void collect();
    [[nodiscard]] bool isTooMany() const;
    [[nodiscard]] bool offerNext();
    void noteAgent();

    SignInContext &m_context;
    SignInAgent m_agent;
    std::deque<KeyOffer> m_offers;
    std::unique_ptr<SignInMethod> m_offer; ///< on its way
    QByteArray m_offered;                  ///< the public half of m_offer's key
    int m_refusedBefore = 0;
    bool m_begun = false;
    bool m_isListing = false;
    bool m_collected = false;
    int m_agentOffers = 0;   ///< bare keys of the agent
    qsizetype m_agentNote = -1; ///< where `tried` speaks of them
};

void PublicKeySignIn::collect()
{
    QList<AgentKey> agent;
    if (const auto &listed = m_agent.keys()) {
        if (!*listed)
            m_context.tried += listed->error().detail.chopped(1);
        else if ((*listed)->isEmpty())
            m_context.tried += u"the agent (it has no keys, or is locked)"_s;
        else
            agent = **listed;
    }
    const QString given = m_context.settings.identityFile;
    if (!given.isEmpty() && !QFileInfo(given).isFile() && !QFileInfo::exists(given + u".pub"_s))
        m_context.tried +=
            u"%1 (%2)"_s.arg(cleanLine(given), QFileInfo::exists(given) ? u"it is not a file"_s : u"no such file"_s);
    const QList<KeyOffer> offers = keyOffers(m_context.api, m_context.host, m_context.settings, agent);
    m_offers.assign(offers.begin(), offers.end());
}

/// With one more refusal the usual server ends the connection, and the person could type nothing any more.
bool PublicKeySignIn::isTooMany() const
{
    return m_context.personFollows && m_context.refused >= usualAuthTries - 1;
}

bool PublicKeySignIn::offerNext()
{
    std::erase_if(m_offers, [this](const KeyOffer &offer) {
        return (!offer.blob.isEmpty() && m_context.usedKeys.contains(offer.blob))
            || (!offer.agentKey.isEmpty() && m_agent.isGone());
    });
    if (m_offers.empty())
        return false;
    if (isTooMany()) {
        m_context.tried +=
            u"%1 more not offered, since servers end the connection after %2 refusals"_s.arg(m_offers.size())
                .arg(usualAuthTries);
        const QString refused = m_context.refused == 1 ? u"1 key was"_s : u"%1 keys were"_s.arg(m_context.refused);
        m_context.keysNote = u"%1 refused and %2 not offered. To sign in with a key, set IdentitiesOnly yes "
                             "and IdentityFile for this host in the SSH configuration."_s.arg(refused)
                                 .arg(m_offers.size());
        return false;
    }
    const KeyOffer offer = std::move(m_offers.front());
    m_offers.pop_front();
    m_offered = offer.blob;
    m_refusedBefore = m_context.refused;
    if (!m_offered.isEmpty())
        m_context.usedKeys.insert(m_offered);
    if (offer.agentKey.isEmpty()) {
        m_offer = makeKeyFileOffer(m_context, offer);
    } else {
        if (offer.certificateFile.isEmpty())
            noteAgent();
        m_offer = makeAgentOffer(m_context, m_agent, offer);
    }
    return true;
}

/// One word for all bare keys of the agent: their names tell people little.
void PublicKeySignIn::noteAgent()
{
    ++m_agentOffers;
    const QString text
        = m_agentOffers == 1 ? u"the agent's key"_s : u"%1 keys of the agent"_s.arg(m_agentOffers);
    if (m_agentNote < 0) {
        m_agentNote = m_context.tried.size();
        m_context.tried += text;
    } else {
        m_context.tried[m_agentNote] = text;
    }
}

SignInMethod::Step PublicKeySignIn::advance()
{
    if (!std::exchange(m_begun, true))
        m_isListing = m_agent.list();
    if (m_isListing && !m_agent.keys())
        return Step::Again;
    m_isListing = false;
    if (!std::exchange(m_collected, true))
        collect();
    for (;;) {
        if (!m_offer && !offerNext())
            return Step::Exhausted;
        const Step step = m_offer->advance();
        if (step != Step::Exhausted)
            return step;
        // Not the server's refusal but a file or an agent that cannot sign: another with the same key may.
        if (m_context.refused == m_refusedBefore)
            m_context.usedKeys.remove(m_offered);
        m_offer.reset();
    }
}

} // namespace

std::unique_ptr<SignInMethod> makePublicKeySignIn(SignInContext &context)
{
    return std::make_unique<PublicKeySignIn>(context);
}

} // namespace pilothouse
