// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// The founding scene: a server started by hand, killed by a pattern that spares its renamed children. The usual commands
// show one innocent helper; the snapshot shows who holds the memory.
#include "tests/lab/labmain.h"
#include "tests/lab/shot.h"

#include <QJsonArray>
#include <QSet>

using namespace pilothouse::test;
using namespace Qt::StringLiterals;

class TstLabScene : public QObject
{
    Q_OBJECT

    const LabHost m_host{1};

    Ran ssh(const QString &user, const QString &command) const
    {
        return run(u"ssh"_s, {u"-F"_s, labFolder() + u"/ssh_config"_s, u"-l"_s, user, m_host.name(), command});
    }

    QList<QByteArray> memoryUsed() const
    {
        return m_host.sh(u"nvidia-smi --query-gpu=memory.used --format=csv,noheader,nounits"_s).trimmed().split('\n');
    }

private slots:
    void initTestCase()
    {
        QTest::failOnWarning(QRegularExpression(u".*"_s));
        const Ran started = ssh(u"ops"_s, u"sim-server --detach --gpus 0,1,2,3,4,5,6,7 --load 0.2 -- /usr/bin/python3 "
                                          "/opt/vllm/bin/vllm serve moonshotai/Kimi-K2.5 --tensor-parallel-size 8 "
                                          "--port 8000 </dev/null >/dev/null 2>&1"_s);
        QVERIFY2(started.exitCode == 0, started.summary().constData());
        QTRY_COMPARE(memoryUsed(), QList<QByteArray>(8, "96619"));
    }

    void servingTree_isShownWhole()
    {
        const Shot shot = Shot::of(u"lab1"_s);
        QVERIFY2(shot.exitCode() == 0, shot.story().constData());
        QCOMPARE(shot.gpus().size(), 8);
        QCOMPARE(shot.processes(u"^/usr/bin/python3 /opt/vllm/bin/vllm serve"_s).size(), 1);
        QCOMPARE(shot.processes(u"^VLLM::EngineCore$"_s).size(), 1);
        QCOMPARE(shot.processes(u"^VLLM::Worker_TP[0-7]$"_s).size(), 8);
        QCOMPARE(shot.processes(u"resource_tracker"_s).size(), 1);
    }

    void patternKill_leavesHoldersThatUsualCommandsMiss()
    {
        // The cause of the scene, inside the lab host only.
        QVERIFY(m_host.in(u"pkill -9 -f 'python3.*vllm'"_s).exitCode != 1);
        QTRY_VERIFY(m_host.processes(u"^/usr/bin/python3 /opt/vllm"_s).isEmpty());
        const Ran ps = ssh(u"root"_s, u"ps aux | grep -E 'python|vllm'"_s);
        QVERIFY2(ps.exitCode == 0, ps.summary().constData());
        QList<QByteArray> lines;
        for (const QByteArray &line : ps.output.trimmed().split('\n')) {
            if (!line.contains("grep -E"))
                lines.append(line);
        }
        QCOMPARE(lines.size(), 1);
        QVERIFY(lines.first().contains("multiprocessing.resource_tracker"));
        QCOMPARE(memoryUsed(), QList<QByteArray>(8, "96619"));
    }

    void snapshot_showsEngineAndWorkersWithTheirMemory_data()
    {
        QTest::addColumn<QString>("target");
        QTest::addColumn<QStringList>("options");
        QTest::newRow("root") << u"lab1"_s << QStringList{};
        QTest::newRow("root, deep") << u"lab1"_s << QStringList{u"--deep"_s};
        QTest::newRow("owner") << u"ops@lab1"_s << QStringList{};
        QTest::newRow("owner by sudo, deep") << u"ops@lab1"_s << QStringList{u"--sudo"_s, u"nopasswd"_s, u"--deep"_s};
        QTest::newRow("another person") << u"nosudo@lab1"_s << QStringList{};
    }

    void snapshot_showsEngineAndWorkersWithTheirMemory()
    {
        QFETCH(const QString, target);
        QFETCH(const QStringList, options);
        const Shot shot = Shot::of(target, options);
        QVERIFY2(shot.exitCode() == 0, shot.story().constData());
        QCOMPARE(shot.gpus().size(), 8);
        for (const QJsonObject &gpu : shot.gpus()) {
            QCOMPARE(gpu.value(u"memory_used_mib"_s).toInteger(), 96619);
            QCOMPARE(gpu.value(u"attributed_mib"_s).toInteger(), 96615);
            QCOMPARE(gpu.value(u"unattributed_mib"_s).toInteger(), 4);
        }
        const QList<QJsonObject> workers = shot.processes(u"^VLLM::Worker_TP[0-7]$"_s);
        QCOMPARE(workers.size(), 8);
        QSet<qint64> cards;
        for (const QJsonObject &worker : workers) {
            QCOMPARE(mibOf(worker), 96615);
            cards.insert(worker.value(u"gpu_memory"_s).toArray().first().toObject().value(u"gpu"_s).toInteger());
            QCOMPARE(worker.value(u"user"_s).toString(), u"ops"_s);
            QCOMPARE(worker.value(u"owner"_s).toObject().value(u"kind"_s).toString(), u"session"_s);
            QVERIFY(worker.value(u"owner"_s).toObject().value(u"name"_s).toString().startsWith(u"session-"_s));
            QVERIFY(worker.value(u"comm"_s).toString().startsWith(u"VLLM::Worker_TP"_s));
            QVERIFY(worker.value(u"start_ticks"_s).toInteger() > 0);
            if (options.contains(u"--deep"_s))
                QVERIFY2(worker.value(u"devices"_s).toArray().contains(u"/dev/nvidia-uvm"_s), shot.story().constData());
            else
                QVERIFY(worker.value(u"devices"_s).isNull());
        }
        QCOMPARE(cards.size(), 8);
        const QList<QJsonObject> engines = shot.processes(u"^VLLM::EngineCore$"_s);
        QCOMPARE(engines.size(), 1);
        QCOMPARE(engines.first().value(u"ppid"_s).toInteger(), 1);
        QCOMPARE(mibOf(engines.first()), 0);
        for (const QJsonObject &worker : workers)
            QCOMPARE(worker.value(u"ppid"_s).toInteger(), engines.first().value(u"pid"_s).toInteger());
        QCOMPARE(shot.processes(u"resource_tracker"_s).size(), 1);
        QVERIFY(shot.processes(u"^/usr/bin/python3 /opt/vllm"_s).isEmpty());
    }

    void deepSnapshot_showsSharedMemoryAndWhoMapsIt()
    {
        const Shot shot = Shot::of(u"lab1"_s, {u"--deep"_s});
        QVERIFY2(shot.exitCode() == 0, shot.story().constData());
        const auto shm = shot.list(u"shm"_s);
        QVERIFY2(shm && !shm->isEmpty(), shot.story().constData());
        QVERIFY(shm->first().value(u"path"_s).toString().startsWith(u"/dev/shm/psm_"_s));
        QVERIFY(!shm->first().value(u"mapped_by"_s).toArray().isEmpty());
    }

    void engineKilled_releasesEverything()
    {
        const Shot before = Shot::of(u"lab1"_s);
        QCOMPARE(before.processes(u"^VLLM::EngineCore$"_s).size(), 1);
        m_host.sh(u"kill -9 %1"_s.arg(before.processes(u"^VLLM::EngineCore$"_s).first().value(u"pid"_s).toInteger()));
        QTRY_COMPARE_WITH_TIMEOUT(memoryUsed(), QList<QByteArray>(8, "4"), 10'000);
        const Shot shot = Shot::of(u"lab1"_s);
        QCOMPARE(shot.exitCode(), 0);
        for (const QJsonObject &gpu : shot.gpus())
            QCOMPARE(gpu.value(u"memory_used_mib"_s).toInteger(), 4);
        QVERIFY(shot.processes(u"VLLM::|resource_tracker"_s).isEmpty());
    }
};

PILOTHOUSE_LAB_TEST_MAIN(TstLabScene)
#include "tst_labscene.moc"
