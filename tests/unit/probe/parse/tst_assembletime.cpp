// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// What spans ticks: since when, ghosts, unexplained load; and the figures of time in one tick.
#include "core/probe/assemble.h"
#include "tests/support/testmain.h"
#include "tests/unit/probe/parse/fixtures.h"

using namespace pilothouse;
using namespace pilothouse::test;
using namespace Qt::StringLiterals;
using Status = GpuSource::Status;

namespace {

HostAnswer silentSmi(Status status)
{
    HostAnswer answer = wellHost();
    answer.smi.status = status;
    answer.smi.gpus = answer.smi.apps = {};
    return answer;
}

HostAnswer idleHost(const QByteArray &rows)
{
    HostAnswer answer = wellHost();
    answer.smi.gpus = sectionOf(rows);
    answer.smi.apps = sectionOf({});
    answer.processes->clear();
    return answer;
}

} // namespace

class TstAssembleTime final : public QObject
{
    Q_OBJECT
private slots:
    void since_holdsWhileItFails();
    void since_hungTakesTheStuckOnesAge();
    void since_timeoutThenHungIsOneTrouble();
    void since_anotherTroubleBeginsAnew();
    void hung_keepsTheRest();
    void ghost_needsTwoTicks();
    void ghost_otherPidIsAnotherTick();
    void busy_needsTwoTicks();
    void busy_withAProcessIsExplained();
    void polling_wakes_data();
    void polling_wakes();
    void skew_isAMultipleOfTen_data();
    void skew_isAMultipleOfTen();
    void duration_onTheHost();
    void facts_ofTheTick();
};

void TstAssembleTime::since_holdsWhileItFails()
{
    AssembleMemory memory;
    HostAnswer bad = wellHost();
    bad.smi.gpus = sectionOf("Failed to initialize NVML: Driver/library version mismatch\n", 18);
    QCOMPARE(assemble(bad, {}, memory, noon(0)).gpuSource.since, noon(0));
    QCOMPARE(assemble(bad, {}, memory, noon(2)).gpuSource.since, noon(0));
    QVERIFY(!assemble(wellHost(), {}, memory, noon(4)).gpuSource.since.isValid());
    QCOMPARE(assemble(bad, {}, memory, noon(6)).gpuSource.since, noon(6));
    bad.bootId = u"rebooted"_s;
    QCOMPARE(assemble(bad, {}, memory, noon(8)).gpuSource.since, noon(8));
}

void TstAssembleTime::since_hungTakesTheStuckOnesAge()
{
    AssembleMemory memory;
    HostAnswer hung = silentSmi(Status::Hung);
    hung.smi.stuckPid = 991;
    hung.smi.stuckSinceUptime = 940.06;
    const Snapshot first = assemble(hung, {}, memory, noon());
    QCOMPARE(first.gpuSource.since, noon(-60)); // also for a console that came later
    QCOMPARE(first.gpuSource.stuckPid, Quantity<qint64>(991));
    QVERIFY(problemCalled(first, u"smi.hung"_s)->text.contains(u"991"_s));
    hung.uptimeAfter += 2;
    QCOMPARE(assemble(hung, {}, memory, noon(2)).gpuSource.since, noon(-60));
    hung.smi.stuckSinceUptime = 5000; // after now: not believed
    AssembleMemory fresh;
    QCOMPARE(assemble(hung, {}, fresh, noon(4)).gpuSource.since, noon(4));
}

void TstAssembleTime::since_timeoutThenHungIsOneTrouble()
{
    AssembleMemory memory;
    QCOMPARE(assemble(silentSmi(Status::Timeout), {}, memory, noon(0)).gpuSource.since, noon(0));
    HostAnswer hung = silentSmi(Status::Hung);
    hung.smi.stuckSinceUptime = 1000.0; // a younger one
    QCOMPARE(assemble(hung, {}, memory, noon(10)).gpuSource.since, noon(0));
}

void TstAssembleTime::since_anotherTroubleBeginsAnew()
{
    AssembleMemory memory;
    HostAnswer bad = wellHost();
    bad.smi.gpus = sectionOf({}, 9);
    (void)assemble(bad, {}, memory, noon(0));
    QCOMPARE(assemble(silentSmi(Status::Timeout), {}, memory, noon(5)).gpuSource.since, noon(5));
}

void TstAssembleTime::hung_keepsTheRest()
{
    for (const Status status : {Status::Hung, Status::Timeout}) {
        AssembleMemory memory;
        (void)assemble(wellHost(), {}, memory, noon());
        HostAnswer answer = silentSmi(status);
        answer.smi.gpus = sectionOf(gpuRow(0)); // what it printed before it got stuck is no list
        const Snapshot snapshot = assemble(answer, {}, memory, noon(2));
        QCOMPARE(snapshot.gpuSource.status, status);
        QVERIFY(!snapshot.gpus);
        QCOMPARE(snapshot.unknown.value(u"gpus"_s), UnknownReason::Failed);
        QVERIFY(snapshot.gpuSource.since.isValid());
        QVERIFY(!snapshot.gpuSource.message.isEmpty());
        QCOMPARE(snapshot.processes->size(), 2);
        QVERIFY(snapshot.units);
        QVERIFY(!problemCalled(snapshot, u"gpu.missing"_s));
        QVERIFY(!problemCalled(snapshot, u"smi.apps_failed"_s)); // said once
    }
}

void TstAssembleTime::ghost_needsTwoTicks()
{
    AssembleMemory memory;
    HostAnswer answer = wellHost();
    answer.smi.apps.output += uuidOf(0) + ", 31337, 500, /usr/bin/python3\n";
    QCOMPARE(codesOf(assemble(answer, {}, memory, noon(0))), QStringList());
    const Snapshot second = assemble(answer, {}, memory, noon(2));
    QCOMPARE(codesOf(second), QStringList{u"process.ghost"_s});
    QVERIFY(second.problems.first().text.contains(u"31337"_s));
    (void)assemble(wellHost(), {}, memory, noon(4));
    QCOMPARE(codesOf(assemble(answer, {}, memory, noon(6))), QStringList());
}

void TstAssembleTime::ghost_otherPidIsAnotherTick()
{
    AssembleMemory memory;
    for (int i = 0; i < 5; ++i) { // short-lived processes, each listed once
        HostAnswer answer = wellHost();
        answer.smi.apps.output += uuidOf(0) + ", " + QByteArray::number(5000 + i) + ", 5, nvidia-smi\n";
        QCOMPARE(codesOf(assemble(answer, {}, memory, noon(i))), QStringList());
    }
}

void TstAssembleTime::busy_needsTwoTicks() // 021
{
    AssembleMemory memory;
    const HostAnswer busy = idleHost(gpuRow(0, 0).replace("479, 0,", "479, 100,") + gpuRow(1, 0));
    const Snapshot first = assemble(busy, {}, memory, noon(0));
    QCOMPARE(first.gpus->first().utilizationPct, Quantity<double>(100)); // the number is shown
    QCOMPARE(codesOf(first), QStringList());
    const Snapshot second = assemble(busy, {}, memory, noon(2));
    QCOMPARE(codesOf(second), QStringList{u"gpu.busy_unexplained"_s});
    QCOMPARE(second.problems.first().gpu, std::optional<int>(0));
    QCOMPARE(codesOf(assemble(idleHost(gpuRow(0) + gpuRow(1)), {}, memory, noon(4))), QStringList());
    QCOMPARE(codesOf(assemble(busy, {}, memory, noon(6))), QStringList());
}

void TstAssembleTime::busy_withAProcessIsExplained()
{
    AssembleMemory memory;
    HostAnswer busy = wellHost();
    busy.smi.gpus = sectionOf(gpuRow(0, 70'004).replace("479, 0,", "479, 100,") + gpuRow(1, 70'004));
    for (int tick = 0; tick < 3; ++tick)
        QCOMPARE(codesOf(assemble(busy, {}, memory, noon(tick))), QStringList());
}

void TstAssembleTime::polling_wakes_data() // smi 77
{
    QTest::addColumn<QByteArray>("persistence");
    QTest::addColumn<bool>("used");
    QTest::addColumn<bool>("wakes");
    QTest::newRow("off, idle") << QByteArray("Disabled") << false << true;
    QTest::newRow("off, used") << QByteArray("Disabled") << true << false;
    QTest::newRow("on, idle") << QByteArray("Enabled") << false << false;
    QTest::newRow("unknown, idle") << QByteArray("[N/A]") << false << false;
}

void TstAssembleTime::polling_wakes()
{
    QFETCH(QByteArray, persistence);
    QFETCH(bool, used);
    QFETCH(bool, wakes);
    HostAnswer answer = used ? wellHost() : idleHost({});
    answer.smi.gpus = sectionOf(QByteArray(gpuRow(0) + gpuRow(1)).replace("69.85, Enabled", "69.85, " + persistence));
    QCOMPARE(codesOf(assembled(answer)).contains(u"gpu.polling_wakes"_s), wakes);
}

void TstAssembleTime::skew_isAMultipleOfTen_data()
{
    QTest::addColumn<double>("smiStart");
    QTest::addColumn<int>("skew");
    QTest::newRow("together") << 1000.00 << 10; // the others start at .01
    QTest::newRow("later") << 1000.04 << 40;
    QTest::newRow("much later") << 1003.12 << 3120;
}

void TstAssembleTime::skew_isAMultipleOfTen()
{
    QFETCH(double, smiStart);
    HostAnswer answer = wellHost();
    answer.smi.gpus.startedAt = smiStart;
    const Quantity<int> skew = assembled(answer).skewMs;
    QVERIFY(skew.isKnown());
    QTEST(skew.value(), "skew");
    QCOMPARE(skew.value() % 10, 0);
    answer.pci.startedAt = 12.5; // read when the shell was opened
    QTEST(assembled(answer).skewMs.value(), "skew");
    HostAnswer unstamped = wellHost();
    for (RawSection *section : {&unstamped.meminfo, &unstamped.loadavg, &unstamped.vmstat, &unstamped.pci,
                                &unstamped.smi.gpus, &unstamped.smi.apps})
        section->startedAt = 0;
    QVERIFY(!assembled(unstamped).skewMs.isKnown());
}

void TstAssembleTime::duration_onTheHost()
{
    HostAnswer answer = wellHost();
    QCOMPARE(assembled(answer).durationMs, 60.0);
    answer.uptimeAfter = 0;
    QCOMPARE(assembled(answer).durationMs, 0.0);
    QVERIFY(!assembled(answer).uptimeS.isKnown());
}

void TstAssembleTime::facts_ofTheTick()
{
    HostAnswer answer = wellHost();
    answer.tick = 7;
    answer.bytes = 5120;
    answer.roundTripMs = 62.5;
    ProbeSettings settings;
    settings.host = u"gpu1"_s;
    settings.target = u"root@10.0.0.5:22"_s;
    AssembleMemory memory;
    const Snapshot snapshot =
        assemble(answer, settings, memory, QDateTime(QDate(2026, 12, 1), QTime(13, 0), Qt::OffsetFromUTC, 3600));
    QCOMPARE(snapshot.host, u"gpu1"_s);
    QCOMPARE(snapshot.target, u"root@10.0.0.5:22"_s);
    QCOMPARE(snapshot.tick, quint64(7));
    QCOMPARE(snapshot.bytes, qint64(5120));
    QCOMPARE(snapshot.roundTripMs, 62.5);
    QCOMPARE(snapshot.takenAt.timeSpec(), Qt::UTC);
    QCOMPARE(snapshot.takenAt, noon());
    QCOMPARE(snapshot.uptimeS, Quantity<double>(1000.06));
    QCOMPARE(memory.seenGpus.size(), 2);
}

PILOTHOUSE_TEST_MAIN(TstAssembleTime)
#include "tst_assembletime.moc"
