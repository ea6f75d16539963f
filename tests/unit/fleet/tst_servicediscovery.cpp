// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// Which units of a host are services that nobody wrote down, and what their processes hold.
#include "core/fleet/servicediscovery.h"
#include "tests/support/testmain.h"

using namespace pilothouse;
using namespace Qt::StringLiterals;

namespace {

Process process(qint64 pid, Owner::Kind kind, const QString &owner, std::optional<qint64> mib = {},
                const QStringList &arguments = {u"python3"_s})
{
    Process made;
    made.pid = Pid{pid};
    made.owner = Owner{kind, owner};
    made.user = u"root"_s;
    made.arguments = arguments;
    made.comm = arguments.first().section(u'/', -1);
    if (mib)
        made.gpuMemory = {ProcessGpuMemory{0, u"GPU-0"_s, *mib}};
    return made;
}

Snapshot snapshotOf(const QList<Process> &processes)
{
    Snapshot snapshot;
    snapshot.target = u"root@10.0.0.5:22"_s;
    snapshot.gpus = QList<Gpu>{Gpu()};
    snapshot.processes = processes;
    return snapshot;
}

QStringList unitsOf(const QList<ServiceSpec> &services)
{
    QStringList units;
    for (const ServiceSpec &service : services)
        units += service.unit + (service.userScope ? u" (user)"_s : QString());
    return units;
}

ServiceSpec service(const QString &unit, bool user = false)
{
    ServiceSpec made;
    made.unit = unit;
    made.userScope = user;
    return made;
}

using Kind = Owner::Kind;
const QStringList vllm{u"/opt/vllm/bin/python3"_s, u"/opt/vllm/bin/vllm"_s, u"serve"_s, u"kimi"_s};

} // namespace

class TstServiceDiscovery final : public QObject
{
    Q_OBJECT
private slots:
    void discovery_data();
    void discovery();
    void found_isNamedByItsUnit();
    void memory_isTheSumOfItsOwn();
    void memory_unknownIsNeverZero();
};

void TstServiceDiscovery::discovery_data()
{
    QTest::addColumn<QList<Process>>("processes");
    QTest::addColumn<QStringList>("units");
    const auto row = [](const char *name, const QList<Process> &processes, const QStringList &units) {
        QTest::newRow(name) << processes << units;
    };
    row("nothing", {}, {});
    row("a holder's unit", {process(1, Kind::Unit, u"kimi.service"_s, 96615)}, {u"kimi.service"_s});
    row("several holders, once",
        {process(1, Kind::Unit, u"kimi.service"_s, 1), process(2, Kind::Unit, u"kimi.service"_s, 1)},
        {u"kimi.service"_s});
    row("a server that holds nothing yet", {process(1, Kind::Unit, u"kimi.service"_s, {}, vllm)}, {u"kimi.service"_s});
    row("a unit that neither holds nor serves", {process(1, Kind::Unit, u"cron.service"_s)}, {});
    row("a helper alone",
        {process(1, Kind::Unit, u"jobs.service"_s, {},
                 {u"python3"_s, u"-c"_s, u"from multiprocessing.resource_tracker import main"_s})},
        {});
    row("a login session", {process(1, Kind::Session, u"session-3.scope"_s, 96615, vllm)}, {});
    row("a scope", {process(1, Kind::Unit, u"run-r12.scope"_s, 96615)}, {});
    row("a container", {process(1, Kind::Container, u"docker 9ec39b91f3d7"_s, 96615, vllm)}, {});
    row("nobody knows whose", {process(1, Kind::Unknown, {}, 96615, vllm)}, {});
    row("a display server", {process(1, Kind::Unit, u"lightdm.service"_s, 40, {u"/usr/lib/xorg/Xorg"_s})}, {});
    row("own user unit", {process(1, Kind::UserUnit, u"comfy.service"_s, 10)}, {u"comfy.service (user)"_s});
    Process others = process(1, Kind::UserUnit, u"comfy.service"_s, 10);
    others.user = u"anna"_s;
    row("another's user unit", {others}, {});
    row("in order, system units first",
        {process(1, Kind::UserUnit, u"a.service"_s, 1), process(2, Kind::Unit, u"z.service"_s, 1),
         process(3, Kind::Unit, u"b.service"_s, 1)},
        {u"b.service"_s, u"z.service"_s, u"a.service (user)"_s});
    row("written down, with and without its suffix",
        {process(1, Kind::Unit, u"w1.service"_s, 1), process(2, Kind::Unit, u"w2.service"_s, 1)}, {});
    row("the same name in the other scope", {process(1, Kind::UserUnit, u"w1.service"_s, 1)}, {u"w1.service (user)"_s});
}

void TstServiceDiscovery::discovery()
{
    QFETCH(const QList<Process>, processes);
    QFETCH(const QStringList, units);
    const QList<ServiceSpec> written{service(u"w1"_s), service(u"w2.service"_s)};
    QCOMPARE(unitsOf(discoverServices(snapshotOf(processes), written)), units);
}

void TstServiceDiscovery::found_isNamedByItsUnit()
{
    const auto found = discoverServices(snapshotOf({process(1, Kind::Unit, u"vllm-kimi-k25.service"_s, 1)}), {});
    QCOMPARE(found.size(), 1);
    QCOMPARE(found.first().name, u"vllm-kimi-k25"_s);
    QCOMPARE(found.first().unit, u"vllm-kimi-k25.service"_s);
    QVERIFY(!found.first().userScope);
}

void TstServiceDiscovery::memory_isTheSumOfItsOwn()
{
    const Snapshot snapshot = snapshotOf({process(1, Kind::Unit, u"kimi.service"_s, 96615),
                                          process(2, Kind::Unit, u"kimi.service"_s, 1000),
                                          process(3, Kind::Unit, u"other.service"_s, 7),
                                          process(4, Kind::UserUnit, u"kimi.service"_s, 9)});
    QCOMPARE(gpuMemoryOf(snapshot, service(u"kimi"_s)), Quantity<qint64>(97615));
    QCOMPARE(gpuMemoryOf(snapshot, service(u"kimi"_s, true)), Quantity<qint64>(9));
    QCOMPARE(gpuMemoryOf(snapshot, service(u"none.service"_s)), Quantity<qint64>(0));
}

void TstServiceDiscovery::memory_unknownIsNeverZero()
{
    const ServiceSpec kimi = service(u"kimi.service"_s);
    Snapshot snapshot = snapshotOf({process(1, Kind::Unit, u"kimi.service"_s, 1)});
    snapshot.gpus.reset();
    snapshot.unknown.insert(u"gpus"_s, UnknownReason::Absent);
    QCOMPARE(gpuMemoryOf(snapshot, kimi), Quantity<qint64>::unknown(UnknownReason::Absent));
    snapshot = snapshotOf({});
    snapshot.processes.reset();
    QCOMPARE(gpuMemoryOf(snapshot, kimi), Quantity<qint64>::unknown(UnknownReason::Failed));
    Process hidden = process(1, Kind::Unit, u"kimi.service"_s, 5);
    hidden.gpuMemory.first().mib = Quantity<qint64>::unknown(UnknownReason::NotSupported);
    QCOMPARE(gpuMemoryOf(snapshotOf({process(2, Kind::Unit, u"kimi.service"_s, 5), hidden}), kimi).reason(),
             UnknownReason::NotSupported);
    // It runs, and somebody whose owner cannot be read holds memory.
    snapshot = snapshotOf({process(1, Kind::Unknown, {}, 96615)});
    Unit unit;
    unit.name = u"kimi.service"_s;
    unit.mainPid = 12;
    snapshot.units = QList<Unit>{unit};
    QVERIFY(!gpuMemoryOf(snapshot, kimi).isKnown());
    snapshot.units->first().mainPid = {};
    QCOMPARE(gpuMemoryOf(snapshot, kimi), Quantity<qint64>(0));
}

PILOTHOUSE_TEST_MAIN(TstServiceDiscovery)
#include "tst_servicediscovery.moc"
