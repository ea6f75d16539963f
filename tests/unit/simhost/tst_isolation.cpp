// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "hostrunner.h"
#include "tests/support/testmain.h"

#include <QDir>
#include <QFile>
#include <QTcpServer>

#include <csignal>

using namespace pilothouse;
using namespace pilothouse::test;
using namespace Qt::StringLiterals;

/// What a simulated host cannot reach of the machine that it runs on, whatever its root tries.
class TstIsolation final : public QObject
{
    Q_OBJECT

    std::optional<HostRunner> m_runner;

    [[nodiscard]] QString output(const QString &command) const { return m_runner->output(command); }
    [[nodiscard]] bool fails(const QString &command) const { return m_runner->run(command).status != u"exit 0"_s; }

private slots:
    void initTestCase()
    {
        m_runner.emplace();
        PILOTHOUSE_BOOT_OR_SKIP(*m_runner, quietHost())
    }
    void cleanupTestCase() { m_runner.reset(); }
    void cleanup() { QCOMPARE(output(u"echo on"_s), u"on"_s); } // the host itself has survived it

    void processes_areItsOwnAlone()
    {
        const QStringList inside = output(u"ls /proc | grep -c '^[0-9]'; cat /proc/1/comm"_s).split(u'\n');
        QVERIFY2(inside.at(0).toInt() < 12, qPrintable(inside.at(0)));
        QCOMPARE(inside.at(1), u"systemd"_s);
        QCOMPARE(output(u"cat /proc/[0-9]*/comm | grep -c tst_isolation"_s), u"0"_s);
        // Our own number means somebody else there, or nobody.
        QVERIFY(!output(u"cat /proc/%1/comm 2>/dev/null"_s.arg(getpid())).startsWith(u"tst_"_s));
    }

    void signals_reachNobodyOutside_data()
    {
        QTest::addColumn<QString>("command");
        QTest::newRow("by number") << u"kill -9 %1"_s;
        QTest::newRow("by group") << u"kill -9 -%1"_s;
        QTest::newRow("process 1") << u"kill -9 1; sleep 0.1; false"_s;
    }
    void signals_reachNobodyOutside()
    {
        QFETCH(const QString, command);
        QProcess victim;
        victim.start(u"/bin/sleep"_s, {u"1000"_s});
        QVERIFY(victim.waitForStarted());
        QVERIFY(fails(command.contains(u"%1"_s) ? command.arg(victim.processId()) : command));
        QCOMPARE(victim.state(), QProcess::Running);
        QCOMPARE(::kill(pid_t(victim.processId()), 0), 0);
        victim.kill();
        QVERIFY(victim.waitForFinished());
    }

    void signals_whoCanBeSignalledIsListed()
    {
        const int reached = output(u"n=0; i=0; while [ $i -lt 60000 ]; do i=$((i + 1)); kill -0 $i 2>/dev/null && n=$((n + 1)); "
                                   "done; echo $n"_s).toInt();
        QVERIFY2(reached > 0 && reached < 12, qPrintable(QString::number(reached)));
    }

    void network_loopbackIsItsOwn()
    {
        QTcpServer listener;
        QVERIFY(listener.listen(QHostAddress::LocalHost));
        QVERIFY(fails(u"bash -c 'exec 3<>/dev/tcp/127.0.0.1/%1' 2>/dev/null"_s.arg(listener.serverPort())));
        QVERIFY(!listener.waitForNewConnection(200));
        QCOMPARE(output(u"ls /sys/class/net 2>/dev/null; tail -n +3 /proc/net/dev | cut -d: -f1"_s).simplified(), u"lo"_s);
        // Not even a route leads out.
        QCOMPARE(output(u"tail -n +2 /proc/net/route | wc -l"_s), u"0"_s);
    }

    void network_sessionsForwardIntoTheHostOnly()
    {
        QTcpServer listener;
        QVERIFY(listener.listen(QHostAddress::LocalHost));
        QVERIFY(!m_runner->forwards("127.0.0.1", listener.serverPort()));
        QVERIFY(!listener.waitForNewConnection(200));
    }

    void files_ofTheMachineAreNotThere()
    {
        QTemporaryDir here;
        QFile secret(here.filePath(u"secret"_s));
        QVERIFY(secret.open(QIODevice::WriteOnly));
        secret.write("mine");
        secret.close();
        QVERIFY(fails(u"cat '%1'"_s.arg(secret.fileName())));
        QVERIFY(fails(u"ls '%1'"_s.arg(here.path())));
        QCOMPARE(output(u"grep -c -e ' /home ' -e ' /boot ' /proc/mounts"_s), u"0"_s);
        QCOMPARE(output(u"cut -d: -f1 /etc/passwd"_s).replace(u'\n', u' '), u"root ops nobody"_s);
        QVERIFY(fails(u"cat /etc/shadow"_s));
    }

    void files_ofTheSystemAreReadOnly_data()
    {
        QTest::addColumn<QString>("command");
        for (const char *command : {"touch /usr/x", "rm -f /usr/bin/env", "mount -o remount,rw /usr", "chmod 777 /usr/bin/env",
                                    "echo 1 >/proc/sys/vm/drop_caches", "echo x >/sys/kernel/uevent_helper",
                                    "mknod /tmp/sda b 8 0"})
            QTest::newRow(command) << QString::fromLatin1(command);
    }
    void files_ofTheSystemAreReadOnly()
    {
        QFETCH(const QString, command);
        QVERIFY(fails(command));
        QVERIFY(QFile::exists(u"/usr/bin/env"_s));
    }

    void memory_isNotShared()
    {
        QFile outside(u"/dev/shm/pilothouse-test-%1"_s.arg(getpid()));
        QVERIFY(outside.open(QIODevice::WriteOnly));
        const auto remove = qScopeGuard([&] { outside.remove(); });
        QCOMPARE(output(u"ls /dev/shm"_s), QString());
        QCOMPARE(m_runner->run(u"echo inside >/dev/shm/psm_test"_s).status, u"exit 0"_s);
        QVERIFY(!QFile::exists(u"/dev/shm/psm_test"_s));
        QCOMPARE(output(u"tail -n +2 /proc/sysvipc/shm | wc -l"_s), u"0"_s);
        QCOMPARE(output(u"rm /dev/shm/psm_test; ls /dev/shm"_s), QString());
    }

    void identity_isItsOwn()
    {
        QCOMPARE(output(u"hostname; id -un"_s), u"gpu1\nroot"_s);
        QFile own(u"/proc/sys/kernel/random/boot_id"_s);
        QVERIFY(own.open(QIODevice::ReadOnly));
        QVERIFY(output(u"cat /proc/sys/kernel/random/boot_id"_s).toLatin1() != own.readAll().trimmed());
        // Whoever is root inside is nobody here: a file's owner tells.
        if (geteuid() == 0)
            QVERIFY(output(u"awk '{print $2}' /proc/self/uid_map"_s).toLongLong() > 100'000);
    }
};

PILOTHOUSE_TEST_MAIN(TstIsolation)
#include "tst_isolation.moc"
