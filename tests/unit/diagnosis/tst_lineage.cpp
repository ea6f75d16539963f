// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// What is remembered of a host that is watched for long: enough of the last minute, and not more.
#include "core/diagnosis/lineage.h"
#include "tests/support/testmain.h"
#include "tests/unit/diagnosis/casefile.h"

#include <algorithm>

using namespace pilothouse;
using namespace pilothouse::test;
using namespace Qt::StringLiterals;

class TstLineage final : public QObject
{
    Q_OBJECT
private slots:
    void minute_isRememberedWholeEveryFewSeconds_data()
    {
        QTest::addColumn<int>("everyMs");
        QTest::newRow("a recipe's ticks") << 1'000;
        QTest::newRow("in view") << 2'000;
        QTest::newRow("in the background") << 10'000;
    }

    void minute_isRememberedWholeEveryFewSeconds()
    {
        QFETCH(const int, everyMs);
        Snapshot now = host();
        Lineage lineage;
        for (int passed = 0; passed <= 150'000; passed += everyMs) {
            now.takenAt = now.takenAt.addMSecs(everyMs);
            lineage = remember(std::move(lineage), now);
        }
        const auto whole = std::ranges::count_if(lineage.minute, &HostMoment::whole);
        QVERIFY2(whole >= 5 && whole <= 11, qPrintable(QString::number(whole)));
        const auto oldest = std::ranges::find_if(lineage.minute, &HostMoment::whole);
        const qint64 ago = oldest->at.msecsTo(now.takenAt);
        QVERIFY2(ago > 45'000 && ago <= 60'000, qPrintable(QString::number(ago)));
        QVERIFY(!oldest->processes.isEmpty());
        for (const HostMoment &moment : std::as_const(lineage.minute)) {
            QVERIFY(!moment.loadPct.isEmpty()); // of every tick: work is never missed
            QCOMPARE(moment.processes.isEmpty(), !moment.whole);
        }
    }

    void firstLook_isWhole()
    {
        const Lineage lineage = remember({}, host());
        QCOMPARE(lineage.minute.size(), 1);
        QVERIFY(lineage.minute.first().whole);
        QCOMPARE(lineage.minute.first().processes.size(), 1);
    }

    void clockSetBack_isWholeAnew()
    {
        Snapshot now = host();
        Lineage lineage = remember({}, now);
        now.takenAt = now.takenAt.addSecs(-3600);
        lineage = remember(lineage, now);
        QCOMPARE(lineage.minute.size(), 1);
        QVERIFY(lineage.minute.first().whole);
    }

private:
    static Snapshot host()
    {
        return parseCase("# composed for this test\ngpu 0 used=96619 util=3\n"
                         "process 100 mem=0:96615 dev=nvidia0 : VLLM::EngineCore\n").now;
    }
};

PILOTHOUSE_TEST_MAIN(TstLineage)
#include "tst_lineage.moc"
