// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "hostrunner.h"
#include "tests/support/testmain.h"

using namespace pilothouse;
using namespace pilothouse::test;
using namespace Qt::StringLiterals;

/// Memory that processes claim, and how it comes back when they are gone.
class TstSimhog final : public QObject
{
    Q_OBJECT

    std::optional<HostRunner> m_runner;

    [[nodiscard]] QString output(const QString &command) const { return m_runner->output(command); }
    /// Of card 0.
    [[nodiscard]] int used() const
    {
        return output(u"nvidia-smi -i 0 --query-gpu=memory.used --format=csv,noheader,nounits"_s).toInt();
    }
    [[nodiscard]] QString apps(const QString &fields) const
    {
        return output(u"nvidia-smi --query-compute-apps=%1 --format=csv,noheader,nounits"_s.arg(fields));
    }
    [[nodiscard]] QString pidOf(const QString &comm) const
    {
        return output(u"grep -lx '%1' /proc/[0-9]*/comm | cut -d/ -f3"_s.arg(comm));
    }
    [[nodiscard]] bool isThere(const QString &pid) const { return output(u"test -d /proc/%1 && echo yes"_s.arg(pid)) == u"yes"; }
    void hog(const QString &options, const QString &user = u"root"_s) const
    {
        QCOMPARE(m_runner->run(u"sim-hog --detach --title trainer %1 </dev/null >/dev/null 2>&1"_s.arg(options), user).status,
                 u"exit 0"_s);
        QTRY_VERIFY(!pidOf(u"trainer"_s).isEmpty());
    }
    void signal(const QString &name, const QString &pid) const
    {
        QCOMPARE(m_runner->run(u"kill -%1 %2"_s.arg(name, pid)).status, u"exit 0"_s);
    }

private slots:
    void init()
    {
        m_runner.emplace();
        PILOTHOUSE_BOOT_OR_SKIP(*m_runner, quietHost())
    }
    void cleanup() { m_runner.reset(); }

    void release_fallsEvenlyWithARamp()
    {
        hog(u"--mib 50000 --release 3 --ramp on"_s);
        QTRY_COMPARE(used(), 50004);
        signal(u"KILL"_s, pidOf(u"trainer"_s));
        QTRY_VERIFY(used() < 45000);
        int before = used();
        QVERIFY2(before > 4, qPrintable(QString::number(before)));
        int falls = 0;
        while (before > 4) {
            QTest::qWait(100);
            const int now = used();
            QVERIFY(now <= before);
            falls += now < before ? 1 : 0;
            before = now;
        }
        QVERIFY2(falls >= 4, qPrintable(QString::number(falls)));
    }

    void release_atOnceWithoutDelay()
    {
        hog(u"--mib 5000 --release 0"_s);
        QTRY_COMPARE(used(), 5004);
        signal(u"KILL"_s, pidOf(u"trainer"_s));
        QTRY_COMPARE_WITH_TIMEOUT(used(), 4, 3'000);
    }

    void release_neverStaysWithoutAProcess()
    {
        hog(u"--mib 5000 --release never"_s);
        QTRY_COMPARE(used(), 5004);
        signal(u"KILL"_s, pidOf(u"trainer"_s));
        QTRY_COMPARE(apps(u"pid"_s), QString());
        QTest::qWait(1'500);
        QCOMPARE(used(), 5004); // held by nobody
    }

    void term_habits_data()
    {
        QTest::addColumn<QString>("habit");
        QTest::addColumn<int>("leastMs");
        QTest::addColumn<bool>("leaves");
        QTest::newRow("default") << u"default"_s << 0 << true;
        QTest::newRow("slow") << u"slow:1.5"_s << 1'200 << true;
        QTest::newRow("ignore") << u"ignore"_s << 0 << false;
    }
    void term_habits()
    {
        QFETCH(const QString, habit);
        QFETCH(const int, leastMs);
        QFETCH(const bool, leaves);
        hog(u"--term "_s + habit);
        const QString pid = pidOf(u"trainer"_s);
        QTRY_COMPARE(used(), 1004);
        QElapsedTimer timer;
        timer.start();
        signal(u"TERM"_s, pid);
        if (!leaves) {
            QTest::qWait(1'000);
            QVERIFY(isThere(pid));
            QCOMPARE(used(), 1004);
            signal(u"KILL"_s, pid);
        }
        QTRY_VERIFY(!isThere(pid));
        QVERIFY2(timer.elapsed() >= leastMs, qPrintable(QString::number(timer.elapsed())));
        QTRY_COMPARE(used(), 4);
    }

    void life_endsAfterItsTime()
    {
        hog(u"--mib 3000 --for 1"_s);
        QTRY_COMPARE(used(), 4);
        QCOMPARE(pidOf(u"trainer"_s), QString());
    }

    void claims_ofSeveralProcessesAddUp()
    {
        hog(u"--gpus 0,1 --mib 3000 --util 30"_s);
        QCOMPARE(m_runner->run(u"sim-hog --detach --mib 4000 -- /opt/notebook/bin/python kernel </dev/null >/dev/null 2>&1"_s).status,
                 u"exit 0"_s);
        QTRY_COMPARE(used(), 7004);
        QCOMPARE(output(u"nvidia-smi --query-gpu=memory.used --format=csv,noheader,nounits"_s).section(u'\n', 1, 1), u"3004"_s);
        const QString names = apps(u"process_name,used_memory"_s);
        QCOMPARE(names.count(u"trainer, 3000"_s), 2);
        QCOMPARE(names.count(u"/opt/notebook/bin/python, 4000"_s), 1);
        signal(u"KILL"_s, pidOf(u"trainer"_s));
        QTRY_COMPARE(used(), 4004); // the neighbour's stays
    }

    void claims_ofAnOrdinaryUser()
    {
        if (geteuid() != 0)
            PILOTHOUSE_SKIP("only root may map a second user into a host");
        hog(u"--mib 2500"_s, u"ops"_s);
        QTRY_COMPARE(used(), 2504);
        const QString pid = apps(u"pid"_s);
        QCOMPARE(output(u"ps -o user= -p %1"_s.arg(pid)), u"ops"_s);
        QCOMPARE(m_runner->run(u"sim-hog --detach --title other </dev/null >/dev/null 2>&1"_s).status, u"exit 0"_s);
        QTRY_VERIFY(!pidOf(u"other"_s).isEmpty());
        // Of root's process the user sees the card's use, and may not end it.
        QVERIFY(m_runner->run(u"kill -9 %1"_s.arg(pidOf(u"other"_s)), u"ops"_s).status != u"exit 0"_s);
        QTRY_COMPARE(m_runner->output(u"nvidia-smi --query-compute-apps=pid --format=csv,noheader | wc -l"_s, u"ops"_s), u"2"_s);
    }

    void devices_showWhoHolds()
    {
        hog(u"--gpus 1"_s);
        const QString links = output(u"ls -l /proc/%1/fd"_s.arg(pidOf(u"trainer"_s)));
        QVERIFY(links.contains(u"/dev/nvidia1"_s));
        QVERIFY(links.contains(u"/dev/nvidiactl"_s));
        QVERIFY(!links.contains(u"/dev/nvidia0"_s));
    }

    void titles_mayLieToTheNames()
    {
        QCOMPARE(m_runner->run(u"sim-hog --detach --title 'VLLM::Worker_TP0' --comm innocent </dev/null >/dev/null 2>&1"_s).status,
                 u"exit 0"_s);
        QTRY_COMPARE(pidOf(u"innocent"_s).isEmpty(), false);
        QCOMPARE(output(u"tr -d '\\0' </proc/%1/cmdline"_s.arg(pidOf(u"innocent"_s))), u"VLLM::Worker_TP0"_s);
    }
};

PILOTHOUSE_TEST_MAIN(TstSimhog)
#include "tst_simhog.moc"
