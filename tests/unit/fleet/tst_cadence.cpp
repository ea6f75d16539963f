// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/fleet/cadence.h"
#include "tests/support/testmain.h"

using namespace pilothouse;
using namespace std::chrono_literals;
using namespace Qt::StringLiterals;

class TstCadence final : public QObject
{
    Q_OBJECT
private slots:
    void slowTool_doublesUpToTheSlowest();
    void quickTool_comesBackAtOnce();
    void wakingTheGpus_isRecognised_data();
    void wakingTheGpus_isRecognised();
    void problem_saysWhy_data();
    void problem_saysWhy();
    void problemOfTheSnapshot_isNotRepeated();
    void onRequestOnly_staysSo();
    void wishSlowerThanTheSlowest_isKept();
    void newWish_keepsTheDoubling();

private:
    static Snapshot took(double ms)
    {
        Snapshot snapshot;
        snapshot.gpuSource.durationMs = ms;
        return snapshot;
    }
};

void TstCadence::slowTool_doublesUpToTheSlowest()
{
    Cadence cadence(500ms, 60s);
    cadence.setWish(2s);
    QList<qint64> seconds;
    for (int i = 0; i < 7; ++i) {
        (void)cadence.learn(took(501));
        seconds += cadence.current() / 1s;
    }
    QCOMPARE(seconds, (QList<qint64>{4, 8, 16, 32, 60, 60, 60}));
}

void TstCadence::quickTool_comesBackAtOnce()
{
    Cadence cadence(500ms, 60s);
    cadence.setWish(2s);
    (void)cadence.learn(took(900));
    (void)cadence.learn(took(900));
    QVERIFY(!cadence.learn(took(500)));
    QCOMPARE(cadence.current(), 2s);
}

void TstCadence::wakingTheGpus_isRecognised_data()
{
    QTest::addColumn<Quantity<bool>>("persistence");
    QTest::addColumn<int>("holders");
    QTest::addColumn<bool>("wakes");
    QTest::newRow("off, nothing there") << Quantity<bool>(false) << 0 << true;
    QTest::newRow("off, in use") << Quantity<bool>(false) << 1 << false;
    QTest::newRow("on, nothing there") << Quantity<bool>(true) << 0 << false;
    QTest::newRow("unknown") << Quantity<bool>::unknown(UnknownReason::NotSupported) << 0 << false;
    QTest::newRow("off, processes unknown") << Quantity<bool>(false) << -1 << false;
}

void TstCadence::wakingTheGpus_isRecognised()
{
    QFETCH(const Quantity<bool>, persistence);
    QFETCH(const int, holders);
    QFETCH(const bool, wakes);
    Snapshot snapshot;
    QVERIFY(!readingWakesGpus(snapshot)); // GPUs unknown
    Gpu gpu;
    gpu.persistence = persistence;
    snapshot.gpus = QList<Gpu>{gpu};
    if (holders >= 0) {
        Process idle;
        snapshot.processes = QList<Process>{idle};
        for (int i = 0; i < holders; ++i) {
            Process holder;
            holder.gpuMemory = {ProcessGpuMemory{0, {}, Quantity<qint64>(100)}};
            *snapshot.processes += holder;
        }
    }
    QCOMPARE(readingWakesGpus(snapshot), wakes);
}

void TstCadence::problem_saysWhy_data()
{
    QTest::addColumn<double>("tookMs");
    QTest::addColumn<bool>("persistence");
    QTest::addColumn<QString>("text");
    QTest::newRow("slow") << 1500.0 << true << u"Read every 4 s instead of every 2 s: nvidia-smi took 1.5 s."_s;
    QTest::newRow("wakes") << 100.0 << false
                           << u"Read every 4 s instead of every 2 s: persistence mode is off and nothing is on the "
                              u"GPUs, so that each reading wakes them."_s;
}

void TstCadence::problem_saysWhy()
{
    QFETCH(const double, tookMs);
    QFETCH(const bool, persistence);
    QFETCH(const QString, text);
    Snapshot snapshot = took(tookMs);
    Gpu gpu;
    gpu.persistence = persistence;
    snapshot.gpus = QList<Gpu>{gpu};
    snapshot.processes = QList<Process>{};
    Cadence cadence(500ms, 60s);
    cadence.setWish(2s);
    const auto problem = cadence.learn(snapshot);
    QVERIFY(problem);
    QCOMPARE(problem->code, u"poll.slowed"_s);
    QCOMPARE(problem->severity, Problem::Severity::Notice);
    QCOMPARE(problem->text, text);
    QCOMPARE(problem->advice.isEmpty(), persistence);
}

void TstCadence::problemOfTheSnapshot_isNotRepeated()
{
    Snapshot snapshot;
    Gpu gpu;
    gpu.persistence = false;
    snapshot.gpus = QList<Gpu>{gpu};
    snapshot.processes = QList<Process>{};
    Problem said;
    said.code = u"gpu.polling_wakes"_s;
    snapshot.problems = {said};
    Cadence cadence(500ms, 60s);
    cadence.setWish(2s);
    QVERIFY(!cadence.learn(snapshot));
    QCOMPARE(cadence.current(), 4s);
}

void TstCadence::onRequestOnly_staysSo()
{
    Cadence cadence(500ms, 60s);
    QVERIFY(!cadence.learn(took(9000)));
    QCOMPARE(cadence.current(), 0ms);
}

void TstCadence::wishSlowerThanTheSlowest_isKept()
{
    Cadence cadence(500ms, 60s);
    cadence.setWish(90s);
    QVERIFY(!cadence.learn(took(900)));
    QCOMPARE(cadence.current(), 90s);
}

void TstCadence::newWish_keepsTheDoubling()
{
    Cadence cadence(500ms, 60s);
    cadence.setWish(10s);
    (void)cadence.learn(took(900));
    QCOMPARE(cadence.current(), 20s);
    cadence.setWish(2s);
    QCOMPARE(cadence.current(), 4s);
}

PILOTHOUSE_TEST_MAIN(TstCadence)
#include "tst_cadence.moc"
