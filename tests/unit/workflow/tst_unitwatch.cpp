// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// A unit followed after a job was asked for, look by look, as systemd tells it.
#include "core/workflow/unitwatch.h"
#include "tests/support/testmain.h"

using namespace pilothouse;
using namespace Qt::StringLiterals;

using Verb = UnitWatch::Verb;
using State = UnitWatch::State;

class TstUnitWatch final : public QObject
{
    Q_OBJECT
private slots:
    void start_isDoneOnlyAfterItStayed();
    void start_missingProgram_failsSecondsLater();
    void start_preStepFails();
    void start_waitsInPreStep_isSaid();
    void start_crashLoop();
    void start_masked();
    void start_conditionUnmet();
    void start_neverReady();
    void start_jobNotSeenYet_isWaitedFor();
    void start_bySomebodyElse_isRefused();
    void stop_saysForWhom();
    void stop_passesItsLimit();
    void stop_failedIsStoppedToo();
    void stop_startedAgain_isRefused();
    void nothingTold_isNoProof();

private:
    static UnitOutcome unit(const QString &active, const QString &sub, const QString &invocation = u"a1"_s)
    {
        UnitOutcome unit;
        unit.load = u"loaded"_s;
        unit.active = active;
        unit.sub = sub;
        unit.result = u"success"_s;
        unit.invocation = invocation;
        unit.restarts = 0;
        return unit;
    }
    static UnitWatch startOf(const UnitOutcome &before = unit(u"inactive"_s, u"dead"_s)) { return {Verb::Start, before, std::chrono::seconds(10)}; }
};

void TstUnitWatch::start_isDoneOnlyAfterItStayed()
{
    UnitWatch watch = startOf();
    QCOMPARE(watch.take(unit(u"active"_s, u"running"_s, u"b2"_s), 0), State::Waiting);
    QCOMPARE(watch.take(unit(u"active"_s, u"running"_s, u"b2"_s), 9'000), State::Waiting);
    QCOMPARE(watch.take(unit(u"active"_s, u"running"_s, u"b2"_s), 10'500), State::Done);
}

void TstUnitWatch::start_missingProgram_failsSecondsLater()
{
    UnitWatch watch = startOf();
    QCOMPARE(watch.take(unit(u"active"_s, u"running"_s, u"b2"_s), 0), State::Waiting); // systemctl start ended with 0
    UnitOutcome failed = unit(u"failed"_s, u"failed"_s, u"b2"_s);
    failed.result = u"exit-code"_s;
    failed.execMainCode = 1;
    failed.execMainStatus = 203;
    QCOMPARE(watch.take(failed, 1'000), State::Failed);
    QVERIFY2(watch.words().contains("203/EXEC"_L1), qPrintable(watch.words()));
}

void TstUnitWatch::start_preStepFails()
{
    UnitWatch watch = startOf();
    UnitOutcome failed = unit(u"failed"_s, u"failed"_s, u"b2"_s);
    failed.result = u"exit-code"_s;
    failed.execMainCode = 0;
    failed.execMainStatus = 0; // as systemd tells it
    QCOMPARE(watch.take(failed, 1'000), State::Failed);
    QVERIFY2(watch.words().contains("before its main program failed"_L1), qPrintable(watch.words()));
}

void TstUnitWatch::start_waitsInPreStep_isSaid()
{
    UnitWatch watch = startOf();
    UnitOutcome pre = unit(u"activating"_s, u"start-pre"_s, u"b2"_s);
    pre.controlPid = 77;
    pre.startLimit = std::chrono::minutes(10);
    (void)watch.take(pre, 0);
    QCOMPARE(watch.take(pre, 12'000), State::Waiting);
    QVERIFY2(watch.words().contains("PID 77"_L1) && watch.words().contains("12 s"_L1) && watch.words().contains("10 min"_L1), qPrintable(watch.words()));
}

void TstUnitWatch::start_crashLoop()
{
    UnitWatch watch = startOf();
    UnitOutcome now = unit(u"active"_s, u"running"_s, u"b2"_s);
    QCOMPARE(watch.take(now, 0), State::Waiting);
    now.restarts = 1;
    now.invocation = u"b3"_s;
    QCOMPARE(watch.take(now, 3'000), State::Waiting);
    now.restarts = 2;
    now.invocation = u"b4"_s;
    QCOMPARE(watch.take(now, 6'000), State::Failed);
    QVERIFY2(watch.words().contains("again and again"_L1), qPrintable(watch.words()));
}

void TstUnitWatch::start_masked()
{
    UnitWatch watch = startOf();
    UnitOutcome now = unit(u"inactive"_s, u"dead"_s, {});
    now.load = u"masked"_s;
    (void)watch.take(now, 0);
    QCOMPARE(watch.take(now, 4'000), State::Failed);
    QVERIFY2(watch.words().contains("masked"_L1), qPrintable(watch.words()));
}

void TstUnitWatch::start_conditionUnmet()
{
    UnitWatch watch = startOf();
    UnitOutcome now = unit(u"inactive"_s, u"dead"_s);
    now.conditionFailed = true;
    (void)watch.take(now, 0);
    QCOMPARE(watch.take(now, 4'000), State::Failed);
    QVERIFY2(watch.words().contains("ondition"_L1), qPrintable(watch.words()));
}

void TstUnitWatch::start_neverReady()
{
    UnitWatch watch = startOf();
    UnitOutcome now = unit(u"activating"_s, u"start"_s, u"b2"_s);
    now.type = u"notify"_s;
    now.mainPid = 9;
    QCOMPARE(watch.take(now, 0), State::Waiting);
    QVERIFY2(watch.words().contains("Type=notify"_L1), qPrintable(watch.words()));
    now.active = now.sub = u"failed"_s;
    now.result = u"timeout"_s;
    QCOMPARE(watch.take(now, 90'000), State::Failed);
    QVERIFY2(watch.words().contains("did not become ready"_L1), qPrintable(watch.words()));
}

void TstUnitWatch::start_jobNotSeenYet_isWaitedFor()
{
    UnitWatch watch = startOf();
    QCOMPARE(watch.take(unit(u"inactive"_s, u"dead"_s), 0), State::Waiting);
    QCOMPARE(watch.take(unit(u"active"_s, u"running"_s, u"b2"_s), 1'000), State::Waiting);
}

void TstUnitWatch::start_bySomebodyElse_isRefused()
{
    UnitWatch watch = startOf();
    (void)watch.take(unit(u"active"_s, u"running"_s, u"b2"_s), 0);
    QCOMPARE(watch.take(unit(u"active"_s, u"running"_s, u"c3"_s), 2'000), State::Failed);
    QVERIFY(watch.isSomebodyElses());
}

void TstUnitWatch::stop_saysForWhom()
{
    UnitWatch watch(Verb::Stop, unit(u"active"_s, u"running"_s), {});
    UnitOutcome now = unit(u"deactivating"_s, u"stop-sigterm"_s);
    now.jobPending = true;
    now.members = {u"4711 VLLM::Worker_TP"_s, u"4712 python3"_s};
    now.stopLimit = std::chrono::seconds(90);
    QCOMPARE(watch.take(now, 0), State::Waiting);
    QVERIFY2(watch.words().contains("PID 4711 VLLM::Worker_TP and 1 other process"_L1) && watch.words().contains("90 s"_L1), qPrintable(watch.words()));
    QCOMPARE(watch.take(unit(u"inactive"_s, u"dead"_s), 2'000), State::Done);
}

void TstUnitWatch::stop_passesItsLimit()
{
    UnitWatch watch(Verb::Stop, unit(u"active"_s, u"running"_s), {});
    UnitOutcome now = unit(u"deactivating"_s, u"stop-sigterm"_s);
    now.jobPending = true;
    now.stopLimit = std::chrono::seconds(90);
    (void)watch.take(now, 0);
    QCOMPARE(watch.take(now, 95'000), State::Waiting); // systemd's turn
    QCOMPARE(watch.take(now, 101'000), State::Failed);
}

void TstUnitWatch::stop_failedIsStoppedToo()
{
    UnitWatch watch(Verb::Stop, unit(u"active"_s, u"running"_s), {});
    UnitOutcome now = unit(u"failed"_s, u"failed"_s);
    now.result = u"timeout"_s;
    QCOMPARE(watch.take(now, 0), State::Done);
    QVERIFY2(watch.words().contains("calls it failed"_L1), qPrintable(watch.words()));
}

void TstUnitWatch::stop_startedAgain_isRefused()
{
    UnitWatch watch(Verb::Stop, unit(u"active"_s, u"running"_s), {});
    QCOMPARE(watch.take(unit(u"active"_s, u"running"_s, u"c3"_s), 1'000), State::Failed);
    QVERIFY(watch.isSomebodyElses());
}

void TstUnitWatch::nothingTold_isNoProof()
{
    UnitWatch watch = startOf();
    QCOMPARE(watch.take(UnitOutcome(), 0), State::Waiting);
    QCOMPARE(watch.take(UnitOutcome(), 400'000), State::Failed);
}

PILOTHOUSE_TEST_MAIN(TstUnitWatch)
#include "tst_unitwatch.moc"
