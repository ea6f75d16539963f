// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// From nvidia-smi's answer to GPUs, their source and their problems; numbers as in tst_smicsv.
#include "core/probe/assemble.h"
#include "tests/support/testmain.h"
#include "tests/unit/probe/parse/fixtures.h"

using namespace pilothouse;
using namespace pilothouse::test;
using namespace Qt::StringLiterals;
using Status = GpuSource::Status;
using Severity = Problem::Severity;

class TstAssembleGpus final : public QObject
{
    Q_OBJECT
private slots:
    void well_host();
    void exit_codesLie_data();
    void exit_codesLie();
    void failure_ofTheWholeCommand_data();
    void failure_ofTheWholeCommand();
    void processList_withoutARowThatCanBeRead();
    void failure_emptyAnswerIsNoData();
    void failure_truncatedAnswerIsNoShortList();
    void failure_crashKeepsRowsBefore();
    void none_isAnAnswer();
    void absent_isWeighedByThePciBus();
    void handle_fault_isAddedByItsBusId();
    void handle_fault_takesItsNameFromBefore();
    void handle_fault_withoutABusId();
    void handle_fault_onlyCard();
    void faultRow_withoutALineTakesTheOpenBusId();
    void fault_everyWord_data();
    void fault_everyWord();
    void recovery_action_data();
    void recovery_action();
    void fault_andVerdictAreOneProblem_data();
    void fault_andVerdictAreOneProblem();
    void inforom_namesItsCard();
    void missing_byPciBus();
    void missing_byExpectation();
    void missing_seenBefore();
    void missing_afterRebootForgets();
    void missing_inAContainerIsANotice();
    void missing_cardWithoutBusIdMayBeAny();
    void gpus_sortedByIndex();
    void mig_devicesAndTheirMemory();
    void unified_isNoted();
    void noise_isCounted();
};

void TstAssembleGpus::well_host()
{
    const Snapshot snapshot = assembled(wellHost());
    QCOMPARE(snapshot.gpuSource.status, Status::Ok);
    QCOMPARE(snapshot.gpuSource.exitCode, Quantity<int>(0));
    QCOMPARE(snapshot.gpuSource.driverVersion, u"590.48.01"_s);
    QCOMPARE(snapshot.gpuSource.message, QString());
    QVERIFY(!snapshot.gpuSource.since.isValid());
    QCOMPARE(snapshot.gpuSource.durationMs, Quantity<double>(50));
    QVERIFY(snapshot.gpus);
    QCOMPARE(snapshot.gpus->size(), 2);
    QCOMPARE(codesOf(snapshot), QStringList());
    QVERIFY(!snapshot.unknown.contains(u"gpus"_s));
}

void TstAssembleGpus::exit_codesLie_data()
{
    QTest::addColumn<int>("exitStatus");
    QTest::addColumn<QByteArray>("output");
    QTest::addColumn<Status>("status");
    QTest::addColumn<int>("gpus"); // -1: null
    QTest::addColumn<QString>("code");
    const QByteArray rows = gpuRow(0) + gpuRow(1);
    QTest::newRow("0 with rows") << 0 << rows << Status::Ok << 2 << QString();
    QTest::newRow("047 14 with good rows")
        << 14 << QByteArray(rows + "WARNING: infoROM is corrupted at gpu 0000:10:00.0\n") << Status::Ok << 2
        << u"gpu.inforom"_s;
    QTest::newRow("003 255 with good rows") << 255 << rows << Status::Ok << 2 << u"smi.exit_code"_s;
    QTest::newRow("15 with good rows")
        << 15 << QByteArray(rows + "Unable to determine the device handle for GPU0000:C3:00.0: GPU is lost.\n")
        << Status::Ok << 3 << u"gpu.lost"_s;
    QTest::newRow("0 with prose only")
        << 0 << QByteArray("NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\n")
        << Status::Failed << -1 << u"driver.not_loaded"_s;
    QTest::newRow("053 0 because of a pipe")
        << 0 << QByteArray("Field \"cuda_version\" is not a valid field to query.\n") << Status::Failed << -1
        << u"smi.field_unknown"_s;
    QTest::newRow("255 with prose nobody knows")
        << 255 << QByteArray("Something new went wrong\n") << Status::Failed << -1 << u"smi.failed"_s;
    QTest::newRow("1 with nothing") << 1 << QByteArray() << Status::Failed << -1 << u"smi.empty"_s;
}

void TstAssembleGpus::exit_codesLie()
{
    QFETCH(int, exitStatus);
    QFETCH(QByteArray, output);
    QFETCH(int, gpus);
    QFETCH(QString, code);
    HostAnswer answer = wellHost();
    answer.smi.gpus = sectionOf(output, exitStatus);
    answer.smi.status = exitStatus == 0 ? Status::Ok : Status::Failed;
    const Snapshot snapshot = assembled(answer);
    QTEST(snapshot.gpuSource.status, "status");
    QCOMPARE(snapshot.gpuSource.exitCode, Quantity<int>(exitStatus));
    QCOMPARE(snapshot.gpus ? int(snapshot.gpus->size()) : -1, gpus);
    QVERIFY2(code.isEmpty() || problemCalled(snapshot, code), qPrintable(codesOf(snapshot).join(u' ')));
    QCOMPARE(snapshot.unknown.contains(u"gpus"_s), gpus < 0);
}

void TstAssembleGpus::failure_ofTheWholeCommand_data()
{
    QTest::addColumn<QByteArray>("output");
    QTest::addColumn<int>("exitStatus");
    QTest::addColumn<QString>("code");
    const auto row = [](const char *name, const char *output, int exitStatus, const QString &code) {
        QTest::newRow(name) << QByteArray(output) << exitStatus << code;
    };
    row("029 driver not loaded",
        "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest "
        "NVIDIA driver is installed and running.\n\n",
        9, u"driver.not_loaded"_s);
    row("smi 37 WSL form",
        "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest "
        "NVIDIA driver is installed and running.\n\nFailed to properly shut down NVML: Driver Not Loaded\n",
        9, u"driver.not_loaded"_s);
    row("031 mismatch", "Failed to initialize NVML: Driver/library version mismatch\n", 18, u"driver.mismatch"_s);
    row("041 blocked",
        "Failed to initialize NVML: GPU access blocked by the operating system\nFailed to properly shut down NVML: GPU "
        "access blocked by the operating system",
        255, u"driver.blocked"_s);
    row("043 library",
        "NVIDIA-SMI couldn't find libnvidia-ml.so library in your system. Please make sure that the NVIDIA Display "
        "Driver is properly installed and present in your system.\nPlease also try adding directory that contains "
        "libnvidia-ml.so to your system PATH.\n",
        12, u"driver.library_missing"_s);
    row("055 arguments", "Invalid combination of input arguments. Please run 'nvidia-smi -h' for help.\n", 2,
        u"smi.bad_arguments"_s);
    row("permission", "Failed to initialize NVML: Insufficient Permissions\n", 4, u"driver.no_permission"_s);
    row("init", "Failed to initialize NVML: Unknown Error\n", 255, u"driver.init_failed"_s);
}

void TstAssembleGpus::failure_ofTheWholeCommand()
{
    QFETCH(QByteArray, output);
    QFETCH(int, exitStatus);
    QFETCH(QString, code);
    for (const bool onErrors : {false, true}) {
        HostAnswer answer = wellHost();
        answer.smi.gpus = onErrors ? sectionOf({}, exitStatus, output) : sectionOf(output, exitStatus);
        answer.smi.apps = sectionOf(output, exitStatus);
        const Snapshot snapshot = assembled(answer);
        QCOMPARE(snapshot.gpuSource.status, Status::Failed);
        QVERIFY(!snapshot.gpus); // not "no GPUs"
        QCOMPARE(snapshot.unknown.value(u"gpus"_s), UnknownReason::Failed);
        QVERIFY(!snapshot.gpuSource.message.isEmpty());
        QCOMPARE(snapshot.gpuSource.since, noon());
        const Problem *problem = problemCalled(snapshot, code);
        QVERIFY2(problem, qPrintable(codesOf(snapshot).join(u' ')));
        QVERIFY(problem->text.endsWith(u'.'));
        QVERIFY(!problemCalled(snapshot, u"gpu.missing"_s)); // what cannot be read is not missing
        QVERIFY(snapshot.processes); // the rest of the host is there
    }
}

void TstAssembleGpus::processList_withoutARowThatCanBeRead()
{
    HostAnswer answer = wellHost();
    // What stands for a process whose card is not told may be on any; prose alone says nothing of any.
    for (const char *output : {"4242, GPU-0, 99, evil\n", "[Not Found], [N/A]\n", "Welcome to gpu3, dear user\n"}) {
        answer.smi.apps = sectionOf(output);
        const Snapshot snapshot = assembled(answer);
        QVERIFY2(problemCalled(snapshot, u"smi.apps_failed"_s), output);
        QVERIFY(snapshot.gpus && !snapshot.gpus->isEmpty());
        for (const Gpu &gpu : *snapshot.gpus) {
            QVERIFY2(!gpu.attributedMib.isKnown(), output);
            QVERIFY2(!gpu.unattributedMib.isKnown(), output);
        }
        QVERIFY(!problemCalled(snapshot, u"gpu.polling_wakes"_s));
    }
}

void TstAssembleGpus::failure_emptyAnswerIsNoData()
{
    HostAnswer answer = wellHost();
    answer.smi.gpus = sectionOf("\n\n");
    const Snapshot snapshot = assembled(answer);
    QCOMPARE(snapshot.gpuSource.status, Status::Failed);
    QVERIFY(!snapshot.gpus);
    QVERIFY(problemCalled(snapshot, u"smi.empty"_s));
}

void TstAssembleGpus::failure_truncatedAnswerIsNoShortList()
{
    HostAnswer answer = wellHost();
    answer.smi.gpus = sectionOf(gpuRow(0));
    answer.smi.gpus.complete = false;
    answer.smi.gpus.trouble = u"the answer ended early"_s;
    const Snapshot snapshot = assembled(answer);
    QCOMPARE(snapshot.gpuSource.status, Status::Failed);
    QVERIFY(!snapshot.gpus);
    QCOMPARE(snapshot.gpuSource.message, u"the answer ended early"_s);
    QVERIFY(!snapshot.gpuSource.exitCode.isKnown());
}

void TstAssembleGpus::failure_crashKeepsRowsBefore() // smi 51
{
    HostAnswer answer = wellHost();
    answer.smi.gpus = sectionOf(gpuRow(0) + gpuRow(1).first(30), 139);
    const Snapshot snapshot = assembled(answer);
    QCOMPARE(snapshot.gpuSource.status, Status::Failed);
    QVERIFY(snapshot.gpus);
    QCOMPARE(snapshot.gpus->size(), 1);
    QVERIFY(problemCalled(snapshot, u"smi.crashed"_s));
    QVERIFY(problemCalled(snapshot, u"gpu.row_unreadable"_s));
    QVERIFY(problemCalled(snapshot, u"gpu.missing"_s)->text.contains(u"0000:11:00.0"_s));
}

void TstAssembleGpus::none_isAnAnswer() // smi 39
{
    HostAnswer answer = wellHost();
    answer.smi.gpus = answer.smi.apps = sectionOf("No devices were found\n", 6);
    answer.pci = sectionOf({});
    const Snapshot login = assembled(answer);
    QCOMPARE(login.gpuSource.status, Status::Ok);
    QVERIFY(login.gpus);
    QVERIFY(login.gpus->isEmpty());
    QCOMPARE(codesOf(login), QStringList()); // neutral on a login node
    answer.pci = sectionOf(pciLines(2));
    const Snapshot gone = assembled(answer);
    QCOMPARE(codesOf(gone), (QStringList{u"gpu.missing"_s, u"gpu.missing"_s}));
}

void TstAssembleGpus::absent_isWeighedByThePciBus()
{
    HostAnswer answer = wellHost();
    answer.smi = {};
    answer.smi.status = Status::Absent;
    const Snapshot withCards = assembled(answer);
    QCOMPARE(withCards.gpuSource.status, Status::Absent);
    QVERIFY(!withCards.gpus);
    QCOMPARE(withCards.unknown.value(u"gpus"_s), UnknownReason::Absent);
    QCOMPARE(problemCalled(withCards, u"smi.absent"_s)->severity, Severity::Warning);
    QVERIFY(!withCards.gpuSource.since.isValid());
    answer.pci = sectionOf({});
    QCOMPARE(problemCalled(assembled(answer), u"smi.absent"_s)->severity, Severity::Notice);
}

void TstAssembleGpus::handle_fault_isAddedByItsBusId() // 035, 037, smi 43
{
    HostAnswer answer = wellHost();
    answer.pci = sectionOf(pciLines(3));
    const QByteArray errorRow = QByteArray("[Unknown Error], ").repeated(14) + "[Unknown Error]\n";
    for (const QByteArray &between : {QByteArray(), errorRow}) {
        answer.smi.gpus =
            sectionOf(gpuRow(0) + "Unable to determine the device handle for GPU1: 0000:11:00.0: Unknown Error\n"
                          + between + gpuRow(2),
                      255);
        const Snapshot snapshot = assembled(answer);
        QCOMPARE(snapshot.gpuSource.status, Status::Ok);
        QCOMPARE(snapshot.gpus->size(), 3);
        const Gpu &bad = snapshot.gpus->at(1);
        QCOMPARE(bad.index, 1);
        QCOMPARE(bad.busId, u"0000:11:00.0"_s);
        QCOMPARE(bad.fault, u"Unknown Error"_s);
        QVERIFY(!bad.memoryUsedMib.isKnown());
        QCOMPARE(bad.memoryUsedMib.reason(), UnknownReason::Failed);
        QCOMPARE(bad.mig, Quantity<bool>::unknown(UnknownReason::Failed, bad.fault)); // it answers nothing at all
        QCOMPARE(bad.persistence.reason(), UnknownReason::Failed);
        QCOMPARE(bad.recoveryAction.reason(), UnknownReason::Failed);
        QCOMPARE(bad.temperatureC.reason(), UnknownReason::Failed);
        QVERIFY(snapshot.gpus->at(2).fault.isEmpty());
        QCOMPARE(problemCalled(snapshot, u"gpu.fault"_s)->severity, Severity::Critical);
        QCOMPARE(problemCalled(snapshot, u"gpu.fault"_s)->gpu, std::optional<int>(1));
        QVERIFY(problemCalled(snapshot, u"gpu.new_processes_may_fail"_s));
        QVERIFY(!problemCalled(snapshot, u"gpu.missing"_s));
        QVERIFY(!problemCalled(snapshot, u"smi.exit_code"_s)); // explained by the line
    }
}

void TstAssembleGpus::handle_fault_takesItsNameFromBefore()
{
    AssembleMemory memory;
    HostAnswer answer = wellHost();
    (void)assemble(answer, {}, memory, noon());
    answer.smi.gpus = sectionOf(gpuRow(0)
                                    + "Unable to determine the device handle for GPU0000:11:00.0: GPU is lost.  Reboot "
                                      "the system to recover this GPU\n",
                                15);
    const Snapshot snapshot = assemble(answer, {}, memory, noon(2));
    QCOMPARE(snapshot.gpus->size(), 2);
    const Gpu &bad = snapshot.gpus->at(1);
    QCOMPARE(bad.index, 1);
    QCOMPARE(bad.uuid, QString::fromLatin1(uuidOf(1)));
    QCOMPARE(bad.name, u"NVIDIA H100 80GB HBM3"_s);
    QCOMPARE(problemCalled(snapshot, u"gpu.lost"_s)->gpu, std::optional<int>(1));
}

void TstAssembleGpus::handle_fault_withoutABusId()
{
    AssembleMemory memory;
    HostAnswer answer = wellHost();
    (void)assemble(answer, {}, memory, noon());
    answer.smi.gpus = sectionOf("Unable to determine the device handle for GPU0: Unknown Error\n" + gpuRow(1), 255);
    const Snapshot snapshot = assemble(answer, {}, memory, noon(2));
    QCOMPARE(snapshot.gpus->size(), 2);
    QCOMPARE(snapshot.gpus->at(0).busId, u"0000:10:00.0"_s); // known from before by its index
    QVERIFY(!snapshot.gpus->at(0).fault.isEmpty());
}

void TstAssembleGpus::handle_fault_onlyCard() // 033
{
    HostAnswer answer = wellHost();
    answer.smi.gpus = answer.smi.apps = sectionOf("Unable to determine the device handle for GPU0000:C3:00.0: GPU is "
                                                  "lost.  Reboot the system to recover this GPU\n",
                                                  15);
    answer.pci = sectionOf("0000:c3:00.0 0x10de 0x030200\n");
    const Snapshot snapshot = assembled(answer);
    QCOMPARE(snapshot.gpuSource.status, Status::Failed);
    QCOMPARE(snapshot.gpus->size(), 1);
    QCOMPARE(snapshot.gpus->first().busId, u"0000:c3:00.0"_s);
    QCOMPARE(problemCalled(snapshot, u"gpu.lost"_s)->severity, Severity::Critical);
    QVERIFY(problemCalled(snapshot, u"gpu.lost"_s)->advice.contains(u"Reboot"_s));
    QVERIFY(!problemCalled(snapshot, u"gpu.missing"_s));
}

void TstAssembleGpus::faultRow_withoutALineTakesTheOpenBusId()
{
    HostAnswer answer = wellHost();
    const QByteArray errorRow = QByteArray("[GPU is lost], ").repeated(14) + "[GPU is lost]\n";
    answer.smi.gpus = sectionOf(gpuRow(0) + errorRow);
    const Snapshot one = assembled(answer);
    QCOMPARE(one.gpus->size(), 2);
    QCOMPARE(one.gpus->at(1).busId, u"0000:11:00.0"_s);
    QCOMPARE(one.gpus->at(1).index, -1);
    answer.pci = sectionOf(pciLines(4));
    const Snapshot open = assembled(answer);
    QCOMPARE(open.gpus->at(1).busId, QString()); // any of three: said of none
}

void TstAssembleGpus::fault_everyWord_data()
{
    QTest::addColumn<QByteArray>("word");
    QTest::addColumn<QString>("code");
    QTest::addColumn<Severity>("severity");
    QTest::newRow("lost") << QByteArray("[GPU is lost]") << u"gpu.lost"_s << Severity::Critical;
    QTest::newRow("reset") << QByteArray("[GPU requires reset]") << u"gpu.reset_required"_s << Severity::Critical;
    QTest::newRow("unknown") << QByteArray("[Unknown Error]") << u"gpu.fault"_s << Severity::Warning;
    QTest::newRow("table's word") << QByteArray("ERR!") << u"gpu.fault"_s << Severity::Warning;
}

void TstAssembleGpus::fault_everyWord()
{
    QFETCH(QByteArray, word);
    QFETCH(QString, code);
    QFETCH(Severity, severity);
    const QByteArray row = gpuRow(1, 0);
    const QList<QByteArray> cells = row.trimmed().split(',');
    for (qsizetype cell = 3; cell + 1 < cells.size(); ++cell) { // in any cell but identity and name
        QList<QByteArray> spoilt = cells;
        spoilt[cell] = ' ' + word;
        HostAnswer answer = wellHost();
        answer.smi.gpus = sectionOf(gpuRow(0) + spoilt.join(','));
        const Snapshot snapshot = assembled(answer);
        QCOMPARE(snapshot.gpus->size(), 2);
        const Gpu &gpu = snapshot.gpus->at(1);
        QVERIFY(!gpu.fault.isEmpty());
        for (const Quantity<qint64> *memory : {&gpu.memoryTotalMib, &gpu.memoryUsedMib, &gpu.memoryFreeMib,
                                               &gpu.memoryReservedMib, &gpu.attributedMib, &gpu.unattributedMib}) {
            QVERIFY(!memory->isKnown()); // never looks free
            QCOMPARE(memory->reason(), UnknownReason::Failed);
        }
        QVERIFY(!gpu.utilizationPct.isKnown());
        QVERIFY(snapshot.gpus->at(0).memoryUsedMib.isKnown());
        const Problem *problem = problemCalled(snapshot, code);
        QVERIFY(problem);
        QCOMPARE(problem->severity, severity);
        QCOMPARE(problem->gpu, std::optional<int>(1));
    }
}

void TstAssembleGpus::recovery_action_data()
{
    QTest::addColumn<QByteArray>("action");
    QTest::addColumn<QString>("shown");
    QTest::addColumn<QString>("code");
    QTest::addColumn<bool>("down");
    QTest::newRow("none") << QByteArray("None") << u"none"_s << QString() << false;
    QTest::newRow("reset") << QByteArray("GPU Reset") << u"gpu reset"_s << u"gpu.reset_required"_s << true;
    QTest::newRow("reboot") << QByteArray("Node Reboot") << u"node reboot"_s << u"gpu.reset_required"_s << true;
    QTest::newRow("drain") << QByteArray("Drain P2P") << u"drain p2p"_s << u"gpu.recovery_action"_s << false;
    QTest::newRow("drain and reset") << QByteArray("Drain and Reset") << u"drain and reset"_s
                                     << u"gpu.recovery_action"_s << false;
    QTest::newRow("field unknown to the card") << QByteArray("[N/A]") << QString() << QString() << false;
}

void TstAssembleGpus::recovery_action()
{
    QFETCH(QByteArray, action);
    QFETCH(QString, shown);
    QFETCH(QString, code);
    QFETCH(bool, down);
    HostAnswer answer = wellHost();
    answer.smi.gpus = sectionOf(gpuRow(0) + gpuRow(1).replace("None", action));
    const Snapshot snapshot = assembled(answer);
    const Gpu &gpu = snapshot.gpus->at(1);
    QCOMPARE(gpu.recoveryAction.valueOr({}), shown);
    QCOMPARE(codesOf(snapshot).contains(code), !code.isEmpty());
    QCOMPARE(!gpu.fault.isEmpty(), down);
    QCOMPARE(gpu.memoryUsedMib.isKnown(), !down);
}

void TstAssembleGpus::fault_andVerdictAreOneProblem_data()
{
    QTest::addColumn<QByteArray>("word");
    QTest::addColumn<QByteArray>("action");
    QTest::addColumn<QStringList>("codes");
    const auto row = [](const char *name, const char *word, const char *action, const QStringList &codes) {
        QTest::newRow(name) << QByteArray(word) << QByteArray(action) << codes;
    };
    row("reset", "[GPU requires reset]", "GPU Reset", {u"gpu.reset_required"_s});
    row("an unclear word is explained by the verdict", "[Unknown Error]", "Node Reboot", {u"gpu.reset_required"_s});
    row("lost is worse than the verdict", "[GPU is lost]", "GPU Reset", {u"gpu.lost"_s});
    row("no verdict", "[GPU requires reset]", "None", {u"gpu.reset_required"_s});
    row("to drain is another matter", "[Unknown Error]", "Drain P2P", {u"gpu.fault"_s, u"gpu.recovery_action"_s});
}

void TstAssembleGpus::fault_andVerdictAreOneProblem()
{
    QFETCH(QByteArray, word);
    QFETCH(QByteArray, action);
    HostAnswer answer = wellHost();
    answer.smi.gpus = sectionOf(gpuRow(0) + gpuRow(1, 4321).replace("4321", word).replace("None", action));
    const Snapshot snapshot = assembled(answer);
    QTEST(codesOf(snapshot), "codes");
    QCOMPARE(snapshot.gpus->at(1).fault, QString::fromLatin1(word).remove(u'[').remove(u']'));
    QVERIFY(snapshot.problems.first().text.contains(snapshot.gpus->at(1).fault));
    if (action.contains("Re"))
        QVERIFY(snapshot.problems.first().text.endsWith(u"the driver asks for \"%1\"."_s.arg(QString::fromLatin1(action.toLower()))));
}

void TstAssembleGpus::inforom_namesItsCard() // 047, 049, smi 53
{
    HostAnswer answer = wellHost();
    for (const bool before : {false, true}) {
        const QByteArray warnings =
            "WARNING: infoROM is corrupted at gpu 0000:11:00.0  \nWARNING: infoROM is corrupted at gpu 000A:00:00.0\n";
        answer.smi.gpus = sectionOf(
            before ? QByteArray(warnings + gpuRow(0) + gpuRow(1)) : QByteArray(gpuRow(0) + gpuRow(1) + warnings), 14);
        const Snapshot snapshot = assembled(answer);
        QCOMPARE(snapshot.gpus->size(), 2);
        QVERIFY(snapshot.gpus->at(1).fault.isEmpty());
        QCOMPARE(codesOf(snapshot), (QStringList{u"gpu.inforom"_s, u"gpu.inforom"_s}));
        QCOMPARE(snapshot.problems.at(0).gpu, std::optional<int>(1));
        QVERIFY(!snapshot.problems.at(1).gpu);
    }
}

void TstAssembleGpus::missing_byPciBus()
{
    HostAnswer answer = wellHost();
    answer.pci = sectionOf(pciLines(8));
    QByteArray rows;
    for (int i : {0, 1, 2, 4, 5, 6, 7})
        rows += gpuRow(i);
    answer.smi.gpus = sectionOf(rows);
    ProbeSettings settings;
    settings.expectedGpus = 8;
    const Snapshot snapshot = assembled(answer, settings);
    QCOMPARE(snapshot.gpus->size(), 7);
    QCOMPARE(codesOf(snapshot), QStringList{u"gpu.missing"_s}); // once, although the expectation fails too
    QVERIFY(snapshot.problems.first().text.contains(u"0000:13:00.0"_s));
    QCOMPARE(snapshot.system.pciGpus, Quantity<int>(8));
}

void TstAssembleGpus::missing_byExpectation()
{
    ProbeSettings settings;
    settings.expectedGpus = 8;
    const Snapshot snapshot = assembled(wellHost(), settings);
    QVERIFY(problemCalled(snapshot, u"gpu.missing"_s)->text.contains(u"2 of 8"_s));
    settings.expectedGpus = 2;
    QCOMPARE(codesOf(assembled(wellHost(), settings)), QStringList());
}

void TstAssembleGpus::missing_seenBefore()
{
    AssembleMemory memory;
    HostAnswer answer = wellHost();
    answer.pci = brokenSection(u"no /sys"_s);
    (void)assemble(answer, {}, memory, noon());
    answer.smi.gpus = sectionOf(gpuRow(0));
    const Snapshot snapshot = assemble(answer, {}, memory, noon(2));
    const Problem *problem = problemCalled(snapshot, u"gpu.missing"_s);
    QVERIFY(problem);
    QVERIFY(problem->text.contains(u"0000:11:00.0"_s));
    QCOMPARE(problem->severity, Severity::Critical);
    QCOMPARE(problem->gpu, std::optional<int>(1));
    QVERIFY(problemCalled(snapshot, u"section.pci"_s));
}

void TstAssembleGpus::missing_afterRebootForgets()
{
    AssembleMemory memory;
    HostAnswer answer = wellHost();
    (void)assemble(answer, {}, memory, noon());
    answer.bootId = u"another"_s;
    answer.smi.gpus = sectionOf(gpuRow(0));
    answer.pci = sectionOf(pciLines(1));
    QCOMPARE(codesOf(assemble(answer, {}, memory, noon(2))), QStringList());
}

void TstAssembleGpus::missing_inAContainerIsANotice()
{
    HostAnswer answer = wellHost();
    answer.container = true;
    answer.pci = sectionOf(pciLines(8));
    const Snapshot snapshot = assembled(answer);
    QCOMPARE(problemCalled(snapshot, u"gpu.missing"_s)->severity, Severity::Notice);
}

void TstAssembleGpus::missing_cardWithoutBusIdMayBeAny()
{
    HostAnswer answer = wellHost();
    answer.smi.gpus = sectionOf(gpuRow(0) + gpuRow(1).replace(busOf(1), "[N/A]"));
    QVERIFY(!problemCalled(assembled(answer), u"gpu.missing"_s));
}

void TstAssembleGpus::gpus_sortedByIndex()
{
    HostAnswer answer = wellHost();
    answer.pci = sectionOf(pciLines(3));
    answer.smi.gpus = sectionOf(gpuRow(2) + gpuRow(0)
                                + "Unable to determine the device handle for GPU1: 0000:11:00.0: Unknown Error\n");
    const Snapshot snapshot = assembled(answer);
    for (int i = 0; i < 3; ++i)
        QCOMPARE(snapshot.gpus->at(i).index, i);
}

void TstAssembleGpus::mig_devicesAndTheirMemory() // 019, 081
{
    AssembleMemory memory;
    HostAnswer answer = wellHost();
    answer.pci = sectionOf("0000:83:00.0 0x10de 0x030200\n");
    answer.smi.gpus = sectionOf(fixture(u"smi/h200-mig-590.48.01.load.gpus.csv"_s));
    answer.smi.apps = sectionOf(fixture(u"smi/h200-mig-590.48.01.load.apps.csv"_s));
    answer.smi.mig =
        sectionOf(fixture(u"smi/h200-mig-590.48.01.q.txt"_s) + fixture(u"smi/h200-mig-590.48.01.list.txt"_s));
    const Snapshot deep = assemble(answer, {}, memory, noon());
    const Gpu &gpu = deep.gpus->first();
    QCOMPARE(gpu.mig, Quantity<bool>(true));
    QCOMPARE(gpu.utilizationPct.reason(), UnknownReason::NotSupported); // never 0 % at 295 W
    QCOMPARE(gpu.migDevices.size(), 5);
    QCOMPARE(gpu.migDevices.at(0).memoryUsedMib, Quantity<qint64>(16'925));
    QCOMPARE(gpu.migDevices.at(4).uuid, u"MIG-00000004-0000-0000-0000-000000000004"_s);
    QCOMPARE(gpu.attributedMib, Quantity<qint64>(2194 + 1170 + 13'526));
    QCOMPARE(gpu.unattributedMib, Quantity<qint64>(16'959 - 2194 - 1170 - 13'526));
    answer.smi.mig = {};
    const Snapshot light = assemble(answer, {}, memory, noon(2));
    QCOMPARE(light.gpus->first().migDevices.size(), 5);
    QCOMPARE(light.gpus->first().migDevices.at(0).memoryTotalMib, Quantity<qint64>(71'424));
    QVERIFY(!light.gpus->first().migDevices.at(0).memoryUsedMib.isKnown()); // stale is not live
    answer.smi.mig = brokenSection(u"timed out"_s);
    QVERIFY(problemCalled(assemble(answer, {}, memory, noon(4)), u"section.mig"_s));
}

void TstAssembleGpus::unified_isNoted() // 009, 075
{
    HostAnswer answer = wellHost();
    answer.pci = sectionOf("000f:01:00.0 0x10de 0x030200\n");
    answer.smi.gpus = sectionOf("0, GPU-0f3c2b1a-9d8e-4c7b-a6f5-e4d3c2b1a098, 0000000F:01:00.0, 580.173.02, [N/A], "
                                "[N/A], [N/A], [N/A], 0, 35, 11.17, Enabled, [N/A], None, NVIDIA GB10\n");
    answer.smi.apps = sectionOf("GPU-0f3c2b1a-9d8e-4c7b-a6f5-e4d3c2b1a098, 4242, 19135, /usr/local/bin/python\n");
    const Snapshot snapshot = assembled(answer);
    const Gpu &gpu = snapshot.gpus->first();
    QVERIFY(gpu.unifiedMemory);
    QCOMPARE(gpu.busId, u"000f:01:00.0"_s);
    QCOMPARE(gpu.memoryTotalMib.reason(), UnknownReason::NotSupported);
    QCOMPARE(gpu.attributedMib, Quantity<qint64>(19'135)); // per process it works
    QCOMPARE(gpu.unattributedMib.reason(), UnknownReason::NotSupported);
    QVERIFY(!gpu.unattributedMib.isKnown());
    QCOMPARE(codesOf(snapshot), QStringList{u"gpu.unified_memory"_s});
}

void TstAssembleGpus::noise_isCounted() // smi 55
{
    HostAnswer answer = wellHost();
    answer.smi.gpus.output.prepend(
        "Warning: No xauth data; using fake authentication data for X11 forwarding.\nhello\n");
    const Snapshot snapshot = assembled(answer);
    QCOMPARE(snapshot.gpus->size(), 2);
    QVERIFY(problemCalled(snapshot, u"smi.noise"_s)->text.startsWith(u"2 lines"_s));
    QCOMPARE(snapshot.gpuSource.message, QString());
}

PILOTHOUSE_TEST_MAIN(TstAssembleGpus)
#include "tst_assemblegpus.moc"
