// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// Every kind of login: its snapshot, or the right error. Rights: what root sees, what others do not and hear of.
#include "tests/lab/labmain.h"
#include "tests/lab/shot.h"

#include <QElapsedTimer>
#include <QJsonArray>

using namespace pilothouse::test;
using namespace Qt::StringLiterals;

class TstLabShells : public QObject
{
    Q_OBJECT

    const LabHost m_host{1};

private slots:
    void initTestCase()
    {
        QTest::failOnWarning(QRegularExpression(u".*"_s));
        m_host.sh(u"systemd-run --quiet --unit=holder sim-hog --gpus 3 --mib 5000 -- /usr/bin/python3 train.py; sleep 0.3"_s);
    }

    void login_givesSnapshot_data()
    {
        QTest::addColumn<QString>("user");
        for (const char16_t *user : {u"in-bash", u"in-dash", u"in-fish", u"in-tcsh", u"chatty", u"chattyfish", u"chattytcsh",
                                     u"reader", u"lostpath"})
            QTest::newRow(qPrintable(QString::fromUtf16(user))) << QString::fromUtf16(user);
    }

    void login_givesSnapshot()
    {
        QFETCH(const QString, user);
        const Shot shot = Shot::of(user + u"@lab1"_s, {u"--unit"_s, u"holder.service"_s});
        QVERIFY2(shot.exitCode() == 0, shot.story().constData());
        QCOMPARE(shot.gpus().size(), 8);
        QCOMPARE(shot.gpus().at(3).value(u"memory_used_mib"_s).toInteger(), 5004);
        QCOMPARE(shot.gpuSource().value(u"status"_s).toString(), u"ok"_s);
        QCOMPARE(shot.processes(u"^/usr/bin/python3 train.py$"_s).size(), 1);
        const QJsonObject holder = shot.processes(u"train.py"_s).first();
        QCOMPARE(mibOf(holder), 5000);
        QVERIFY2(!shot.problemCodes().contains(u"host.container"_s), shot.story().constData());
        QCOMPARE(holder.value(u"user"_s).toString(), u"root"_s);
        QCOMPARE(holder.value(u"owner"_s).toObject().value(u"kind"_s).toString(), u"unit"_s);
        QCOMPARE(holder.value(u"owner"_s).toObject().value(u"name"_s).toString(), u"holder.service"_s);
        QCOMPARE(shot.unit(u"holder.service"_s).value(u"active"_s).toString(), u"active"_s);
        QCOMPARE(shot.unit(u"holder.service"_s).value(u"main_pid"_s).toInteger(), holder.value(u"pid"_s).toInteger());
    }

    void holderThatNoRuleKnows_hasItsUserAndOwner()
    {
        // Neither its name nor a named unit leads to it, only the driver's list.
        const Shot shot = Shot::of(u"lab1"_s);
        QVERIFY2(shot.exitCode() == 0, shot.story().constData());
        const QJsonObject holder = shot.processes(u"train.py"_s).value(0);
        QCOMPARE(holder.value(u"user"_s).toString(), u"root"_s);
        QCOMPARE(holder.value(u"owner"_s).toObject().value(u"name"_s).toString(), u"holder.service"_s);
        QVERIFY(holder.value(u"elapsed_s"_s).toDouble() < 300);
    }

    void busyboxPath_givesSnapshotWithoutUnits()
    {
        // Nothing but busybox in the PATH: no systemctl, no getent, no GNU tool; nvidia-smi is found in its usual place.
        const Shot shot = Shot::of(u"busypath@lab1"_s, {u"--deep"_s, u"--unit"_s, u"holder.service"_s});
        QVERIFY2(shot.exitCode() == 0, shot.story().constData());
        QCOMPARE(shot.gpus().size(), 8);
        const QJsonObject holder = shot.processes(u"train.py"_s).value(0);
        QCOMPARE(mibOf(holder), 5000);
        QCOMPARE(holder.value(u"user"_s).toString(), u"root"_s);
        QVERIFY(!shot.list(u"units"_s));
        QVERIFY2(shot.list(u"listening"_s), shot.story().constData());
    }

    void unusableLogin_isNamed_data()
    {
        QTest::addColumn<QString>("user");
        QTest::newRow("no login") << u"nologin"_s;
        QTest::newRow("false") << u"falselogin"_s;
        QTest::newRow("rc file exits") << u"leaver"_s;
        QTest::newRow("rc file becomes fish") << u"turncoat"_s;
    }

    void unusableLogin_isNamed()
    {
        QFETCH(const QString, user);
        const Shot shot = Shot::of(user + u"@lab1"_s);
        QVERIFY2(shot.exitCode() == 6, shot.story().constData());
        QVERIFY2(!shot.ran().errors.trimmed().isEmpty(), shot.story().constData());
        QVERIFY2(shot.ran().tookMs < 12'000, shot.story().constData());
    }

    void nologin_saysTheHostsOwnWords()
    {
        const Shot shot = Shot::of(u"nologin@lab1"_s);
        QVERIFY2(shot.ran().errors.contains("not available"), shot.story().constData());
    }

    void oneSessionOnly_oneShellDoesBoth()
    {
        const Shot shot = Shot::of(u"root@%1:2222"_s.arg(m_host.address()));
        QVERIFY2(shot.exitCode() == 0, shot.story().constData());
        QCOMPARE(shot.gpus().size(), 8);
        QCOMPARE(shot.processes(u"train.py"_s).size(), 1);
    }

    void noSessionAtAll_isNamed()
    {
        const Shot shot = Shot::of(u"root@%1:2223"_s.arg(m_host.address()));
        QVERIFY2(shot.exitCode() == 6, shot.story().constData());
    }

    void container_isReadAsOne()
    {
        const Shot shot = Shot::of(u"root@%1:2224"_s.arg(m_host.address()), {u"--deep"_s, u"--unit"_s, u"holder.service"_s});
        QVERIFY2(shot.exitCode() == 0, shot.story().constData());
        QCOMPARE(shot.gpus().size(), 8);
        QVERIFY2(!shot.list(u"units"_s), shot.story().constData());
        QVERIFY2(shot.problemCodes().contains(u"host.container"_s), shot.story().constData());
        // The host's processes are out of sight: no member of the holder's is listed with a state.
        QVERIFY(shot.processes(u"train.py"_s).isEmpty());
    }

    void busyboxRoot_withoutSystemdAndDriver_isReadWithExit6()
    {
        const Shot shot = Shot::of(u"boxed@lab1"_s, {u"--unit"_s, u"holder.service"_s});
        QVERIFY2(shot.exitCode() == 6, shot.story().constData());
        QCOMPARE(shot.gpuSource().value(u"status"_s).toString(), u"absent"_s);
        QVERIFY(!shot.list(u"gpus"_s));
        QVERIFY(!shot.list(u"units"_s));
        QVERIFY2(shot.list(u"processes"_s), shot.story().constData());
    }

    void noNvidiaSmi_isExit6WithTheRest()
    {
        m_host.sh(u"mv /usr/bin/nvidia-smi /usr/bin/nvidia-smi.away"_s);
        const Shot shot = Shot::of(u"lab1"_s, {u"--unit"_s, u"holder.service"_s});
        m_host.sh(u"mv /usr/bin/nvidia-smi.away /usr/bin/nvidia-smi"_s);
        QVERIFY2(shot.exitCode() == 6, shot.story().constData());
        QCOMPARE(shot.gpuSource().value(u"status"_s).toString(), u"absent"_s);
        QVERIFY(!shot.list(u"gpus"_s));
        QCOMPARE(shot.unit(u"holder.service"_s).value(u"active"_s).toString(), u"active"_s);
        QCOMPARE(shot.processes(u"train.py"_s).size(), 1);
    }

    void plainUser_hearsWhatCannotBeSeen()
    {
        const Shot shot = Shot::of(u"nosudo@lab1"_s, {u"--deep"_s});
        QVERIFY2(shot.exitCode() == 0, shot.story().constData());
        const QJsonObject holder = shot.processes(u"train.py"_s).value(0);
        QCOMPARE(mibOf(holder), 5000);
        QVERIFY2(holder.value(u"devices"_s).isNull(), shot.story().constData());
        QVERIFY2(shot.problemCodes().contains(u"host.not_root"_s), shot.story().constData());
    }

    void sudo_seesAsRoot()
    {
        const Shot shot = Shot::of(u"ops@lab1"_s, {u"--deep"_s, u"--sudo"_s, u"nopasswd"_s});
        QVERIFY2(shot.exitCode() == 0, shot.story().constData());
        QVERIFY2(shot.processes(u"train.py"_s).value(0).value(u"devices"_s).toArray().contains(u"/dev/nvidia3"_s),
                 shot.story().constData());
        QVERIFY2(!shot.problemCodes().contains(u"host.not_root"_s), shot.story().constData());
    }

    void sudoThatRefuses_isNamedAndTheRestIsShown_data()
    {
        QTest::addColumn<QString>("user");
        QTest::newRow("wants a password") << u"asksudo"_s;
        QTest::newRow("not in sudoers") << u"nosudo"_s;
    }

    void sudoThatRefuses_isNamedAndTheRestIsShown()
    {
        QFETCH(const QString, user);
        const Shot shot = Shot::of(user + u"@lab1"_s, {u"--sudo"_s, u"nopasswd"_s});
        QVERIFY2(shot.exitCode() == 0, shot.story().constData());
        QVERIFY2(shot.problemCodes().contains(u"host.sudo_password"_s), shot.story().constData());
        QCOMPARE(mibOf(shot.processes(u"train.py"_s).value(0)), 5000);
        QVERIFY(shot.ran().tookMs < 12'000);
    }

    void hiddenProcesses_areNamed()
    {
        m_host.sh(u"mount -o remount,hidepid=2 /proc"_s);
        const Shot plain = Shot::of(u"nosudo@lab1"_s);
        const Shot root = Shot::of(u"lab1"_s);
        m_host.sh(u"mount -o remount,hidepid=0 /proc"_s);
        QVERIFY2(plain.exitCode() == 0, plain.story().constData());
        QCOMPARE(plain.gpus().size(), 8);
        QVERIFY(plain.processes(u"train.py"_s).isEmpty() || plain.processes(u"train.py"_s).first().value(u"state"_s).isNull());
        QVERIFY2(plain.problemCodes().contains(u"host.hidepid"_s), plain.story().constData());
        QVERIFY2(plain.problemCodes().contains(u"process.hidden"_s), plain.story().constData());
        // The driver's PID is listed all the same, with what it holds and without a state.
        bool listed = false;
        for (const QJsonObject &process : plain.processes()) {
            if (mibOf(process) == 5000) {
                listed = true;
                QVERIFY(process.value(u"state"_s).isNull());
            }
        }
        QVERIFY2(listed, plain.story().constData());
        QVERIFY2(root.exitCode() == 0, root.story().constData());
        QCOMPARE(root.processes(u"train.py"_s).size(), 1);
    }
};

PILOTHOUSE_LAB_TEST_MAIN(TstLabShells)
#include "tst_labshells.moc"
