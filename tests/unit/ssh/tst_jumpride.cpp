// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ssh/jump/jumphosts.h"
#include "core/ssh/jump/jumpmessages.h"
#include "tests/support/testmain.h"

using namespace pilothouse;
using namespace std::chrono_literals;
using namespace Qt::StringLiterals;

/// What a host asks of its jump host, and which hosts share one: never two that would sign in differently.
class TstJumpRide final : public QObject
{
    Q_OBJECT
private slots:
    void sameWay_isShared();
    void otherSettings_areAnotherJumpHost_data();
    void otherSettings_areAnotherJumpHost();
    void ride_takesNothingOfTheHostsOwn();
    void whoMayBeAsked_isNotAnotherJumpHost();
    void ride_keepsWhatReplacesAllKnownHosts();
    void ride_thatCannotBeIsNamed();
};

namespace {

using Change = void (*)(RouteRequest &);

RouteRequest requestThrough(const QString &jump)
{
    RouteRequest request;
    request.settings.target.host = u"gpu1"_s;
    request.settings.sshConfigFile = u"/etc/c"_s;
    request.host.alias = u"gpu1"_s;
    request.host.hostName = u"10.0.0.5"_s;
    request.host.user = u"ops"_s;
    request.host.port = 2201;
    request.host.proxyJump = jump;
    return request;
}

} // namespace

void TstJumpRide::sameWay_isShared()
{
    const RouteRequest first = requestThrough(u"al@bastion:22"_s);
    RouteRequest second = first;
    second.settings.target.host = u"gpu2"_s; // what differs behind it is none of its business
    second.settings.target.user = u"bob"_s;
    second.settings.identityFile = u"/k"_s;
    second.settings.byItself = true;
    second.host.alias = u"gpu2"_s;
    second.host.hostName = u"10.0.0.6"_s;
    second.host.port = 22;
    second.host.user = u"bob"_s;
    const Result<Ride> one = rideFor(first);
    const Result<Ride> other = rideFor(second);
    QVERIFY(one && other);
    QCOMPARE(other->hop, one->hop);
    QCOMPARE(one->name, u"al@bastion:22"_s);
    QCOMPARE(one->hostName, u"10.0.0.5"_s);
    QCOMPARE(one->port, 2201);
    QCOMPARE(other->port, 22);
}

void TstJumpRide::otherSettings_areAnotherJumpHost_data()
{
    QTest::addColumn<Change>("change");
    const auto row = [](const char *name, Change change) { QTest::newRow(name) << change; };
    row("name", [](RouteRequest &r) { r.host.proxyJump = u"first,al@bastion2:22"_s; });
    row("user", [](RouteRequest &r) { r.host.proxyJump = u"first,bob@bastion:22"_s; });
    row("no user", [](RouteRequest &r) { r.host.proxyJump = u"first,bastion:22"_s; });
    row("port", [](RouteRequest &r) { r.host.proxyJump = u"first,al@bastion:23"_s; });
    row("no port", [](RouteRequest &r) { r.host.proxyJump = u"first,al@bastion"_s; });
    row("the way there", [](RouteRequest &r) { r.host.proxyJump = u"second,al@bastion:22"_s; });
    row("its own way there", [](RouteRequest &r) { r.host.proxyJump = u"al@bastion:22"_s; });
    row("configuration", [](RouteRequest &r) { r.settings.sshConfigFile = u"/etc/d"_s; });
    row("known hosts", [](RouteRequest &r) { r.settings.knownHostsFile = u"/k"_s; });
    row("unknown keys are taken", [](RouteRequest &r) { r.settings.acceptNewHostKey = true; });
    row("time to connect", [](RouteRequest &r) { r.settings.connectTimeout = 3s; });
    row("time to sign in", [](RouteRequest &r) { r.settings.signInTimeout = 3s; });
    row("keepalive", [](RouteRequest &r) { r.settings.keepaliveInterval = 3s; });
    row("when it counts as dead", [](RouteRequest &r) { r.settings.deadAfter = 3s; });
}

void TstJumpRide::otherSettings_areAnotherJumpHost()
{
    QFETCH(const Change, change);
    const RouteRequest usual = requestThrough(u"first,al@bastion:22"_s);
    RouteRequest changed = usual;
    change(changed);
    const Result<Ride> one = rideFor(usual);
    const Result<Ride> other = rideFor(changed);
    QVERIFY(one && other);
    QVERIFY2(other->hop != one->hop, qPrintable(other->hop));
}

void TstJumpRide::ride_takesNothingOfTheHostsOwn()
{
    RouteRequest request = requestThrough(u"first,al@bastion:22"_s);
    request.settings.target.user = u"root"_s;
    request.settings.target.port = 2201;
    request.settings.identityFile = u"/home/op/.ssh/gpu"_s; // as ssh -i
    request.settings.proxyJump = u"elsewhere"_s;
    request.settings.byItself = true;
    request.settings.jumpHosts = std::make_shared<JumpHosts>();
    const Result<Ride> ride = rideFor(request);
    QVERIFY(ride);
    QCOMPARE(ride->settings.target.display(), u"al@bastion:22"_s);
    QCOMPARE(ride->settings.identityFile, QString());
    QCOMPARE(ride->settings.proxyJump, u"first"_s);
    QVERIFY(!ride->settings.jumpHosts);
    // Who asked is said of the ride, not of the session that others share.
    QVERIFY(ride->byItself);
    QVERIFY(!ride->settings.byItself);
}

void TstJumpRide::whoMayBeAsked_isNotAnotherJumpHost()
{
    const RouteRequest usual = requestThrough(u"first,al@bastion:22"_s);
    RouteRequest unasked = usual;
    unasked.settings.askPerson = false; // a host that comes back by itself
    const Result<Ride> one = rideFor(usual);
    const Result<Ride> other = rideFor(unasked);
    QVERIFY(one && other);
    QCOMPARE(other->hop, one->hop);
    QVERIFY(!other->settings.askPerson);
}

void TstJumpRide::ride_keepsWhatReplacesAllKnownHosts()
{
    RouteRequest request = requestThrough(u"bastion"_s);
    request.settings.knownHostsFile = u"/k"_s;
    request.settings.acceptNewHostKey = true;
    request.settings.askPerson = false;
    const Result<Ride> ride = rideFor(request);
    QVERIFY(ride);
    QCOMPARE(ride->settings.knownHostsFile, u"/k"_s);
    QCOMPARE(ride->settings.sshConfigFile, u"/etc/c"_s);
    QVERIFY(ride->settings.acceptNewHostKey);
    QVERIFY(!ride->settings.askPerson);
}

void TstJumpRide::ride_thatCannotBeIsNamed()
{
    const Result<Ride> ride = rideFor(requestThrough(u"-oProxyCommand=x"_s));
    QVERIFY(!ride);
    QCOMPARE(ride.error().code, ErrorCode::SshConfigInvalid);
}

PILOTHOUSE_TEST_MAIN(TstJumpRide)
#include "tst_jumpride.moc"
