// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/timeticks.h"

#include "tests/support/testmain.h"

#include <QTest>

using namespace pilothouse;
using namespace Qt::StringLiterals;

class TstTimeTicks : public QObject
{
    Q_OBJECT
private slots:
    void step_isTheSmallestThatFits_data()
    {
        QTest::addColumn<qint64>("spanMs");
        QTest::addColumn<int>("most");
        QTest::addColumn<qint64>("stepMs");
        QTest::newRow("ten seconds") << qint64{10'000} << 5 << qint64{2000};
        QTest::newRow("half a minute") << qint64{30'000} << 5 << qint64{10'000};
        QTest::newRow("two minutes") << qint64{120'000} << 5 << qint64{30'000};
        QTest::newRow("five minutes") << qint64{300'000} << 5 << qint64{60'000};
        QTest::newRow("five minutes, narrow") << qint64{300'000} << 2 << qint64{300'000};
        QTest::newRow("an hour") << qint64{3'600'000} << 5 << qint64{900'000};
        QTest::newRow("nothing") << qint64{0} << 5 << qint64{1000};
        QTest::newRow("no room") << qint64{60'000} << 0 << qint64{60'000};
        QTest::newRow("a year") << qint64{365LL * 86'400'000} << 5 << qint64{86'400'000};
    }

    void step_isTheSmallestThatFits()
    {
        QFETCH(const qint64, spanMs);
        QFETCH(const int, most);
        QFETCH(const qint64, stepMs);
        QCOMPARE(timeStepMs(spanMs, most), stepMs);
    }

    void ticks_areRoundOnTheLocalClock()
    {
        constexpr qint64 minute = 60'000;
        QCOMPARE(timeTicks(10 * minute + 1, 40 * minute, 15 * minute, 0), (QList<qint64>{15 * minute, 30 * minute}));
        QCOMPARE(timeTicks(15 * minute, 30 * minute, 15 * minute, 0), (QList<qint64>{15 * minute, 30 * minute}));
        // 5 h 45 min ahead of UTC: half hours there are quarters here.
        QCOMPARE(timeTicks(0, 60 * minute, 30 * minute, 345 * minute), (QList<qint64>{15 * minute, 45 * minute}));
        QCOMPARE(timeTicks(-minute, minute, minute, 0), (QList<qint64>{-minute, 0, minute}));
    }

    void ticks_areBounded()
    {
        QVERIFY(timeTicks(0, 365LL * 86'400'000, 1000, 0).size() <= 1000);
        QVERIFY(timeTicks(10, 0, 1000, 0).isEmpty());
    }

    void format_hasSecondsBelowAMinute()
    {
        QCOMPARE(timeTickFormat(30'000), u"HH:mm:ss"_s);
        QCOMPARE(timeTickFormat(60'000), u"HH:mm"_s);
    }

    void memory_stepsAreRound_data()
    {
        QTest::addColumn<double>("topGib");
        QTest::addColumn<double>("step");
        QTest::newRow("unknown") << 1.0 << 1.0;
        QTest::newRow("16 GiB") << 16.0 << 4.0;
        QTest::newRow("80 GB card") << 79.6 << 24.0;
        QTest::newRow("96 GB card") << 95.6 << 24.0;
        QTest::newRow("H200") << 140.4 << 32.0;
        QTest::newRow("B300") << 274.0 << 64.0;
        QTest::newRow("absurd") << 1e12 << 1e12;
    }

    void memory_stepsAreRound()
    {
        QFETCH(const double, topGib);
        QFETCH(const double, step);
        QCOMPARE(memoryStepGib(topGib), step);
    }
};

PILOTHOUSE_TEST_MAIN(TstTimeTicks)
#include "tst_timeticks.moc"
