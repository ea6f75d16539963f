// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// The lab itself: what the other lab tests rely on is there.
#include "tests/lab/labhost.h"
#include "tests/lab/labmain.h"

#include <QElapsedTimer>

using namespace pilothouse::test;
using namespace Qt::StringLiterals;

class TstLabHosts : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        QTest::failOnWarning(QRegularExpression(u".*"_s));
    }

    void hostsAreWhole()
    {
        for (const int number : {1, 2}) {
            const LabHost host(number);
            QCOMPARE(host.sh(u"systemctl is-system-running"_s).trimmed(), "running");
            QCOMPARE(host.sh(u"cat /proc/sys/kernel/hostname"_s).trimmed(), host.name().toLatin1());
            QCOMPARE(host.sh(u"ls -d /dev/nvidia[0-9] | wc -l"_s).trimmed(), "8");
            QCOMPARE(host.sh(u"cat /sys/bus/pci/devices/*/vendor | grep -c 0x10de"_s).trimmed(), "8");
        }
    }

    void signInWithKey_isCountedInJournal()
    {
        const LabHost host(2);
        const int before = host.signIns();
        const Ran ran = run(u"ssh"_s, {u"-F"_s, labFolder() + u"/ssh_config"_s, host.name(), u"grep 0:: /proc/self/cgroup"_s});
        QVERIFY2(ran.exitCode == 0, ran.summary().constData());
        QVERIFY2(ran.output.contains("/user.slice/user-0.slice/session-"), ran.output.constData());
        QTRY_COMPARE(host.signIns(), before + 1);
    }

    void strangersKey_isRefused()
    {
        const Ran ran = run(u"ssh"_s, {u"-F"_s, u"/dev/null"_s, u"-o"_s, u"BatchMode=yes"_s, u"-o"_s,
                                       u"UserKnownHostsFile="_s + labFolder() + u"/known_hosts"_s, u"-o"_s,
                                       u"IdentitiesOnly=yes"_s, u"-i"_s, labFolder() + u"/keys/stranger"_s,
                                       LabHost(1).address(), u"true"_s});
        QCOMPARE(ran.exitCode, 255);
        QVERIFY2(ran.errors.contains("Permission denied"), ran.summary().constData());
    }

    void cutCable_stopsOneHostOnly()
    {
        const LabHost cut(1);
        const LabHost other(2);
        const auto reach = [](const LabHost &host) {
            return run(u"ssh"_s, {u"-F"_s, labFolder() + u"/ssh_config"_s, u"-o"_s, u"ConnectTimeout=1"_s, host.name(), u"true"_s})
                .exitCode;
        };
        QCOMPARE(reach(cut), 0);
        cut.cutCable();
        QCOMPARE(reach(cut), 255);
        QCOMPARE(reach(other), 0);
        cut.joinCable();
        QTRY_COMPARE(reach(cut), 0);
    }
};

PILOTHOUSE_LAB_TEST_MAIN(TstLabHosts)
#include "tst_labhosts.moc"
