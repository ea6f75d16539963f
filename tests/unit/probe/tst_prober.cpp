// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/probe/prober.h"

#include "core/probe/proberequest.h"
#include "tests/unit/probe/ownprocesses.h"
#include "tests/unit/probe/proberrig.h"

#include <QElapsedTimer>
#include <QStandardPaths>

#include <csignal>
#include <unistd.h>

using namespace pilothouse;
using namespace pilothouse::test;
using namespace Qt::StringLiterals;

namespace {

/// A server that is full now and then: it refuses the shells of these numbers.
class BusyProvider final : public ShellProvider
{
public:
    explicit BusyProvider(const QSet<int> &refusedOnes)
        : refused(refusedOnes)
    { }
    [[nodiscard]] std::unique_ptr<RemoteShell> openShell() override
    {
        ++opened;
        shells.maxShells = refused.contains(opened) ? 0 : -1;
        auto shell = shells.openShell();
        if (!refused.contains(opened))
            QObject::connect(shell.get(), &RemoteShell::closed, shell.get(), [this] { ++ended; });
        return shell;
    }

    LocalShellProvider shells;
    QSet<int> refused;
    int opened = 0;
    int ended = 0; ///< of those that were let in
};

} // namespace

class TstProber : public QObject
{
    Q_OBJECT

private slots:
    void snapshot_lightTick();
    void snapshot_deepTick();
    void requests_whileBusyTheDeeperWins();
    void request_beforeStarted();
    void login_noiseAndRcFiles_data();
    void login_noiseAndRcFiles();
    void login_unusable_data();
    void login_unusable();
    void start_thatHangs_saysWhatIsKnown_data();
    void start_thatHangs_saysWhatIsKnown();
    void login_printsWithoutEnd();
    void settings_changedWhileATickRuns_countFromTheNextOn();
    void channel_secondRefused();
    void channel_firstRefused();
    void channel_refusedWhileTheOldOneEnds_data();
    void channel_refusedWhileTheOldOneEnds();
    void channel_refusedForGood_endsTheRequestInTime();
    void shell_endsInTheMiddle();
    void shell_endsBetweenRequests();
    void host_stopsAnswering();
    void reconnect_endsItsOwnOlderShellsOnly();
    void sudo_worksOrIsRefused_data();
    void sudo_worksOrIsRefused();
    void destroyed_leavesNoProcess();
};

void TstProber::snapshot_lightTick()
{
    FakeHost host;
    host.nvidiaSmi(8);
    const qint64 worker = host.process({"VLLM::Worker_TP0"});
    host.apps("GPU-00000000-0000-0000-0000-000000000000, " + QByteArray::number(worker)
              + ", 96615, VLLM::Worker_TP0\n");
    LocalShellProvider provider;
    provider.environment = host.environment();
    ProberRig rig(provider);
    QVERIFY(rig.start());
    const SnapshotPtr snapshot = rig.take();
    QVERIFY(snapshot);
    QCOMPARE(rig.started, 1);
    QCOMPARE(provider.opened, 2);
    QCOMPARE(snapshot->depth, Depth::Light);
    QCOMPARE(snapshot->gpuSource.status, GpuSource::Status::Ok);
    QVERIFY(snapshot->gpus);
    QCOMPARE(snapshot->gpus->size(), 8);
    const Process *process = findProcess(snapshot, worker);
    QVERIFY(process);
    QCOMPARE(process->command, u"VLLM::Worker_TP0"_s);
    QCOMPARE(process->gpuMemory.size(), 1);
    QVERIFY(!snapshot->bootId.isEmpty());
    QVERIFY(snapshot->bytes > 1000);
    // Later ticks need no new shell, and the driver's part only confirms the process.
    for (int i = 0; i < 3; ++i) {
        const SnapshotPtr again = rig.take();
        QVERIFY(again);
        QVERIFY(findProcess(again, worker));
        QCOMPARE(findProcess(again, worker)->gpuMemory.size(), 1);
        QVERIFY(again->bytes < snapshot->bytes);
    }
    QCOMPARE(provider.opened, 2);
    QCOMPARE(rig.snapshots.last()->tick, 4ULL);
}

void TstProber::snapshot_deepTick()
{
    FakeHost host;
    host.nvidiaSmi(1);
    LocalShellProvider provider;
    provider.environment = host.environment();
    ProberRig rig(provider);
    QVERIFY(rig.start());
    const SnapshotPtr snapshot = rig.take(Depth::Deep);
    QVERIFY(snapshot);
    QCOMPARE(snapshot->depth, Depth::Deep);
    QVERIFY(snapshot->listening);
    QVERIFY(snapshot->shm);
}

void TstProber::requests_whileBusyTheDeeperWins()
{
    FakeHost host;
    host.nvidiaSmi(1);
    LocalShellProvider provider;
    provider.environment = host.environment();
    ProberRig rig(provider);
    QVERIFY(rig.start());
    rig.prober.requestSnapshot(Depth::Light);
    QVERIFY(rig.prober.isBusy());
    rig.prober.requestSnapshot(Depth::Light);
    rig.prober.requestSnapshot(Depth::Deep);
    rig.prober.requestSnapshot(Depth::Light);
    QTRY_COMPARE_WITH_TIMEOUT(rig.snapshots.size(), 2, 10'000);
    QCOMPARE(rig.snapshots[0]->depth, Depth::Light);
    QCOMPARE(rig.snapshots[1]->depth, Depth::Deep);
    QVERIFY(!rig.prober.isBusy());
}

void TstProber::request_beforeStarted()
{
    FakeHost host;
    host.nvidiaSmi(1);
    LocalShellProvider provider;
    provider.environment = host.environment();
    ProberRig rig(provider);
    rig.prober.start();
    rig.prober.requestSnapshot(Depth::Light);
    QTRY_COMPARE_WITH_TIMEOUT(rig.snapshots.size(), 1, 10'000);
    QCOMPARE(rig.started, 1);
}

void TstProber::login_noiseAndRcFiles_data()
{
    QTest::addColumn<QStringList>("command");
    const auto bash = [](const QString &script) {
        return QStringList{u"/bin/bash"_s, u"-c"_s, script};
    };
    QTest::newRow("prints on both streams")
        << bash(u"echo hello from rc; echo oops >&2; exec /bin/sh"_s);
    QTest::newRow("numbers that look like data")
        << bash(u"echo '0, GPU-1, 12, 34567 MiB'; printf 'no line feed'; exec /bin/sh"_s);
    QTest::newRow("read eats a line") << bash(u"read answer; exec /bin/sh"_s);
    QTest::newRow("read eats three lines") << bash(u"read a; read b; read c; exec /bin/sh"_s);
    QTest::newRow("binary noise") << bash(u"head -c 3000 /dev/urandom; exec /bin/sh"_s);
    QTest::newRow("frames of an older protocol") << bash(
        u"printf '@PH STAGE 00\\n\\n@PH 00 BEGIN 0 kernel 1\\n@PH 00 END 0 0 1\\n'; exec /bin/sh"_s);
    QTest::newRow("set -x, aliases and functions") << bash(
        u"set -x; grep() { echo no; }; find() { echo no; }; export -f grep find; export SHELLOPTS; exec /bin/sh"_s);
    QTest::newRow("strange environment") << bash(
        u"export IFS=x CDPATH=/ GREP_OPTIONS=-v GREP_COLOR=1 LC_ALL=xx_YY.UTF-8 TZ=Asia/Kolkata "
        "POSIXLY_CORRECT=1 ENV=/no/such BASH_ENV=/no/such; umask 0; cd /; exec /bin/sh"_s);
    QTest::newRow("no PATH") << bash(u"unset PATH; exec /bin/sh"_s);
    if (!QStandardPaths::findExecutable(u"fish"_s).isEmpty())
        QTest::newRow("fish") << QStringList{u"fish"_s, u"-c"_s, u"exec /bin/sh"_s};
    if (!QStandardPaths::findExecutable(u"tcsh"_s).isEmpty())
        QTest::newRow("tcsh") << QStringList{u"tcsh"_s, u"-c"_s, u"exec /bin/sh"_s};
    if (!QStandardPaths::findExecutable(u"tcsh"_s).isEmpty())
        QTest::newRow("tcsh reads what is meant for sh") << bash(u"exec tcsh -f"_s);
    if (!QStandardPaths::findExecutable(u"zsh"_s).isEmpty())
        QTest::newRow("zsh") << QStringList{u"zsh"_s, u"-c"_s, u"exec /bin/sh"_s};
}

void TstProber::login_noiseAndRcFiles()
{
    QFETCH(QStringList, command);
    FakeHost host;
    host.nvidiaSmi(2);
    const qint64 worker = host.process({"VLLM::Worker_TP0"});
    LocalShellProvider provider(command);
    provider.environment = host.environment();
    ProberRig rig(provider);
    QVERIFY2(rig.start(), qPrintable(rig.errors.value(0).detail));
    const SnapshotPtr snapshot = rig.take();
    QVERIFY2(snapshot, qPrintable(rig.requestErrors.value(0).detail));
    QVERIFY(findProcess(snapshot, worker));
    if (!command.last().contains(u"unset PATH"_s))
        QVERIFY2(snapshot->gpus.value_or(QList<Gpu>()).size() == 2,
                 qPrintable(snapshot->gpuSource.message));
}

void TstProber::login_unusable_data()
{
    QTest::addColumn<QStringList>("command");
    QTest::addColumn<QString>("words");
    const auto bash = [](const QString &script) {
        return QStringList{u"/bin/bash"_s, u"-c"_s, script};
    };
    QTest::newRow("nologin") << bash(u"echo 'This account is currently not available.'; exit 1"_s)
                             << u"This account is currently not available."_s;
    QTest::newRow("false") << QStringList{u"/bin/false"_s} << u"with status 1"_s;
    QTest::newRow("rc file exits")
        << bash(u"exit 0"_s) << u"its login script may end the session"_s;
    QTest::newRow("git-shell") << bash(
        u"echo \"fatal: unrecognized command 'exec /bin/sh'\" >&2; exit 128"_s)
                               << u"fatal: unrecognized command"_s;
    QTest::newRow("expired password")
        << bash(u"echo 'WARNING: Your password has expired.' >&2; echo 'Password change required "
                u"but no TTY available.' "
                ">&2; exit 1"_s)
        << u"no TTY available"_s;
    QTest::newRow("killed") << bash(u"kill -9 $$"_s) << u"by signal"_s;
    QTest::newRow("an echo of the input")
        << QStringList{u"/bin/cat"_s} << u"did not become ready"_s;
    if (!QStandardPaths::findExecutable(u"fish"_s).isEmpty())
        QTest::newRow("fish replaces the shell") << bash(u"exec fish"_s) << u"fish:"_s;
}

void TstProber::login_unusable()
{
    QFETCH(QStringList, command);
    QFETCH(QString, words);
    LocalShellProvider provider(command);
    ProbeSettings settings = settingsFor();
    settings.snapshotTimeout = std::chrono::milliseconds(1500);
    ProberRig rig(provider, settings);
    QElapsedTimer clock;
    clock.start();
    QVERIFY(!rig.start());
    QCOMPARE(rig.errors.size(), 1);
    QCOMPARE(rig.errors[0].code, ErrorCode::ShellUnusable);
    QVERIFY2(rig.errors[0].detail.contains(words), qPrintable(rig.errors[0].detail));
    QVERIFY(clock.elapsed() < 4000);
    rig.prober.requestSnapshot(Depth::Light); // nothing follows
    QVERIFY(!QTest::qWaitFor([&rig] { return rig.said() > 1; }, 100));
}

void TstProber::start_thatHangs_saysWhatIsKnown_data()
{
    QTest::addColumn<QString>("script");
    QTest::addColumn<ErrorCode>("code");
    QTest::addColumn<QString>("words");
    QTest::addColumn<QString>("advice");
    QTest::newRow("nothing at all") << u"exec sleep 30"_s << ErrorCode::Timeout << u"nothing came from"_s
                                    << u"either the host hangs"_s;
    // The first line is what has /bin/sh announce itself; what comes after it is never run.
    QTest::newRow("in the middle, after /bin/sh ran")
        << u"until read -r line && [ -n \"$line\" ]; do :; done; sh -c \"${line%%exec *}\"; exec sleep 30"_s << ErrorCode::Timeout
        << u"/bin/sh runs there, but the host did not go on within 1.5 s."_s << u"file systems that hang"_s;
    QTest::newRow("ends with its input") << u"while read -r line; do :; done"_s << ErrorCode::ShellUnusable
                                         << u"did not become ready within 1.5 s."_s << QString();
}

void TstProber::start_thatHangs_saysWhatIsKnown()
{
    QFETCH(const QString, script);
    QFETCH(const ErrorCode, code);
    QFETCH(const QString, words);
    QFETCH(const QString, advice);
    LocalShellProvider provider({u"/bin/bash"_s, u"-c"_s, script});
    ProbeSettings settings = settingsFor();
    settings.snapshotTimeout = std::chrono::milliseconds(1500);
    ProberRig rig(provider, settings);
    QVERIFY(!rig.start());
    QCOMPARE(rig.errors.size(), 1);
    QVERIFY2(rig.errors[0].detail.contains(words), qPrintable(rig.errors[0].detail));
    QCOMPARE(rig.errors[0].code, code);
    QVERIFY2(rig.errors[0].advice.contains(advice), qPrintable(rig.errors[0].advice));
    QVERIFY(!sentenceOf(rig.errors[0]).contains(u"login shell"_s) || code == ErrorCode::ShellUnusable);
}

void TstProber::login_printsWithoutEnd()
{
    LocalShellProvider provider({u"/bin/bash"_s, u"-c"_s, u"exec head -c 3000000 /dev/urandom"_s});
    ProberRig rig(provider);
    QVERIFY(!rig.start());
    QCOMPARE(rig.errors.size(), 1);
    QCOMPARE(rig.errors[0].code, ErrorCode::AnswerMalformed);
}

void TstProber::settings_changedWhileATickRuns_countFromTheNextOn()
{
    FakeHost host;
    const QString asked = host.path(u"asked"_s);
    // In the middle of the tick the test says so, and lets it go on.
    host.tool(u"nvidia-smi"_s, "echo >> '" + QFile::encodeName(asked) + "'; i=0; while [ ! -e '"
                                   + QFile::encodeName(host.path(u"go"_s))
                                   + "' ] && [ $i -lt 40 ]; do sleep 0.1; i=$((i + 1)); done\n" + host.healthySmi(2));
    LocalShellProvider provider;
    provider.environment = host.environment();
    ProbeSettings settings = settingsFor();
    settings.units = {u"before.service"_s};
    settings.expectedGpus = 2;
    ProberRig rig(provider, settings);
    QVERIFY(rig.start());
    rig.prober.requestSnapshot(Depth::Light);
    QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(asked), 10'000);
    settings.units = {u"after.service"_s};
    settings.expectedGpus = 4;
    settings.target = u"root@gpu1:2222"_s;
    rig.prober.setSettings(settings);
    QFile go(host.path(u"go"_s));
    QVERIFY(go.open(QIODevice::WriteOnly));
    QTRY_COMPARE_WITH_TIMEOUT(rig.snapshots.size(), 1, 20'000);
    const auto missing = [](const SnapshotPtr &snapshot) {
        return std::ranges::any_of(snapshot->problems, [](const Problem &problem) { return problem.code == "gpu.missing"_L1; });
    };
    QCOMPARE(rig.snapshots[0]->target, u"root@gpu1:22"_s);
    QVERIFY(!missing(rig.snapshots[0]));
    const SnapshotPtr next = rig.take();
    QVERIFY(next);
    QCOMPARE(next->target, u"root@gpu1:2222"_s);
    QVERIFY(missing(next));
    if (!next->units || next->units->isEmpty()) // this machine has no systemd
        return;
    QCOMPARE(rig.snapshots[0]->units.value_or(QList<Unit>()).value(0).name, u"before.service"_s);
    QCOMPARE(next->units->value(0).name, u"after.service"_s);
}

void TstProber::channel_secondRefused()
{
    FakeHost host;
    host.nvidiaSmi(2);
    const qint64 worker = host.process({"VLLM::Worker_TP0"});
    host.apps("GPU-00000000-0000-0000-0000-000000000001, " + QByteArray::number(worker)
              + ", 5, VLLM::Worker_TP0\n");
    LocalShellProvider provider;
    provider.environment = host.environment();
    provider.maxShells = 1;
    ProberRig rig(provider);
    QVERIFY(rig.start());
    for (int i = 0; i < 2; ++i) {
        const SnapshotPtr snapshot = rig.take();
        QVERIFY(snapshot);
        QCOMPARE(snapshot->gpus.value_or(QList<Gpu>()).size(), 2);
        QVERIFY(findProcess(snapshot, worker));
    }
    QCOMPARE(provider.opened, 2); // asked for once, then never again
}

void TstProber::channel_firstRefused()
{
    LocalShellProvider provider({u"/no/such/shell"_s});
    ProberRig rig(provider);
    QVERIFY(!rig.start());
    QCOMPARE(rig.errors.value(0).code, ErrorCode::ChannelRefused);
}

void TstProber::channel_refusedWhileTheOldOneEnds_data()
{
    QTest::addColumn<int>("shells");
    QTest::addColumn<QSet<int>>("refused");
    QTest::addColumn<int>("opened");
    QTest::newRow("one session, twice refused") << 1 << QSet<int>{2, 3, 4} << 5;
    QTest::newRow("two sessions, each once refused") << 2 << QSet<int>{3, 4} << 6;
}

void TstProber::channel_refusedWhileTheOldOneEnds()
{
    QFETCH(const int, shells);
    QFETCH(const QSet<int>, refused);
    QFETCH(const int, opened);
    FakeHost host;
    host.nvidiaSmi(1);
    BusyProvider provider(refused);
    provider.shells.environment = host.environment();
    ProberRig rig(provider);
    QVERIFY(rig.start());
    QVERIFY(rig.take());
    // The shells go between two requests; the server still counts them when they are opened again.
    const QByteArray marker = markOf(settingsFor());
    const QList<qint64> old = processesWith(marker);
    QCOMPARE(old.size(), shells);
    for (const qint64 pid : old)
        ::kill(static_cast<pid_t>(pid), SIGKILL);
    QTRY_COMPARE(provider.ended, shells);
    const SnapshotPtr snapshot = rig.take();
    QVERIFY2(snapshot, rig.requestErrors.isEmpty() ? "" : qPrintable(rig.requestErrors.last().detail));
    QCOMPARE(snapshot->gpuSource.status, GpuSource::Status::Ok);
    QCOMPARE(provider.opened, opened);
    QCOMPARE(processesWith(marker).size(), shells); // as many as before: none was given up for good
}

void TstProber::channel_refusedForGood_endsTheRequestInTime()
{
    FakeHost host;
    host.nvidiaSmi(1);
    QSet<int> all;
    for (int i = 2; i < 1000; ++i)
        all += i;
    BusyProvider provider(all);
    provider.shells.environment = host.environment();
    ProbeSettings settings = settingsFor();
    settings.snapshotTimeout = std::chrono::milliseconds(1500);
    ProberRig rig(provider, settings);
    QVERIFY(rig.start());
    for (const qint64 pid : processesWith(markOf(settings)))
        ::kill(static_cast<pid_t>(pid), SIGKILL);
    QTRY_COMPARE(provider.ended, 1);
    QElapsedTimer clock;
    clock.start();
    QVERIFY(!rig.take());
    QCOMPARE(rig.requestErrors.value(0).code, ErrorCode::ChannelRefused);
    QVERIFY2(clock.elapsed() < 1500, qPrintable(QString::number(clock.elapsed())));
}

void TstProber::shell_endsInTheMiddle()
{
    FakeHost host;
    host.nvidiaSmi(1);
    // Its first call takes the probe's shell (the parent of its parent or itself) along.
    host.tool(u"dmesg"_s,
              "kill -9 $(grep -l 'pilothouse-probe' /proc/[0-9]*/cmdline 2>/dev/null | "
              "sed 's,/proc/,,;s,/cmdline,,' | while read p; do tr '\\0' ' ' </proc/$p/cmdline | "
              "grep -q ' kernel $' && echo $p; done)\n");
    LocalShellProvider provider;
    provider.environment = host.environment();
    ProberRig rig(provider);
    QVERIFY(rig.start());
    QVERIFY(rig.take());
    QVERIFY(!rig.take(Depth::Deep));
    QCOMPARE(rig.requestErrors.size(), 1);
    QCOMPARE(rig.requestErrors[0].code, ErrorCode::AnswerTruncated);
    QVERIFY(!rig.prober.isBusy());
    QVERIFY(rig.take());
    QVERIFY(provider.opened > 2);
}

void TstProber::shell_endsBetweenRequests()
{
    FakeHost host;
    host.nvidiaSmi(1);
    LocalShellProvider provider;
    provider.environment = host.environment();
    ProberRig rig(provider);
    QVERIFY(rig.start());
    QVERIFY(rig.take());
    const qint64 driver = provider.last->processId();
    QVERIFY(::kill(static_cast<pid_t>(driver), SIGKILL) == 0);
    QTRY_VERIFY(::kill(static_cast<pid_t>(driver), 0) != 0);
    const SnapshotPtr snapshot = rig.take();
    QVERIFY(snapshot);
    QCOMPARE(snapshot->gpuSource.status, GpuSource::Status::Ok);
    QCOMPARE(provider.opened, 3);
}

void TstProber::host_stopsAnswering()
{
    FakeHost host;
    host.nvidiaSmi(1);
    LocalShellProvider provider;
    provider.environment = host.environment();
    provider.maxShells = 1;
    ProbeSettings settings = settingsFor();
    settings.snapshotTimeout = std::chrono::milliseconds(1500);
    ProberRig rig(provider, settings);
    QVERIFY(rig.start());
    // The refused second shell is gone; the first one is the only probe with this parent.
    const QByteArray marker = markOf(settings);
    const QList<qint64> shells = processesWith(marker);
    QCOMPARE(shells.size(), 1);
    ::kill(static_cast<pid_t>(shells[0]), SIGSTOP);
    QElapsedTimer clock;
    clock.start();
    const SnapshotPtr snapshot = rig.take();
    ::kill(static_cast<pid_t>(shells[0]), SIGCONT);
    QVERIFY(!snapshot);
    QCOMPARE(rig.requestErrors.value(0).code, ErrorCode::Timeout);
    QVERIFY(clock.elapsed() < 3000);
}

void TstProber::reconnect_endsItsOwnOlderShellsOnly()
{
    FakeHost host;
    host.nvidiaSmi(1);
    LocalShellProvider provider;
    provider.environment = host.environment();
    const QByteArray mine = markOf(settingsFor(u"mine"_s));
    const QByteArray others = markOf(settingsFor(u"others"_s));
    // A command line that only mentions the marker is nobody's probe.
    const qint64 mention = host.process({"grep", "sh -s pilothouse-probe " + mine + " 12 kernel"});
    const qint64 imitation =
        host.process({"/bin/sh", "-s", "pilothouse-probe", mine, "12", "kernel", "more"});
    ProberRig older(provider, settingsFor(u"mine"_s));
    ProberRig colleague(provider, settingsFor(u"others"_s));
    QVERIFY(older.start());
    QVERIFY(colleague.start());
    const QList<qint64> before = processesWith(mine + QByteArray(1, '\0'));
    QCOMPARE(processesWith(others).size(), 2);
    ProberRig newer(provider, settingsFor(u"mine"_s));
    QVERIFY(newer.start());
    // Two new shells; of the old ones none lives.
    QTRY_COMPARE(processesWith(QByteArray("/bin/sh\0-s\0pilothouse-probe\0", 28) + mine).size(), 3);
    QCOMPARE(processesWith(others).size(), 2);
    QVERIFY(::kill(static_cast<pid_t>(mention), 0) == 0);
    QVERIFY(::kill(static_cast<pid_t>(imitation), 0) == 0);
    QVERIFY(colleague.take());
    QVERIFY(newer.take());
    QVERIFY(before.size() >= 2);
}

void TstProber::sudo_worksOrIsRefused_data()
{
    QTest::addColumn<QByteArray>("sudo");
    QTest::addColumn<QString>("trouble");
    QTest::newRow("granted") << QByteArray(
        "[ \"$1\" = -n ] && [ \"$LC_ALL\" = C ] || exit 1\nshift\n"
        "echo granted >>\"${0%/*}/log\"\nexec \"$@\"\n")
                             << QString();
    QTest::newRow("a password is wanted")
        << QByteArray("echo 'sudo: a password is required' >&2\nexit 1\n")
        << u"a password is required"_s;
    QTest::newRow("cannot work here") << QByteArray(
        "echo 'sudo must be owned by uid 0 and have the setuid bit set' >&2\nexit 1\n")
                                      << u"setuid bit"_s;
}

void TstProber::sudo_worksOrIsRefused()
{
    QFETCH(QByteArray, sudo);
    QFETCH(QString, trouble);
    FakeHost host;
    host.nvidiaSmi(1);
    host.tool(u"sudo"_s, sudo);
    host.tool(u"id"_s, "echo 1000\n"); // whoever runs this test is an ordinary user
    LocalShellProvider provider;
    provider.environment = host.environment();
    ProbeSettings settings = settingsFor();
    settings.sudo = SudoPolicy::NoPassword;
    ProberRig rig(provider, settings);
    QVERIFY(rig.start());
    const SnapshotPtr snapshot = rig.take();
    QVERIFY(snapshot);
    QFile log(host.path(u"log"_s));
    const auto problem = std::ranges::find_if(snapshot->problems, [](const Problem &each) {
        return each.code.startsWith(u"host.sudo_"_s);
    });
    QCOMPARE(problem == snapshot->problems.end(), trouble.isEmpty());
    if (problem != snapshot->problems.end())
        QVERIFY2(problem->text.contains(trouble), qPrintable(problem->text));
    if (trouble.isEmpty()) {
        QVERIFY(log.open(QIODevice::ReadOnly));
        QCOMPARE(log.readAll(), QByteArray("granted\ngranted\n")); // one a shell
        QCOMPARE(provider.opened, 2);
    } else {
        QVERIFY(!log.exists());
        QCOMPARE(provider.opened, 3); // the refused one, then two as the plain user
    }
}

void TstProber::destroyed_leavesNoProcess()
{
    FakeHost host;
    host.nvidiaSmi(1);
    LocalShellProvider provider;
    provider.environment = host.environment();
    const QByteArray marker = markOf(settingsFor(u"leaving"_s));
    {
        ProberRig rig(provider, settingsFor(u"leaving"_s));
        QVERIFY(rig.start());
        QVERIFY(rig.take());
        QCOMPARE(processesWith(marker).size(), 2); // between ticks nothing else is there
        rig.prober.requestSnapshot(Depth::Deep);
    }
    QTRY_COMPARE_WITH_TIMEOUT(processesWith(marker).size(), 0, 10'000);
    QCOMPARE(processesWith(QFile::encodeName(host.path({}))).size(), 0);
}

PILOTHOUSE_PROBE_TEST_MAIN(TstProber)
#include "tst_prober.moc"
