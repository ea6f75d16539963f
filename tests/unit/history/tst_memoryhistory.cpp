// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/history/memoryhistory.h"

#include "tests/support/testmain.h"

#include <algorithm>

using namespace pilothouse;
using namespace Qt::StringLiterals;

namespace {

constexpr qint64 start = 1'700'000'000'000;

/// "1000" a card of that many MiB, "-" one without a value, "!" one with a fault.
Snapshot snapshotOf(qint64 atMs, const QStringList &cards)
{
    Snapshot snapshot;
    snapshot.takenAt = QDateTime::fromMSecsSinceEpoch(atMs, Qt::UTC);
    snapshot.gpus = QList<Gpu>();
    for (const QString &card : cards) {
        Gpu gpu;
        gpu.index = static_cast<int>(snapshot.gpus->size());
        gpu.uuid = u"GPU-%1"_s.arg(gpu.index);
        gpu.memoryTotalMib = qint64{97887};
        if (card == "-"_L1)
            gpu.memoryUsedMib = Quantity<qint64>::unknown(UnknownReason::NotSupported);
        else
            gpu.memoryUsedMib = card == "!"_L1 ? qint64{7} : card.toLongLong();
        if (card == "!"_L1)
            gpu.fault = u"GPU is lost"_s;
        snapshot.gpus->append(gpu);
    }
    return snapshot;
}

/// "0:100 2000:gap": time since the start and value.
QString printed(const std::vector<MemorySample> &samples)
{
    QStringList parts;
    for (const MemorySample &sample : samples) {
        parts << QString::number(sample.atMs - start) + u':'
                + (sample.isGap() ? u"gap"_s : QString::number(sample.mib));
    }
    return parts.join(u' ');
}

QString printed(const MemorySeries &series)
{
    return printed(std::vector<MemorySample>(series.samples.begin(), series.samples.end()));
}

MemorySeries seriesOf(const QList<double> &values, qint64 stepMs = 1000)
{
    MemorySeries series;
    for (const double value : values)
        series.samples.push_back({start + stepMs * static_cast<qint64>(series.samples.size()), value});
    return series;
}

const double gap = std::numeric_limits<double>::quiet_NaN();

} // namespace

class TstMemoryHistory : public QObject
{
    Q_OBJECT
private slots:
    void add_oneSampleForEachCard()
    {
        MemoryHistory history;
        history.add(snapshotOf(start, {u"100"_s, u"200"_s}));
        history.add(snapshotOf(start + 2000, {u"110"_s, u"210"_s}));
        QCOMPARE(history.series().size(), 2U);
        QCOMPARE(printed(history.series()[0]), u"0:100 2000:110"_s);
        QCOMPARE(printed(history.series()[1]), u"0:200 2000:210"_s);
        QCOMPARE(history.series()[1].slot, 1);
        QCOMPARE(history.series()[1].index, 1);
        QCOMPARE(history.ceilingMib(), 97887.0);
    }

    void add_missingValue_data()
    {
        QTest::addColumn<QString>("second");
        QTest::newRow("unknown") << u"-"_s;
        QTest::newRow("fault taints the card") << u"!"_s;
    }
    void add_missingValue()
    {
        QFETCH(QString, second);
        MemoryHistory history;
        history.add(snapshotOf(start, {u"100"_s}));
        history.add(snapshotOf(start + 2000, {second}));
        history.add(snapshotOf(start + 4000, {second}));
        history.add(snapshotOf(start + 6000, {u"130"_s}));
        QCOMPARE(printed(history.series()[0]), u"0:100 2000:gap 6000:130"_s);
    }

    void add_cardGoneAndBack()
    {
        MemoryHistory history;
        history.add(snapshotOf(start, {u"1"_s, u"2"_s}));
        history.add(snapshotOf(start + 2000, {u"1"_s}));
        history.add(snapshotOf(start + 4000, {u"1"_s, u"3"_s}));
        QCOMPARE(printed(history.series()[1]), u"0:2 2000:gap 4000:3"_s);
        QCOMPARE(history.series()[1].slot, 1);
    }

    void add_gpusUnknown()
    {
        MemoryHistory history;
        history.add(snapshotOf(start, {u"1"_s}));
        Snapshot hung = snapshotOf(start + 2000, {});
        hung.gpus.reset();
        history.add(hung);
        QCOMPARE(printed(history.series()[0]), u"0:1 2000:gap"_s);
    }

    void add_repeatedIdentity()
    {
        Snapshot snapshot = snapshotOf(start, {u"1"_s, u"2"_s});
        (*snapshot.gpus)[1].uuid = (*snapshot.gpus)[0].uuid;
        MemoryHistory history;
        history.add(snapshot);
        QCOMPARE(history.series().size(), 1U);
        QCOMPARE(printed(history.series()[0]), u"0:1"_s);
    }

    void addGap_afterLostLink()
    {
        MemoryHistory history;
        history.add(snapshotOf(start, {u"1"_s}));
        history.addGap(start + 500);
        history.addGap(start + 900);
        history.add(snapshotOf(start + 2000, {u"2"_s}));
        QCOMPARE(printed(history.series()[0]), u"0:1 500:gap 2000:2"_s);
    }

    void add_longSilenceIsAGap()
    {
        MemoryHistory history;
        history.add(snapshotOf(start, {u"1"_s}));
        history.add(snapshotOf(start + 2000, {u"2"_s}));
        history.add(snapshotOf(start + 40'000, {u"3"_s}));
        QCOMPARE(printed(history.series()[0]), u"0:1 2000:2 2001:gap 40000:3"_s);
    }

    void add_slowCadenceIsNoGap()
    {
        MemoryHistory history;
        qint64 at = start;
        for (const qint64 step : {2'000, 4'000, 8'000, 16'000, 32'000, 60'000, 60'000, 60'000}) {
            history.add(snapshotOf(at, {u"1"_s}));
            at += step;
        }
        QVERIFY(!printed(history.series()[0]).contains(u"gap"_s));
    }

    void add_intervalThatWasSaidIsNoGap()
    {
        using namespace std::chrono_literals;
        for (const bool said : {true, false}) {
            MemoryHistory history; // in view, then in the background of a host that is dear to read
            history.add(snapshotOf(start, {u"1"_s}), 2s);
            history.add(snapshotOf(start + 2'000, {u"1"_s}), 2s);
            history.add(snapshotOf(start + 42'000, {u"1"_s}), said ? 40s : 0s);
            QCOMPARE(printed(history.series()[0]).contains(u"gap"_s), !said);
        }
    }

    void add_clockSetBack()
    {
        MemoryHistory history;
        for (int i = 0; i < 4; ++i)
            history.add(snapshotOf(start + 2000 * i, {QString::number(i)}));
        history.add(snapshotOf(start + 3000, {u"9"_s}));
        QCOMPARE(printed(history.series()[0]), u"0:0 2000:1 3000:9"_s);
    }

    void limits_samplesAndTime()
    {
        HistoryLimits limits;
        limits.samples = 3;
        MemoryHistory few(limits);
        for (int i = 0; i < 5; ++i)
            few.add(snapshotOf(start + 2000 * i, {QString::number(i)}));
        QCOMPARE(printed(few.series()[0]), u"4000:2 6000:3 8000:4"_s);
        limits = {};
        limits.keepMs = 5000;
        MemoryHistory recent(limits);
        for (int i = 0; i < 5; ++i)
            recent.add(snapshotOf(start + 2000 * i, {QString::number(i)}));
        QCOMPARE(printed(recent.series()[0]), u"4000:2 6000:3 8000:4"_s);
    }

    void limits_inventedCards()
    {
        HistoryLimits limits;
        limits.series = 4;
        MemoryHistory history(limits);
        for (int i = 0; i < 100; ++i) {
            Snapshot snapshot = snapshotOf(start + 2000 * i, {u"1"_s, u"2"_s});
            (*snapshot.gpus)[1].uuid = u"GPU-new-%1"_s.arg(i);
            history.add(snapshot);
        }
        QCOMPARE(history.series().size(), 4U);
        QVERIFY(history.find(u"GPU-0"_s));
        QVERIFY(history.find(u"GPU-new-99"_s));
        QVERIFY(!history.find(u"GPU-new-9"_s));
    }

    void decimated_fewSamplesAreAllThere()
    {
        const MemorySeries series = seriesOf({1, 2, gap, 4});
        QCOMPARE(printed(decimated(series, start, start + 3000, 100)), u"0:1 1000:2 2000:gap 3000:4"_s);
    }

    void decimated_neighboursOfTheRange()
    {
        const MemorySeries series = seriesOf({0, 1, 2, 3, 4, 5, 6});
        QCOMPARE(printed(decimated(series, start + 2500, start + 3500, 100)), u"2000:2 3000:3 4000:4"_s);
        QCOMPARE(printed(decimated(series, start + 90'000, start + 99'000, 100)), u"6000:6"_s);
        QVERIFY(decimated(MemorySeries(), start, start + 1000, 100).empty());
    }

    void decimated_keepsExtremesAndGaps()
    {
        QList<double> values(10'000, 500.0);
        values[1234] = 90'000;
        values[5678] = 0;
        values[8000] = gap;
        const MemorySeries series = seriesOf(values);
        const std::vector<MemorySample> thin = decimated(series, start, start + 10'000'000, 100);
        QVERIFY(thin.size() <= 302);
        const auto has = [&](qint64 second) {
            return std::ranges::any_of(thin, [&](const MemorySample &s) { return s.atMs == start + second * 1000; });
        };
        QVERIFY(has(1234));
        QVERIFY(has(5678));
        QCOMPARE(std::ranges::count_if(thin, &MemorySample::isGap), 1);
        QVERIFY(std::ranges::is_sorted(thin, {}, &MemorySample::atMs));
    }

    void sampleAt_conditions_data()
    {
        QTest::addColumn<qint64>("at");
        QTest::addColumn<QString>("expected");
        QTest::newRow("exact") << qint64{1000} << u"1"_s;
        QTest::newRow("nearest before") << qint64{400} << u"0"_s;
        QTest::newRow("nearest after") << qint64{600} << u"1"_s;
        QTest::newRow("last before a gap") << qint64{1900} << u"1"_s;
        QTest::newRow("inside the gap") << qint64{2500} << u"-"_s;
        QTest::newRow("after the gap") << qint64{3000} << u"3"_s;
        QTest::newRow("after the last, near") << qint64{5000} << u"4"_s;
        QTest::newRow("after the last, far") << qint64{9000} << u"-"_s;
        QTest::newRow("before the first, far") << qint64{-9000} << u"-"_s;
    }
    void sampleAt_conditions()
    {
        QFETCH(qint64, at);
        QFETCH(QString, expected);
        const MemorySeries series = seriesOf({0, 1, gap, 3, 4});
        const std::optional<MemorySample> sample = sampleAt(series, start + at, 3000);
        QCOMPARE(sample ? QString::number(sample->mib) : u"-"_s, expected);
    }
};

PILOTHOUSE_TEST_MAIN(TstMemoryHistory)
#include "tst_memoryhistory.moc"
