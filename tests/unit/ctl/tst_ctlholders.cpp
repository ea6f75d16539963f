// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// `pilothousectl holders` against simulated GPU hosts.
#include "tests/support/simhosts.h"
#include "tests/unit/ctl/ctlrun.h"

#include <QJsonArray>
#include <QTemporaryDir>

using namespace pilothouse::test;
using namespace Qt::StringLiterals;

class TstCtlHolders final : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase();
    void foundingCase_oneFamilyWithItsTracker();
    void table_isForPeople();
    void unit_narrows();
    void withoutGpuData_printsAndEnds6();
    void wrongUsage_ends2_data();
    void wrongUsage_ends2();
    void cleanupTestCase();

private:
    [[nodiscard]] CtlResult run(const QStringList &arguments) const
    {
        return runCtl(QStringList{u"holders"_s} + arguments + m_hosts.arguments(), m_home.path());
    }
    [[nodiscard]] static QJsonArray familiesOf(const CtlResult &result)
    {
        return result.json().value(0).value(u"families"_s).toArray();
    }

    QTemporaryDir m_home;
    SimHosts m_hosts;
};

void TstCtlHolders::initTestCase()
{
    QVERIFY2(m_hosts.start({u"--scenario"_s, u"demo"_s}), m_hosts.errors().constData());
    QTRY_COMPARE_WITH_TIMEOUT(familiesOf(run({u"gpu3"_s, u"--json"_s})).size(), 1, 30'000);
}

void TstCtlHolders::foundingCase_oneFamilyWithItsTracker()
{
    const CtlResult result = run({u"gpu3"_s, u"--json"_s});
    QVERIFY2(result.exitCode == 0, result.errors.constData());
    QVERIFY2(result.elapsedMs < 4'000, qPrintable(QString::number(result.elapsedMs)));
    const QJsonObject document = result.json().value(0);
    for (const char *field : {"schema", "gpus", "processes", "families", "verdict", "holdings"})
        QVERIFY2(document.contains(QLatin1StringView(field)), field);
    const QJsonObject family = familiesOf(result).at(0).toObject();
    QStringList workers;
    QString engine;
    int helpers = 0;
    for (const QJsonValue &process : document.value(u"processes"_s).toArray()) {
        if (process[u"family"].toString() != family.value(u"id"_s).toString())
            continue;
        // A server that nobody has seen for two minutes may be loading: one look cannot tell.
        const QString verdict = process[u"verdict"].toString();
        if (process[u"role"].toString() == "vllm.worker"_L1)
            workers += verdict;
        else if (process[u"role"].toString() == "vllm.engine"_L1)
            engine = verdict;
        else
            helpers += verdict == "helper"_L1;
        QVERIFY(!process[u"evidence"].toArray().isEmpty());
    }
    QCOMPARE(workers.size(), 8);
    QCOMPARE(helpers, 1);
    const QString said = family.value(u"verdict"_s).toString();
    QVERIFY2(said == "leftover"_L1 || said == "starting"_L1, qPrintable(said));
    QCOMPARE(workers, QStringList(8, said));
    QCOMPARE(engine, said);
    QCOMPARE(document.value(u"verdict"_s).toObject().value(u"state"_s).toString(), said);
}

void TstCtlHolders::table_isForPeople()
{
    const CtlResult result = run({u"gpu3"_s});
    QVERIFY2(result.exitCode == 0, result.errors.constData());
    QCOMPARE(result.output.count("vllm.worker"), 8);
    QVERIFY2(result.output.contains("\nFamily "), result.output.constData());
    QVERIFY(result.output.contains("python.tracker"));
}

void TstCtlHolders::unit_narrows()
{
    QTRY_COMPARE_WITH_TIMEOUT(familiesOf(run({u"gpu1"_s, u"--json"_s})).size(), 1, 30'000);
    QCOMPARE(familiesOf(run({u"gpu1"_s, u"--json"_s, u"--unit"_s, u"vllm-kimi-k25"_s})).size(), 1);
    QCOMPARE(familiesOf(run({u"gpu1"_s, u"--json"_s, u"--unit"_s, u"other"_s})).size(), 0);
    const CtlResult table = run({u"gpu1"_s, u"--unit"_s, u"other"_s});
    QVERIFY2(!table.output.contains("vllm.worker"), table.output.constData());
}

void TstCtlHolders::withoutGpuData_printsAndEnds6()
{
    SimHosts faults;
    QVERIFY2(faults.start({u"--scenario"_s, u"faults"_s}), faults.errors().constData());
    const CtlResult result = runCtl(QStringList{u"holders"_s, u"nosmi"_s, u"--json"_s} + faults.arguments(), m_home.path());
    QVERIFY2(result.exitCode == 6, result.errors.constData());
    const QJsonObject document = result.json().value(0);
    QVERIFY(document.value(u"gpus"_s).isNull());
    QVERIFY(document.value(u"processes"_s).isArray());
    const QJsonObject verdict = document.value(u"verdict"_s).toObject();
    QCOMPARE(verdict.value(u"state"_s).toString(), u"unknown"_s);
    QVERIFY(verdict.value(u"held_mib"_s).isNull()); // unknown is never zero
}

void TstCtlHolders::wrongUsage_ends2_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::newRow("no target") << QStringList{};
    QTest::newRow("two targets") << QStringList{u"gpu1"_s, u"gpu2"_s};
    QTest::newRow("no unit's name") << QStringList{u"gpu1"_s, u"--unit"_s, u"a/b"_s};
    QTest::newRow("another command's option") << QStringList{u"gpu1"_s, u"--watch"_s, u"2"_s};
}

void TstCtlHolders::wrongUsage_ends2()
{
    QFETCH(const QStringList, arguments);
    const CtlResult result = run(arguments);
    QVERIFY2(result.exitCode == 2, result.errors.constData());
    QCOMPARE(result.output, QByteArray());
}

void TstCtlHolders::cleanupTestCase()
{
    QVERIFY(m_hosts.end());
}

PILOTHOUSE_SIM_TEST_MAIN(TstCtlHolders)
#include "tst_ctlholders.moc"
