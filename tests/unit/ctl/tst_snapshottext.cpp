// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/snapshottext.h"
#include "core/host/gpusourcewords.h"
#include "app/ctl/texttable.h"
#include "tests/support/testmain.h"

using namespace pilothouse;
using namespace Qt::StringLiterals;

class TstSnapshotText final : public QObject
{
    Q_OBJECT
private slots:
    void table_alignsAndCuts();
    void unknownFigures_areWordsNotZero();
    void faultyCard_isNamed();
    void missingLists_areSaid();
    void processes_areThoseWithGpuMemoryInOrder();
    void counts_tellHoldersFromRelatives();
    void mappers_sayWhyNobodyKnows();
    void units_sayWhatTheirStateMeans();
    void unitsAskedFor_areNeverLeftOut();
    void problems_worstFirst();
    void missingGpus_areSaidOnce();

private:
    const Output m_output{ColorMode::Never};
};

void TstSnapshotText::table_alignsAndCuts()
{
    TextTable table({{u"A"_s}, {u"NUMBER"_s, TextTable::Align::Right}, {u"C"_s, TextTable::Align::Left, 5}});
    table.add({{u"x"_s}, {u"1"_s}, {u"longer than five"_s}});
    table.add({{u"wide"_s}, {u"1234567"_s}});
    const Output terminal(ColorMode::Never, true);
    QCOMPARE(table.text(terminal), u"A      NUMBER  C\n"
                                   u"x           1  long…\n"
                                   u"wide  1234567\n"_s);
    // A pipe has no width: what is cut there is lost.
    const Output pipe(ColorMode::Never, false);
    QVERIFY(table.text(pipe).contains(u"1  longer than five\n"_s));
    const Output coloured(ColorMode::Always);
    QVERIFY(table.text(coloured).startsWith(u"\033[1mA\033[0m"_s));
}

void TstSnapshotText::unknownFigures_areWordsNotZero()
{
    Snapshot snapshot;
    Gpu gpu;
    gpu.index = 0;
    gpu.memoryUsedMib = Quantity<qint64>::unknown(UnknownReason::NotSupported);
    gpu.memoryTotalMib = Quantity<qint64>::unknown(UnknownReason::NoPermission);
    gpu.utilizationPct = Quantity<double>::unknown(UnknownReason::Unparsable);
    snapshot.gpus = QList<Gpu>{gpu};
    const QString text = snapshotText(snapshot, {}, m_output);
    const QString line = text.split(u'\n').at(2);
    QCOMPARE(line.simplified(), u"0 n/a hidden ? – –"_s);
}

void TstSnapshotText::faultyCard_isNamed()
{
    Snapshot snapshot;
    Gpu gpu;
    gpu.index = 3;
    gpu.fault = u"GPU requires reset"_s;
    gpu.memoryUsedMib = Quantity<qint64>::unknown(UnknownReason::Failed);
    snapshot.gpus = QList<Gpu>{gpu};
    const QString line = snapshotText(snapshot, {}, m_output).split(u'\n').at(2);
    QVERIFY2(line.contains(u"failed"_s) && line.endsWith(u"GPU requires reset"_s), qPrintable(line));
}

void TstSnapshotText::missingLists_areSaid()
{
    Snapshot snapshot;
    snapshot.gpuSource.status = GpuSource::Status::Hung;
    const QString text = snapshotText(snapshot, {}, m_output);
    QVERIFY(text.contains(u"GPUs unknown"_s));
    QVERIFY(text.contains(u"Processes unknown"_s));
    QCOMPARE(missingGpusText(snapshot), u"The GPU data is missing: nvidia-smi hangs."_s);
    snapshot.gpuSource.stuckPid = 12;
    QCOMPARE(missingGpusText(snapshot), u"The GPU data is missing: nvidia-smi (PID 12) hangs."_s);
    snapshot.gpuSource.status = GpuSource::Status::Failed;
    snapshot.gpuSource.message = u"NVML: mismatch"_s;
    QCOMPARE(missingGpusText(snapshot), u"The GPU data is missing: nvidia-smi failed (NVML: mismatch)."_s);
    snapshot.gpuSource.message = u"It cannot talk to the driver."_s;
    QCOMPARE(missingGpusText(snapshot), u"The GPU data is missing: nvidia-smi failed (It cannot talk to the driver)."_s);
    snapshot.gpuSource.message = u"NVIDIA-SMI has failed because it couldn't communicate with the driver."_s;
    QCOMPARE(missingGpusText(snapshot), u"The GPU data is missing: NVIDIA-SMI has failed because it couldn't "
                                        "communicate with the driver."_s);
    snapshot.gpuSource.status = GpuSource::Status::Absent;
    snapshot.gpuSource.message = u"nvidia-smi is not installed."_s;
    QCOMPARE(missingGpusText(snapshot), u"The GPU data is missing: there is no nvidia-smi on the host."_s);
    snapshot.processes = QList<Process>{};
    QVERIFY(snapshotText(snapshot, {}, m_output).contains(u"Who has GPU memory is unknown."_s));
    snapshot.gpus = QList<Gpu>{};
    QVERIFY(snapshotText(snapshot, {}, m_output).contains(u"No GPUs.\n\nNo process has GPU memory.\n"_s));
    // Cards that answer, and a list that does not.
    for (int i = 0; i < 3; ++i) {
        snapshot.gpus->append(Gpu());
        snapshot.gpus->last().index = i;
        snapshot.gpus->last().attributedMib = i == 1 ? Quantity<qint64>::unknown(UnknownReason::Failed) : Quantity<qint64>(0);
    }
    QVERIFY(snapshotText(snapshot, {}, m_output).contains(u"\nWho has memory of GPU 1 is unknown.\n"_s));
    for (Gpu &gpu : *snapshot.gpus)
        gpu.attributedMib = Quantity<qint64>::unknown(UnknownReason::Failed);
    QVERIFY(snapshotText(snapshot, {}, m_output).contains(u"\nWho has GPU memory is unknown.\n"_s));
}

void TstSnapshotText::processes_areThoseWithGpuMemoryInOrder()
{
    Snapshot snapshot;
    Process idle;
    idle.pid = Pid{1};
    idle.command = u"idle"_s;
    Process second;
    second.pid = Pid{77};
    second.command = u"VLLM::Worker_TP1"_s;
    second.gpuMemory = {ProcessGpuMemory{1, {}, Quantity<qint64>(96615)}};
    Process gone;
    gone.pid = Pid{99};
    gone.driverName = u"[Not Found]"_s;
    gone.gpuMemory = {ProcessGpuMemory{0, {}, Quantity<qint64>::unknown(UnknownReason::NotSupported)}};
    snapshot.processes = QList<Process>{second, idle, gone};
    QStringList lines = snapshotText(snapshot, {}, m_output).split(u'\n');
    lines = lines.filter(u"0:"_s) + lines.filter(u"1:"_s);
    QCOMPARE(lines.size(), 2);
    QVERIFY2(lines.at(0).simplified().startsWith(u"99 – gone – 0: n/a [Not Found]"_s), qPrintable(lines.at(0)));
    QVERIFY(lines.at(1).contains(u"1: 96615"_s));
}

void TstSnapshotText::counts_tellHoldersFromRelatives()
{
    Snapshot snapshot;
    snapshot.gpus = QList<Gpu>{};
    Process related;
    related.pid = Pid{1};
    Process holder;
    holder.pid = Pid{77};
    holder.gpuMemory = {ProcessGpuMemory{0, {}, Quantity<qint64>(96615)}};
    snapshot.processes = QList<Process>{related, holder, related};
    QVERIFY(snapshotText(snapshot, {}, m_output).endsWith(u"\n1 on GPUs, 2 related\n"_s));
    snapshot.processes = QList<Process>{holder};
    QVERIFY(!snapshotText(snapshot, {}, m_output).contains(u"related"_s));
    snapshot.processes = QList<Process>{related};
    QVERIFY(snapshotText(snapshot, {}, m_output).endsWith(u"\nNo process has GPU memory. 1 related.\n"_s));
}

void TstSnapshotText::mappers_sayWhyNobodyKnows()
{
    Snapshot snapshot;
    snapshot.shm = QList<ShmFile>{{u"/dev/shm/a"_s, 4, 0, 26, 7, QList<qint64>()}};
    QVERIFY(snapshotText(snapshot, {}, m_output).endsWith(u"  nobody\n"_s));
    snapshot.shm->first().mappedBy.reset();
    QVERIFY(snapshotText(snapshot, {}, m_output).endsWith(u"  not known for all\n"_s));
    snapshot.shm->first().mappedByUnknown = UnknownReason::Failed;
    QVERIFY(snapshotText(snapshot, {}, m_output).endsWith(u"  failed\n"_s));
}

void TstSnapshotText::units_sayWhatTheirStateMeans()
{
    Snapshot snapshot;
    Unit unit;
    unit.name = u"x.service"_s;
    unit.load = u"loaded"_s;
    unit.active = unit.sub = u"failed"_s;
    unit.result = u"exit-code"_s;
    unit.execMainCode = 1;
    unit.execMainStatus = 7;
    unit.restarts = 0;
    snapshot.units = QList<Unit>{unit};
    const QString line = snapshotText(snapshot, {}, m_output).split(u"\n"_s, Qt::SkipEmptyParts).last();
    QCOMPARE(line.simplified(), u"x.service exited with status 7 failed (failed) – 0"_s);
}

void TstSnapshotText::unitsAskedFor_areNeverLeftOut()
{
    Snapshot snapshot;
    snapshot.unknown.insert(u"units"_s, UnknownReason::Absent);
    snapshot.problems = {{u"systemd.absent"_s, Problem::Severity::Notice, {}, u"This host does not run systemd."_s, {}}};
    const QStringList asked{u"vllm.service"_s, u"kimi"_s};
    QString text = snapshotText(snapshot, asked, m_output).simplified();
    QVERIFY2(text.contains(u"vllm.service unknown: This host does not run systemd. kimi unknown: This host"_s),
             qPrintable(text));
    QVERIFY(!snapshotText(snapshot, {}, m_output).contains(u"UNIT"_s));
    // One of two answers; the other's own reason counts.
    Unit unit;
    unit.name = u"kimi.service"_s;
    unit.active = u"active"_s;
    snapshot.units = QList<Unit>{unit};
    snapshot.problems = {{u"unit.unanswered"_s, Problem::Severity::Warning, {},
                          u"systemd says nothing about vllm.service."_s, {}}};
    text = snapshotText(snapshot, asked, m_output).simplified();
    QVERIFY2(text.contains(u"vllm.service unknown: systemd says nothing about vllm.service."_s), qPrintable(text));
    QCOMPARE(text.count(u"unknown:"_s), 1);
}

void TstSnapshotText::missingGpus_areSaidOnce()
{
    Snapshot snapshot;
    snapshot.gpuSource.status = GpuSource::Status::Hung;
    snapshot.problems = {{u"smi.hung"_s, Problem::Severity::Critical, {}, u"nvidia-smi is stuck."_s, u"Reboot."_s},
                         {u"n"_s, Problem::Severity::Notice, {}, u"N."_s, {}}};
    QCOMPARE(problemLines(snapshot),
             (QStringList{u"The GPU data is missing: nvidia-smi hangs. Reboot."_s, u"notice: N."_s}));
}

void TstSnapshotText::problems_worstFirst()
{
    Snapshot snapshot;
    Problem notice;
    notice.text = u"N."_s;
    Problem critical;
    critical.severity = Problem::Severity::Critical;
    critical.text = u"C."_s;
    critical.advice = u"Do."_s;
    snapshot.problems = {notice, critical};
    snapshot.gpus = QList<Gpu>{};
    QCOMPARE(problemLines(snapshot), (QStringList{u"critical: C. Do."_s, u"notice: N."_s}));
}

PILOTHOUSE_TEST_MAIN(TstSnapshotText)
#include "tst_snapshottext.moc"
