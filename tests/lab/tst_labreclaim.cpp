// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// Memory that leftovers hold, taken back on a real host: the founding case to its end, and everything that may come between.
#include "tests/lab/labmain.h"

#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QProcess>
#include <QSet>
#include <QTemporaryDir>

using namespace pilothouse::test;
using namespace Qt::StringLiterals;

class TstLabReclaim : public QObject
{
    Q_OBJECT

    const LabHost m_host{1};
    QTemporaryDir m_state;

    QList<QByteArray> memoryUsed() const
    {
        return m_host.sh(u"nvidia-smi --query-gpu=memory.used --format=csv,noheader,nounits"_s).trimmed().split('\n');
    }
    static QList<QJsonObject> eventsOf(const Ran &ran)
    {
        QList<QJsonObject> events;
        for (const QByteArray &line : ran.output.trimmed().split('\n'))
            events += QJsonDocument::fromJson(line).object();
        return events;
    }
    static QJsonObject eventOf(const Ran &ran, const QString &step, const QString &state)
    {
        for (const QJsonObject &event : eventsOf(ran)) {
            if (event.value(u"step"_s).toString() == step && event.value(u"state"_s).toString() == state)
                return event;
        }
        return {};
    }
    /// The exit code and what each event said; the whole of it is longer than a failure's message may be.
    static QByteArray told(const Ran &ran)
    {
        QByteArray text = "exit " + QByteArray::number(ran.exitCode);
        for (const QJsonObject &event : eventsOf(ran)) {
            text += "\n" + event.value(u"step"_s).toString().toUtf8() + ' ' + event.value(u"state"_s).toString().toUtf8() + ": " +
                    event.value(u"text"_s).toString().left(150).toUtf8();
        }
        return text;
    }
    static QDateTime timeOf(const QJsonObject &event)
    {
        return QDateTime::fromString(event.value(u"at"_s).toString(), Qt::ISODateWithMs);
    }
    Ran reclaim(const QStringList &options, const QString &target = u"lab1"_s) const
    {
        return ctl(QStringList{u"reclaim"_s, target} + options, 120s);
    }
    /// The orphans are seconds old, so they are included by name; what happens by default is foundingCase_…'s.
    QStringList byName(const QString &title = u"^VLLM::EngineCore"_s) const
    {
        const qint64 pid = m_host.processes(title).value(0);
        const QByteArray stat = m_host.sh(u"cat /proc/%1/stat"_s.arg(pid));
        const QByteArray start = stat.mid(stat.lastIndexOf(')') + 2).split(' ').value(19);
        return {u"--include"_s, u"%1:%2"_s.arg(pid).arg(QString::fromLatin1(start))};
    }
    QStringList commonArguments() const
    {
        return {u"--config"_s, labFolder() + u"/home"_s, u"--ssh-config"_s, labFolder() + u"/ssh_config"_s};
    }

    /// Eight workers in sessions of their own that ignore SIGTERM and outlive their engine; the launcher is killed.
    void leaveBehind(const QString &options = u"--engine-term ignore --worker-term ignore --sessions own --death-pipe off --release 0.5"_s)
    {
        const Ran started = run(u"ssh"_s, {u"-F"_s, labFolder() + u"/ssh_config"_s, u"-l"_s, u"ops"_s, m_host.name(),
                                           u"sim-server --detach --gpus 0,1,2,3,4,5,6,7 --load 0.2 %1 -- /usr/bin/python3 "
                                           "/opt/vllm/bin/vllm serve m --tensor-parallel-size 8 --port 8000 "
                                           "</dev/null >/dev/null 2>&1"_s.arg(options)});
        QVERIFY2(started.exitCode == 0, started.summary().constData());
        QTRY_COMPARE(memoryUsed(), QList<QByteArray>(8, "96619"));
        QVERIFY(m_host.in(u"pkill -9 -f 'python3.*vllm'"_s).exitCode != 1); // the cause of the scene, inside the lab
        QTRY_VERIFY(m_host.processes(u"^/usr/bin/python3 /opt/vllm"_s).isEmpty());
    }
    QSet<qint64> others() const
    {
        QSet<qint64> pids;
        // A session's own sshd and service manager end by themselves.
        for (const qint64 pid : m_host.processes(u"^(sim-hog|/usr/bin/other|/lib/systemd/systemd-|sshd: /usr/sbin/sshd)"_s))
            pids.insert(pid);
        return pids;
    }

private slots:
    void initTestCase()
    {
        qputenv("XDG_STATE_HOME", m_state.path().toUtf8());
        const Ran hog = run(u"ssh"_s, {u"-F"_s, labFolder() + u"/ssh_config"_s, u"-l"_s, u"mallory"_s, m_host.name(),
                                       u"sim-hog --detach --gpus 9 --mib 1 -- /usr/bin/other VLLM::Worker_TP0 </dev/null >/dev/null 2>&1"_s});
        // A bystander whose command mentions a worker; card 9 is not there, so it holds nothing.
        QVERIFY2(hog.exitCode == 0, hog.summary().constData());
        QTRY_VERIFY(!m_host.processes(u"^/usr/bin/other"_s).isEmpty());
    }

    void cleanup()
    {
        m_host.joinCable();
        for (const qint64 pid : m_host.processes(u"^VLLM::|resource_tracker|^/usr/bin/python3 /opt/vllm"_s))
            (void)m_host.in(u"kill -9 %1"_s.arg(pid));
        QTRY_COMPARE_WITH_TIMEOUT(memoryUsed(), QList<QByteArray>(8, "4"), 20'000);
        m_host.sh(u"rm -f /run/pilothouse.*"_s);
    }

    void nothingLeft_isDone()
    {
        const Ran ran = reclaim({u"--yes"_s, u"--json"_s});
        QVERIFY2(ran.exitCode == 0, told(ran).constData());
        QCOMPARE(eventsOf(ran).last().value(u"state"_s).toString(), u"done"_s);
    }

    void foundingCase_allIsFreed()
    {
        leaveBehind(u"--engine-term ignore --worker-term ignore --sessions own --death-pipe off --release 12"_s);
        const QSet<qint64> before = others();
        // Nothing is named: they are seconds old, so it looks for some seconds whether they grow.
        const Ran ran = reclaim({u"--yes"_s, u"--json"_s, u"--sudo"_s, u"nopasswd"_s}, u"ops@lab1"_s);
        QVERIFY2(ran.exitCode == 0, told(ran).constData());
        QVERIFY2(!eventOf(ran, u"watch"_s, u"started"_s).isEmpty(), told(ran).constData());
        QCOMPARE(memoryUsed(), QList<QByteArray>(8, "4"));
        QVERIFY(m_host.processes(u"^VLLM::|resource_tracker"_s).isEmpty()); // the tracker left by itself
        QVERIFY2(others().contains(before), told(ran).constData());
        const QJsonObject plan = eventOf(ran, u"plan"_s, u"done"_s).value(u"data"_s).toObject();
        QCOMPARE(plan.value(u"families"_s).toArray().at(0)[u"processes"].toArray().size(), 9);
        QCOMPARE(plan.value(u"families"_s).toArray().at(0)[u"spared"].toArray().size(), 1);
        const QJsonObject kill = eventOf(ran, u"kill"_s, u"done"_s);
        const QString killed = kill.value(u"text"_s).toString();
        QVERIFY2(killed == "9 signalled."_L1, qPrintable(killed));
        // Memory comes back twelve seconds after the death of the last.
        const qint64 wait = timeOf(kill).msecsTo(timeOf(eventOf(ran, u"memory"_s, u"done"_s)));
        QVERIFY2(wait >= 11'500 && wait <= 15'000, told(ran).constData());
        // Colleagues see who it was, and the lock is free.
        QVERIFY(m_host.sh(u"cat /run/pilothouse.state"_s).contains("what=reclaim "));
        QVERIFY(m_host.sh(u"ls /run"_s).count("pilothouse.lock\n") == 0);
        QVERIFY(m_host.sh(u"journalctl --sync; journalctl -t pilothouse -o cat --no-pager"_s).contains(" processes of plan "));
        // How they stood is kept.
        const QDir kept(m_state.filePath(u"pilothouse/evidence"_s));
        QCOMPARE(kept.entryList(QDir::Files).size(), 1);
        QFile evidence(kept.filePath(kept.entryList(QDir::Files).value(0)));
        QVERIFY(evidence.open(QIODevice::ReadOnly));
        const QByteArray text = evidence.readAll();
        QVERIFY2(text.count("==== PID ") == 9 && text.contains("VLLM::Worker_TP") && text.contains("nvidia-smi -q"), text.left(2000).constData());
        QFile audit(m_state.filePath(u"pilothouse/audit.jsonl"_s));
        QVERIFY(audit.open(QIODevice::ReadOnly));
        const QByteArray records = audit.readAll();
        QCOMPARE(records.count("\"signal.term\""), 2);
        QCOMPARE(records.count("\"signal.kill\""), 2);
    }

    void engineThatCleansUp_needsNoKill()
    {
        leaveBehind(u"--worker-term ignore --sessions own --release 0.5"_s); // it takes its workers with it
        const Ran ran = reclaim(byName() + QStringList{u"--yes"_s, u"--json"_s});
        QVERIFY2(ran.exitCode == 0, told(ran).constData());
        QVERIFY2(eventOf(ran, u"kill"_s, u"started"_s).isEmpty(), told(ran).constData());
        QVERIFY(m_host.processes(u"^VLLM::|resource_tracker"_s).isEmpty());
    }

    void sharedMemoryOfTheDead_isRemovedWhenAskedFor()
    {
        leaveBehind(u"--engine-term ignore --worker-term ignore --death-pipe off --tracker off --release 0.5"_s);
        m_host.sh(u"echo x >/dev/shm/psm_somebody"_s);
        QVERIFY(m_host.sh(u"ls /dev/shm"_s).count("psm_") >= 2);
        const Ran ran = reclaim(byName() + QStringList{u"--yes"_s, u"--clean-shm"_s, u"--grace"_s, u"0.5"_s, u"--json"_s});
        QVERIFY2(ran.exitCode == 0, told(ran).constData());
        QVERIFY2(!eventOf(ran, u"clean_shm"_s, u"done"_s).isEmpty(), told(ran).constData());
        const QByteArray left = m_host.sh(u"ls /dev/shm; rm -f /dev/shm/psm_*"_s);
        QVERIFY2(left.count("psm_") == 1 && left.contains("psm_somebody"),
                 QByteArray(left + eventOf(ran, u"clean_shm"_s, u"done"_s).value(u"text"_s).toString().toUtf8()).constData());
    }

    void withoutConsent_nothingIsDone()
    {
        leaveBehind();
        const QStringList named = byName();
        const Ran unasked = reclaim(named);
        QVERIFY2(unasked.exitCode == 2, unasked.summary().constData());
        const Ran readOnly = reclaim(named + QStringList{u"--yes"_s, u"--read-only"_s});
        QVERIFY2(readOnly.exitCode == 7, readOnly.summary().constData());
        const Ran dry = reclaim(named + QStringList{u"--dry-run"_s});
        QVERIFY2(dry.exitCode == 0, dry.summary().constData());
        QVERIFY2(dry.output.contains("SIGNAL=KILL") && dry.output.count("\ntarget ") == 19, dry.summary().constData());
        const Ran wrong = reclaim(named + QStringList{u"--yes"_s, u"--plan"_s, u"0123456789ab"_s});
        QVERIFY2(wrong.exitCode == 7, wrong.summary().constData());
        QCOMPARE(m_host.processes(u"^VLLM::"_s).size(), 9);
        QVERIFY(m_host.sh(u"ls /run"_s).count("pilothouse.") == 0); // not even a lock
    }

    void plan_isRunOnlyAsItWasShown()
    {
        leaveBehind();
        const QStringList named = byName(u"^VLLM::Worker_TP0"_s);
        const Ran dry = reclaim(named + QStringList{u"--dry-run"_s, u"--json"_s});
        const QString id = eventOf(dry, u"plan"_s, u"done"_s).value(u"data"_s).toObject().value(u"id"_s).toString();
        QCOMPARE(id.size(), 12);
        // Not a worker: its engine would end the others, sooner or later.
        m_host.sh(u"kill -9 %1"_s.arg(m_host.processes(u"^VLLM::EngineCore"_s).first()));
        const Ran changed = reclaim(named + QStringList{u"--yes"_s, u"--plan"_s, id});
        QVERIFY2(changed.exitCode == 7, changed.summary().constData());
        QVERIFY2(changed.errors.contains("- SIGTERM "), changed.summary().constData());
        QCOMPARE(m_host.processes(u"^VLLM::"_s).size(), 8);
        const Ran again = reclaim(named + QStringList{u"--dry-run"_s, u"--json"_s});
        const QString now = eventOf(again, u"plan"_s, u"done"_s).value(u"data"_s).toObject().value(u"id"_s).toString();
        const Ran ran = reclaim(named + QStringList{u"--yes"_s, u"--plan"_s, now, u"--grace"_s, u"0.5"_s});
        QVERIFY2(ran.exitCode == 7, told(ran).constData()); // another grace is another plan
        const Ran same = reclaim(named + QStringList{u"--yes"_s, u"--plan"_s, now});
        QVERIFY2(same.exitCode == 0, same.summary().constData());
        QVERIFY(m_host.processes(u"^VLLM::"_s).isEmpty());
    }

    void anothersLock_isRespected()
    {
        leaveBehind();
        m_host.sh(u"read -r up rest </proc/uptime; echo \"$(printf 'b%.0s' 1 2 3 4) $(cat /proc/sys/kernel/random/boot_id) ${up%.*} bob@lap\" "
                  ">/run/pilothouse.lock"_s);
        const Ran ran = reclaim(byName() + QStringList{u"--yes"_s});
        QVERIFY2(ran.exitCode == 7, told(ran).constData());
        QVERIFY2(ran.output.contains("bob@lap"), told(ran).constData());
        QCOMPARE(m_host.processes(u"^VLLM::"_s).size(), 9);
        QTest::qWait(16'000); // without a sign of life a lock ends
        const Ran later = reclaim(byName() + QStringList{u"--yes"_s, u"--grace"_s, u"0.5"_s});
        QVERIFY2(later.exitCode == 0, later.summary().constData());
    }

    void account_freesItsOwnAndNoOthers()
    {
        leaveBehind();
        const Ran stranger = reclaim({u"--yes"_s}, u"nosudo@lab1"_s);
        QVERIFY2(stranger.exitCode == 1 || stranger.exitCode == 7, stranger.summary().constData());
        const Ran named = reclaim(byName() + QStringList{u"--yes"_s}, u"nosudo@lab1"_s);
        QVERIFY2(named.exitCode == 6, named.summary().constData()); // no rights
        QVERIFY2(named.output.contains("may not signal"), named.summary().constData());
        QCOMPARE(m_host.processes(u"^VLLM::"_s).size(), 9);
        const Ran sudo = reclaim(byName() + QStringList{u"--yes"_s, u"--grace"_s, u"0.5"_s, u"--sudo"_s, u"nopasswd"_s}, u"ops@lab1"_s);
        QVERIFY2(sudo.exitCode == 0, sudo.summary().constData());
        leaveBehind();
        const Ran own = reclaim(byName() + QStringList{u"--yes"_s, u"--grace"_s, u"0.5"_s}, u"ops@lab1"_s);
        QVERIFY2(own.exitCode == 0, own.summary().constData());
        QVERIFY(m_host.processes(u"^VLLM::"_s).isEmpty());
    }

    void noAudit_nothingIsSignalled()
    {
        leaveBehind();
        QTemporaryDir state;
        QVERIFY(QDir().mkpath(state.filePath(u"pilothouse/audit.jsonl"_s))); // a folder in its place
        qputenv("XDG_STATE_HOME", state.path().toUtf8());
        const Ran ran = reclaim(byName() + QStringList{u"--yes"_s});
        qputenv("XDG_STATE_HOME", m_state.path().toUtf8());
        QVERIFY2(ran.exitCode == 8, told(ran).constData());
        QCOMPARE(m_host.processes(u"^VLLM::"_s).size(), 9);
    }

    void linkCutInTheGrace_goesOn()
    {
        leaveBehind();
        QProcess console;
        console.start(qEnvironmentVariable("PILOTHOUSE_LAB_CTL"),
                      commonArguments() + QStringList{u"reclaim"_s, u"lab1"_s} + byName() + QStringList{u"--yes"_s, u"--json"_s, u"--timeout"_s, u"4"_s, u"--grace"_s, u"8"_s});
        QByteArray said;
        const auto hears = [&](const QByteArray &words) {
            said += console.readAllStandardOutput();
            return said.contains(words);
        };
        QTRY_VERIFY_WITH_TIMEOUT(hears("\"grace\",\"text\"") || hears("\"step\":\"grace\""), 40'000);
        m_host.cutCable();
        QTRY_VERIFY2_WITH_TIMEOUT(hears("onnection broke"), (said + console.readAllStandardError()).right(3000).constData(), 30'000);
        m_host.joinCable();
        QVERIFY2(console.waitForFinished(60'000), said.constData());
        said += console.readAllStandardOutput();
        QVERIFY2(console.exitCode() == 0, said.constData());
        QVERIFY2(said.contains("goes on from what is there"), said.constData());
        QVERIFY(m_host.processes(u"^VLLM::"_s).isEmpty());
    }

    void consoleKilledInTheGrace_theNextGoesOn()
    {
        leaveBehind();
        QProcess console;
        console.start(qEnvironmentVariable("PILOTHOUSE_LAB_CTL"),
                      commonArguments() + QStringList{u"reclaim"_s, u"lab1"_s} + byName() + QStringList{u"--yes"_s, u"--json"_s, u"--grace"_s, u"30"_s});
        QByteArray said;
        QTRY_VERIFY_WITH_TIMEOUT((said += console.readAllStandardOutput()).contains("\"step\":\"grace\""), 40'000);
        console.kill();
        QVERIFY(console.waitForFinished(5'000));
        QVERIFY(m_host.processes(u"^VLLM::Worker"_s).size() == 8);
        // Who only looks is told, and it stays to be told.
        const Ran look = reclaim(byName() + QStringList{u"--dry-run"_s, u"--json"_s});
        const QJsonObject cutOff = eventOf(look, u"interrupted"_s, u"progress"_s);
        QVERIFY2(cutOff.value(u"text"_s).toString().contains(u"was cut off with its program. The last that it told, at "), told(look).constData());
        const Ran next = reclaim(byName() + QStringList{u"--yes"_s, u"--json"_s, u"--grace"_s, u"0.5"_s}); // its own lock it takes over at once
        QVERIFY2(next.exitCode == 0, told(next).constData());
        QCOMPARE(eventOf(next, u"interrupted"_s, u"progress"_s).value(u"text"_s), cutOff.value(u"text"_s));
        QVERIFY(m_host.processes(u"^VLLM::"_s).isEmpty());
        const Ran after = reclaim({u"--yes"_s, u"--json"_s});
        QVERIFY2(eventOf(after, u"interrupted"_s, u"progress"_s).isEmpty(), told(after).constData());
    }
};

PILOTHOUSE_LAB_TEST_MAIN(TstLabReclaim)
#include "tst_labreclaim.moc"
