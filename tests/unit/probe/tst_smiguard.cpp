// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// An nvidia-smi that hangs: one such process on the host, snapshots of the rest keep coming,
// recovery by itself.
#include "tests/support/skip.h"
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

const QString smiName = u"comm="_s + QString::fromLatin1(QByteArray("nvidia-smi").toHex());
const QString freezer = u"/sys/fs/cgroup/freezer"_s;

/// A version 1 freezer cgroup: what is in it cannot be ended, not even by SIGKILL, until it thaws.
class Freezer
{
public:
    Freezer() : m_path(freezer + u"/pilothouse-test-%1"_s.arg(getpid()))
    {
        m_made = QFile::exists(freezer + u"/cgroup.procs"_s) && QDir().mkdir(m_path);
    }
    ~Freezer()
    {
        if (!m_made)
            return;
        thaw();
        QFile procs(m_path + u"/cgroup.procs"_s);
        for (int i = 0; i < 100 && procs.open(QIODevice::ReadOnly); ++i) {
            const QByteArray all = procs.readAll();
            procs.close();
            if (all.isEmpty())
                break;
            for (const QByteArray &pid : all.trimmed().split('\n'))
                ::kill(pid.toInt(), SIGKILL);
            QTest::qWait(20);
        }
        QDir().rmdir(m_path);
    }
    [[nodiscard]] bool isUsable() const { return m_made; }
    [[nodiscard]] QByteArray path() const { return QFile::encodeName(m_path); }
    void thaw() const
    {
        QFile state(m_path + u"/freezer.state"_s);
        if (state.open(QIODevice::WriteOnly))
            state.write("THAWED\n");
    }

private:
    QString m_path;
    bool m_made = false;
};

ProbeSettings quickSettings(const QString &id = u"console"_s)
{
    ProbeSettings settings = settingsFor(id);
    settings.smiTimeout = std::chrono::milliseconds(1000);
    return settings;
}

int callsOf(const FakeHost &host)
{
    QFile calls(host.path(u"calls"_s));
    return calls.open(QIODevice::ReadOnly) ? static_cast<int>(calls.readAll().count('\n')) : 0;
}

/// Writes a line a call, then does `body` unless the file "well" exists.
QByteArray moody(const FakeHost &host, const QByteArray &body)
{
    const QByteArray folder = QFile::encodeName(host.path({}));
    return "echo $$ >>" + folder + "/calls\nif [ ! -e " + folder + "/well ]; then\n" + body
           + "\nfi\n" + host.healthySmi();
}

void makeWell(const FakeHost &host)
{
    QFile well(host.path(u"well"_s));
    QVERIFY(well.open(QIODevice::WriteOnly));
}

} // namespace

class TstSmiGuard : public QObject
{
    Q_OBJECT

private slots:
    void slow_endedAfterItsLimit_data();
    void slow_endedAfterItsLimit();
    void wrapper_allThatItStartedEndsWithIt_data();
    void wrapper_allThatItStartedEndsWithIt();
    void wrapperGone_childBeyondSignalsIsHung();
    void endlessOrBinary_saidAsItIs_data();
    void endlessOrBinary_saidAsItIs();
    void listTooLong_keepsTheGpus();
    void unkillable_oneOnTheHostAndRecovery();
    void unkillable_withOneChannel();
    void stuckOfAnotherUser_noneIsStarted();
    void loopOfAnotherUser_doesNotCount();
    void oneThatOnlyLooksStuck_blindsNobody_data();
    void oneThatOnlyLooksStuck_blindsNobody();
    void noToolHere_isAbsentWhateverRuns();
    void connectionDies_hangingToolIsEnded();
};

void TstSmiGuard::slow_endedAfterItsLimit_data()
{
    QTest::addColumn<QByteArray>("body");
    QTest::newRow("sleeps") << QByteArray("exec sleep 60");
    QTest::newRow("ignores TERM") << QByteArray(
        "trap '' TERM\nwhile :; do read x </proc/uptime; done");
    QTest::newRow("prints without end")
        << QByteArray("while :; do echo 0, GPU-0, 00000000:01:00.0; done");
}

void TstSmiGuard::slow_endedAfterItsLimit()
{
    QFETCH(QByteArray, body);
    FakeHost host;
    host.tool(u"nvidia-smi"_s, moody(host, body));
    const qint64 worker = host.process({"VLLM::Worker_TP0"});
    LocalShellProvider provider;
    provider.environment = host.environment();
    ProberRig rig(provider, quickSettings());
    QVERIFY(rig.start());
    QElapsedTimer clock;
    clock.start();
    SnapshotPtr snapshot = rig.take();
    QVERIFY(snapshot);
    QVERIFY2(clock.elapsed() < 4500, qPrintable(QString::number(clock.elapsed())));
    QVERIFY(findProcess(snapshot, worker));
    QVERIFY(snapshot->gpuSource.status != GpuSource::Status::Ok);
    if (!body.contains("echo"))
        QCOMPARE(snapshot->gpuSource.status, GpuSource::Status::Timeout);
    QVERIFY(!snapshot->gpus || body.contains("echo"));
    // Ended for good, and it recovers by itself.
    makeWell(host);
    snapshot = rig.take();
    QVERIFY(snapshot);
    QCOMPARE(snapshot->gpuSource.status, GpuSource::Status::Ok);
    QCOMPARE(processesWith(QFile::encodeName(host.path(u"nvidia-smi"_s))).size(), 0);
    QCOMPARE(provider.opened, 2);
}

void TstSmiGuard::wrapper_allThatItStartedEndsWithIt_data()
{
    QTest::addColumn<QByteArray>("body");
    QTest::newRow("waits for its child") << QByteArray("%1 600.125");
    QTest::newRow("of two floors") << QByteArray("sh -c '%1 600.125; :'\n:");
    QTest::newRow("a child with a group of its own") << QByteArray("timeout 700 %1 600.125\n:");
    QTest::newRow("a child that ignores TERM") << QByteArray("(trap '' TERM; %1 600.125)\n:");
    QTest::newRow("both ignore TERM") << QByteArray("trap '' TERM\nsh -c '%1 600.125; :' & wait");
}

/// A script in nvidia-smi's place, and the tool itself below it.
void TstSmiGuard::wrapper_allThatItStartedEndsWithIt()
{
    QFETCH(QByteArray, body);
    FakeHost host;
    const QByteArray real = QFile::encodeName(host.path(u"nvidia-smi.real"_s));
    QVERIFY(QFile::copy(QStandardPaths::findExecutable(u"sleep"_s), QFile::decodeName(real)));
    host.tool(u"nvidia-smi"_s, moody(host, body.replace("%1", real)));
    const qint64 worker = host.process({"VLLM::Worker_TP0"});
    LocalShellProvider provider;
    provider.environment = host.environment();
    ProberRig rig(provider, quickSettings());
    QVERIFY(rig.start());
    for (int i = 0; i < 2; ++i) {
        const SnapshotPtr snapshot = rig.take();
        QVERIFY(snapshot);
        QCOMPARE(snapshot->gpuSource.status, GpuSource::Status::Timeout);
        QVERIFY(findProcess(snapshot, worker));
        QCOMPARE(processesWith("600.125").size(), 0);
    }
    makeWell(host);
    const SnapshotPtr snapshot = rig.take();
    QVERIFY(snapshot);
    QCOMPARE(snapshot->gpuSource.status, GpuSource::Status::Ok);
}

void TstSmiGuard::wrapperGone_childBeyondSignalsIsHung()
{
    const Freezer cage;
    if (!cage.isUsable())
        PILOTHOUSE_SKIP("needs root and a version 1 freezer cgroup");
    FakeHost host;
    host.tool(u"smi.real"_s, "echo $$ >" + QFile::encodeName(host.path(u"real"_s)) + "\necho $$ >" + cage.path()
                                 + "/cgroup.procs\necho FROZEN >" + cage.path() + "/freezer.state\nsleep 600");
    host.tool(u"nvidia-smi"_s, moody(host, QFile::encodeName(host.path(u"smi.real"_s)) + "\n:"));
    LocalShellProvider provider;
    provider.environment = host.environment();
    ProberRig rig(provider, quickSettings());
    QVERIFY(rig.start());
    for (int i = 0; i < 3; ++i) {
        const SnapshotPtr snapshot = rig.take();
        QVERIFY(snapshot);
        QFile real(host.path(u"real"_s));
        QVERIFY(real.open(QIODevice::ReadOnly));
        QCOMPARE(snapshot->gpuSource.status, GpuSource::Status::Hung);
        QCOMPARE(snapshot->gpuSource.stuckPid.valueOr(0), real.readAll().trimmed().toLongLong());
        QCOMPARE(callsOf(host), 1);
    }
    makeWell(host);
    cage.thaw();
    QTRY_COMPARE_WITH_TIMEOUT((rig.take(), rig.snapshots.isEmpty() ? GpuSource::Status::Hung
                                                                   : rig.snapshots.last()->gpuSource.status),
                              GpuSource::Status::Ok, 8000);
}

void TstSmiGuard::endlessOrBinary_saidAsItIs_data()
{
    QTest::addColumn<QByteArray>("body");
    QTest::addColumn<QString>("code");
    const QByteArray noise = "head -c 8000 /dev/urandom | tr '\\0' '\\1'; exit 0";
    QTest::newRow("long lines") << QByteArray("exec yes 'a line of no use, and many of them, and longer than most'")
                                << u"smi.too_long"_s;
    QTest::newRow("more than 8 MiB") << QByteArray("exec head -c 9000000 /dev/zero | tr '\\0' x | fold") << u"smi.too_long"_s;
    QTest::newRow("noise") << noise << u"smi.not_text"_s;
    QTest::newRow("noise without end") << QByteArray("exec cat /dev/urandom") << u"smi.too_long"_s;
    QTest::newRow("a divider a line") << QByteArray("i=0; while [ $i -lt 2500 ]; do printf '\\001\\001a\\001\\n'; "
                                                    "i=$((i + 1)); done; exit 0") << u"smi.failed"_s;
}

void TstSmiGuard::endlessOrBinary_saidAsItIs()
{
    QFETCH(const QByteArray, body);
    QFETCH(const QString, code);
    FakeHost host;
    host.tool(u"nvidia-smi"_s, moody(host, body));
    // Whoever forks a line of it, forks in vain.
    host.tool(u"tr"_s, "echo x >>" + QFile::encodeName(host.path(u"forks"_s)) + "\nexec /usr/bin/tr \"$@\"\n");
    const qint64 worker = host.process({"VLLM::Worker_TP0"});
    LocalShellProvider provider;
    provider.environment = host.environment();
    ProbeSettings settings = quickSettings();
    settings.smiTimeout = std::chrono::seconds(4);
    ProberRig rig(provider, settings);
    QVERIFY(rig.start());
    SnapshotPtr snapshot = rig.take();
    QVERIFY(snapshot);
    QVERIFY(!snapshot->gpus);
    QCOMPARE(snapshot->unknown.value(u"gpus"_s), UnknownReason::Failed);
    QVERIFY(findProcess(snapshot, worker));
    QStringList codes;
    for (const Problem &problem : snapshot->problems) {
        codes += problem.code;
        QVERIFY2(!problem.code.startsWith(u"driver."_s) && problem.code != u"smi.crashed"_s, qPrintable(problem.text));
        QVERIFY2(problem.code != code || !problem.advice.isEmpty(), qPrintable(problem.text));
    }
    QVERIFY2(codes.contains(code), qPrintable(codes.join(u' ') + snapshot->gpuSource.message));
    QFile forks(host.path(u"forks"_s));
    QVERIFY(!forks.open(QIODevice::ReadOnly) || forks.size() < 100);
    makeWell(host);
    snapshot = rig.take();
    QVERIFY(snapshot);
    QCOMPARE(snapshot->gpuSource.status, GpuSource::Status::Ok);
    QCOMPARE(provider.opened, 2);
}

void TstSmiGuard::listTooLong_keepsTheGpus()
{
    FakeHost host;
    host.tool(u"nvidia-smi"_s, "case $* in *compute-apps*) exec yes nobody needs this ;; esac\n" + host.healthySmi());
    LocalShellProvider provider;
    provider.environment = host.environment();
    ProberRig rig(provider, settingsFor(u"console"_s));
    QVERIFY(rig.start());
    const SnapshotPtr snapshot = rig.take();
    QVERIFY(snapshot);
    QCOMPARE(snapshot->gpuSource.status, GpuSource::Status::Ok);
    QVERIFY(snapshot->gpus && snapshot->gpus->size() == 1);
    QVERIFY(!snapshot->gpus->first().attributedMib.isKnown());
    QVERIFY(std::any_of(snapshot->problems.begin(), snapshot->problems.end(), [](const Problem &problem) {
        return problem.code == u"smi.apps_failed"_s && problem.text.contains(u"too long"_s);
    }));
}

void TstSmiGuard::unkillable_oneOnTheHostAndRecovery()
{
    const Freezer cage;
    if (!cage.isUsable())
        PILOTHOUSE_SKIP("needs root and a version 1 freezer cgroup");
    FakeHost host;
    host.tool(u"nvidia-smi"_s,
              moody(host, "echo $$ >" + cage.path() + "/cgroup.procs\necho FROZEN >" + cage.path()
                              + "/freezer.state\nsleep 1"));
    const qint64 worker = host.process({"VLLM::Worker_TP0"});
    LocalShellProvider provider;
    provider.environment = host.environment();
    {
        ProberRig rig(provider, quickSettings());
        QVERIFY(rig.start());
        SnapshotPtr snapshot = rig.take();
        QVERIFY(snapshot);
        QCOMPARE(snapshot->gpuSource.status, GpuSource::Status::Hung);
        QVERIFY(snapshot->gpuSource.stuckPid.isKnown());
        QVERIFY(snapshot->gpuSource.since.isValid());
        QVERIFY(!snapshot->gpus);
        QVERIFY(findProcess(snapshot, worker));
        // From now on it is left alone, and answers come at once.
        QElapsedTimer clock;
        clock.start();
        for (int i = 0; i < 3; ++i) {
            snapshot = rig.take();
            QVERIFY(snapshot);
            QCOMPARE(snapshot->gpuSource.status, GpuSource::Status::Hung);
            QVERIFY(findProcess(snapshot, worker));
        }
        QVERIFY2(clock.elapsed() < 2500, qPrintable(QString::number(clock.elapsed())));
        QCOMPARE(callsOf(host), 1);
        QCOMPARE(provider.opened, 2);
    }
    // It counts as stuck once it is older than five seconds; a reconnect and other consoles leave
    // it alone then.
    QTest::qWait(3000);
    for (const QString &id : {u"console"_s, u"another"_s, u"one shot"_s}) {
        ProberRig rig(provider, quickSettings(id));
        QVERIFY(rig.start());
        const SnapshotPtr snapshot = rig.take();
        QVERIFY(snapshot);
        QCOMPARE(snapshot->gpuSource.status, GpuSource::Status::Hung);
        QVERIFY(findProcess(snapshot, worker));
    }
    QCOMPARE(callsOf(host), 1);
    ProberRig rig(provider, quickSettings());
    QVERIFY(rig.start());
    makeWell(host);
    cage.thaw();
    QTRY_COMPARE_WITH_TIMEOUT((rig.take(), rig.snapshots.isEmpty()
                                               ? GpuSource::Status::Hung
                                               : rig.snapshots.last()->gpuSource.status),
                              GpuSource::Status::Ok, 8000);
}

void TstSmiGuard::unkillable_withOneChannel()
{
    const Freezer cage;
    if (!cage.isUsable())
        PILOTHOUSE_SKIP("needs root and a version 1 freezer cgroup");
    FakeHost host;
    host.tool(u"nvidia-smi"_s,
              moody(host, "echo $$ >" + cage.path() + "/cgroup.procs\necho FROZEN >" + cage.path()
                              + "/freezer.state\nsleep 1"));
    const qint64 worker = host.process({"VLLM::Worker_TP0"});
    LocalShellProvider provider;
    provider.environment = host.environment();
    provider.maxShells = 1;
    ProberRig rig(provider, quickSettings());
    QVERIFY(rig.start());
    for (int i = 0; i < 2; ++i) {
        const SnapshotPtr snapshot = rig.take();
        QVERIFY(snapshot);
        QCOMPARE(snapshot->gpuSource.status, GpuSource::Status::Hung);
        QVERIFY(findProcess(snapshot, worker));
    }
    QCOMPARE(callsOf(host), 1);
}

void TstSmiGuard::stuckOfAnotherUser_noneIsStarted()
{
    FakeHost host;
    host.tool(u"nvidia-smi"_s, moody(host, ":"));
    makeWell(host);
    LocalShellProvider provider;
    provider.environment = host.environment();
    ProberRig rig(provider, quickSettings());
    QVERIFY(rig.start());
    SnapshotPtr snapshot = rig.take();
    QVERIFY(snapshot);
    QCOMPARE(snapshot->gpuSource.status, GpuSource::Status::Ok);
    const qint64 other = host.process({"nvidia-smi", "--query-gpu=name"}, {smiName, u"disk-sleep"_s});
    // One that comes anew does not start its own until it knows.
    ProberRig fresh(provider, quickSettings(u"fresh"_s));
    QVERIFY(fresh.start());
    const int before = callsOf(host);
    snapshot = fresh.take();
    QVERIFY(snapshot);
    QCOMPARE(snapshot->gpuSource.status, GpuSource::Status::Hung);
    QCOMPARE(snapshot->gpuSource.stuckPid.valueOr(0), other);
    QCOMPARE(callsOf(host), before);
    (void)rig.take(); // the kernel's part notices it at the latest now
    const int calls = callsOf(host);
    snapshot = rig.take();
    QVERIFY(snapshot);
    QCOMPARE(snapshot->gpuSource.status, GpuSource::Status::Hung);
    QCOMPARE(snapshot->gpuSource.stuckPid.valueOr(0), other);
    QCOMPARE(callsOf(host), calls);
    QVERIFY(::kill(static_cast<pid_t>(other), 0) == 0); // never touched
    ::kill(static_cast<pid_t>(other), SIGKILL);
    QTRY_COMPARE_WITH_TIMEOUT((rig.take(), rig.snapshots.last()->gpuSource.status),
                              GpuSource::Status::Ok, 8000);
}

void TstSmiGuard::loopOfAnotherUser_doesNotCount()
{
    FakeHost host;
    host.tool(u"nvidia-smi"_s, moody(host, ":"));
    makeWell(host);
    host.process({"nvidia-smi", "dmon", "-s", "u"}, {smiName});
    host.process({"nvidia-smi", "-l", "5"}, {smiName});
    host.process({"nvidia-smi", "--query-gpu=name", "--loop-ms=500"}, {smiName});
    host.process({"watch", "nvidia-smi"});
    QTest::qWait(5500);
    LocalShellProvider provider;
    provider.environment = host.environment();
    ProberRig rig(provider, quickSettings());
    QVERIFY(rig.start());
    for (int i = 0; i < 2; ++i) {
        const SnapshotPtr snapshot = rig.take();
        QVERIFY(snapshot);
        QCOMPARE(snapshot->gpuSource.status, GpuSource::Status::Ok);
    }
}

void TstSmiGuard::oneThatOnlyLooksStuck_blindsNobody_data()
{
    QTest::addColumn<QStringList>("how");
    QTest::newRow("waits for its reader") << QStringList{};
    QTest::newRow("somebody's of that name") << QStringList{u"uid=65534"_s};
    QTest::newRow("somebody's of that name, in D") << QStringList{u"uid=65534"_s, u"disk-sleep"_s};
}

void TstSmiGuard::oneThatOnlyLooksStuck_blindsNobody()
{
    QFETCH(const QStringList, how);
    if (geteuid() != 0)
        PILOTHOUSE_SKIP("needs root to become somebody else");
    FakeHost host;
    host.tool(u"nvidia-smi"_s, moody(host, ":"));
    makeWell(host);
    QVERIFY(host.process({"nvidia-smi", "-q"}, QStringList{smiName} + how) > 0);
    QTest::qWait(5500);
    LocalShellProvider provider;
    provider.environment = host.environment();
    ProberRig rig(provider, quickSettings());
    QVERIFY(rig.start());
    for (int i = 0; i < 2; ++i) {
        const SnapshotPtr snapshot = rig.take();
        QVERIFY(snapshot);
        QCOMPARE(snapshot->gpuSource.status, GpuSource::Status::Ok);
    }
}

void TstSmiGuard::noToolHere_isAbsentWhateverRuns()
{
    if (geteuid() != 0)
        PILOTHOUSE_SKIP("needs root to become somebody else");
    FakeHost host;
    QVERIFY(host.process({"nvidia-smi", "-q"}, {smiName, u"uid=65534"_s, u"disk-sleep"_s}) > 0);
    QTest::qWait(5500);
    LocalShellProvider provider;
    provider.environment = host.environment();
    ProberRig rig(provider, quickSettings());
    QVERIFY(rig.start());
    const SnapshotPtr snapshot = rig.take();
    QVERIFY(snapshot);
    QCOMPARE(snapshot->gpuSource.status, GpuSource::Status::Absent);
}

void TstSmiGuard::connectionDies_hangingToolIsEnded()
{
    FakeHost host;
    host.tool(u"nvidia-smi"_s, moody(host, "trap '' TERM\nwhile :; do read x </proc/uptime; done"));
    LocalShellProvider provider;
    provider.environment = host.environment();
    {
        ProberRig rig(provider, quickSettings(u"dying"_s));
        QVERIFY(rig.start());
        rig.prober.requestSnapshot(Depth::Light);
        QVERIFY(QTest::qWaitFor([&host] { return callsOf(host) == 1; }, 5000));
    }
    QTRY_COMPARE_WITH_TIMEOUT(processesWith(QFile::encodeName(host.path({}))).size(), 0, 8000);
    const QByteArray marker = markOf(settingsFor(u"dying"_s));
    QTRY_COMPARE_WITH_TIMEOUT(processesWith(marker).size(), 0, 8000);
}

PILOTHOUSE_PROBE_TEST_MAIN(TstSmiGuard)
#include "tst_smiguard.moc"
