// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/probe/answerbuilder.h"

#include "tests/support/testmain.h"

#include <algorithm>

using namespace pilothouse;
using namespace Qt::StringLiterals;

namespace {

Frame frame(const QByteArray &name, const QByteArray &output, int status = 0, double started = 100,
            double ended = 100.1)
{
    return {name, status, started, ended, output, {}, true};
}

QByteArray statOf(int pid, const QByteArray &comm, quint64 start, char state = 'S')
{
    return QByteArray::number(pid) + " (" + comm + ") " + state
           + " 1 2 3 0 -1 4 5 6 7 8 9 10 11 12 20 0 1 0 " + QByteArray::number(start) + " 1 2";
}

QByteArray recordOf(int pid, const QByteArray &comm, const QByteArray &cmdline,
                    quint64 start = 5000)
{
    const QByteArray at = QByteArray::number(pid) + '/';
    return at + "stat:" + statOf(pid, comm, start) + '\n' + at + "cgroup:0::/a.service\n" + at
           + "cmdline:" + cmdline + '\n';
}

ProbeAnswer kernelAnswer(const QByteArray &records, const QByteArray &match = "limit=0\n 1")
{
    ProbeAnswer answer;
    answer.nonce = "00112233445566778899aabbccddeeff";
    answer.complete = true;
    answer.uptimeBefore = 100;
    answer.uptimeAfter = 100.2;
    answer.bytes = 1000;
    answer.frames = {frame("match", match), frame("procs", records.toBase64()),
                     frame("host",
                           "meminfo:MemTotal: 8 kB\nvmstat:oom_kill 3\nloadavg:0.5 0.4 0.3 1/2 "
                           "3\n12/status:Uid:\t1000\t1\t1\t1\n",
                           2)};
    return answer;
}

ProbeAnswer driverAnswer(const QList<Frame> &frames)
{
    ProbeAnswer answer;
    answer.nonce = "ffeeddccbbaa99887766554433221100";
    answer.complete = true;
    answer.uptimeBefore = 99.9;
    answer.uptimeAfter = 100.5;
    answer.bytes = 500;
    answer.frames = frames;
    return answer;
}

HostFacts factsOf()
{
    HostFacts facts;
    facts.bootId = u"boot"_s;
    facts.uid = 1000;
    return facts;
}

TickAnswers tickOf(const ProbeAnswer &kernel,
                   const std::optional<ProbeAnswer> &driver = std::nullopt)
{
    TickAnswers tick;
    tick.request.tick = 3;
    tick.request.gpuFields = {u"index"_s, u"uuid"_s, u"name"_s};
    tick.kernel = kernel;
    tick.driver = driver;
    return tick;
}

/// What is read of processes and of nvidia-smi, as one text, in the order of PIDs.
QByteArray wholeOf(const HostAnswer &answer)
{
    QByteArrayList texts{answer.smi.askedFields.join(u',').toUtf8(), QByteArray::number(int(answer.smi.status)),
                         QByteArray::number(answer.smi.stuckPid.value_or(-1)), answer.processTrouble.toUtf8()};
    for (const RawProcess &process : answer.processes.value_or(QList<RawProcess>())) {
        texts += QByteArray::number(process.pid).rightJustified(9) + ' ' + process.stat + '|' + process.cmdline + '|'
                 + process.cgroup + '|' + QByteArray::number(process.uid) + (process.ruleMatch ? "r" : "")
                 + (process.unitMember ? "u" : "") + (process.readable ? "" : "h") + (process.cmdlineCut ? "c" : "");
    }
    std::sort(texts.begin() + 4, texts.end());
    return texts.join('\n');
}

/// Every tick is read once more with what the call before left in the memo, and a third time with its own.
HostAnswer build(const TickAnswers &tick, const HostFacts &facts = factsOf())
{
    QHash<qint64, QString> users;
    const HostAnswer answer = buildAnswer(facts, tick, users).value().answer;
    static AnswerMemo memo;
    for (int time = 0; time < 2; ++time) {
        const HostAnswer remembered = buildAnswer(facts, tick, users, memo).value().answer;
        if (wholeOf(remembered) != wholeOf(answer))
            qFatal("the memo changes what is read");
    }
    return answer;
}

const RawProcess *find(const HostAnswer &answer, qint64 pid)
{
    for (const RawProcess &process : *answer.processes) {
        if (process.pid == pid)
            return &process;
    }
    return nullptr;
}

} // namespace

class TstAnswerBuilder : public QObject
{
    Q_OBJECT

private slots:
    void facts_read();
    void facts_bad();
    void host_figuresAreSplit();
    void processes_whatIsListed();
    void processes_failedSections_data();
    void processes_failedSections();
    void processes_driverAddsItsOwn();
    void processes_reusedPid();
    void processes_confirmedOnly();
    void units_membersAndBadNames();
    void deep_devicesAndBlind();
    void deep_shmNeedsEverybody();
    void deep_mappersThatFailAreNotForbidden_data();
    void deep_mappersThatFailAreNotForbidden();
    void smi_states_data();
    void smi_states();
    void smi_missingParts();
    void suspects_andDescribed();
    void kernel_missing();
    void memo_newBytesAreReadAnew();
};

void TstAnswerBuilder::facts_read()
{
    ProbeAnswer ready;
    ready.frames = {frame("facts", "protocol=1\nboot=b-1\nkernel=6.1\nuid=0\nhz=250\npage_kib="
                                   "64\ncontainer=1\nhidepid=0\nenc=od\n"),
                    frame("pci", "0000:01:00.0 0x10de 0x030200\n")};
    const auto facts = readFacts(ready);
    QVERIFY(facts);
    QCOMPARE(facts->bootId, u"b-1"_s);
    QCOMPARE(facts->clockTicks, 250);
    QCOMPARE(facts->pageKib, 64);
    QCOMPARE(facts->uid, 0);
    QVERIFY(facts->container);
    QVERIFY(!facts->hidepid);
    QCOMPARE(facts->encoding, Encoding::Hex);
    QVERIFY(facts->pci.usable());
}

void TstAnswerBuilder::facts_bad()
{
    ProbeAnswer ready;
    QVERIFY(!readFacts(ready));
    ready.frames = {frame("facts", "protocol=2\nboot=b\n")};
    QVERIFY(!readFacts(ready));
    ready.frames = {frame("facts", "protocol=1\nboot=\n")};
    QCOMPARE(readFacts(ready).error().code, ErrorCode::AnswerMalformed);
    ready.frames = {frame("facts", "protocol=1\nboot=b\nhz=0\nuid=x\n")};
    QCOMPARE(readFacts(ready)->clockTicks, 1); // never divides by nought
    QCOMPARE(readFacts(ready)->uid, -1);
}

void TstAnswerBuilder::host_figuresAreSplit()
{
    const HostAnswer answer = build(tickOf(kernelAnswer({})));
    QCOMPARE(answer.meminfo.output, QByteArray("MemTotal: 8 kB\n"));
    QCOMPARE(answer.vmstat.output, QByteArray("oom_kill 3\n"));
    QCOMPARE(answer.loadavg.output, QByteArray("0.5 0.4 0.3 1/2 3\n"));
    QCOMPARE(answer.meminfo.exitStatus, 0);
    QCOMPARE(answer.tick, 3ULL);
    QVERIFY(!answer.root);
}

void TstAnswerBuilder::processes_whatIsListed()
{
    const HostAnswer answer = build(tickOf(kernelAnswer(
        recordOf(12, "VLLM::Worker", "VLLM::Worker_TP0") + recordOf(13, "vim", "vim\0vllm.txt")
        + recordOf(14, "nvidia-smi", "nvidia-smi\0-q") + "15/cmdline:VLLM::gone\n")));
    QVERIFY(answer.processes);
    QCOMPARE(answer.processes->size(), 1); // the words' other finds are none of the rules'
    QCOMPARE(find(answer, 12)->uid, 1000);
    QCOMPARE(find(answer, 12)->cgroup, QByteArray("0::/a.service"));
    QVERIFY(find(answer, 12)->ruleMatch);
    QVERIFY(!find(answer, 12)->devices); // not looked
}

void TstAnswerBuilder::processes_failedSections_data()
{
    QTest::addColumn<QByteArray>("name");
    QTest::addColumn<QByteArray>("output");
    QTest::addColumn<int>("status");
    QTest::newRow("no search") << QByteArray("match") << QByteArray("limit=0\n") << 127;
    QTest::newRow("not base64") << QByteArray("procs") << QByteArray("@@@@") << 0;
    QTest::newRow("a PID twice") << QByteArray("procs")
                                 << QByteArray(recordOf(12, "a", "VLLM::")
                                               + recordOf(13, "b", "VLLM::")
                                               + recordOf(12, "a", "VLLM::"))
                                        .toBase64()
                                 << 0;
    QTest::newRow("a line of nobody")
        << QByteArray("procs") << QByteArray("VLLM::forged\n").toBase64() << 0;
}

void TstAnswerBuilder::processes_failedSections()
{
    QFETCH(QByteArray, name);
    QFETCH(QByteArray, output);
    QFETCH(int, status);
    ProbeAnswer kernel = kernelAnswer(recordOf(12, "a", "VLLM::"));
    for (Frame &each : kernel.frames) {
        if (each.name == name)
            each = frame(name, output, status);
    }
    const HostAnswer answer = build(tickOf(kernel));
    QVERIFY(!answer.processes);
    QVERIFY(answer.processTrouble.endsWith(u'.'));
    QVERIFY(answer.meminfo.usable()); // the rest stays
}

void TstAnswerBuilder::processes_driverAddsItsOwn()
{
    const ProbeAnswer driver =
        driverAnswer({frame("gpus", "0, GPU-0, x"), frame("apps", "GPU-0, 77, 5, python3"),
                      frame("gpuprocs", recordOf(77, "python3", "python3\0train.py").toBase64()),
                      frame("gpuprocs-uids", "77/status:Uid:\t33\t33\t33\t33\n"),
                      frame("smi", "status=ok\nfields=index,uuid,name\n")});
    const HostAnswer answer = build(tickOf(kernelAnswer(recordOf(12, "a", "VLLM::")), driver));
    QCOMPARE(answer.processes->size(), 2);
    QVERIFY(find(answer, 77));
    QCOMPARE(find(answer, 77)->uid, 33);
    QVERIFY(!find(answer, 77)->ruleMatch);
    QCOMPARE(answer.bytes, 1500);
    QCOMPARE(answer.uptimeBefore, 99.9);
    QCOMPARE(answer.uptimeAfter, 100.5);
}

void TstAnswerBuilder::processes_reusedPid()
{
    // The PID was given to another process between the two channels' looks.
    const ProbeAnswer driver =
        driverAnswer({frame("gpus", "0, GPU-0, x"), frame("apps", "GPU-0, 12, 5, y"),
                      frame("gpuprocs", recordOf(12, "new", "other", 9000).toBase64()),
                      frame("smi", "status=ok\n")});
    const HostAnswer answer = build(tickOf(kernelAnswer(recordOf(12, "old", "VLLM::")), driver));
    QCOMPARE(answer.processes->size(), 1);
    QVERIFY(find(answer, 12)->stat.contains("(new)"));
}

void TstAnswerBuilder::processes_confirmedOnly()
{
    // 12: a rule knows it; 13: only described; 14: replaced meanwhile; 15: not in the kernel's
    // answer.
    const QByteArray records =
        recordOf(12, "a", "VLLM::") + recordOf(13, "b", "python3") + recordOf(14, "c", "VLLM::");
    const ProbeAnswer driver =
        driverAnswer({frame("gpus", "0, GPU-0, x"), frame("apps", "GPU-0, 12, 5, y"),
                      frame("gpuids", "12 5000 S\n13 5000 R\n14 6000 S\n15 7000 S\n"),
                      frame("smi", "status=ok\n")});
    const HostAnswer answer = build(tickOf(kernelAnswer(records), driver));
    QVERIFY(find(answer, 12));
    QVERIFY(find(answer, 13));
    QVERIFY(!find(answer, 14));
    QVERIFY(!find(answer, 15));
    QCOMPARE(answer.processes->size(), 2);
}

void TstAnswerBuilder::units_membersAndBadNames()
{
    ProbeAnswer kernel = kernelAnswer(recordOf(12, "a", "unknown-server"));
    TickAnswers tick = tickOf(kernel);
    tick.request.units = {u"bad name"_s};
    QVERIFY(!build(tick).units.asked);
    tick.request.units = {u"a.service"_s};
    QVERIFY(build(tick).units.asked);
    QVERIFY(!build(tick).units.complete); // asked, and it did not come
    QVERIFY(!build(tick).units.trouble.isEmpty());
    kernel.frames.append(frame("units", "Id=a.service\n"));
    kernel.frames.append(frame("members", " 12 99"));
    tick = tickOf(kernel);
    tick.request.units = {u"a.service"_s};
    HostAnswer answer = build(tick);
    QVERIFY(answer.units.usable());
    QVERIFY(find(answer, 12)->unitMember);
    QVERIFY(!find(answer, 99)); // gone meanwhile
    QHash<qint64, QString> users;
    HostFacts hidden = factsOf();
    hidden.hidepid = true;
    answer = build(tick, hidden);
    QVERIFY(find(answer, 99)); // there, but not to be looked at
    QVERIFY(!find(answer, 99)->readable);
}

void TstAnswerBuilder::deep_devicesAndBlind()
{
    ProbeAnswer kernel = kernelAnswer(recordOf(12, "a", "VLLM::") + recordOf(13, "b", "python3")
                                      + recordOf(14, "c", "VLLM::blind"));
    kernel.frames.append({frame("tcp", ""), frame("kernel", ""),
                          frame("fds",
                                "12/fd/3 /dev/nvidia0\n12/fd/4 /dev/nvidia0\n12/fd/5 "
                                "/dev/nvidiactl\n13/task/15/fd/3 /dev/nvidia1\n"
                                "12/fd/6 socket:[77]\n13/fd/6 socket:[77]\n12/fd/7 socket:[x]\n",
                                1),
                          frame("blind", " 1 14")});
    TickAnswers tick = tickOf(kernel);
    tick.request.depth = Depth::Deep;
    const HostAnswer answer = build(tick);
    QCOMPARE(*find(answer, 12)->devices, (QList<QByteArray>{"/dev/nvidia0", "/dev/nvidiactl"}));
    QCOMPARE(*find(answer, 13)->devices,
             (QList<QByteArray>{"/dev/nvidia1"})); // listed because it holds one
    QVERIFY(!find(answer, 14)->devices);
    QVERIFY(find(answer, 14)->descriptorsDenied);
    QVERIFY(!find(answer, 12)->descriptorsDenied);
    QVERIFY(!answer.descriptorsFailed);
    QCOMPARE(answer.socketOwners, (QHash<quint64, qint64>{{77, 12}}));
    QVERIFY(!answer.socketOwnersComplete);
    QVERIFY(answer.tcp.usable());
    QVERIFY(!answer.shm); // its section did not come
    tick.kernel->frames.removeIf([](const Frame &f) { return f.name == "fds"; });
    const HostAnswer blind = build(tick);
    QVERIFY(blind.descriptorsFailed); // nobody forbade it
    QVERIFY(!find(blind, 14)->devices);
    QVERIFY(!find(blind, 12)->descriptorsDenied);
}

void TstAnswerBuilder::deep_shmNeedsEverybody()
{
    ProbeAnswer kernel = kernelAnswer({});
    kernel.frames.append(
        {frame("fds", "12/fd/3 /dev/shm/a\n"), frame("blind", ""),
         frame("shm", "27 5 100 0 /dev/shm/a\n27 6 200 7 /dev/shm/b\n"),
         frame("maps", "13/maps:7f0-7f1 rw-s 0 00:1b 5\n12/maps:7f0-7f1 rw-s 0 00:1b 5\n")});
    TickAnswers tick = tickOf(kernel);
    tick.request.depth = Depth::Deep;
    HostAnswer answer = build(tick);
    QCOMPARE(answer.shm->size(), 2);
    QCOMPARE(*answer.shm->at(0).mappedBy, (QList<qint64>{12, 13}));
    QCOMPARE(*answer.shm->at(1).mappedBy, QList<qint64>());
    tick.kernel->frames[3].status = 1; // fds: somebody could not be looked at
    answer = build(tick);
    QVERIFY(!answer.shm->at(0).mappedBy);
    QVERIFY(!answer.shm->at(1).mappedBy);
    QCOMPARE(answer.shm->at(1).mappedByUnknown, UnknownReason::NoPermission);
    tick.kernel->frames[5].status = 1; // shm: more files than are listed
    QVERIFY(!build(tick).shm);
    tick.kernel->frames[5].status = 0;
    tick.kernel->frames[5].output += QByteArray(1'000'000, 'x'); // cut where the script cuts
    QVERIFY(!build(tick).shm);
}

void TstAnswerBuilder::deep_mappersThatFailAreNotForbidden_data()
{
    QTest::addColumn<QByteArray>("section");
    QTest::addColumn<int>("status"); // -1: it did not come, -2: it is as long as the script sends at most
    QTest::newRow("no maps") << QByteArray("maps") << -1;
    QTest::newRow("maps failed") << QByteArray("maps") << 1;
    QTest::newRow("maps cut") << QByteArray("maps") << -2;
    QTest::newRow("no descriptors") << QByteArray("fds") << -1;
}

void TstAnswerBuilder::deep_mappersThatFailAreNotForbidden()
{
    QFETCH(QByteArray, section);
    QFETCH(int, status);
    ProbeAnswer kernel = kernelAnswer({});
    kernel.frames.append({frame("fds", ""), frame("blind", ""), frame("shm", "27 5 100 0 /dev/shm/a\n"),
                          frame("maps", "13/maps:7f0-7f1 rw-s 0 00:1b 5\n")});
    const auto at = std::ranges::find(kernel.frames, section, &Frame::name);
    if (status == -1)
        kernel.frames.erase(at);
    else if (status == -2)
        at->output = at->output.repeated(100'000);
    else
        at->status = status;
    TickAnswers tick = tickOf(kernel);
    tick.request.depth = Depth::Deep;
    const HostAnswer answer = build(tick);
    QCOMPARE(answer.shm->size(), 1);
    QVERIFY(!answer.shm->first().mappedBy);
    QCOMPARE(answer.shm->first().mappedByUnknown, UnknownReason::Failed);
}

void TstAnswerBuilder::smi_states_data()
{
    QTest::addColumn<QByteArray>("smi");
    QTest::addColumn<int>("gpuStatus"); // -1: the section is not there
    QTest::addColumn<QByteArray>("rows");
    QTest::addColumn<double>("seconds");
    QTest::addColumn<GpuSource::Status>("expected");
    using Status = GpuSource::Status;
    const QByteArray ok("status=ok\nstuck=\nfields=index,uuid,name\npath=/usr/bin/nvidia-smi\n");
    QTest::newRow("well") << ok << 0 << QByteArray("0, GPU-0, x") << 0.1 << Status::Ok;
    QTest::newRow("absent") << QByteArray("status=absent\n") << -1 << QByteArray() << 0.0
                            << Status::Absent;
    QTest::newRow("hung") << QByteArray("status=hung\nstuck=42 9000\n") << -1 << QByteArray() << 0.0
                          << Status::Hung;
    QTest::newRow("ended after its limit") << ok << 143 << QByteArray() << 5.1 << Status::Timeout;
    QTest::newRow("killed after its limit") << ok << 137 << QByteArray() << 6.0 << Status::Timeout;
    QTest::newRow("killed under ksh") << ok << 265 << QByteArray() << 6.0 << Status::Timeout;
    QTest::newRow("killed by somebody else") << ok << 137 << QByteArray() << 0.2 << Status::Failed;
    QTest::newRow("no driver") << ok << 9 << QByteArray("NVIDIA-SMI has failed") << 0.1
                               << Status::Failed;
    QTest::newRow("a code that speaks for one card")
        << ok << 15 << QByteArray("0, GPU-0, x\nUnable to determine the device handle") << 0.1
        << Status::Ok;
}

void TstAnswerBuilder::smi_states()
{
    QFETCH(QByteArray, smi);
    QFETCH(int, gpuStatus);
    QFETCH(QByteArray, rows);
    QFETCH(double, seconds);
    QFETCH(GpuSource::Status, expected);
    QList<Frame> frames;
    if (gpuStatus >= 0)
        frames.append(frame("gpus", rows, gpuStatus, 100, 100 + seconds));
    if (gpuStatus == 0)
        frames.append(frame("apps", ""));
    frames.append(frame("smi", smi));
    const HostAnswer answer = build(tickOf(kernelAnswer({}), driverAnswer(frames)));
    QCOMPARE(answer.smi.status, expected);
    if (expected == GpuSource::Status::Hung) {
        QCOMPARE(answer.smi.stuckPid.value_or(0), 42);
        QCOMPARE(answer.smi.stuckSinceUptime.value_or(0), 90.0);
    }
}

void TstAnswerBuilder::smi_missingParts()
{
    ProbeAnswer driver = driverAnswer({frame("gpus", "0, GPU-0, x")}); // it ended before its apps
    driver.complete = false;
    TickAnswers tick = tickOf(kernelAnswer({}), driver);
    tick.driverTimedOut = true;
    tick.driverTrouble = u"The host did not answer within 8 s."_s;
    HostAnswer answer = build(tick);
    QCOMPARE(answer.smi.status, GpuSource::Status::Timeout);
    QVERIFY(answer.smi.gpus.usable());
    QVERIFY(answer.smi.apps.asked);
    QVERIFY(!answer.smi.apps.complete);
    QCOMPARE(answer.smi.apps.trouble, tick.driverTrouble);
    tick.driver.reset();
    tick.driverTimedOut = false;
    tick.request.driver = false;
    answer = build(tick);
    QCOMPARE(answer.smi.status, GpuSource::Status::Failed);
    QCOMPARE(answer.smi.gpus.trouble, tick.driverTrouble);
}

void TstAnswerBuilder::suspects_andDescribed()
{
    const QByteArray young =
        "14/stat:" + statOf(14, "nvidia-smi", 9950) + "\n14/cmdline:nvidia-smi\n";
    const QByteArray old =
        "15/stat:" + statOf(15, "nvidia-smi", 9000) + "\n15/cmdline:nvidia-smi\n";
    const QByteArray inD =
        "16/stat:" + statOf(16, "nvidia-smi", 9999, 'D') + "\n16/cmdline:nvidia-smi\n";
    const QByteArray watch =
        "17/stat:" + statOf(17, "watch", 10) + "\n17/cmdline:watch\0nvidia-smi\n";
    QHash<qint64, QString> users;
    const auto built = buildAnswer(
        factsOf(), tickOf(kernelAnswer(recordOf(12, "a", "VLLM::") + young + old + inD + watch)),
        users);
    QVERIFY(built);
    QList<qint64> suspects = built->suspects;
    std::ranges::sort(suspects);
    QCOMPARE(suspects, (QList<qint64>{15, 16}));
    QVERIFY(built->described.contains(12));
}

void TstAnswerBuilder::kernel_missing()
{
    TickAnswers tick;
    QHash<qint64, QString> users;
    QCOMPARE(buildAnswer(factsOf(), tick, users).error().code, ErrorCode::AnswerMalformed);
}

void TstAnswerBuilder::memo_newBytesAreReadAnew()
{
    AnswerMemo memo;
    QHash<qint64, QString> users;
    const auto titleOf = [&](const QByteArray &title, const HostFacts &facts = factsOf()) {
        const auto built = buildAnswer(facts, tickOf(kernelAnswer(recordOf(12, "a", title))), users, memo);
        const RawProcess *process = built->answer.processes ? find(built->answer, 12) : nullptr;
        return process ? process->cmdline : QByteArray("none");
    };
    QCOMPARE(titleOf("VLLM::Worker_TP0"), QByteArray("VLLM::Worker_TP0"));
    QCOMPARE(titleOf("VLLM::Worker_TP0"), QByteArray("VLLM::Worker_TP0"));
    QCOMPARE(titleOf("VLLM::Worker_TP1"), QByteArray("VLLM::Worker_TP1"));
    QCOMPARE(titleOf("python3"), QByteArray("none")); // no rule knows it any more
    QCOMPARE(titleOf("VLLM::Worker_TP1"), QByteArray("VLLM::Worker_TP1"));
    HostFacts hex = factsOf(); // another shell on the host, which writes the same bytes otherwise
    hex.encoding = Encoding::Hex;
    QCOMPARE(titleOf("VLLM::Worker_TP1", hex), QByteArray("none"));
    QCOMPARE(titleOf("VLLM::Worker_TP1"), QByteArray("VLLM::Worker_TP1"));
    // An answer that cannot be read leaves nothing behind it.
    ProbeAnswer broken = kernelAnswer(recordOf(12, "a", "VLLM::") + recordOf(12, "a", "VLLM::"));
    for (int time = 0; time < 2; ++time)
        QVERIFY(!buildAnswer(factsOf(), tickOf(broken), users, memo)->answer.processes);
}

PILOTHOUSE_TEST_MAIN(TstAnswerBuilder)
#include "tst_answerbuilder.moc"
