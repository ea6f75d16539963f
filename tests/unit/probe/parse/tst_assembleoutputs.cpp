// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// What hosts were seen to answer, against what a snapshot must say of it, end to end; for the answers that no test of a
// single parser holds. Numbers are those of the collected answers.
#include "core/probe/assemble.h"
#include "core/probe/parse/smiapps.h"
#include "tests/support/testmain.h"
#include "tests/unit/probe/parse/fixtures.h"

#include <array>

using namespace pilothouse;
using namespace pilothouse::test;
using namespace Qt::StringLiterals;

namespace {

RawProcess othersProcess()
{
    RawProcess process = processOf(4300, "python3", "python3");
    process.uid = 1001;
    process.stat.replace(" 2500 ", " 3152 "); // pages of 4 KiB
    process.descriptorsDenied = true;
    return process;
}

/// Fields of nvidia-smi's GPU rows without one that the driver refused, and a row to it.
void withoutRecoveryAction(HostAnswer &answer)
{
    answer.smi.askedFields.removeAll(u"gpu_recovery_action"_s);
    answer.smi.gpus.output.replace(", None", "");
}

QString brief(const Gpu &gpu)
{
    const auto figure = [](const Quantity<qint64> &q) { return q.isKnown() ? QString::number(q.value()) : u"?"_s; };
    return gpu.name + u" at "_s + gpu.busId + u' ' + figure(gpu.memoryUsedMib) + u'/' + figure(gpu.memoryTotalMib);
}

struct Case
{
    const char *name;
    void (*spoil)(HostAnswer &);
    QString (*shown)(const Snapshot &);
    const char *wanted;
    const char *codes; ///< of all problems, one blank between
};

const std::array cases{
    Case{"023 the driver has no name for the card",
         [](HostAnswer &a) { a.smi.gpus.output.replace("NVIDIA H100 80GB HBM3", "Graphics Device"); },
         [](const Snapshot &s) { return brief(s.gpus->first()); }, "Graphics Device at 0000:10:00.0 70004/81559", ""},
    Case{"025 a total far below the hardware, in a container",
         [](HostAnswer &a) {
             a.container = true;
             a.smi.gpus = sectionOf(gpuRow(0, 2716).replace("81559", "3000") + gpuRow(1));
         },
         [](const Snapshot &s) { return brief(s.gpus->first()); }, "NVIDIA H100 80GB HBM3 at 0000:10:00.0 2716/3000",
         "host.container"},
    Case{"059 a version of 610, from its own field",
         [](HostAnswer &a) { a.smi.gpus.output.replace("590.48.01", "610.57.04"); },
         [](const Snapshot &s) { return s.gpuSource.driverVersion; }, "610.57.04", ""},
    Case{"115 another user's process: its memory is there, its descriptors are not",
         [](HostAnswer &a) {
             a.depth = Depth::Deep;
             a.root = false;
             a.tcp = a.kernelLog = sectionOf("\n");
             a.shm = QList<RawShmFile>();
             a.processes->append(othersProcess());
         },
         [](const Snapshot &s) {
             const Process &p = *processCalled(s, 4300);
             return u"%1 KiB, devices %2"_s.arg(p.rssKib.valueOr(-1)).arg(nameOf(p.devicesUnknown.value()));
         },
         "12608 KiB, devices no_permission", "host.not_root"},
    Case{"host 15 age from one clock",
         [](HostAnswer &a) {
             a.uptimeAfter = 3918.82;
             a.processes->first().stat = statOf(4242, "python3", 391'783);
         },
         [](const Snapshot &s) { return QString::number(processCalled(s, 4242)->elapsedS.valueOr(-1)); }, "0.99", ""},
    Case{"host 15 the same in a time namespace",
         [](HostAnswer &a) {
             a.uptimeAfter = 103'918.81;
             a.processes->first().stat = statOf(4242, "python3", 10'391'781);
         },
         [](const Snapshot &s) { return QString::number(processCalled(s, 4242)->elapsedS.valueOr(-1)); }, "1", ""},
    Case{"host 109 no container from a path",
         [](HostAnswer &a) { a.processes->first().cgroup = "0::/\n"; },
         [](const Snapshot &s) { return QString::number(int(processCalled(s, 4242)->owner.kind)); }, "7", ""},
    Case{"smi 33 a field that is gone is not \"no reset needed\"", withoutRecoveryAction,
         [](const Snapshot &s) {
             return brief(s.gpus->first()) + u' ' + nameOf(s.gpus->first().recoveryAction.reason());
         },
         "NVIDIA H100 80GB HBM3 at 0000:10:00.0 70004/81559 absent", ""},
    Case{"smi 69 headers where nobody asked for them",
         [](HostAnswer &a) {
             a.smi.gpus.output.prepend(
                 "index, uuid, pci.bus_id, driver_version, memory.total [MiB], memory.used [MiB], memory.free [MiB], "
                 "memory.reserved [MiB], utilization.gpu [%], temperature.gpu, power.draw [W], persistence_mode, "
                 "mig.mode.current, gpu_recovery_action, name\n");
             a.smi.apps.output.prepend("gpu_uuid, pid, used_gpu_memory [MiB], process_name\n");
         },
         [](const Snapshot &s) { return u"%1 cards, %2 processes"_s.arg(s.gpus->size()).arg(s.processes->size()); },
         "2 cards, 2 processes", ""},
    Case{"smi 73 blank lines between rows",
         [](HostAnswer &a) {
             a.smi.gpus.output.replace("\n", "\n\n");
             a.smi.apps.output.replace("\n", "\n \n");
         },
         [](const Snapshot &s) { return u"%1 cards, %2 processes"_s.arg(s.gpus->size()).arg(s.processes->size()); },
         "2 cards, 2 processes", ""},
};

} // namespace

class TstAssembleOutputs final : public QObject
{
    Q_OBJECT
private slots:
    void answer_isShownForWhatItIs_data();
    void answer_isShownForWhatItIs();
    void fields_thatLieAreNotAsked();
};

void TstAssembleOutputs::answer_isShownForWhatItIs_data()
{
    QTest::addColumn<int>("number");
    for (int i = 0; i < int(cases.size()); ++i)
        QTest::newRow(cases[std::size_t(i)].name) << i;
}

void TstAssembleOutputs::answer_isShownForWhatItIs()
{
    QFETCH(int, number);
    const Case &row = cases[std::size_t(number)];
    HostAnswer answer = wellHost();
    row.spoil(answer);
    const Snapshot snapshot = assembled(answer);
    QVERIFY(snapshot.gpus && snapshot.processes);
    QCOMPARE(row.shown(snapshot), QString::fromLatin1(row.wanted));
    QCOMPARE(codesOf(snapshot).join(u' '), QString::fromLatin1(row.codes));
}

void TstAssembleOutputs::fields_thatLieAreNotAsked()
{
    const QStringList asked = smiGpuFields() + smiAppFields();
    QVERIFY(!asked.contains(u"utilization.memory"_s)); // smi 21: a constant 0 on integrated parts
    QVERIFY(asked.filter(u"reset_status"_s).isEmpty()); // smi 33
    QVERIFY(asked.contains(u"driver_version"_s)); // 059: never from a header made for people
}

PILOTHOUSE_TEST_MAIN(TstAssembleOutputs)
#include "tst_assembleoutputs.moc"
