// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// What the diagnosis of a host with a killed server rests on, as a real host tells it: who is kin by the tracker's pipe,
// who is connected with other hosts, in a network of its own too, whose parents live, who is logged in, what is stuck.
#include "tests/lab/labmain.h"
#include "tests/lab/shot.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QTcpServer>
#include <QTcpSocket>

using namespace pilothouse::test;
using namespace Qt::StringLiterals;

class TstLabFacts : public QObject
{
    Q_OBJECT

    const LabHost m_host{1};
    QTcpServer m_elsewhere; // another host, as lab1 sees it
    QString m_place;

    Ran ssh(const QString &user, const QString &command) const
    {
        return run(u"ssh"_s, {u"-F"_s, labFolder() + u"/ssh_config"_s, u"-l"_s, user, m_host.name(), command});
    }
    static QJsonArray peers(const QJsonObject &process) { return process.value(u"peers"_s).toArray(); }

private slots:
    void initTestCase()
    {
        QTest::failOnWarning(QRegularExpression(u".*"_s));
        QTcpSocket way;
        way.connectToHost(m_host.address(), 22);
        QVERIFY(way.waitForConnected(5000));
        QVERIFY(m_elsewhere.listen(way.localAddress()));
        m_place = way.localAddress().toString() + u'/' + QString::number(m_elsewhere.serverPort());
        const Ran started = ssh(u"ops"_s, u"sim-server --detach --gpus 0,1 --load 0.2 -- /usr/bin/python3 /opt/vllm/bin/vllm "
                                          "serve m --port 8000 </dev/null >/dev/null 2>&1"_s);
        QVERIFY2(started.exitCode == 0, started.summary().constData());
        QTRY_COMPARE(m_host.processes(u"^VLLM::Worker_TP[01]$"_s).size(), 2);
        // Ranks of other servers, with a connection each: to another host, to this host's own address, and to another host
        // from a network of its own.
        m_host.sh(u"systemd-run --quiet --unit=rank bash -c 'exec 8<>/dev/tcp/%1; exec sim-hog --gpus 2 --mib 5000 --title VLLM::Worker_TP7'; "
                  "systemd-run --quiet --unit=here bash -c 'exec 8<>/dev/tcp/%2/22; exec sim-hog --gpus 3 --mib 5000 --title VLLM::Worker_TP6'; "
                  "systemd-run --quiet --unit=apart -p PrivateNetwork=yes bash -c 'exec -a VLLM::Worker_TP5 sleep 4000'"_s
                      .arg(m_place, m_host.address()));
        QTRY_COMPARE(m_host.processes(u"^VLLM::Worker_TP[5-7]"_s).size(), 3);
    }

    void peers_andKin_data()
    {
        QTest::addColumn<QString>("target");
        QTest::addColumn<QStringList>("options");
        QTest::newRow("root") << u"lab1"_s << QStringList{u"--deep"_s};
        QTest::newRow("by sudo") << u"ops@lab1"_s << QStringList{u"--sudo"_s, u"nopasswd"_s, u"--deep"_s};
    }

    void peers_andKin()
    {
        QFETCH(const QString, target);
        QFETCH(const QStringList, options);
        const Shot shot = Shot::of(target, options);
        QVERIFY2(shot.exitCode() == 0, shot.story().constData());
        QVERIFY2(shot.json().value(u"system"_s).toObject().value(u"root"_s).toBool(), shot.story().constData());
        QCOMPARE(peers(shot.processes(u"^VLLM::Worker_TP7"_s).value(0)), (QJsonArray{QString(m_place).replace(u'/', u':')}));
        for (const char16_t *name : {u"^VLLM::Worker_TP6", u"^VLLM::Worker_TP5", u"^VLLM::Worker_TP0"}) {
            const QJsonObject worker = shot.processes(QString::fromUtf16(name)).value(0);
            QVERIFY2(worker.value(u"peers"_s).isArray() && peers(worker).isEmpty(), shot.story().constData());
        }
        const QJsonObject tracker = shot.processes(u"resource_tracker"_s).value(0);
        const QJsonArray pipes = tracker.value(u"tracker_pipes"_s).toArray();
        QCOMPARE(pipes.size(), 1);
        for (const QJsonObject &process : shot.processes(u"^VLLM::EngineCore$|vllm serve m"_s))
            QVERIFY2(process.value(u"tracker_pipes"_s).toArray() == pipes, shot.story().constData());
        QVERIFY(shot.processes(u"^VLLM::Worker_TP7"_s).value(0).value(u"tracker_pipes"_s).toArray().isEmpty());
    }

    void holders_sayWhoHasPeersAndWhereNobodyCouldLook()
    {
        const auto evidence = [](const Shot &shot, const QString &name) {
            QStringList sentences;
            for (const QJsonValue &sentence : shot.processes(name).value(0).value(u"evidence"_s).toArray())
                sentences += sentence.toString();
            return sentences.join(u' ');
        };
        const auto holders = [](const QString &target) {
            return Shot(ctl({u"holders"_s, target, u"--json"_s}).output);
        };
        const Shot root = holders(u"lab1"_s);
        QVERIFY(!root.processes().isEmpty());
        const QString connected = u"established connections to other hosts: "_s + QString(m_place).replace(u'/', u':');
        QVERIFY2(evidence(root, u"^VLLM::Worker_TP7"_s).contains(connected), qPrintable(evidence(root, u"^VLLM::Worker_TP7"_s)));
        for (const char16_t *name : {u"^VLLM::Worker_TP6", u"^VLLM::Worker_TP0"}) {
            const QString said = evidence(root, QString::fromUtf16(name));
            QVERIFY2(!said.isEmpty() && !said.contains(u"connections"_s), qPrintable(said));
        }
        const Shot other = holders(u"nosudo@lab1"_s);
        QVERIFY(evidence(other, u"^VLLM::Worker_TP0"_s).contains(u"could not be seen"_s));
    }

    void ownProcesses_ofAPlainUserWithBusybox()
    {
        const Ran started = ssh(u"busypath"_s, u"/bin/bash -c 'exec 8<>/dev/tcp/%1; exec -a VLLM::Worker_TP3 /bin/sleep 4000' "
                                               "</dev/null >/dev/null 2>&1 &"_s.arg(m_place));
        QVERIFY2(started.exitCode == 0, started.summary().constData());
        QTRY_COMPARE(m_host.processes(u"^VLLM::Worker_TP3"_s).size(), 1);
        const Shot shot = Shot::of(u"busypath@lab1"_s, {u"--deep"_s});
        QVERIFY2(shot.exitCode() == 0, shot.story().constData());
        QCOMPARE(peers(shot.processes(u"^VLLM::Worker_TP3"_s).value(0)), (QJsonArray{QString(m_place).replace(u'/', u':')}));
        QVERIFY(shot.processes(u"^VLLM::Worker_TP7"_s).value(0).value(u"peers"_s).isNull());
    }

    void whoMayNotLook_isToldNothing()
    {
        const Shot shot = Shot::of(u"nosudo@lab1"_s, {u"--deep"_s});
        QVERIFY2(shot.exitCode() == 0, shot.story().constData());
        for (const QJsonObject &worker : shot.processes(u"^VLLM::"_s)) {
            QVERIFY(worker.contains(u"peers"_s));
            QVERIFY2(worker.value(u"peers"_s).isNull() && worker.value(u"tracker_pipes"_s).isNull(), shot.story().constData());
        }
    }

    void stateAndParents_ofTheUnit()
    {
        const Shot shot = Shot::of(u"lab1"_s, {u"--deep"_s});
        const QJsonObject rank = shot.processes(u"^VLLM::Worker_TP7"_s).value(0);
        QCOMPARE(rank.value(u"kill_pending"_s), QJsonValue(false));
        QCOMPARE(rank.value(u"locked_kib"_s).toInteger(-1), 0);
        QVERIFY2(!rank.value(u"waits_in"_s).toString().isEmpty(), shot.story().constData());
        m_host.sh(u"systemd-run --quiet --unit=held bash -c 'exec -a keeper bash -c \"(exec -a VLLM::Worker_TP4 sleep 4000); true\"'"_s);
        QTRY_COMPARE(m_host.processes(u"^VLLM::Worker_TP4"_s).size(), 1);
        const Shot again = Shot::of(u"lab1"_s, {u"--deep"_s});
        QCOMPARE(again.processes(u"^VLLM::Worker_TP4"_s).value(0).value(u"parent_name"_s).toString(), u"bash"_s);
    }

    void sessions_whoIsLoggedIn()
    {
        QProcess person;
        person.start(u"ssh"_s, {u"-tt"_s, u"-F"_s, labFolder() + u"/ssh_config"_s, u"-l"_s, u"nosudo"_s, m_host.name(), u"echo here; sleep 60"_s});
        QTRY_VERIFY(person.peek(1000).contains("here"));
        const Shot shot = Shot::of(u"lab1"_s, {u"--deep"_s});
        person.closeWriteChannel();
        person.terminate();
        person.waitForFinished(5000);
        bool found = false;
        for (const QJsonValue &session : shot.json().value(u"system"_s).toObject().value(u"sessions"_s).toArray()) {
            if (session.toObject().value(u"user"_s).toString() != u"nosudo"_s)
                continue;
            QVERIFY(session.toObject().value(u"name"_s).toString().startsWith(u"session-"_s));
            found = found || session.toObject().value(u"idle_s"_s).toDouble(-1) >= 0;
        }
        QVERIFY2(found, QJsonDocument(shot.json().value(u"system"_s).toObject()).toJson().constData());
    }
};

PILOTHOUSE_LAB_TEST_MAIN(TstLabFacts)
#include "tst_labfacts.moc"
