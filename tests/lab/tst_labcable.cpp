// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// Links that die: noticed within their deadline, joined again by themselves, the next host untouched, and nothing of
// ours left on the host.
#include "tests/lab/lablink.h"
#include "tests/lab/labmain.h"

#include <QElapsedTimer>
#include <QProcess>
#include <QSet>

#include <csignal>

using namespace pilothouse;
using namespace pilothouse::test;
using namespace Qt::StringLiterals;

class TstLabCable : public QObject
{
    Q_OBJECT

    const LabHost m_host{1};
    const LabHost m_other{2};

    // `sh -s pilothouse-probe ID RUN ROLE`, and what a shell forks bears its name.
    [[nodiscard]] static int probeShells(const LabHost &host)
    {
        return int(host.processes(u"pilothouse-probe"_s).size());
    }
    [[nodiscard]] static int connectionsWithShells(const LabHost &host)
    {
        QSet<QString> runs;
        for (const qint64 pid : host.processes(u"pilothouse-probe"_s)) {
            if (const QString command = host.commandOf(pid); !command.isEmpty())
                runs.insert(command.section(u' ', -2, -2));
        }
        return int(runs.size());
    }

private slots:
    void initTestCase() { QTest::failOnWarning(QRegularExpression(u".*"_s)); }

    void cutCable_isNoticedAndJoinedAgain()
    {
        LabLink link(m_host);
        LabLink neighbour(m_other);
        QTRY_VERIFY_WITH_TIMEOUT(link.snapshots() >= 2 && neighbour.snapshots() >= 2, 10'000);
        const int signIns = m_host.signIns();

        QElapsedTimer clock;
        clock.start();
        m_host.cutCable();
        QTRY_VERIFY_WITH_TIMEOUT(!link.isConnected(), 8'000);
        QVERIFY2(clock.elapsed() < 5'000, QByteArray::number(clock.elapsed()).constData());
        QVERIFY(!link.errors().isEmpty());
        QCOMPARE(exitCodeOf(link.errors().last().code), 3);

        const int before = neighbour.snapshots();
        QTRY_VERIFY_WITH_TIMEOUT(neighbour.snapshots() >= before + 4, 4'000);
        QCOMPARE(neighbour.errors().size(), 0);

        m_host.joinCable();
        const int lost = link.snapshots();
        QTRY_VERIFY_WITH_TIMEOUT(link.snapshots() >= lost + 2, 40'000);
        QVERIFY(link.isConnected());
        QTRY_COMPARE(m_host.signIns(), signIns + 1);
        // The reconnect has ended the shells of the lost connection, which the host's sshd does not miss yet.
        QTRY_VERIFY_WITH_TIMEOUT(connectionsWithShells(m_host) == 1, 10'000);
    }

    void hostThatStopsAnswering_failsWithinItsDeadline()
    {
        LabLink link(m_host);
        LabLink neighbour(m_other);
        QTRY_VERIFY_WITH_TIMEOUT(link.snapshots() >= 2 && neighbour.snapshots() >= 2, 10'000);
        QList<qint64> stopped;
        for (const qint64 pid : m_host.processes(u"^sshd: (root@notty|root \\[priv\\])"_s)) {
            stopped.append(m_host.outsidePid(pid));
            QCOMPARE(::kill(pid_t(stopped.last()), SIGSTOP), 0);
        }
        QVERIFY(!stopped.isEmpty());
        QElapsedTimer clock;
        clock.start();
        QTRY_VERIFY_WITH_TIMEOUT(!link.isConnected(), 8'000);
        QVERIFY2(clock.elapsed() < 6'000, QByteArray::number(clock.elapsed()).constData());
        const int before = neighbour.snapshots();
        QTRY_VERIFY_WITH_TIMEOUT(neighbour.snapshots() >= before + 3, 4'000);
        // New connections get a new sshd, so the link comes back while the old one hangs.
        const int lost = link.snapshots();
        QTRY_VERIFY_WITH_TIMEOUT(link.snapshots() >= lost + 2, 20'000);
        for (const qint64 pid : stopped)
            ::kill(pid_t(pid), SIGCONT);
        QTRY_VERIFY_WITH_TIMEOUT(connectionsWithShells(m_host) == 1, 10'000);
    }

    void closedLink_leavesNothingOnHost()
    {
        QTRY_COMPARE_WITH_TIMEOUT(probeShells(m_host), 0, 10'000);
        const qsizetype before = m_host.processes(u"."_s).size();
        const QByteArray files = m_host.sh(u"find /tmp /run /dev/shm /var/tmp /root -newer /proc/1 -type f ! -path '/run/systemd/*' "
                                           "! -path '/run/log/*' | sort"_s);
        {
            LabLink link(m_host, {.cadence = 100ms});
            QTRY_VERIFY_WITH_TIMEOUT(link.snapshots() >= 5, 10'000);
            QVERIFY(probeShells(m_host) >= 1);
        }
        QTRY_COMPARE_WITH_TIMEOUT(probeShells(m_host), 0, 10'000);
        QTRY_VERIFY_WITH_TIMEOUT(m_host.processes(u"."_s).size() <= before + 2, 15'000); // root's user manager may linger
        QCOMPARE(m_host.sh(u"find /tmp /run /dev/shm /var/tmp /root -newer /proc/1 -type f ! -path '/run/systemd/*' "
                           "! -path '/run/log/*' | sort"_s),
                 files);
    }

    void killedConsole_leavesNothingOnHost()
    {
        // A console that dies without a word: its sockets close, or only the host's timers could tell. Here: SIGKILL.
        QProcess console;
        console.start(qEnvironmentVariable("PILOTHOUSE_LAB_CTL"),
                      {u"--config"_s, labFolder() + u"/home"_s, u"--ssh-config"_s, labFolder() + u"/ssh_config"_s, u"snapshot"_s,
                       m_host.name(), u"--json"_s, u"--watch"_s, u"0.2"_s});
        QTRY_VERIFY_WITH_TIMEOUT(console.bytesAvailable() > 0, 10'000);
        QVERIFY(probeShells(m_host) >= 1);
        console.kill();
        console.waitForFinished();
        QTRY_COMPARE_WITH_TIMEOUT(probeShells(m_host), 0, 10'000);
    }

    void refusedSignIn_isNotRepeated()
    {
        LabLink link(m_host, {.target = u"nosudo@lab1"_s, .identityFile = labFolder() + u"/keys/stranger"_s});
        QTRY_VERIFY_WITH_TIMEOUT(link.link().state().phase == LinkState::Phase::Stopped, 10'000);
        QCOMPARE(exitCodeOf(link.link().state().error->code), 4);
        const auto connections = [this] {
            return m_host.sh(u"journalctl --sync; journalctl -o cat SYSLOG_IDENTIFIER=sshd"_s).count("Connection from");
        };
        const qsizetype before = connections();
        QTest::qWait(4'000);
        QCOMPARE(connections(), before);
        QCOMPARE(link.link().state().phase, LinkState::Phase::Stopped);
    }

    void endedBySshd_isJoinedAgain()
    {
        LabLink link(m_host);
        QTRY_VERIFY_WITH_TIMEOUT(link.snapshots() >= 2, 10'000);
        m_host.sh(u"systemctl restart ssh"_s); // its sessions live on, as on a real host
        const int before = link.snapshots();
        QTRY_VERIFY_WITH_TIMEOUT(link.snapshots() >= before + 3, 5'000);
        QCOMPARE(link.errors().size(), 0);
        // sshd's children are told to go: an orderly end by the peer.
        for (const qint64 pid : m_host.processes(u"^sshd: root@notty"_s))
            m_host.sh(u"kill %1"_s.arg(pid));
        QTRY_VERIFY_WITH_TIMEOUT(!link.errors().isEmpty(), 5'000);
        const int lost = link.snapshots();
        QTRY_VERIFY_WITH_TIMEOUT(link.snapshots() >= lost + 2, 20'000);
    }
};

PILOTHOUSE_LAB_TEST_MAIN(TstLabCable)
#include "tst_labcable.moc"
