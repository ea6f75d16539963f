// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// Variants made from the good answers: cut anywhere, other line ends, other order, noise in between. Handled is the
// kind of damage, not one example of it: what is still said must be what the host said.
#include "core/host/snapshotjson.h"
#include "core/probe/assemble.h"
#include "tests/support/testmain.h"
#include "tests/unit/probe/parse/fixtures.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QRandomGenerator>

#include <algorithm>

using namespace pilothouse;
using namespace pilothouse::test;
using namespace Qt::StringLiterals;

namespace {

ProbeSettings settings()
{
    ProbeSettings asked;
    asked.units = QStringList{u"vllm.service"_s, u"other.service"_s};
    return asked;
}

HostAnswer fullHost()
{
    HostAnswer answer = wellHost();
    answer.depth = Depth::Deep;
    answer.units = sectionOf("Id=vllm.service\nLoadState=loaded\nActiveState=active\nMainPID=4242\nNRestarts=0\n\n"
                             "Id=other.service\nLoadState=loaded\nActiveState=failed\nMainPID=0\nNRestarts=3\n");
    answer.tcp = sectionOf(fixture(u"proc/net-tcp.txt"_s));
    answer.socketOwners = {{41'001, 4242}};
    answer.shm = QList<RawShmFile>{{"/dev/shm/psm_1a2b", 4096, 0, 26, 7, QList<qint64>{4242}}};
    answer.kernelLog = sectionOf("[5.1] NVRM: Xid (PCI:0000:10:00): 31, pid=4242, name=x, MMU Fault\n");
    return answer;
}

QList<RawSection *> textsOf(HostAnswer &answer)
{
    return {&answer.smi.gpus, &answer.smi.apps, &answer.units, &answer.meminfo,  &answer.loadavg,
            &answer.vmstat,   &answer.pci,      &answer.tcp,   &answer.kernelLog};
}

/// What holds for every snapshot, however broken the answer was.
void checkInvariants(const Snapshot &snapshot)
{
    for (const Gpu &gpu : snapshot.gpus.value_or(QList<Gpu>())) {
        QVERIFY(gpu.fault.isEmpty() || (!gpu.memoryUsedMib.isKnown() && !gpu.utilizationPct.isKnown()));
        QVERIFY(!gpu.memoryUsedMib.isKnown() || gpu.memoryUsedMib.value() >= 0);
        QVERIFY(gpu.index >= -1);
    }
    for (const Process &process : snapshot.processes.value_or(QList<Process>())) {
        QVERIFY(process.rowsUnreadable || process.pid.value > 0);
        QVERIFY(process.state || !process.identity() || process.startTicks.isKnown());
    }
    for (const Problem &problem : snapshot.problems)
        QVERIFY(!problem.code.isEmpty() && !problem.text.isEmpty());
    QVERIFY(!snapshot.skewMs.isKnown() || snapshot.skewMs.value() % 10 == 0);
    const QByteArray json = QJsonDocument(toJson(snapshot)).toJson(QJsonDocument::Compact);
    for (const char c : json)
        QVERIFY(quint8(c) >= 0x20); // nothing raw of the host's gets this far
}

} // namespace

class TstAssembleVariants final : public QObject
{
    Q_OBJECT
private slots:
    void cut_anywhere_data();
    void cut_anywhere();
    void ending_carriageReturns();
    void order_ofLines_data();
    void order_ofLines();
    void noise_betweenLines_data();
    void noise_betweenLines();
    void bytes_flipped();
    void sections_missingOneByOne();
    void nothing_atAll();
};

void TstAssembleVariants::cut_anywhere_data()
{
    QTest::addColumn<int>("part");
    const char *names[] = {"gpus", "apps", "units", "meminfo", "loadavg", "vmstat", "pci", "tcp", "kernel log"};
    for (int i = 0; i < 9; ++i)
        QTest::newRow(names[i]) << i;
}

void TstAssembleVariants::cut_anywhere()
{
    QFETCH(int, part);
    HostAnswer whole = fullHost();
    const Snapshot good = assembled(whole, settings());
    const qsizetype size = textsOf(whole).at(part)->output.size();
    for (qsizetype cut = 0; cut < size; ++cut) {
        HostAnswer answer = whole;
        textsOf(answer).at(part)->output.truncate(cut);
        const Snapshot snapshot = assembled(answer, settings());
        checkInvariants(snapshot);
        for (const Gpu &gpu : snapshot.gpus.value_or(QList<Gpu>())) { // a figure that is shown is the host's
            const Gpu &same = good.gpus->at(gpu.index);
            if (gpu.memoryUsedMib.isKnown())
                QCOMPARE(gpu.memoryUsedMib, same.memoryUsedMib);
            if (gpu.memoryTotalMib.isKnown())
                QCOMPARE(gpu.memoryTotalMib, same.memoryTotalMib);
            if (gpu.powerW.isKnown())
                QCOMPARE(gpu.powerW, same.powerW);
        }
        for (const Process &process : *snapshot.processes) {
            if (!process.gpuMemory.isEmpty() && process.gpuMemory.first().mib.isKnown())
                QCOMPARE(process.gpuMemory.first().mib, processCalled(good, process.pid.value)->gpuMemory.first().mib);
        }
    }
}

void TstAssembleVariants::ending_carriageReturns()
{
    HostAnswer answer = fullHost();
    for (RawSection *section : textsOf(answer))
        section->output.replace("\n", "\r\n");
    const QJsonObject crlf = toJson(assembled(answer, settings()));
    QCOMPARE(crlf, toJson(assembled(fullHost(), settings())));
}

void TstAssembleVariants::order_ofLines_data()
{
    QTest::addColumn<quint32>("seed");
    for (quint32 seed = 1; seed <= 20; ++seed)
        QTest::addRow("seed %u", seed) << seed;
}

void TstAssembleVariants::order_ofLines()
{
    QFETCH(quint32, seed);
    HostAnswer answer = fullHost();
    QRandomGenerator random(seed);
    for (RawSection *section : {&answer.smi.gpus, &answer.smi.apps, &answer.meminfo, &answer.pci}) {
        QList<QByteArray> lines = section->output.trimmed().split('\n');
        std::shuffle(lines.begin(), lines.end(), random);
        section->output = lines.join('\n') + '\n';
    }
    std::shuffle(answer.processes->begin(), answer.processes->end(), random);
    const Snapshot shuffled = assembled(answer, settings());
    const Snapshot good = assembled(fullHost(), settings());
    QCOMPARE(*shuffled.gpus, *good.gpus);
    for (const Process &process : *good.processes)
        QCOMPARE(*processCalled(shuffled, process.pid.value), process);
    QCOMPARE(shuffled.system, good.system);
    QCOMPARE(shuffled.problems, good.problems);
}

void TstAssembleVariants::noise_betweenLines_data()
{
    QTest::addColumn<QByteArray>("noise");
    QTest::newRow("prose") << QByteArray("*** welcome to gpu host: 12, 34567 MiB ***");
    QTest::newRow("empty") << QByteArray();
    QTest::newRow("zeros") << QByteArray(40, '\0');
    QTest::newRow("invalid UTF-8 and escapes") << QByteArray("\377\376\033[31m, \033]0;x\007, 1, 2");
    QTest::newRow("commas") << QByteArray(200, ',');
    QTest::newRow("a hundred kilobytes") << QByteArray(100'000, 'x');
    QTest::newRow("a forged section") << QByteArray("===END gpus 0===");
}

void TstAssembleVariants::noise_betweenLines()
{
    QFETCH(QByteArray, noise);
    HostAnswer answer = fullHost();
    for (RawSection *section : {&answer.smi.gpus, &answer.smi.apps, &answer.meminfo, &answer.vmstat, &answer.pci,
                                &answer.tcp, &answer.kernelLog}) {
        QByteArray noisy = noise + '\n';
        for (const QByteArray &line : section->output.split('\n'))
            noisy += line + '\n' + noise + '\n';
        section->output = noisy;
    }
    const Snapshot snapshot = assembled(answer, settings());
    const Snapshot good = assembled(fullHost(), settings());
    checkInvariants(snapshot);
    QCOMPARE(*snapshot.gpus, *good.gpus);
    QCOMPARE(*snapshot.processes, *good.processes);
    QCOMPARE(snapshot.system, good.system);
    QCOMPARE(*snapshot.listening, *good.listening);
}

void TstAssembleVariants::bytes_flipped()
{
    QRandomGenerator random(7);
    for (int turn = 0; turn < 300; ++turn) {
        HostAnswer answer = fullHost();
        for (RawSection *section : textsOf(answer)) {
            for (int i = 0; i < 3 && !section->output.isEmpty(); ++i)
                section->output[random.bounded(int(section->output.size()))] = char(random.bounded(256));
        }
        for (RawProcess &process : *answer.processes) {
            process.stat[random.bounded(int(process.stat.size()))] = char(random.bounded(256));
            process.cgroup[random.bounded(int(process.cgroup.size()))] = char(random.bounded(256));
        }
        checkInvariants(assembled(answer, settings()));
    }
}

void TstAssembleVariants::sections_missingOneByOne()
{
    HostAnswer whole = fullHost();
    const qsizetype count = textsOf(whole).size();
    for (qsizetype i = 0; i < count; ++i) {
        HostAnswer answer = whole;
        *textsOf(answer).at(i) = brokenSection(u"lost on the way"_s);
        const Snapshot snapshot = assembled(answer, settings());
        checkInvariants(snapshot);
        const bool named = std::any_of(snapshot.problems.begin(), snapshot.problems.end(),
            [](const Problem &problem) { return problem.text.contains(u"lost on the way"_s); });
        QVERIFY2(named, qPrintable(QString::number(i)));
    }
}

void TstAssembleVariants::nothing_atAll()
{
    AssembleMemory memory;
    const Snapshot snapshot = assemble({}, {}, memory, {});
    checkInvariants(snapshot);
    QVERIFY(!snapshot.gpus);
    QVERIFY(!snapshot.processes);
    QVERIFY(!snapshot.takenAt.isValid());
}

PILOTHOUSE_TEST_MAIN(TstAssembleVariants)
#include "tst_assemblevariants.moc"
