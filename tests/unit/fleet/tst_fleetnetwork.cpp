// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/fleet/fleet.h"
#include "core/fleet/linkenvironment.h"
#include "tests/support/sshdserver.h"
#include "tests/support/testmain.h"
#include "tests/unit/fleet/fakelink.h"

#include <QSignalSpy>

#include <csignal>

using namespace pilothouse;
using namespace pilothouse::test;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;
using State = NetworkTrouble::State;
using Phase = LinkState::Phase;

/// What a fleet does when its connections vanish together.
class TstFleetNetwork final : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase() { qRegisterMetaType<NetworkTrouble>(); }
    void oneTriesForAll_untilTheNetworkIsBack();
    void personMayTryAnyHost();
    void removedHosts_endTheTrouble();
    void oneHostLost_retriesByItself();
    void realServer_comesBackGently();

private:
    static HostSpec named(const QString &name)
    {
        HostSpec host;
        host.name = name;
        return host;
    }
    static LinkEnvironment environmentOf(const std::shared_ptr<FakeHost> &host)
    {
        LinkEnvironment environment = fakeEnvironment(host);
        environment.network.firstProbe = 100ms;
        environment.network.lastProbe = 200ms;
        return environment;
    }
    static bool allAre(const Fleet &fleet, Phase phase)
    {
        return std::ranges::all_of(fleet.links(), [=](const HostLink *link) { return link->state().phase == phase; });
    }
    static constexpr int hosts = 8;
};

void TstFleetNetwork::oneTriesForAll_untilTheNetworkIsBack()
{
    const auto host = std::make_shared<FakeHost>();
    Fleet fleet({}, environmentOf(host));
    QSignalSpy said(&fleet, &Fleet::networkTroubleChanged);
    for (int i = 0; i < hosts; ++i)
        QVERIFY(fleet.add(named(u"gpu%1"_s.arg(i))));
    QTRY_VERIFY(allAre(fleet, Phase::Connected));
    QCOMPARE(said.size(), 0);
    for (int i = 0; i < 100; ++i)
        host->tell(FakeHost::ends(ErrorCode::Unreachable));
    host->drop({ErrorCode::ConnectionLost, {}, {}});
    QTRY_COMPARE(fleet.networkTrouble().lost, hosts);
    QCOMPARE(fleet.networkTrouble().of, hosts);
    QCOMPARE(fleet.networkTrouble().state, State::Away);
    QTRY_VERIFY(allAre(fleet, Phase::Retrying));
    QTRY_VERIFY(std::ranges::all_of(fleet.links(), [](const HostLink *link) { return link->state().held; }));
    const int before = host->sessionsOpened;
    QTest::qWait(1'000); // each by itself: eight hosts every 160 ms at the most
    const int tries = host->sessionsOpened - before;
    QVERIFY2(tries >= 3 && tries <= 10, qPrintable(QString::number(tries)));
    while (host->nextAttempt().kind == FakeHost::Attempt::Kind::Ends) { }
    QTRY_VERIFY(allAre(fleet, Phase::Connected));
    QTRY_COMPARE(fleet.networkTrouble(), NetworkTrouble());
    QVERIFY(std::ranges::none_of(fleet.links(), [](const HostLink *link) { return link->state().held; }));
    QCOMPARE(said.last().first().value<NetworkTrouble>().state, State::None);
}

void TstFleetNetwork::personMayTryAnyHost()
{
    const auto host = std::make_shared<FakeHost>();
    LinkEnvironment environment = environmentOf(host);
    environment.network.firstProbe = 1min; // nobody else does
    environment.network.lastProbe = 1min;
    Fleet fleet({}, environment);
    for (int i = 0; i < hosts; ++i)
        QVERIFY(fleet.add(named(u"gpu%1"_s.arg(i))));
    QTRY_VERIFY(allAre(fleet, Phase::Connected));
    for (int i = 0; i < 4; ++i)
        host->tell(FakeHost::ends(ErrorCode::Unreachable));
    host->drop({ErrorCode::ConnectionLost, {}, {}});
    QTRY_COMPARE(fleet.networkTrouble().lost, hosts);
    QTRY_VERIFY(allAre(fleet, Phase::Retrying));
    while (host->nextAttempt().kind == FakeHost::Attempt::Kind::Ends) { }
    fleet.link(u"gpu5"_s)->retryNow();
    QTRY_VERIFY(allAre(fleet, Phase::Connected)); // and the others follow
}

void TstFleetNetwork::removedHosts_endTheTrouble()
{
    const auto host = std::make_shared<FakeHost>();
    LinkEnvironment environment = environmentOf(host);
    environment.network.firstProbe = 1min;
    Fleet fleet({}, environment);
    for (int i = 0; i < 4; ++i)
        QVERIFY(fleet.add(named(u"gpu%1"_s.arg(i))));
    QTRY_VERIFY(allAre(fleet, Phase::Connected));
    host->drop({ErrorCode::ConnectionLost, {}, {}});
    QTRY_COMPARE(fleet.networkTrouble().state, State::Away);
    for (int i = 0; i < 4; ++i)
        fleet.remove(u"gpu%1"_s.arg(i));
    QCOMPARE(fleet.networkTrouble(), NetworkTrouble());
}

void TstFleetNetwork::oneHostLost_retriesByItself()
{
    const auto lost = std::make_shared<FakeHost>();
    Fleet fleet({}, environmentOf(lost));
    QVERIFY(fleet.add(named(u"gpu1"_s)));
    QTRY_VERIFY(allAre(fleet, Phase::Connected));
    QSignalSpy said(&fleet, &Fleet::networkTroubleChanged);
    lost->drop({ErrorCode::ConnectionLost, {}, {}});
    QTRY_COMPARE(lost->sessionsOpened.load(), 2);
    QTRY_VERIFY(allAre(fleet, Phase::Connected));
    QCOMPARE(said.size(), 0);
}

void TstFleetNetwork::realServer_comesBackGently()
{
    SshdServer server({u"MaxStartups 100"_s});
    QVERIFY2(server.start(), qPrintable(server.error()));
    const QByteArray open = readFile(server.path(u"ssh_config"_s)).replace("Host gpu_01", "Host gpu*");
    QByteArray closed = open;
    closed.replace("Port " + QByteArray::number(server.port()), "Port " + QByteArray::number(freePort()));
    QVERIFY(closed != open);
    QVERIFY(writeFile(server.path(u"ssh_config"_s), open));
    FleetSettings settings;
    settings.sshConfigFile = server.path(u"ssh_config"_s);
    settings.askPerson = false;
    Fleet fleet(settings);
    for (int i = 0; i < hosts; ++i)
        QVERIFY(fleet.add(named(u"gpu%1"_s.arg(i))));
    QTRY_VERIFY_WITH_TIMEOUT(allAre(fleet, Phase::Connected), 30'000);
    QVERIFY(writeFile(server.path(u"ssh_config"_s), closed)); // no way to it
    for (const pid_t pid : server.connectionProcesses())
        ::kill(pid, SIGKILL);
    QTRY_COMPARE_WITH_TIMEOUT(fleet.networkTrouble().lost, hosts, 10'000);
    QTRY_VERIFY_WITH_TIMEOUT(!fleet.networkTrouble().trying.isEmpty(), 10'000);
    QVERIFY(writeFile(server.path(u"ssh_config"_s), open));
    const qsizetype before = server.log().count("Accepted publickey");
    QTRY_VERIFY_WITH_TIMEOUT(allAre(fleet, Phase::Connected), 30'000);
    QTRY_COMPARE(fleet.networkTrouble(), NetworkTrouble());
    QCOMPARE(server.log().count("Accepted publickey"), before + hosts);
}

PILOTHOUSE_TEST_MAIN(TstFleetNetwork)
#include "tst_fleetnetwork.moc"
