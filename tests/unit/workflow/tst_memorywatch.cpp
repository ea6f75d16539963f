// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workflow/memorywatch.h"
#include "tests/support/testmain.h"

using namespace pilothouse;
using namespace Qt::StringLiterals;

using State = MemoryWatch::State;

/// Two cards: the targets held 90000 MiB on each, a neighbour 2000 on the second, 4 are the driver's.
class TstMemoryWatch final : public QObject
{
    Q_OBJECT
private slots:
    void threeReadings_areBack();
    void oneReading_isNothing();
    void deadOnesNumber_stillHolds();
    void neighboursMemory_doesNotCount();
    void unknown_isNeverBack_data();
    void unknown_isNeverBack();
    void below_isAskedInAddition();
    void pinnedMemory_takesLonger();
    void flat_isGivenUpAfterThreeTimes();
    void falling_isWaitedFor();

private:
    [[nodiscard]] static PlanGpu planned(int gpu, qint64 used)
    {
        return {gpu, u"GPU-%1"_s.arg(gpu), used, qint64(90'000), qint64(4)};
    }
    [[nodiscard]] MemoryWatch watch(qint64 pinnedKib = 0, std::optional<qint64> below = {}) const
    {
        SignalTarget target;
        target.identity = {Pid{42}, StartTicks{7}};
        MemoryWatch watch({planned(0, 90'004), planned(1, 92'004)}, {target}, pinnedKib, below);
        watch.begin(0);
        return watch;
    }
    /// What is used on each card; `neighbour` on the second.
    [[nodiscard]] static Snapshot reading(qint64 first, qint64 second, qint64 neighbour = 2000)
    {
        Snapshot snapshot;
        QList<Gpu> gpus;
        for (int index = 0; index < 2; ++index) {
            Gpu gpu;
            gpu.index = index;
            gpu.uuid = u"GPU-%1"_s.arg(index);
            gpu.memoryUsedMib = index == 0 ? first : second;
            gpu.attributedMib = index == 0 ? 0 : neighbour;
            gpu.unattributedMib = gpu.memoryUsedMib.value() - gpu.attributedMib.value();
            gpus += gpu;
        }
        snapshot.gpus = gpus;
        Process other;
        other.pid = Pid{90};
        other.startTicks = quint64(9);
        other.state = u'S';
        other.gpuMemory = {ProcessGpuMemory{1, u"GPU-1"_s, neighbour}};
        snapshot.processes = QList<Process>{other};
        return snapshot;
    }
};

void TstMemoryWatch::threeReadings_areBack()
{
    MemoryWatch w = watch();
    QCOMPARE(w.take(reading(90'004, 92'004), 100), State::Waiting);
    QCOMPARE(w.outstandingMib().valueOr(-1), 180'000);
    QCOMPARE(w.take(reading(4, 2004), 600), State::Waiting);
    QCOMPARE(w.take(reading(4, 2004), 1100), State::Waiting);
    QCOMPARE(w.take(reading(4, 2004), 1600), State::Back);
}

void TstMemoryWatch::oneReading_isNothing()
{
    MemoryWatch w = watch();
    for (int i = 0; i < 10; ++i) {
        QCOMPARE(w.take(reading(4, 2004), i * 1000), State::Waiting);
        QCOMPARE(w.take(reading(4, 2004), i * 1000 + 300), State::Waiting);
        QCOMPARE(w.take(reading(4, 9004), i * 1000 + 600), State::Waiting); // it was there again
    }
    QCOMPARE(w.take(reading(4, 2004), 11'000), State::Waiting);
    QCOMPARE(w.take(reading(4, 2004), 11'500), State::Waiting);
    w.miss(); // a reading that failed shows nothing
    QCOMPARE(w.take(reading(4, 2004), 12'000), State::Waiting);
}

void TstMemoryWatch::deadOnesNumber_stillHolds()
{
    MemoryWatch w = watch();
    Snapshot ghost = reading(90'004, 2004);
    (*ghost.gpus)[0].attributedMib = 90'000;
    (*ghost.gpus)[0].unattributedMib = 4;
    Process dead; // the driver lists it, the host does not have it
    dead.pid = Pid{42};
    dead.gpuMemory = {ProcessGpuMemory{0, u"GPU-0"_s, qint64(90'000)}};
    *ghost.processes += dead;
    for (int i = 0; i < 5; ++i)
        QCOMPARE(w.take(ghost, i * 500), State::Waiting);
    QCOMPARE(w.missing(), QList<int>{0});
    QCOMPARE(w.outstandingMib().valueOr(-1), 90'000);
    // Another process that got its number is a neighbour.
    (*ghost.processes)[1].startTicks = quint64(8);
    (*ghost.processes)[1].state = u'S';
    QCOMPARE(w.take(ghost, 3000), State::Waiting);
    QCOMPARE(w.take(ghost, 3500), State::Waiting);
    QCOMPARE(w.take(ghost, 4000), State::Back);
}

void TstMemoryWatch::neighboursMemory_doesNotCount()
{
    MemoryWatch w = watch();
    QCOMPARE(w.take(reading(4, 80'004, 80'000), 0), State::Waiting);
    QCOMPARE(w.take(reading(4, 80'004, 80'000), 500), State::Waiting);
    QCOMPARE(w.take(reading(4, 80'004, 80'000), 1000), State::Back);
}

void TstMemoryWatch::unknown_isNeverBack_data()
{
    QTest::addColumn<int>("what");
    QTest::newRow("no list") << 0;
    QTest::newRow("no figure") << 1;
    QTest::newRow("fault") << 2;
    QTest::newRow("card missing") << 3;
    QTest::newRow("no processes") << 4;
}

void TstMemoryWatch::unknown_isNeverBack()
{
    QFETCH(const int, what);
    MemoryWatch w = watch();
    Snapshot snapshot = reading(4, 2004);
    if (what == 0)
        snapshot.gpus.reset();
    else if (what == 1)
        (*snapshot.gpus)[0].memoryUsedMib = (*snapshot.gpus)[0].unattributedMib = Quantity<qint64>::unknown(UnknownReason::NotSupported);
    else if (what == 2)
        (*snapshot.gpus)[0].fault = u"GPU is lost"_s;
    else if (what == 3)
        snapshot.gpus->removeFirst();
    else
        snapshot.processes.reset();
    for (int i = 0; i < 5; ++i)
        QCOMPARE(w.take(snapshot, i * 500), State::Waiting);
    QVERIFY(w.missing().contains(0));
    QVERIFY(!w.outstandingMib().isKnown());
    QVERIFY(w.words().contains(u"cannot be read"_s));
}

void TstMemoryWatch::below_isAskedInAddition()
{
    MemoryWatch w = watch(0, 1000);
    for (int i = 0; i < 5; ++i)
        QCOMPARE(w.take(reading(4, 2004), i * 500), State::Waiting);
    QCOMPARE(w.missing(), QList<int>{1});
    for (int i = 0; i < 2; ++i)
        QCOMPARE(w.take(reading(4, 504, 500), 3000 + i * 500), State::Waiting);
    QCOMPARE(w.take(reading(4, 504, 500), 4000), State::Back);
}

void TstMemoryWatch::pinnedMemory_takesLonger()
{
    QCOMPARE(watch().expectedMs(), 10'000);
    QCOMPARE(watch(qint64(200) * 1024 * 1024).expectedMs(), 40'000);
}

void TstMemoryWatch::flat_isGivenUpAfterThreeTimes()
{
    MemoryWatch w = watch();
    for (qint64 at = 0; at <= 30'000; at += 500)
        QCOMPARE(w.take(reading(90'004, 92'004), at), State::Waiting);
    QCOMPARE(w.take(reading(90'004, 92'004), 30'500), State::GivenUp);
    // Memory that comes in the last moment is read to the end.
    MemoryWatch late = watch();
    QCOMPARE(late.take(reading(90'004, 92'004), 29'900), State::Waiting);
    QCOMPARE(late.take(reading(4, 2004), 30'400), State::Waiting);
    QCOMPARE(late.take(reading(4, 2004), 36'000), State::Waiting);
    QCOMPARE(late.take(reading(4, 2004), 36'500), State::Back);
}

void TstMemoryWatch::falling_isWaitedFor()
{
    MemoryWatch w = watch();
    qint64 used = 90'004;
    for (qint64 at = 0; at < 60'000; at += 1000) {
        used -= 100;
        QCOMPARE(w.take(reading(used, 2004), at), State::Waiting);
    }
    for (qint64 at = 60'000; at <= 64'000; at += 1000)
        QCOMPARE(w.take(reading(used, 2004), at), State::Waiting);
    QCOMPARE(w.take(reading(used, 2004), 65'500), State::GivenUp);
}

PILOTHOUSE_TEST_MAIN(TstMemoryWatch)
#include "tst_memorywatch.moc"
