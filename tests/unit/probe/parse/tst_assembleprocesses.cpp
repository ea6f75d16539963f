// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// Processes of the host joined with the driver's list; numbers as in tst_smicsv.
#include "core/probe/assemble.h"
#include "tests/support/testmain.h"
#include "tests/unit/probe/parse/fixtures.h"

#include <array>

using namespace pilothouse;
using namespace pilothouse::test;
using namespace Qt::StringLiterals;

class TstAssembleProcesses final : public QObject
{
    Q_OBJECT
private slots:
    void fields_ofAWorker();
    void fields_ofAKernelThread();
    void fields_ofAClosedDirectory();
    void fields_unreadableStat();
    void fields_vanishedIsSkipped();
    void elapsed_isNeverNegative();
    void join_severalGpusOfOneProcess();
    void join_twoSlicesOfOneCard();
    void join_pidTakenSince();
    void join_unknownGpu();
    void join_migUuid();
    void join_listNamesMoreThanTheHost();
    void twice_sameStartIsOne();
    void twice_otherStartFailsTheSection();
    void scan_failedIsNull();
    void scan_emptyIsAnAnswer();
    void hidden_rowsBecomeOne();
    void container_pidsOutside();
    void container_foundByTheToolIsJoined();
    void hidepid_isSaid();
    void wsl_isNeverJoined();
    void mps_isNoted();
    void limit_isSaid();
    void attribution_data();
    void attribution();
    void attribution_exceedsUsed();
    void attribution_perCard();
    void apps_failedButGpusFine();
    void apps_truncated();
    void devices_onlyWhenLooked();
    void devices_withoutAListHaveTheirReason();
    void hostile_texts();
    void memo_newBytesAreReadAnew_data();
    void memo_newBytesAreReadAnew();
    void memo_holdsTheLastTickOnly();
};

void TstAssembleProcesses::fields_ofAWorker()
{
    const Snapshot snapshot = assembled(wellHost());
    QCOMPARE(snapshot.processes->size(), 2);
    const Process &worker = *processCalled(snapshot, 4242);
    QCOMPARE(worker.comm, u"VLLM::Worker_TP"_s);
    QCOMPARE(worker.command, u"VLLM::Worker_TP0"_s);
    QCOMPARE(worker.arguments, QStringList{u"VLLM::Worker_TP0"_s});
    QCOMPARE(worker.driverName, u"VLLM::Worker_TP0"_s);
    QCOMPARE(worker.state, std::optional<QChar>(u'S'));
    QCOMPARE(worker.startTicks, Quantity<quint64>(50'000));
    QCOMPARE(worker.elapsedS, Quantity<double>(500.06));
    QCOMPARE(worker.cpuS, Quantity<double>(1.5));
    QCOMPARE(worker.rssKib, Quantity<qint64>(10'000));
    QCOMPARE(worker.threads, Quantity<int>(77));
    QCOMPARE(worker.uid, Quantity<qint64>(0));
    QCOMPARE(worker.user, u"root"_s);
    QCOMPARE(worker.owner, (Owner{Owner::Kind::Session, u"session-3.scope"_s}));
    QCOMPARE(worker.cgroup, u"/user.slice/user-0.slice/session-3.scope"_s);
    QCOMPARE(worker.gpuMemory.size(), 1);
    QCOMPARE(worker.gpuMemory.first().gpu, 0);
    QCOMPARE(worker.gpuMemory.first().mib, Quantity<qint64>(70'000));
    QVERIFY(worker.identity());
    QVERIFY(!worker.devices);
    QVERIFY(!worker.exiting);
}

void TstAssembleProcesses::fields_ofAKernelThread()
{
    HostAnswer answer = wellHost();
    RawProcess thread = processOf(3, {}, {});
    thread.stat = "3 (pool_workqueue_release) S 2 0 0 0 -1 2129984 0 0 0 0 0 0 0 0 20 0 1 0 7 0 0 0\n";
    thread.cmdline.clear();
    thread.cgroup = "0::/\n";
    answer.processes->append(thread);
    const Snapshot snapshot = assembled(answer);
    QCOMPARE(processCalled(snapshot, 3)->owner.kind, Owner::Kind::Kernel);
    QCOMPARE(processCalled(snapshot, 3)->comm, u"pool_workqueue_release"_s);
    QVERIFY(processCalled(snapshot, 3)->arguments.isEmpty());
}

void TstAssembleProcesses::fields_ofAClosedDirectory()
{
    HostAnswer answer = wellHost();
    RawProcess closed;
    closed.pid = 99;
    closed.readable = false;
    answer.processes->append(closed);
    const Snapshot snapshot = assembled(answer);
    const Process *process = processCalled(snapshot, 99);
    QVERIFY(process);
    QVERIFY(!process->state);
    QCOMPARE(process->startTicks.reason(), UnknownReason::NoPermission);
    QCOMPARE(process->uid.reason(), UnknownReason::NoPermission);
    QVERIFY(!process->identity()); // and so never a target
}

void TstAssembleProcesses::fields_unreadableStat()
{
    HostAnswer answer = wellHost();
    answer.processes->first().stat = "4242 (VLLM::Worker_TP) S 1 42";
    (*answer.processes)[1].stat = statOf(1, "somebody else");
    const Snapshot snapshot = assembled(answer);
    for (qint64 pid : {4242, 4243}) {
        QVERIFY(!processCalled(snapshot, pid)->identity());
        QCOMPARE(processCalled(snapshot, pid)->rssKib.reason(), UnknownReason::Unparsable);
        QCOMPARE(processCalled(snapshot, pid)->gpuMemory.size(), 1);
    }
}

void TstAssembleProcesses::fields_vanishedIsSkipped() // 113
{
    HostAnswer answer = wellHost();
    RawProcess gone;
    gone.pid = 77;
    answer.processes->append(gone);
    const Snapshot snapshot = assembled(answer);
    QVERIFY(!processCalled(snapshot, 77));
    QCOMPARE(codesOf(snapshot), QStringList());
}

void TstAssembleProcesses::elapsed_isNeverNegative()
{
    HostAnswer answer = wellHost();
    answer.processes->first().stat = statOf(4242, "x", 100'007); // 10 ms after the last stamp
    QCOMPARE(processCalled(assembled(answer), 4242)->elapsedS, Quantity<double>(0.0));
    answer.uptimeAfter = 0;
    QVERIFY(!processCalled(assembled(answer), 4242)->elapsedS.isKnown());
}

void TstAssembleProcesses::join_severalGpusOfOneProcess()
{
    HostAnswer answer = wellHost();
    answer.smi.apps = sectionOf(uuidOf(0) + ", 4242, 300, x\n" + uuidOf(1) + ", 4242, 700, x\n");
    const Process process = *processCalled(assembled(answer), 4242);
    QCOMPARE(process.gpuMemory.size(), 2);
    QCOMPARE(process.gpuMemory.at(1).gpu, 1);
    QCOMPARE(process.gpuMemory.at(1).mib, Quantity<qint64>(700));
}

void TstAssembleProcesses::join_twoSlicesOfOneCard()
{
    HostAnswer answer = wellHost();
    answer.smi.apps = sectionOf(uuidOf(0) + ", 4242, 300, x\n" + uuidOf(0) + ", 4242, 700, x\n");
    QCOMPARE(processCalled(assembled(answer), 4242)->gpuMemory.size(), 1);
    QCOMPARE(processCalled(assembled(answer), 4242)->gpuMemory.first().mib, Quantity<qint64>(1000));
    answer.smi.apps = sectionOf(uuidOf(0) + ", 4242, 300, x\n" + uuidOf(0) + ", 4242, [N/A], x\n");
    QVERIFY(!processCalled(assembled(answer), 4242)->gpuMemory.first().mib.isKnown());
}

void TstAssembleProcesses::join_pidTakenSince()
{
    HostAnswer answer = wellHost();
    answer.processes->first().stat = statOf(4242, "newcomer", 100'020); // after the driver's answer ended
    const Snapshot snapshot = assembled(answer);
    QList<Process> both;
    for (const Process &process : *snapshot.processes) {
        if (process.pid.value == 4242)
            both += process;
    }
    QCOMPARE(both.size(), 2);
    QCOMPARE(both.at(0).comm, u"newcomer"_s);
    QVERIFY(both.at(0).gpuMemory.isEmpty());
    QVERIFY(!both.at(1).state);
    QCOMPARE(both.at(1).gpuMemory.size(), 1);
}

void TstAssembleProcesses::join_unknownGpu()
{
    HostAnswer answer = wellHost();
    answer.smi.apps = sectionOf("GPU-ffffffff-1111, 4242, 300, x\n");
    const Snapshot snapshot = assembled(answer);
    QCOMPARE(processCalled(snapshot, 4242)->gpuMemory.first().gpu, -1);
    QCOMPARE(processCalled(snapshot, 4242)->gpuMemory.first().gpuUuid, u"GPU-ffffffff-1111"_s);
    QCOMPARE(snapshot.gpus->first().attributedMib, Quantity<qint64>(0));
}

void TstAssembleProcesses::join_migUuid()
{
    HostAnswer answer = wellHost();
    answer.smi.gpus = sectionOf(gpuRow(0) + gpuRow(1, 5000).replace("Enabled, Disabled", "Enabled, Enabled"));
    answer.smi.apps = sectionOf("MIG-00000004-0000-0000-0000-000000000004, 4242, 300, x\n");
    const Snapshot snapshot = assembled(answer);
    QCOMPARE(processCalled(snapshot, 4242)->gpuMemory.first().gpu, 1); // the only card with slices
    QCOMPARE(snapshot.gpus->at(1).attributedMib, Quantity<qint64>(300));
    QCOMPARE(snapshot.gpus->at(0).attributedMib, Quantity<qint64>(0));
}

void TstAssembleProcesses::join_listNamesMoreThanTheHost()
{
    HostAnswer answer = wellHost();
    answer.smi.apps = sectionOf(answer.smi.apps.output + uuidOf(1) + ", 31337, 5000, /usr/bin/python3\n");
    const Snapshot snapshot = assembled(answer);
    const Process *ghost = processCalled(snapshot, 31'337);
    QVERIFY(ghost);
    QVERIFY(!ghost->state);
    QCOMPARE(ghost->driverName, u"/usr/bin/python3"_s);
    QCOMPARE(ghost->comm, QString());
    QVERIFY(!ghost->identity());
    QCOMPARE(ghost->startTicks.reason(), UnknownReason::Absent);
    QCOMPARE(snapshot.gpus->at(1).attributedMib, Quantity<qint64>(75'000));
    QVERIFY(!problemCalled(snapshot, u"process.ghost"_s)); // one tick proves nothing
}

void TstAssembleProcesses::twice_sameStartIsOne()
{
    HostAnswer answer = wellHost();
    RawProcess again = answer.processes->first();
    again.devices = QList<QByteArray>{"/dev/nvidia0"};
    answer.processes->append(again);
    RawProcess closed;
    closed.pid = 4243;
    closed.readable = false;
    answer.processes->prepend(closed);
    const Snapshot snapshot = assembled(answer);
    QCOMPARE(snapshot.processes->size(), 2);
    QCOMPARE(processCalled(snapshot, 4242)->devices, std::optional(QStringList{u"/dev/nvidia0"_s}));
    QVERIFY(processCalled(snapshot, 4243)->identity()); // the reading that succeeded counts
}

void TstAssembleProcesses::twice_otherStartFailsTheSection()
{
    HostAnswer answer = wellHost();
    RawProcess forged = answer.processes->first();
    forged.stat = statOf(4242, "innocent", 7);
    answer.processes->append(forged);
    const Snapshot snapshot = assembled(answer);
    QVERIFY(!snapshot.processes);
    QCOMPARE(snapshot.unknown.value(u"processes"_s), UnknownReason::Failed);
    QVERIFY(problemCalled(snapshot, u"section.processes"_s)->text.contains(u"4242"_s));
}

void TstAssembleProcesses::scan_failedIsNull()
{
    HostAnswer answer = wellHost();
    answer.processes.reset();
    answer.processTrouble = u"the section did not end"_s;
    const Snapshot snapshot = assembled(answer);
    QVERIFY(!snapshot.processes);
    QVERIFY(problemCalled(snapshot, u"section.processes"_s)->text.contains(u"did not end"_s));
    QCOMPARE(snapshot.gpus->first().attributedMib, Quantity<qint64>(70'000)); // the driver's list stands
}

void TstAssembleProcesses::scan_emptyIsAnAnswer()
{
    HostAnswer answer = wellHost();
    answer.processes->clear();
    answer.smi.apps = sectionOf({});
    const Snapshot snapshot = assembled(answer);
    QVERIFY(snapshot.processes);
    QVERIFY(snapshot.processes->isEmpty());
    QCOMPARE(snapshot.gpus->first().attributedMib, Quantity<qint64>(0));
    QCOMPARE(snapshot.gpus->first().unattributedMib, Quantity<qint64>(70'004));
}

void TstAssembleProcesses::hidden_rowsBecomeOne() // smi 63, 073
{
    HostAnswer answer = wellHost();
    const QByteArray row = ", [Insufficient Permissions], [Insufficient Permissions], [Insufficient Permissions]\n";
    answer.smi.apps = sectionOf(uuidOf(0) + row + uuidOf(0) + row + uuidOf(1) + ", 4243, 70000, x\n");
    const Snapshot snapshot = assembled(answer);
    QCOMPARE(snapshot.processes->size(), 3);
    const Process &hidden = snapshot.processes->last();
    QVERIFY(hidden.rowsUnreadable);
    QVERIFY(!hidden.identity());
    QCOMPARE(hidden.driverName, u"Insufficient Permissions"_s);
    QCOMPARE(problemCalled(snapshot, u"process.not_visible"_s)->text.left(2), u"2 "_s);
    QCOMPARE(snapshot.gpus->at(0).attributedMib.reason(), UnknownReason::NoPermission);
    QVERIFY(!snapshot.gpus->at(0).attributedMib.isKnown());
    QCOMPARE(snapshot.gpus->at(1).attributedMib, Quantity<qint64>(70'000));
}

void TstAssembleProcesses::container_pidsOutside() // 063
{
    HostAnswer answer = wellHost();
    answer.container = true;
    answer.smi.apps = sectionOf(uuidOf(0) + ", 4242, 56510, [Not Found]\n"); // 4242 is somebody else in here
    const Snapshot snapshot = assembled(answer);
    QVERIFY(processCalled(snapshot, 4242)->gpuMemory.isEmpty());
    const Process &outside = snapshot.processes->last();
    QVERIFY(!outside.state);
    QCOMPARE(outside.driverName, u"[Not Found]"_s);
    QVERIFY(problemCalled(snapshot, u"process.outside_container"_s)->text.contains(u"4242"_s));
    QVERIFY(problemCalled(snapshot, u"host.container"_s));
    QVERIFY(!problemCalled(snapshot, u"process.ghost"_s));
}

void TstAssembleProcesses::container_foundByTheToolIsJoined() // 077
{
    HostAnswer answer = wellHost();
    answer.container = true;
    QCOMPARE(processCalled(assembled(answer), 4242)->gpuMemory.size(), 1);
}

void TstAssembleProcesses::hidepid_isSaid()
{
    HostAnswer answer = wellHost();
    answer.hidepid = true;
    answer.root = false;
    answer.processes->clear();
    const Snapshot snapshot = assembled(answer);
    QCOMPARE(snapshot.processes->size(), 2);
    QVERIFY(problemCalled(snapshot, u"process.hidden"_s)->text.contains(u"4242, 4243"_s));
    QVERIFY(problemCalled(snapshot, u"host.hidepid"_s));
}

void TstAssembleProcesses::wsl_isNeverJoined() // 065, smi 61
{
    HostAnswer answer = wellHost();
    answer.kernel = u"5.15.167.4-microsoft-standard-WSL2"_s;
    answer.processes->append(processOf(4, "innocent", "innocent"));
    answer.smi.apps = sectionOf(uuidOf(0) + ", 4, [N/A], [Insufficient Permissions]\n");
    const Snapshot snapshot = assembled(answer);
    QVERIFY(processCalled(snapshot, 4)->gpuMemory.isEmpty()); // the first by that PID: a process of this kernel
    QVERIFY(!snapshot.processes->last().state);
    QVERIFY(problemCalled(snapshot, u"process.wsl"_s));
    QCOMPARE(snapshot.gpus->first().attributedMib.reason(), UnknownReason::NotSupported);
}

void TstAssembleProcesses::mps_isNoted() // smi 67, 069
{
    for (const QByteArray &name :
         {QByteArray("nvidia-cuda-mps-server"), QByteArray("/usr/bin/nvidia-cuda-mps-server -x")}) {
        HostAnswer answer = wellHost();
        answer.smi.apps = sectionOf(uuidOf(0) + ", 4242, 52, " + name + '\n');
        QVERIFY(problemCalled(assembled(answer), u"gpu.mps"_s));
    }
}

void TstAssembleProcesses::limit_isSaid()
{
    HostAnswer answer = wellHost();
    answer.matchLimitHit = true;
    QVERIFY(problemCalled(assembled(answer), u"process.limit"_s));
}

void TstAssembleProcesses::attribution_data()
{
    QTest::addColumn<QByteArray>("apps");
    QTest::addColumn<bool>("known");
    QTest::addColumn<qint64>("mib");
    QTest::addColumn<UnknownReason>("reason");
    const auto row = [](const char *name, const QByteArray &apps, bool known, qint64 mib,
                        UnknownReason reason = UnknownReason::Absent) {
        QTest::newRow(name) << apps << known << mib << reason;
    };
    row("one", uuidOf(0) + ", 4242, 70000, x\n", true, 70'000);
    row("none listed", {}, true, 0);
    row("079 baseline, nothing listed", "\n", true, 0);
    row("one figure missing", uuidOf(0) + ", 4242, 70000, x\n" + uuidOf(0) + ", 4243, [N/A], y\n", false, 0,
        UnknownReason::NotSupported);
    row("no list kept (smi 57)", uuidOf(0) + ", [Not Supported], [Not Supported]\n", false, 0,
        UnknownReason::NotSupported);
    row("row broken", uuidOf(0) + ", 42\n", false, 0, UnknownReason::Unparsable);
    row("nothing runs, said", "No running processes found\n", true, 0);
}

void TstAssembleProcesses::attribution()
{
    QFETCH(QByteArray, apps);
    QFETCH(bool, known);
    HostAnswer answer = wellHost();
    answer.smi.apps = sectionOf(apps);
    const Gpu gpu = assembled(answer).gpus->first();
    QCOMPARE(gpu.attributedMib.isKnown(), known);
    QCOMPARE(gpu.unattributedMib.isKnown(), known);
    if (known) {
        QTEST(gpu.attributedMib.value(), "mib");
        QCOMPARE(gpu.unattributedMib.value(), 70'004 - gpu.attributedMib.value());
    } else {
        QTEST(gpu.attributedMib.reason(), "reason");
    }
}

void TstAssembleProcesses::attribution_exceedsUsed()
{
    HostAnswer answer = wellHost();
    answer.smi.apps = sectionOf(uuidOf(0) + ", 4242, 70009, x\n"); // every cell is a reading of its own
    const Gpu gpu = assembled(answer).gpus->first();
    QCOMPARE(gpu.attributedMib, Quantity<qint64>(70'009));
    QCOMPARE(gpu.unattributedMib, Quantity<qint64>(0));
}

void TstAssembleProcesses::attribution_perCard()
{
    HostAnswer answer = wellHost();
    answer.smi.apps = sectionOf(uuidOf(1) + ", [Not Supported], [Not Supported]\n" + uuidOf(0) + ", 4242, 70000, x\n");
    const Snapshot snapshot = assembled(answer);
    QCOMPARE(snapshot.gpus->at(0).attributedMib, Quantity<qint64>(70'000));
    QVERIFY(!snapshot.gpus->at(1).attributedMib.isKnown());
    QVERIFY(problemCalled(snapshot, u"gpu.process_list_unsupported"_s));
}

void TstAssembleProcesses::apps_failedButGpusFine()
{
    HostAnswer answer = wellHost();
    answer.smi.apps = sectionOf("Failed to initialize NVML: Unknown Error\n", 255);
    const Snapshot failed = assembled(answer);
    QVERIFY(!failed.gpus->first().attributedMib.isKnown());
    QVERIFY(problemCalled(failed, u"smi.apps_failed"_s));
    QVERIFY(failed.gpus->first().memoryUsedMib.isKnown());
    answer.smi.apps = sectionOf({}, 255);
    QVERIFY(problemCalled(assembled(answer), u"smi.apps_failed"_s)->text.contains(u"255"_s));
    QVERIFY(!assembled(answer).gpus->first().attributedMib.isKnown()); // not "no process"
}

void TstAssembleProcesses::apps_truncated()
{
    HostAnswer answer = wellHost();
    answer.smi.apps.complete = false;
    answer.smi.apps.trouble = u"ended early"_s;
    const Snapshot snapshot = assembled(answer);
    QVERIFY(problemCalled(snapshot, u"smi.apps_failed"_s)->text.contains(u"ended early"_s));
    QVERIFY(processCalled(snapshot, 4242)->gpuMemory.isEmpty());
    QVERIFY(!snapshot.gpus->first().unattributedMib.isKnown());
}

void TstAssembleProcesses::devices_onlyWhenLooked()
{
    HostAnswer answer = wellHost();
    answer.processes->first().devices =
        QList<QByteArray>{"/dev/nvidia0", "/dev/nvidiactl", "/dev/nvidia0", "/dev/nvidia-uvm\033[31m"};
    (*answer.processes)[1].devices = QList<QByteArray>();
    const Snapshot snapshot = assembled(answer);
    QCOMPARE(*processCalled(snapshot, 4242)->devices,
             (QStringList{u"/dev/nvidia0"_s, u"/dev/nvidiactl"_s, u"/dev/nvidia-uvm\u241b[31m"_s}));
    QVERIFY(processCalled(snapshot, 4243)->devices->isEmpty());
}

void TstAssembleProcesses::devices_withoutAListHaveTheirReason()
{
    HostAnswer answer = wellHost();
    answer.smi.apps.output += uuidOf(1) + ", 31337, 12, gone\n";
    QVERIFY(!processCalled(assembled(answer), 4242)->devicesUnknown); // a light one does not look
    QVERIFY(!processCalled(assembled(answer), 31'337)->devicesUnknown);
    answer.depth = Depth::Deep;
    (*answer.processes)[0].descriptorsDenied = true;
    const Snapshot deep = assembled(answer);
    QCOMPARE(processCalled(deep, 4242)->devicesUnknown, std::optional(UnknownReason::NoPermission));
    QCOMPARE(processCalled(deep, 4243)->devicesUnknown, std::optional(UnknownReason::Failed)); // nobody forbade it
    QCOMPARE(processCalled(deep, 31'337)->devicesUnknown, std::optional(UnknownReason::Absent)); // no such process
    RawProcess again = answer.processes->first();
    again.devices = QList<QByteArray>{"/dev/nvidia0"};
    answer.processes->append(again);
    QVERIFY(!processCalled(assembled(answer), 4242)->devicesUnknown);
}

void TstAssembleProcesses::hostile_texts()
{
    HostAnswer answer = wellHost();
    RawProcess &evil = answer.processes->first();
    evil.stat = statOf(4242, "a) R 1 1 1\n4243 (b");
    evil.cmdline = QByteArray("\n==> /proc/999/cmdline <==\nvllm\0\033]0;x\007\0", 36);
    evil.cgroup = "0::/user.slice/user-0.slice/session-3.scope\n0::/system.slice/vllm.service\n";
    const Snapshot snapshot = assembled(answer);
    QCOMPARE(snapshot.processes->size(), 2);
    QVERIFY(!processCalled(snapshot, 999));
    const Process &process = *processCalled(snapshot, 4242);
    QCOMPARE(process.owner.kind, Owner::Kind::Session);
    for (const QString &text : {process.comm, process.command, process.arguments.first()}) {
        for (const QChar c : text)
            QVERIFY(c.unicode() >= 0x20 && c.unicode() != 0x7F);
    }
}

namespace {

struct Change
{
    const char *name;
    void (*make)(RawProcess &);
};

const std::array changes{
    Change{"nothing", [](RawProcess &) {}},
    Change{"its figures", [](RawProcess &p) { p.stat.replace(" 2500 ", " 2501 "); }},
    Change{"its state", [](RawProcess &p) { p.stat.replace(") S ", ") Z "); }},
    Change{"another process under its number", [](RawProcess &p) { p.stat = statOf(4242, "bash", 90'000); }},
    Change{"a stat that cannot be read", [](RawProcess &p) { p.stat = "4242 (x"; }},
    Change{"its title", [](RawProcess &p) { p.cmdline = QByteArray("python3\0-c\0pass", 15); }},
    Change{"its title, of the same length", [](RawProcess &p) { p.cmdline.replace("TP0", "TP7"); }},
    Change{"its title is cut", [](RawProcess &p) { p.cmdlineCut = true; }},
    Change{"no title", [](RawProcess &p) { p.cmdline.clear(); }},
    Change{"its group", [](RawProcess &p) { p.cgroup = "0::/system.slice/vllm.service\n"; }},
    Change{"its owner", [](RawProcess &p) { p.uid = 1001; }},
    Change{"a thread of the kernel", [](RawProcess &p) { p.stat.replace(" 4194560 ", " 2129984 "); }},
    Change{"its descriptors", [](RawProcess &p) { p.devices = QList<QByteArray>{"/dev/nvidia0"}; }},
    Change{"it is gone", [](RawProcess &p) { p.stat.clear(); }},
};

} // namespace

void TstAssembleProcesses::memo_newBytesAreReadAnew_data()
{
    QTest::addColumn<int>("number");
    for (std::size_t i = 0; i < changes.size(); ++i)
        QTest::newRow(changes[i].name) << int(i);
}

void TstAssembleProcesses::memo_newBytesAreReadAnew()
{
    QFETCH(int, number);
    HostAnswer answer = wellHost();
    HostAnswer changed = answer;
    changes[std::size_t(number)].make(changed.processes->first());
    AssembleMemory memory;
    for (const HostAnswer &tick : {answer, changed, changed, answer}) {
        AssembleMemory none;
        const Snapshot read = assemble(tick, {}, none, noon());
        const Snapshot remembered = assemble(tick, {}, memory, noon());
        QCOMPARE(remembered.processes->size(), read.processes->size());
        for (qsizetype i = 0; i < read.processes->size(); ++i)
            QVERIFY2(remembered.processes->at(i) == read.processes->at(i), qPrintable(QString::number(i)));
    }
}

void TstAssembleProcesses::memo_holdsTheLastTickOnly()
{
    AssembleMemory memory;
    for (int tick = 0; tick < 50; ++tick) {
        HostAnswer answer = wellHost();
        for (int i = 0; i < 20; ++i)
            answer.processes->append(processOf(5000 + 20 * tick + i, "python3", "python3"));
        (void)assemble(answer, {}, memory, noon(tick));
        QCOMPARE(memory.read.processes.size(), 22);
    }
    HostAnswer fewer = wellHost();
    (void)assemble(fewer, {}, memory, noon(60));
    QCOMPARE(memory.read.processes.size(), 2);
}

PILOTHOUSE_TEST_MAIN(TstAssembleProcesses)
#include "tst_assembleprocesses.moc"
