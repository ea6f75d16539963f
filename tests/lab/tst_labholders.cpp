// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// The founding case, cold: eight workers that ignore SIGTERM, in sessions of their own, launcher killed by the founding
// pattern. `holders` names engine and workers as leftovers and the tracker as helper, in one deep snapshot.
#include "tests/lab/labmain.h"

#include <QElapsedTimer>
#include <QJsonArray>

using namespace pilothouse::test;
using namespace Qt::StringLiterals;

class TstLabHolders : public QObject
{
    Q_OBJECT

    const LabHost m_host{1};

    QList<QByteArray> memoryUsed() const
    {
        return m_host.sh(u"nvidia-smi --query-gpu=memory.used --format=csv,noheader,nounits"_s).trimmed().split('\n');
    }

private slots:
    void initTestCase()
    {
        const Ran started = run(u"ssh"_s, {u"-F"_s, labFolder() + u"/ssh_config"_s, u"-l"_s, u"ops"_s, m_host.name(),
                                           u"sim-server --detach --gpus 0,1,2,3,4,5,6,7 --load 0.2 --worker-term ignore "
                                           "--sessions own --release 12 -- /usr/bin/python3 /opt/vllm/bin/vllm serve m "
                                           "--tensor-parallel-size 8 --port 8000 </dev/null >/dev/null 2>&1"_s});
        QVERIFY2(started.exitCode == 0, started.summary().constData());
        QTRY_COMPARE(memoryUsed(), QList<QByteArray>(8, "96619"));
    }

    void servingServer_isNoLeftover()
    {
        const Ran ran = ctl({u"holders"_s, m_host.name(), u"--json"_s});
        QVERIFY2(ran.exitCode == 0, ran.summary().constData());
        for (const QJsonValue &process : ran.json().value(u"processes"_s).toArray())
            QVERIFY2(process[u"verdict"].toString() != "leftover"_L1, ran.summary().constData());
    }

    void foundingCase_inOneDeepSnapshot_data()
    {
        QTest::addColumn<QString>("target");
        QTest::addColumn<QStringList>("options");
        QTest::newRow("owner by sudo") << u"ops@lab1"_s << QStringList{u"--sudo"_s, u"nopasswd"_s};
        QTest::newRow("owner") << u"ops@lab1"_s << QStringList{};
    }

    void foundingCase_inOneDeepSnapshot()
    {
        QFETCH(const QString, target);
        QFETCH(const QStringList, options);
        if (!m_host.processes(u"^/usr/bin/python3 /opt/vllm"_s).isEmpty()) {
            QVERIFY(m_host.in(u"pkill -9 -f 'python3.*vllm'"_s).exitCode != 1); // the cause of the scene, inside the lab
            QTRY_VERIFY(m_host.processes(u"^/usr/bin/python3 /opt/vllm"_s).isEmpty());
            QCOMPARE(m_host.processes(u"^VLLM::"_s).size(), 9);
            // Younger than two minutes it may be loading, and one look cannot tell.
            const QByteArray age = m_host.sh(u"ps -o etimes= -p %1"_s.arg(m_host.processes(u"^VLLM::EngineCore"_s).first()));
            QTest::qWait(std::max(0, 122 - age.trimmed().toInt()) * 1000);
        }
        const Ran ran = ctl(QStringList{u"holders"_s, target, u"--json"_s} + options);
        QVERIFY2(ran.exitCode == 0, ran.summary().constData());
        QStringList leftovers;
        QStringList helpers;
        for (const QJsonValue &process : ran.json().value(u"processes"_s).toArray()) {
            if (process[u"verdict"].toString() == "leftover"_L1)
                leftovers += process[u"command"].toString();
            if (process[u"verdict"].toString() == "helper"_L1)
                helpers += process[u"command"].toString();
        }
        leftovers.sort();
        QStringList expected{u"VLLM::EngineCore"_s};
        for (int worker = 0; worker < 8; ++worker)
            expected += u"VLLM::Worker_TP%1"_s.arg(worker);
        QVERIFY2(leftovers == expected, ran.summary().constData());
        QCOMPARE(helpers.size(), 1);
        QVERIFY2(helpers.first().contains(u"resource_tracker"_s), qPrintable(helpers.first()));
        QVERIFY2(ran.json().value(u"duration_ms"_s).toDouble() <= 2'000, ran.summary().constData());
        QVERIFY2(ran.tookMs <= 4'000, ran.summary().constData()); // with the way there
    }

    /// Started by hand by somebody else than the login, of no unit that is known: theirs to end.
    void anotherLogin_callsThemForeign()
    {
        const Ran ran = ctl({u"holders"_s, u"lab1"_s, u"--json"_s});
        QVERIFY2(ran.exitCode == 0, ran.summary().constData());
        int foreign = 0;
        for (const QJsonValue &process : ran.json().value(u"processes"_s).toArray()) {
            if (!process[u"command"].toString().startsWith(u"VLLM::"_s))
                continue;
            QCOMPARE(process[u"verdict"].toString(), u"foreign"_s);
            QCOMPARE(process[u"action"].toString(), u"ask_owner"_s);
            ++foreign;
        }
        QCOMPARE(foreign, 9);
    }
};

PILOTHOUSE_LAB_TEST_MAIN(TstLabHolders)
#include "tst_labholders.moc"
