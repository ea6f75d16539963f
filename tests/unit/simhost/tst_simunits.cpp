// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "hostrunner.h"
#include "tests/support/testmain.h"

using namespace pilothouse;
using namespace pilothouse::test;
using namespace Qt::StringLiterals;

/// The services of a simulated host, as a console meets them through systemctl and journalctl.
class TstSimunits : public QObject
{
    Q_OBJECT

    std::optional<HostRunner> m_runner;

    /// Boots a host whose only unit is x.service with these lines in [Service].
    void bootWith(const QString &service)
    {
        m_runner.emplace();
        ScenarioHost host = quietHost();
        host.files[u"units/x.service"_s]
            = u"[Unit]\nDescription=The X\n[Service]\n%1[Install]\nWantedBy=multi-user.target\n"_s.arg(service);
        PILOTHOUSE_BOOT_OR_SKIP(*m_runner, host)
    }
    [[nodiscard]] QString output(const QString &command) const { return m_runner->output(command); }
    [[nodiscard]] QString property(const QString &name) const { return output(u"systemctl show -P %1 x"_s.arg(name)); }
    [[nodiscard]] QString count(const QString &title) const
    {
        return output(u"ps axo args --no-headers | grep -cx '%1'"_s.arg(title));
    }
    /// One that ignores SIGTERM, with a child of its own title.
    static QString stubborn(const QString &more)
    {
        return u"ExecStart=/bin/sh -c 'sleep 11111 & trap \"\" TERM; while :; do sleep 0.1; done'\n"_s + more;
    }

private slots:
    void cleanup() { m_runner.reset(); }

    void show_knownAndUnknown()
    {
        bootWith(u"ExecStart=/bin/sleep 11111\nRestart=on-failure\nUser=ops\n"_s);
        QCOMPARE(property(u"Description"_s), u"The X"_s);
        QCOMPARE(property(u"UnitFileState"_s), u"enabled"_s);
        QCOMPARE(property(u"Restart"_s), u"on-failure"_s);
        QCOMPARE(property(u"User"_s), u"ops"_s);
        QCOMPARE(property(u"NoSuchProperty"_s), QString());
        QCOMPARE(output(u"systemctl show -p LoadState nosuch"_s), u"LoadState=not-found"_s);
        QCOMPARE(m_runner->run(u"systemctl show nosuch"_s).status, u"exit 0"_s);
        QCOMPARE(output(u"systemctl list-units | cut -d' ' -f1"_s), u"x.service"_s);
        QVERIFY(output(u"systemctl cat x"_s).contains(u"ExecStart=/bin/sleep 11111"_s));
        QVERIFY(output(u"systemctl --version"_s).startsWith(u"systemd 252"_s));
    }

    void refusals()
    {
        bootWith(u"ExecStart=/bin/true\n"_s);
        QCOMPARE(m_runner->run(u"systemctl frobnicate x"_s).status, u"exit 1"_s);
        QCOMPARE(m_runner->run(u"systemctl --user show x"_s).status, u"exit 1"_s);
        QCOMPARE(m_runner->run(u"systemctl status nosuch"_s).status, u"exit 4"_s);
        QCOMPARE(m_runner->run(u"systemctl cat ../../../etc/passwd"_s).status, u"exit 1"_s);
        QCOMPARE(m_runner->run(u"systemctl status x"_s).status, u"exit 3"_s);
        QCOMPARE(m_runner->run(u"systemctl is-active x"_s).output, u"inactive\n"_s);
    }

    void states_ofASuccessfulRun()
    {
        bootWith(u"ExecStart=/bin/sleep 11111\n"_s);
        QCOMPARE(m_runner->run(u"systemctl start x"_s).status, u"exit 0"_s);
        QCOMPARE(property(u"ActiveState"_s), u"active"_s);
        QVERIFY(property(u"ActiveEnterTimestamp"_s).endsWith(u" UTC"_s));
        QCOMPARE(output(u"ps -o args= -p %1"_s.arg(property(u"MainPID"_s))), u"/bin/sleep 11111"_s);
        QCOMPARE(m_runner->run(u"systemctl restart x"_s).status, u"exit 0"_s);
        QTRY_COMPARE(property(u"ActiveState"_s), u"active"_s);
        QCOMPARE(count(u"/bin/sleep 11111"_s), u"1"_s);
        QCOMPARE(m_runner->run(u"systemctl stop x"_s).status, u"exit 0"_s);
        QCOMPARE(property(u"Result"_s), u"success"_s);
        QCOMPARE(property(u"ControlGroup"_s), QString());
        QCOMPARE(count(u"/bin/sleep 11111"_s), u"0"_s);
    }

    void failure_ofAPreStep()
    {
        bootWith(u"ExecStartPre=/bin/sh -c 'echo no room >&2; exit 4'\nExecStart=/bin/sleep 11111\n"_s);
        const CommandResult start = m_runner->run(u"systemctl start x"_s);
        QCOMPARE(start.status, u"exit 1"_s);
        QVERIFY(start.errors.startsWith(u"Job for x.service failed"_s));
        QCOMPARE(property(u"Result"_s), u"exit-code"_s);
        QCOMPARE(property(u"ExecMainStatus"_s), u"0"_s);
        QTRY_VERIFY(output(u"journalctl -u x --no-pager"_s).contains(u"]: no room"_s));
        QCOMPARE(m_runner->run(u"systemctl reset-failed x"_s).status, u"exit 0"_s);
        QCOMPARE(property(u"ActiveState"_s), u"inactive"_s);
    }

    void failure_bySignal()
    {
        bootWith(u"ExecStart=/bin/sleep 11111\n"_s);
        QCOMPARE(m_runner->run(u"systemctl start x; kill -SEGV $(systemctl show -P MainPID x)"_s).status, u"exit 0"_s);
        QTRY_COMPARE(property(u"ActiveState"_s), u"failed"_s);
        QCOMPARE(property(u"ExecMainCode"_s), u"2"_s);
        QCOMPARE(property(u"ExecMainStatus"_s), u"11"_s);
        QCOMPARE(property(u"Result"_s), u"signal"_s);
    }

    void failure_byTimeOfTheStart()
    {
        bootWith(u"ExecStartPre=/bin/sleep 11111\nExecStart=/bin/true\nTimeoutStartSec=0.5\nTimeoutStopSec=1\n"_s);
        QCOMPARE(m_runner->run(u"systemctl start x"_s).status, u"exit 1"_s);
        QCOMPARE(property(u"Result"_s), u"timeout"_s);
        QCOMPARE(count(u"/bin/sleep 11111"_s), u"0"_s);
    }

    void killMode_controlGroupTakesAllWithSigkillAtTheEnd()
    {
        bootWith(stubborn(u"TimeoutStopSec=0.5\n"_s));
        QCOMPARE(m_runner->run(u"systemctl start x"_s).status, u"exit 0"_s);
        QTRY_COMPARE(count(u"sleep 11111"_s), u"1"_s);
        QCOMPARE(m_runner->run(u"systemctl stop x"_s).status, u"exit 0"_s);
        QCOMPARE(property(u"Result"_s), u"timeout"_s);
        QCOMPARE(count(u"sleep 11111"_s), u"0"_s);
    }

    void killMode_processLeavesTheChildren()
    {
        bootWith(stubborn(u"KillMode=process\nTimeoutStopSec=0.5\n"_s));
        QCOMPARE(m_runner->run(u"systemctl start x"_s).status, u"exit 0"_s);
        QTRY_COMPARE(count(u"sleep 11111"_s), u"1"_s);
        QCOMPARE(m_runner->run(u"systemctl stop x"_s).status, u"exit 0"_s);
        QCOMPARE(count(u"sleep 11111"_s), u"1"_s);
        // Still a member of the group, as systemd leaves it.
        const QString pid = output(u"ps axo pid,args --no-headers | grep '[s]leep 11111' | awk '{print $1}'"_s);
        QCOMPARE(output(u"cat /proc/%1/cgroup"_s.arg(pid)), u"0::/system.slice/x.service"_s);
    }

    void killMode_mixedSparesTheChildrenUntilTheEnd()
    {
        bootWith(u"ExecStart=/bin/sh -c 'setsid sleep 11111 & sleep 22222'\nKillMode=mixed\nTimeoutStopSec=1\n"_s);
        QCOMPARE(m_runner->run(u"systemctl start x"_s).status, u"exit 0"_s);
        QTRY_COMPARE(count(u"sleep 11111"_s), u"1"_s);
        QCOMPARE(m_runner->run(u"systemctl stop x"_s).status, u"exit 0"_s);
        QCOMPARE(count(u"sleep 11111"_s), u"0"_s);
    }

    void journal_tailsAndKernelLines()
    {
        m_runner.emplace();
        ScenarioHost host = quietHost();
        host.files[u"units/x.service"_s] = u"[Service]\nExecStart=/bin/sh -c 'echo one; echo two; sleep 11111'\n"_s;
        host.files[u"kernel.log"_s] = u"2026-12-01T10:00:00+0000 gpu1 kernel: NVRM: Xid (PCI:0000:61:00): 79\n"_s;
        PILOTHOUSE_BOOT_OR_SKIP(*m_runner, host)
        QCOMPARE(m_runner->run(u"systemctl start x"_s).status, u"exit 0"_s);
        QTRY_VERIFY(output(u"journalctl -u x -n 1"_s).endsWith(u"]: two"_s));
        QCOMPARE(output(u"journalctl -u x --lines=2 | wc -l"_s), u"2"_s);
        QVERIFY(output(u"journalctl -k"_s).contains(u"Xid"_s));
        QCOMPARE(output(u"journalctl -u nosuch"_s), u"-- No entries --"_s);
    }

    void cgroups_followForksAndEnds()
    {
        bootWith(u"ExecStart=/bin/sh -c 'sim-idle 5 child; sleep 11111'\n"_s);
        QCOMPARE(m_runner->run(u"systemctl start x"_s).status, u"exit 0"_s);
        const QString members = u"wc -l < /sys/fs/cgroup/system.slice/x.service/cgroup.procs"_s;
        QTRY_COMPARE(output(members), u"7"_s);
        QCOMPARE(m_runner->run(u"kill $(ps axo pid,args --no-headers | awk '$2 == \"child\" {print $1}' | head -3)"_s).status,
                 u"exit 0"_s);
        QTRY_COMPARE(output(members), u"4"_s);
        QCOMPARE(output(u"cat /proc/1/cgroup"_s), u"0::/init.scope"_s);
    }
};

PILOTHOUSE_TEST_MAIN(TstSimunits)
#include "tst_simunits.moc"
