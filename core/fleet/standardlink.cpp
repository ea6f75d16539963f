// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/fleet/fleet.h"
#include "core/fleet/linkenvironment.h"
#include "core/probe/prober.h"
#include "core/ssh/jump/jumphosts.h"
#include "core/ssh/sshconfigcache.h"
#include "core/ssh/sshsession.h"

#include <QRandomGenerator>

// The links of the product: real sessions and real probers. Apart from the rest, so that tests with fakes need neither.

namespace pilothouse {

namespace {

constexpr int handshakesAtOnce = 16;

class StandardSession final : public LinkSession
{
public:
    explicit StandardSession(const ConnectionSettings &settings)
        : m_session(settings)
    {
        using State = SshSession::State;
        connect(&m_session, &SshSession::stateChanged, this, [this](State state, const QString &words) {
            if (state == State::Ready)
                emit ready();
            else if (state != State::Closing && state != State::Ended)
                emit progressed(words);
        });
        connect(&m_session, &SshSession::asked, this, &LinkSession::asked);
        connect(&m_session, &SshSession::waitsForOthers, this, &LinkSession::waitsForOthers);
        connect(&m_session, &SshSession::ended, this, &LinkSession::ended);
    }
    void open() override { m_session.open(); }
    void close() override { m_session.close(); }
    void answer(const Answer &answer) override { m_session.answer(answer); }
    [[nodiscard]] QString peer() const override { return m_session.peer(); }
    [[nodiscard]] bool neededPerson() const override { return m_session.neededPerson(); }
    [[nodiscard]] bool endedOnTheWay() const override { return m_session.endedOnTheWay(); }
    [[nodiscard]] ShellProvider &shells() { return m_session; }
    [[nodiscard]] WayProvider &ways() { return m_session; }

private:
    SshSession m_session;
};

class StandardProber final : public LinkProber
{
public:
    StandardProber(ShellProvider &shells, const ProbeSettings &settings)
        : m_prober(shells, settings)
    {
        connect(&m_prober, &Prober::asked, this, &LinkProber::asked);
        connect(&m_prober, &Prober::started, this, &LinkProber::started);
        connect(&m_prober, &Prober::snapshotTaken, this, &LinkProber::snapshotTaken);
        connect(&m_prober, &Prober::requestFailed, this, &LinkProber::requestFailed);
        connect(&m_prober, &Prober::failed, this, &LinkProber::failed);
    }
    void start() override { m_prober.start(); }
    void requestSnapshot(Depth depth) override { m_prober.requestSnapshot(depth); }
    void answer(const Answer &answer) override { m_prober.answer(answer); }
    void setSettings(const ProbeSettings &settings) override { m_prober.setSettings(settings); }

private:
    Prober m_prober;
};

} // namespace

LinkEnvironment standardLinkEnvironment()
{
    LinkEnvironment environment;
    environment.gate = std::make_shared<HandshakeGate>(handshakesAtOnce);
    JumpSettings jump;
    jump.gate = environment.gate;
    environment.backend.makeSession
        = [hosts = std::make_shared<JumpHosts>(std::move(jump)), cache = std::make_shared<SshConfigCache>()](
              const ConnectionSettings &settings) -> std::unique_ptr<LinkSession> {
        ConnectionSettings shared = settings;
        shared.jumpHosts = hosts;
        shared.configCache = cache;
        return std::make_unique<StandardSession>(shared);
    };
    environment.backend.makeProber = [](LinkSession &session,
                                        const ProbeSettings &settings) -> std::unique_ptr<LinkProber> {
        return std::make_unique<StandardProber>(static_cast<StandardSession &>(session).shells(), settings);
    };
    environment.backend.makeActions = [](LinkSession &session) {
        return std::make_unique<ActionRunner>(static_cast<StandardSession &>(session).shells());
    };
    environment.backend.makeHttp = [](LinkSession &session) {
        return std::make_unique<HostHttp>(static_cast<StandardSession &>(session).ways());
    };
    environment.threads = std::make_shared<LinkThreads>();
    environment.random = [] { return QRandomGenerator::global()->generateDouble(); };
    return environment;
}

HostLink::HostLink(HostSpec spec, ConnectionSettings settings, ProbeSettings probe, QObject *parent)
    : HostLink(std::move(spec), std::move(settings), std::move(probe), standardLinkEnvironment(), parent)
{
}

Fleet::Fleet(FleetSettings settings, QObject *parent)
    : Fleet(std::move(settings), standardLinkEnvironment(), parent)
{
}

} // namespace pilothouse
