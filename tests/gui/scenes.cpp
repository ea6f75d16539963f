// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/gui/scenes.h"

#include "core/fleet/hostdiagnosis.h"

namespace pilothouse::test {

using namespace Qt::StringLiterals;

QDateTime sceneNow()
{
    return {QDate(2026, 3, 14), QTime(23, 4, 33), Qt::UTC};
}

HostSpec spec(const QString &name, const QString &unit)
{
    HostSpec spec;
    spec.name = name;
    spec.ssh = name;
    if (!unit.isEmpty()) {
        ServiceSpec service;
        service.name = u"kimi"_s;
        service.unit = unit;
        spec.services << service;
    }
    return spec;
}

LinkState connected()
{
    LinkState state;
    state.phase = LinkState::Phase::Connected;
    state.since = sceneNow().addSecs(-3600);
    state.peer = u"root@gpu3.example:22"_s;
    return state;
}

LinkState connecting(const QString &words)
{
    LinkState state;
    state.phase = LinkState::Phase::Connecting;
    state.words = words;
    state.since = sceneNow().addMSecs(-2400);
    return state;
}

LinkState retrying(const Error &error, int nextTryS)
{
    LinkState state;
    state.phase = LinkState::Phase::Retrying;
    state.error = error;
    state.since = sceneNow().addSecs(-754);
    state.nextTry = sceneNow().addSecs(nextTryS);
    return state;
}

LinkState stopped(const Error &error)
{
    LinkState state;
    state.phase = LinkState::Phase::Stopped;
    state.error = error;
    state.since = sceneNow().addSecs(-754);
    return state;
}

Gpu gpu(int index, qint64 usedMib, qint64 totalMib)
{
    Gpu gpu;
    gpu.index = index;
    gpu.uuid = u"GPU-5d1e0c3a-0000-4000-8000-00000000000%1"_s.arg(index, 0, 16);
    gpu.name = u"NVIDIA RTX PRO 6000 Blackwell Server Edition"_s;
    gpu.busId = u"0000:%1:00.0"_s.arg(index + 1, 2, 16, QChar(u'0'));
    gpu.memoryTotalMib = totalMib;
    gpu.memoryUsedMib = usedMib;
    gpu.memoryFreeMib = totalMib - usedMib - 638;
    gpu.memoryReservedMib = 638;
    gpu.attributedMib = usedMib > 4 ? usedMib - 4 : 0;
    gpu.unattributedMib = usedMib > 4 ? 4 : usedMib;
    gpu.utilizationPct = 0.0;
    gpu.temperatureC = 41.0 + index % 3;
    gpu.powerW = 88.1;
    gpu.persistence = true;
    gpu.mig = false;
    gpu.recoveryAction = u"none"_s;
    return gpu;
}

Process worker(int index, qint64 pid, qint64 mib)
{
    Process process;
    process.pid = Pid{pid};
    process.startTicks = static_cast<quint64>(123456 + pid);
    process.ppid = qint64{1};
    process.pgid = qint64{84};
    process.sid = qint64{84};
    process.uid = qint64{0};
    process.user = u"root"_s;
    process.state = u'S';
    process.threads = 77;
    process.comm = u"VLLM::Worker_TP"_s;
    process.command = u"VLLM::Worker_TP%1"_s.arg(index);
    process.arguments = QStringList{process.command};
    process.elapsedS = 7830.0;
    process.rssKib = qint64{6'812'345};
    process.cpuS = 5421.5;
    process.cgroup = u"/user.slice/user-0.slice/session-361.scope"_s;
    process.owner = {Owner::Kind::Session, u"session-361.scope"_s};
    process.gpuMemory = {{index, gpu(index, 0).uuid, mib}};
    return process;
}

Snapshot bareSnapshot(const QString &host, qint64 ageMs)
{
    Snapshot snapshot;
    snapshot.host = host;
    snapshot.target = u"root@%1.example:22"_s.arg(host);
    snapshot.bootId = u"5e8f0f1c-7a5e-4d0a-9c5c-0123456789ab"_s;
    snapshot.kernel = u"6.8.0-71-generic"_s;
    snapshot.uptimeS = 41.3 * 86400;
    snapshot.takenAt = sceneNow().addMSecs(-ageMs);
    snapshot.durationMs = 61;
    snapshot.skewMs = 10;
    snapshot.roundTripMs = 63;
    snapshot.bytes = 11264;
    snapshot.gpuSource.status = GpuSource::Status::Ok;
    snapshot.gpuSource.driverVersion = u"590.48.01"_s;
    snapshot.gpuSource.durationMs = 55.0;
    snapshot.gpuSource.exitCode = 0;
    snapshot.gpus = QList<Gpu>();
    snapshot.processes = QList<Process>();
    snapshot.units = QList<Unit>();
    snapshot.system.root = true;
    return snapshot;
}

Snapshot freeHost(const QString &host, qint64 ageMs)
{
    Snapshot snapshot = bareSnapshot(host, ageMs);
    for (int i = 0; i < 8; ++i)
        snapshot.gpus->append(gpu(i, 4));
    return snapshot;
}

Snapshot servingHost(const QString &host, qint64 ageMs, int gpus)
{
    Snapshot snapshot = bareSnapshot(host, ageMs);
    for (int i = 0; i < gpus; ++i) {
        Gpu card = gpu(i, 90000 + 400 * (i % 4));
        card.utilizationPct = 60.0 + 3 * i;
        card.temperatureC = 63.0 + i % 4;
        snapshot.gpus->append(card);
        Process process = worker(i, 4242 + i, 89996 + 400 * (i % 4));
        process.owner = {Owner::Kind::Unit, u"vllm-kimi-k25.service"_s};
        process.state = u'R';
        snapshot.processes->append(process);
    }
    Unit unit;
    unit.name = u"vllm-kimi-k25.service"_s;
    unit.load = u"loaded"_s;
    unit.active = u"active"_s;
    unit.sub = u"running"_s;
    unit.result = u"success"_s;
    unit.hostSince = sceneNow().addSecs(-7900);
    snapshot.units->append(unit);
    return snapshot;
}

Snapshot leftoverHost(const QString &host, qint64 ageMs)
{
    Snapshot snapshot = bareSnapshot(host, ageMs);
    for (int i = 0; i < 8; ++i) {
        snapshot.gpus->append(gpu(i, 96619));
        snapshot.processes->append(worker(i, 88 + i, 96615));
    }
    Process tracker = worker(0, 86, 0);
    tracker.comm = u"python3"_s;
    tracker.command = u"python3 -c from multiprocessing.resource_tracker import main;main(35)"_s;
    tracker.arguments = {u"/usr/bin/python3"_s, u"-c"_s,
                         u"from multiprocessing.resource_tracker import main;main(35)"_s};
    tracker.gpuMemory.clear();
    tracker.rssKib = qint64{14'336};
    snapshot.processes->append(tracker);
    Unit unit;
    unit.name = u"vllm-kimi-k25.service"_s;
    unit.load = u"loaded"_s;
    unit.active = u"failed"_s;
    unit.sub = u"failed"_s;
    unit.result = u"exit-code"_s;
    unit.hostSince = sceneNow().addSecs(-720);
    snapshot.units->append(unit);
    return snapshot;
}

Snapshot hungHost(const QString &host, qint64 ageMs)
{
    Snapshot snapshot = leftoverHost(host, ageMs);
    snapshot.gpus.reset();
    snapshot.unknown.insert(u"gpus"_s, UnknownReason::Failed);
    snapshot.gpuSource.status = GpuSource::Status::Hung;
    snapshot.gpuSource.since = sceneNow().addSecs(-41);
    snapshot.gpuSource.stuckPid = qint64{31337};
    for (Process &process : *snapshot.processes)
        process.gpuMemory.clear();
    snapshot.problems << Problem{u"gpu.tool_hung"_s, Problem::Severity::Warning, std::nullopt,
                                 u"nvidia-smi hangs since 41 s (PID 31337, state D)."_s,
                                 u"No other is started while it is there. Look at the kernel log for Xid errors."_s};
    return snapshot;
}

Snapshot unifiedHost(const QString &host, qint64 ageMs)
{
    Snapshot snapshot = bareSnapshot(host, ageMs);
    const auto notSupported = Quantity<qint64>::unknown(UnknownReason::NotSupported, u"[N/A]"_s);
    Gpu card = gpu(0, 0);
    card.name = u"NVIDIA GB10"_s;
    card.unifiedMemory = true;
    card.memoryTotalMib = card.memoryUsedMib = card.memoryFreeMib = card.memoryReservedMib = notSupported;
    card.attributedMib = qint64{52'100};
    card.unattributedMib = notSupported;
    card.utilizationPct = 31.0;
    snapshot.gpus->append(card);
    snapshot.processes->append(worker(0, 812, 52100));
    return snapshot;
}

Snapshot migHost(const QString &host, qint64 ageMs)
{
    Snapshot snapshot = bareSnapshot(host, ageMs);
    for (int i = 0; i < 2; ++i) {
        Gpu card = gpu(i, i == 0 ? 41'215 : 5, 81'559);
        card.name = u"NVIDIA H100 80GB HBM3"_s;
        card.mig = true;
        card.utilizationPct = Quantity<double>::unknown(UnknownReason::NotSupported, u"[N/A]"_s);
        for (int slice = 0; slice < 3; ++slice) {
            MigDevice device;
            device.index = slice;
            device.gpuInstance = slice + 1;
            device.computeInstance = 0;
            device.uuid = u"MIG-41b3359c-0000-5000-8000-0000000000%1%2"_s.arg(i).arg(slice);
            device.memoryTotalMib = qint64{20'096};
            device.memoryUsedMib = i == 0 ? qint64{19'300 - slice * 5000} : qint64{1};
            card.migDevices << device;
        }
        snapshot.gpus->append(card);
    }
    return snapshot;
}

Snapshot hostileHost(const QString &host, qint64 ageMs)
{
    Snapshot snapshot = bareSnapshot(host, ageMs);
    Gpu card = gpu(0, 1234);
    card.name = u"<b>NVIDIA</b> <img src='http://evil.example/x.png'>"_s;
    snapshot.gpus->append(card);
    Process image = worker(0, 666, 1230);
    image.comm = u"<img>"_s;
    image.command = u"<img src=\"file:///etc/passwd\"> &lt; %1 %2 %n && rm -rf"_s;
    image.arguments = QStringList{u"<img"_s, u"src=\"file:///etc/passwd\">"_s};
    image.user = u"<u>mallory</u>"_s;
    image.owner = {Owner::Kind::Container, u"<a href='x'>docker</a>"_s};
    Process pictures = worker(0, 667, 4);
    pictures.comm = u"␊==> /proc/999␊"_s;
    pictures.command = u"\uFFFDevil\uFFFD "_s + QString(400, u'W');
    pictures.arguments = QStringList{pictures.command};
    snapshot.processes->append(image);
    snapshot.processes->append(pictures);
    snapshot.problems << Problem{u"probe.odd"_s, Problem::Severity::Notice, std::nullopt,
                                 u"The host says <script>alert(1)</script> &amp; more."_s, {}};
    return snapshot;
}

Snapshot crowdedHost(const QString &host, qint64 ageMs)
{
    Snapshot snapshot = servingHost(host, ageMs);
    for (int i = 0; i < 292; ++i) {
        Process process = worker(i, 10'000 + i * 13, 100 + i);
        process.command = u"/usr/bin/python3 /srv/jobs/evaluate.py --shard %1 --of 292"_s.arg(i);
        process.comm = u"python3"_s;
        process.arguments = process.command.split(u' ');
        process.gpuMemory.first().gpu = i % 8;
        process.elapsedS = 40.0 * i;
        process.user = i % 3 == 0 ? u"ana"_s : u"inference"_s;
        process.owner = {Owner::Kind::Session, u"session-%1.scope"_s.arg(i % 7)};
        snapshot.processes->append(process);
    }
    return snapshot;
}

Snapshot faultHost(const QString &host, qint64 ageMs)
{
    Snapshot snapshot = servingHost(host, ageMs);
    Gpu &card = (*snapshot.gpus)[3];
    const auto failed = Quantity<qint64>::unknown(UnknownReason::Failed, u"[GPU requires reset]"_s);
    card.fault = u"GPU requires reset"_s;
    card.memoryTotalMib = card.memoryUsedMib = card.memoryFreeMib = failed;
    card.utilizationPct = Quantity<double>::unknown(UnknownReason::Failed, u"[GPU requires reset]"_s);
    card.temperatureC = card.utilizationPct;
    snapshot.gpus->removeLast();
    snapshot.problems
        << Problem{u"gpu.reset_required"_s, Problem::Severity::Critical, 3,
                   u"GPU 3 at 00000000:04:00.0 reports a fault: GPU requires reset."_s,
                   u"End what uses it, then reset it with nvidia-smi --gpu-reset -i 3 or reboot the host."_s}
        << Problem{u"gpu.missing"_s, Problem::Severity::Warning, std::nullopt,
                   u"The GPU at 00000000:08:00.0 is missing: the PCI bus has it, nvidia-smi does not list it."_s,
                   u"Look at the kernel log for Xid 79; a reboot usually brings it back."_s};
    return snapshot;
}

SnapshotPtr shared(Snapshot snapshot)
{
    return std::make_shared<const Snapshot>(std::move(snapshot));
}

FindingsPtr findingsOf(Snapshot snapshot)
{
    snapshot.depth = Depth::Deep;
    QList<Process> processes = snapshot.processes.value_or(QList<Process>());
    for (Process &process : processes) {
        process.deep.peers = QStringList();
        process.deep.parentName = u"systemd"_s;
        process.devices = QStringList();
        for (const ProcessGpuMemory &memory : process.gpuMemory)
            *process.devices << u"/dev/nvidia%1"_s.arg(memory.gpu);
    }
    if (snapshot.processes)
        snapshot.processes = processes;
    snapshot.listening = QList<ListeningPort>();
    snapshot.shm = QList<ShmFile>();
    auto findings = std::make_shared<Findings>();
    findings->snapshot = shared(std::move(snapshot));
    findings->diagnosis = diagnose(spec(findings->snapshot->host, u"vllm-kimi-k25.service"_s), *findings->snapshot, {});
    if (auto plan = makePlan(*findings->snapshot, findings->diagnosis, {}))
        findings->plan = *std::move(plan);
    return findings;
}

} // namespace pilothouse::test
