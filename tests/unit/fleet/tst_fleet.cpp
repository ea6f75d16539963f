// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/fleet/fleet.h"
#include "tests/support/testmain.h"
#include "tests/unit/fleet/fakelink.h"

#include <QElapsedTimer>
#include <QSignalSpy>

using namespace pilothouse;
using namespace pilothouse::test;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

class TstFleet final : public QObject
{
    Q_OBJECT
private slots:
    void add_opensAndAnnounces();
    void add_sameName_returnsTheSameLink();
    void add_badTarget_fails();
    void remove_endsTheLink();
    void change_ofServices_staysConnected();
    void change_ofTheWay_connectsAnew_data();
    void change_ofTheWay_connectsAnew();
    void change_ofAnUnknownHost_addsIt();
    void hostInView_ticksFaster();
    void threshold_isTheHosts();
    void manyHosts_shakeHandsSixteenAtATime();
    void oneSignIn_isForAllBehindTheJumpHost();
    void end_isBounded();
    void settings_comeFromHostAndCommandLine();
    void timeout_replacesAllThree();

private:
    static HostSpec named(const QString &name)
    {
        HostSpec host;
        host.name = name;
        return host;
    }
};

void TstFleet::add_opensAndAnnounces()
{
    const auto host = std::make_shared<FakeHost>();
    Fleet fleet({}, fakeEnvironment(host));
    QSignalSpy added(&fleet, &Fleet::hostAdded);
    const auto link = fleet.add(named(u"gpu1"_s));
    QVERIFY(link);
    QCOMPARE(added.size(), 1);
    QCOMPARE(fleet.link(u"gpu1"_s), *link);
    QCOMPARE(fleet.links(), std::vector<HostLink *>{*link});
    QTRY_VERIFY((*link)->latest());
}

void TstFleet::add_sameName_returnsTheSameLink()
{
    Fleet fleet({}, fakeEnvironment(std::make_shared<FakeHost>()));
    const auto first = fleet.add(named(u"gpu1"_s));
    const auto second = fleet.add(named(u"gpu1"_s));
    QVERIFY(first && second);
    QCOMPARE(*first, *second);
    QCOMPARE(fleet.links().size(), size_t(1));
}

void TstFleet::add_badTarget_fails()
{
    Fleet fleet({}, fakeEnvironment(std::make_shared<FakeHost>()));
    const auto link = fleet.add(named(u"-oX"_s));
    QVERIFY(!link);
    QCOMPARE(link.error().code, ErrorCode::Usage);
    QVERIFY(fleet.links().empty());
}

void TstFleet::remove_endsTheLink()
{
    const auto host = std::make_shared<FakeHost>();
    Fleet fleet({}, fakeEnvironment(host));
    QVERIFY(fleet.add(named(u"a"_s)));
    QVERIFY(fleet.add(named(u"b"_s)));
    QTRY_COMPARE(host->sessionsLive.load(), 2);
    QSignalSpy removed(&fleet, &Fleet::hostRemoved);
    fleet.remove(u"a"_s);
    fleet.remove(u"nobody"_s);
    QCOMPARE(removed.size(), 1);
    QCOMPARE(removed.first().first().toString(), u"a"_s);
    QVERIFY(!fleet.link(u"a"_s));
    QTRY_COMPARE(host->sessionsLive.load(), 1);
}

void TstFleet::change_ofServices_staysConnected()
{
    const auto host = std::make_shared<FakeHost>();
    Fleet fleet({}, fakeEnvironment(host));
    HostSpec spec = named(u"a"_s);
    const auto link = fleet.add(spec);
    QVERIFY(link);
    QTRY_VERIFY((*link)->latest());
    QVERIFY(host->probeSettings().units.isEmpty());
    ServiceSpec kimi;
    kimi.unit = u"kimi.service"_s;
    ServiceSpec own;
    own.unit = u"mine"_s;
    own.userScope = true;
    spec.services = {kimi, own};
    spec.expectedGpus = 8;
    spec.tags = {u"prod"_s};
    const auto changed = fleet.change(spec);
    QVERIFY(changed);
    QCOMPARE(*changed, *link);
    QCOMPARE((*link)->spec(), spec);
    QTRY_COMPARE(host->probeSettings().units, QStringList{u"kimi.service"_s});
    QCOMPARE(host->probeSettings().userUnits, QStringList{u"mine.service"_s});
    QCOMPARE(host->probeSettings().expectedGpus, 8);
    QCOMPARE(host->probeSettings().target, u"root@10.0.0.5:22"_s); // what the connection found out stays
    // A connection that is made anew asks for the same.
    host->drop({ErrorCode::ConnectionLost, u"Cable."_s, {}});
    QTRY_COMPARE(host->sessionsOpened.load(), 2);
    QTRY_COMPARE((*link)->state().phase, LinkState::Phase::Connected);
    QCOMPARE(host->probeSettings().units, QStringList{u"kimi.service"_s});
    QCOMPARE(host->probeSettings().expectedGpus, 8);
}

void TstFleet::change_ofTheWay_connectsAnew_data()
{
    QTest::addColumn<QString>("ssh");
    QTest::addColumn<SudoPolicy>("sudo");
    QTest::newRow("another target") << u"root@elsewhere"_s << SudoPolicy::Never;
    QTest::newRow("sudo") << u"a"_s << SudoPolicy::NoPassword;
}

void TstFleet::change_ofTheWay_connectsAnew()
{
    QFETCH(const QString, ssh);
    QFETCH(const SudoPolicy, sudo);
    const auto host = std::make_shared<FakeHost>();
    Fleet fleet({}, fakeEnvironment(host));
    QVERIFY(fleet.add(named(u"a"_s)));
    QTRY_COMPARE(host->sessionsLive.load(), 1);
    QSignalSpy removed(&fleet, &Fleet::hostRemoved);
    HostSpec spec = named(u"a"_s);
    spec.ssh = ssh;
    spec.sudo = sudo;
    const auto link = fleet.change(spec);
    QVERIFY(link);
    QCOMPARE(removed.size(), 1);
    QTRY_VERIFY((*link)->latest());
    QCOMPARE(host->sessionsOpened.load(), 2);
    QTRY_COMPARE(host->sessionsLive.load(), 1);
    QCOMPARE(host->probeSettings().sudo, sudo);
}

void TstFleet::change_ofAnUnknownHost_addsIt()
{
    Fleet fleet({}, fakeEnvironment(std::make_shared<FakeHost>()));
    const auto link = fleet.change(named(u"new"_s));
    QVERIFY(link);
    QCOMPARE(fleet.link(u"new"_s), *link);
}

void TstFleet::hostInView_ticksFaster()
{
    const auto host = std::make_shared<FakeHost>();
    FleetSettings settings;
    settings.inView = 20ms;
    settings.background = 60s;
    Fleet fleet(settings, fakeEnvironment(host));
    const auto link = fleet.add(named(u"a"_s));
    QVERIFY(link);
    QSignalSpy snapshots(*link, &HostLink::snapshotArrived);
    QTRY_COMPARE(snapshots.size(), 1);
    fleet.setInView(u"a"_s);
    QTRY_VERIFY(snapshots.size() >= 5);
    fleet.setInView({});
    QTest::qWait(50);
    const qsizetype settled = snapshots.size();
    QTest::qWait(100);
    QCOMPARE(snapshots.size(), settled);
}

void TstFleet::threshold_isTheHosts()
{
    const auto host = std::make_shared<FakeHost>();
    Snapshot answer;
    Gpu gpu;
    gpu.uuid = u"GPU-0"_s;
    gpu.unattributedMib = 500;
    answer.gpus = QList<Gpu>{gpu};
    host->setAnswer(answer);
    FleetSettings settings;
    settings.background = 20ms;
    Fleet fleet(settings, fakeEnvironment(host));
    HostSpec spec = named(u"a"_s);
    spec.thresholdMib = 500; // its own, half of the default
    QVERIFY(fleet.add(spec));
    QTRY_COMPARE(host->requests().count(Depth::Deep), 1);
}

void TstFleet::manyHosts_shakeHandsSixteenAtATime()
{
    const auto host = std::make_shared<FakeHost>();
    host->handshakeMs = 20;
    Fleet fleet({}, fakeEnvironment(host));
    int first = 0;
    for (int i = 0; i < 60; ++i) {
        const auto link = fleet.add(named(u"gpu%1"_s.arg(i)));
        QVERIFY(link);
        connect(*link, &HostLink::snapshotArrived, this, [&first] { ++first; });
    }
    QTRY_COMPARE_WITH_TIMEOUT(first, 60, 10'000);
    QVERIFY2(host->mostHandshakes.load() <= 16, qPrintable(QString::number(host->mostHandshakes.load())));
    QVERIFY(host->mostHandshakes.load() > 1);
}

void TstFleet::oneSignIn_isForAllBehindTheJumpHost()
{
    const auto host = std::make_shared<FakeHost>();
    for (int i = 0; i < 4; ++i)
        host->tell(FakeHost::jumpHostNeedsAPerson());
    host->tell(FakeHost::ends(ErrorCode::SignInRefused));
    Fleet fleet({}, fakeEnvironment(host, 1));
    std::vector<HostLink *> links;
    for (int i = 0; i < 5; ++i)
        links.push_back(fleet.add(named(u"gpu%1"_s.arg(i))).value_or(nullptr));
    for (HostLink *link : links)
        QTRY_COMPARE(link->state().phase, LinkState::Phase::Stopped);
    std::erase_if(links, [](HostLink *link) { return !link->state().waitsForJumpHost; });
    QCOMPARE(links.size(), size_t(4));
    links.back()->retryNow();
    for (HostLink *link : links)
        QTRY_COMPARE(link->state().phase, LinkState::Phase::Connected);
    // What was refused is not tried again because somebody else signed in.
    QTest::qWait(100);
    QCOMPARE(host->sessionsOpened.load(), 9);
}

void TstFleet::end_isBounded()
{
    const auto host = std::make_shared<FakeHost>();
    auto fleet = std::make_unique<Fleet>(FleetSettings{}, fakeEnvironment(host));
    for (int i = 0; i < 20; ++i) {
        if (i % 2)
            host->tell(FakeHost::hangs());
        QVERIFY(fleet->add(named(u"gpu%1"_s.arg(i))));
    }
    QTRY_VERIFY(host->sessionsOpened.load() > 0);
    QElapsedTimer timer;
    timer.start();
    fleet.reset();
    QVERIFY(timer.elapsed() < 2'000);
    QCOMPARE(host->sessionsLive.load(), 0);
}

void TstFleet::settings_comeFromHostAndCommandLine()
{
    HostSpec host = named(u"gpu1"_s);
    host.ssh = u"root@10.0.0.5:2222"_s;
    host.expectedGpus = 8;
    host.sudo = SudoPolicy::NoPassword;
    ServiceSpec service;
    service.unit = u"vllm"_s;
    ServiceSpec user;
    user.unit = u"embed.service"_s;
    user.userScope = true;
    host.services = {service, service, user};
    FleetSettings settings;
    settings.sshConfigFile = u"/c"_s;
    settings.knownHostsFile = u"/k"_s;
    settings.identityFile = u"/i"_s;
    settings.acceptNewHostKey = true;
    settings.askPerson = false;
    settings.consoleId = u"id"_s;
    auto link = linkSettingsFor(host, settings);
    QVERIFY(link);
    QCOMPARE(link->connection.target.display(), u"root@10.0.0.5:2222"_s);
    QCOMPARE(link->connection.sshConfigFile, u"/c"_s);
    QCOMPARE(link->connection.knownHostsFile, u"/k"_s);
    QCOMPARE(link->connection.identityFile, u"/i"_s);
    QVERIFY(link->connection.acceptNewHostKey);
    QVERIFY(!link->connection.askPerson);
    QCOMPARE(link->probe.host, u"gpu1"_s);
    QCOMPARE(link->probe.consoleId, u"id"_s);
    QCOMPARE(link->probe.expectedGpus, 8);
    QCOMPARE(link->probe.units, QStringList{u"vllm.service"_s});
    QCOMPARE(link->probe.userUnits, QStringList{u"embed.service"_s});
    QCOMPARE(link->probe.sudo, SudoPolicy::NoPassword);
    settings.sudo = SudoPolicy::Never;
    link = linkSettingsFor(host, settings);
    QCOMPARE(link->probe.sudo, SudoPolicy::Never);
}

void TstFleet::timeout_replacesAllThree()
{
    FleetSettings settings;
    auto link = linkSettingsFor(named(u"gpu1"_s), settings);
    QVERIFY(link);
    QCOMPARE(link->connection.connectTimeout, 10s);
    QCOMPARE(link->connection.signInTimeout, 20s);
    QCOMPARE(link->probe.snapshotTimeout, 10s);
    QCOMPARE(link->probe.smiTimeout, 5s);
    QCOMPARE(link->connection.deadAfter, 45s);
    settings.timeout = 3s;
    link = linkSettingsFor(named(u"gpu1"_s), settings);
    QCOMPARE(link->connection.connectTimeout, 3s);
    QCOMPARE(link->connection.signInTimeout, 3s);
    QCOMPARE(link->probe.snapshotTimeout, 3s);
    QCOMPARE(link->probe.smiTimeout, 2s);
    // A frozen link is given up as soon, and asked before.
    QCOMPARE(link->connection.deadAfter, 3s);
    QCOMPARE(link->connection.keepaliveInterval, 1s);
    settings.timeout = 100ms;
    QCOMPARE(linkSettingsFor(named(u"gpu1"_s), settings)->connection.deadAfter, 1s);
    settings.timeout = 300s;
    QCOMPARE(linkSettingsFor(named(u"gpu1"_s), settings)->connection.deadAfter, 45s);
    QCOMPARE(linkSettingsFor(named(u"gpu1"_s), settings)->connection.keepaliveInterval, 15s);
}

PILOTHOUSE_TEST_MAIN(TstFleet)
#include "tst_fleet.moc"
