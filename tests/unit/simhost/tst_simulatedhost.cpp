// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "hostrunner.h"
#include "tests/support/skip.h"
#include "tests/support/testmain.h"

#include <QDir>
#include <QFile>
#include <QProcess>

using namespace pilothouse;
using namespace pilothouse::test;
using namespace Qt::StringLiterals;

namespace {

QByteArray contentOf(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// PIDs of this machine, simulated hosts included, whose command line contains the text.
QStringList pidsWith(const QByteArray &text)
{
    QStringList pids;
    for (const QString &pid : QDir(u"/proc"_s).entryList({u"[0-9]*"_s}, QDir::Dirs)) {
        if (contentOf(u"/proc/%1/cmdline"_s.arg(pid)).contains(text))
            pids.append(pid);
    }
    return pids;
}

} // namespace

class TstSimulatedhost : public QObject
{
    Q_OBJECT

private slots:
    void isolation_realWorkerIsNeitherListedNorSignalled()
    {
        QTemporaryDir state;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(u"PILOTHOUSE_SIM_DIR"_s, state.path());
        QProcess real;
        real.setProcessEnvironment(environment);
        real.start(QStringLiteral(SIMTOOLS_PATH), {u"sim-hog"_s, u"--title"_s, u"VLLM::Worker_TP0"_s});
        QVERIFY(real.waitForStarted());
        const QString path = u"/proc/%1/cmdline"_s.arg(real.processId());
        QTRY_VERIFY(contentOf(path).startsWith("VLLM::Worker_TP0"));

        HostRunner runner;
        PILOTHOUSE_BOOT_OR_SKIP(runner, quietHost())
        QCOMPARE(runner.output(u"cat /proc/[0-9]*/cmdline | tr '\\0' '\\n' | grep -c '^VLLM'"_s), u"0"_s);
        QCOMPARE(runner.output(u"nvidia-smi --query-compute-apps=pid --format=csv,noheader"_s), QString());
        QCOMPARE(runner.run(u"kill -9 %1"_s.arg(real.processId())).status, u"exit 1"_s);
        // Everything that a host's root can signal at all.
        QVERIFY(runner.run(u"kill -9 -1"_s).status.startsWith(u"signal"_s)
                || !runner.output(u"echo on"_s).isEmpty());
        QCOMPARE(real.state(), QProcess::Running);
        QVERIFY(contentOf(path).startsWith("VLLM::Worker_TP0"));
        real.terminate();
        QVERIFY(real.waitForFinished());
    }

    void isolation_ownNamesAndPlaces()
    {
        HostRunner runner;
        PILOTHOUSE_BOOT_OR_SKIP(runner, quietHost())
        const QByteArray bootId = contentOf(u"/proc/sys/kernel/random/boot_id"_s).trimmed();
        const QString own = runner.output(u"cat /proc/sys/kernel/random/boot_id"_s);
        QCOMPARE(own.size(), bootId.size());
        QVERIFY(own.toUtf8() != bootId);
        QCOMPARE(runner.output(u"hostname"_s), u"gpu1"_s);
        QCOMPARE(runner.output(u"ls /dev/shm"_s), QString());
        QCOMPARE(runner.output(u"cat /proc/net/tcp | wc -l"_s), u"1"_s);
        QCOMPARE(runner.output(u"id -u"_s), u"0"_s);
        // Its root owns nothing of this machine, and cannot even see the home folders.
        QVERIFY(runner.run(u"echo x > /usr/pilothouse-was-here"_s).status != u"exit 0"_s);
        QVERIFY(runner.run(u"echo 1 > /proc/sys/kernel/printk"_s).status != u"exit 0"_s);
        QVERIFY(runner.run(u"echo h > /proc/sysrq-trigger"_s).status != u"exit 0"_s);
        QCOMPARE(runner.output(u"ls -A /root"_s), QString());
        QVERIFY(runner.run(u"ls '%1'"_s.arg(QStringLiteral(PILOTHOUSE_SOURCE_DIR))).status != u"exit 0"_s);
        QVERIFY(!runner.output(u"env; cat /proc/1/environ"_s).contains(u"QT_QPA_PLATFORM"_s));
    }

    void isolation_twoHostsUseTheSamePort()
    {
        HostRunner one;
        HostRunner two;
        PILOTHOUSE_BOOT_OR_SKIP(one, quietHost())
        PILOTHOUSE_BOOT_OR_SKIP(two, quietHost())
        for (HostRunner *runner : {&one, &two}) {
            QCOMPARE(runner->run(u"sim-server --detach --load 0 -- vllm serve a --port 8000 >/dev/null 2>&1"_s).status,
                     u"exit 0"_s);
            QTRY_COMPARE(runner->output(u"grep -c ':1F40 ' /proc/net/tcp"_s), u"1"_s);
        }
        QVERIFY(one.output(u"cat /proc/sys/kernel/random/boot_id"_s) != two.output(u"cat /proc/sys/kernel/random/boot_id"_s));
    }

    void end_takesEveryProcessAlong()
    {
        HostRunner runner;
        PILOTHOUSE_BOOT_OR_SKIP(runner, quietHost())
        const QString mark = u"mark-%1"_s.arg(QCoreApplication::applicationPid());
        QCOMPARE(runner.run(u"sim-idle 20 %1"_s.arg(mark)).status, u"exit 0"_s);
        // It waits without starting anything: a child would carry the mark until its exec, and be counted.
        QCOMPARE(runner.run(u"mkfifo /tmp/never; setsid sh -c 'trap \"\" TERM HUP; : %1; read -r x </tmp/never' >/dev/null 2>&1 &"_s
                                .arg(mark)).status, u"exit 0"_s);
        QTRY_COMPARE(pidsWith(mark.toUtf8()).size(), 21);
        runner.end();
        QCOMPARE(pidsWith(mark.toUtf8()), QStringList());
    }

    void session_streamsAndStatus()
    {
        HostRunner runner;
        PILOTHOUSE_BOOT_OR_SKIP(runner, quietHost())
        const CommandResult result = runner.run(u"echo out; echo err >&2; exit 7"_s);
        QCOMPARE(result.output, u"out\n"_s);
        QCOMPARE(result.errors, u"err\n"_s);
        QCOMPARE(result.status, u"exit 7"_s);
        QCOMPARE(runner.run(u"kill -9 $$"_s).status, u"signal 9"_s);
        QCOMPARE(runner.run(u"true"_s, u"nobodyhere"_s).status, u"exit 255"_s);
    }

    void session_ofAnOrdinaryUser()
    {
        if (geteuid() != 0)
            PILOTHOUSE_SKIP("Only root may map more than one account into a host.");
        HostRunner runner;
        PILOTHOUSE_BOOT_OR_SKIP(runner, quietHost())
        QCOMPARE(runner.output(u"id -un; pwd"_s, u"ops"_s), u"ops\n/home/ops"_s);
        QVERIFY(runner.run(u"kill 1"_s, u"ops"_s).status != u"exit 0"_s);
        QVERIFY(runner.run(u"cat /proc/1/environ"_s, u"ops"_s).status != u"exit 0"_s);
        QCOMPARE(runner.output(u"cat /proc/$$/cgroup"_s, u"ops"_s).section(u'/', 0, 2),
                 u"0::/user.slice/user-1000.slice"_s);
    }

    void session_usesTheLoginShell()
    {
        HostRunner runner;
        PILOTHOUSE_BOOT_OR_SKIP(runner, quietHost({}, u"login_shell = /bin/bash\n"_s))
        QVERIFY(!runner.output(u"echo $BASH_VERSION"_s).isEmpty());
    }

    void session_belongsToASshdAndAScope()
    {
        HostRunner runner;
        PILOTHOUSE_BOOT_OR_SKIP(runner, quietHost())
        QCOMPARE(runner.output(u"tr -d '\\0' < /proc/$PPID/cmdline"_s), u"sshd: root@notty"_s);
        QCOMPARE(runner.output(u"cat /proc/$$/cgroup"_s), u"0::/user.slice/user-0.slice/session-4.scope"_s);
    }

    void host_withoutTools()
    {
        HostRunner runner;
        PILOTHOUSE_BOOT_OR_SKIP(runner, quietHost({}, u"nvidia_smi = off\nsystemd = off\n"_s))
        QVERIFY(runner.run(u"command -v nvidia-smi"_s).status != u"exit 0"_s);
        QVERIFY(runner.run(u"/usr/bin/systemctl --version"_s).status != u"exit 0"_s);
        QVERIFY(runner.run(u"test -d /run/systemd/system"_s).status != u"exit 0"_s);
    }

    void unit_startsStopsAndTells()
    {
        ScenarioHost host = quietHost();
        host.files[u"units/vllm.service"_s]
            = u"[Unit]\nDescription=vLLM\n[Service]\nExecStartPre=/bin/sh -c 'echo pre $$0'\n"
              "ExecStart=/run/pilothouse-sim/bin/sim-server --gpus 0,1 --load 0 --release 0 -- "
              "/usr/bin/python3 -m vllm.entrypoints.openai.api_server\nTimeoutStopSec=5\n[Install]\nWantedBy=x\n"_s;
        HostRunner runner;
        PILOTHOUSE_BOOT_OR_SKIP(runner, host)
        const QString show = u"systemctl show --no-pager -p LoadState,ActiveState,SubState,Result -- vllm nosuch"_s;
        QCOMPARE(runner.output(show).replace(u'\n', u' '),
                 u"Result=success LoadState=loaded ActiveState=inactive SubState=dead "
                 " Result=success LoadState=not-found ActiveState=inactive SubState=dead"_s);
        QCOMPARE(runner.run(u"systemctl start vllm"_s).status, u"exit 0"_s);
        QCOMPARE(runner.output(u"systemctl is-active vllm"_s), u"active"_s);
        const QString main = runner.output(u"systemctl show -P MainPID vllm"_s);
        QCOMPARE(runner.output(u"tr '\\0' ' ' < /proc/%1/cmdline"_s.arg(main)),
                 u"/usr/bin/python3 -m vllm.entrypoints.openai.api_server"_s);
        // The picture of the control group.
        const QString group = runner.output(u"systemctl show -P ControlGroup vllm"_s);
        QCOMPARE(group, u"/system.slice/vllm.service"_s);
        QTRY_COMPARE(runner.output(u"wc -l < /sys/fs/cgroup%1/cgroup.procs"_s.arg(group)), u"5"_s);
        QTRY_COMPARE(runner.output(u"cat $(sed 's|.*|/proc/&/cgroup|' /sys/fs/cgroup%1/cgroup.procs) | sort -u"_s.arg(group)),
                     u"0::"_s + group);
        QVERIFY(runner.output(u"journalctl -u vllm"_s).contains(u"]: pre sh"_s)
                || runner.output(u"journalctl -u vllm"_s).contains(u"]: pre /bin/sh"_s));
        // The default KillMode takes the whole group.
        QCOMPARE(runner.run(u"kill -9 %1"_s.arg(main)).status, u"exit 0"_s);
        QTRY_COMPARE(runner.output(u"systemctl show -P ActiveState vllm; systemctl show -P Result vllm"_s),
                     u"failed\nsignal"_s);
        QCOMPARE(runner.output(u"ps axo args --no-headers | grep -c '^VLLM'"_s), u"0"_s);
        QCOMPARE(runner.run(u"systemctl start vllm; systemctl stop vllm"_s).status, u"exit 0"_s);
        QCOMPARE(runner.output(u"systemctl is-active vllm"_s), u"inactive"_s);
        QCOMPARE(runner.run(u"systemctl start nosuch"_s).status, u"exit 5"_s);
    }

    void unit_waitsWhileCardsAreHeld()
    {
        ScenarioHost host = quietHost();
        host.files[u"units/vllm.service"_s]
            = u"[Service]\nExecStartPre=/bin/sh -c 'while [ -e /tmp/held ]; do sleep 0.1; done'\n"
              "ExecStart=/bin/sleep 1000\nTimeoutStartSec=infinity\n"_s;
        HostRunner runner;
        PILOTHOUSE_BOOT_OR_SKIP(runner, host)
        QCOMPARE(runner.run(u"touch /tmp/held; systemctl start --no-block vllm"_s).status, u"exit 0"_s);
        QTRY_COMPARE(runner.output(u"systemctl show -P SubState vllm"_s), u"start-pre"_s);
        QCOMPARE(runner.run(u"rm /tmp/held"_s).status, u"exit 0"_s);
        QTRY_COMPARE(runner.output(u"systemctl show -P SubState vllm"_s), u"running"_s);
    }

    void unit_restartsOnFailure()
    {
        ScenarioHost host = quietHost();
        host.files[u"units/x.service"_s] = u"[Service]\nExecStart=/bin/sh -c 'exit 3'\nRestart=on-failure\nRestartSec=0.1\n"_s;
        HostRunner runner;
        PILOTHOUSE_BOOT_OR_SKIP(runner, host)
        QCOMPARE(runner.run(u"systemctl start --no-block x"_s).status, u"exit 0"_s);
        QTRY_VERIFY(runner.output(u"systemctl show -P NRestarts x"_s).toInt() >= 2);
        QCOMPARE(runner.output(u"systemctl show -P ExecMainStatus x"_s), u"3"_s);
        QCOMPARE(runner.run(u"systemctl stop x"_s).status, u"exit 0"_s);
    }

    void boot_failsWithASentence()
    {
        const auto host = SimulatedHost::boot(u"/nonexistent/tools"_s, u"/nonexistent"_s, u"gpu1"_s);
        QVERIFY(!host);
        QCOMPARE(host.error().code, ErrorCode::LocalIo);
        QVERIFY(host.error().detail.startsWith(u"The simulated host gpu1 cannot be started here."_s));
    }
};

PILOTHOUSE_TEST_MAIN(TstSimulatedhost)
#include "tst_simulatedhost.moc"
