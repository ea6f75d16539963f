// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// The JSON against the outside contract: names, units, null with a reason, lists that are null or empty.
#include "core/host/snapshotjson.h"
#include "tests/support/testmain.h"

#include <QJsonArray>
#include <QJsonDocument>

using namespace pilothouse;
using namespace Qt::StringLiterals;

namespace {

Snapshot fullSnapshot()
{
    Snapshot s;
    s.host = u"gpu1"_s;
    s.target = u"root@10.0.0.5:22"_s;
    s.bootId = u"5f2c1a6e"_s;
    s.kernel = u"6.1.0"_s;
    s.uptimeS = 123.45;
    s.takenAt = QDateTime(QDate(2026, 12, 1), QTime(12, 0, 0, 7), Qt::UTC);
    s.durationMs = 61.23;
    s.skewMs = 10;
    s.roundTripMs = 62.04;
    s.bytes = 5120;
    s.gpuSource.status = GpuSource::Status::Ok;
    s.gpuSource.exitCode = 0;
    s.gpuSource.driverVersion = u"590.48.01"_s;
    s.gpuSource.durationMs = 55.0;
    Gpu gpu;
    gpu.index = 0;
    gpu.uuid = u"GPU-1"_s;
    gpu.name = u"H100"_s;
    gpu.busId = u"0000:01:00.0"_s;
    gpu.memoryTotalMib = 97'887;
    gpu.memoryUsedMib = 96'619;
    gpu.memoryFreeMib = 630;
    gpu.memoryReservedMib = 638;
    gpu.attributedMib = 96'615;
    gpu.unattributedMib = 4;
    gpu.utilizationPct = 0;
    gpu.temperatureC = 41;
    gpu.powerW = 88.1;
    gpu.persistence = true;
    gpu.mig = false;
    gpu.recoveryAction = u"none"_s;
    s.gpus = QList<Gpu>{gpu};
    Process process;
    process.pid = Pid{4242};
    process.startTicks = 123'456;
    process.ppid = process.pgid = process.sid = 1;
    process.uid = 0;
    process.user = u"root"_s;
    process.state = u'S';
    process.threads = 77;
    process.comm = u"VLLM::Worker_TP"_s;
    process.command = u"VLLM::Worker_TP0"_s;
    process.elapsedS = 3600;
    process.rssKib = 1;
    process.cpuS = 1.5;
    process.cgroup = u"/user.slice/x"_s;
    process.owner = {Owner::Kind::UserUnit, u"x.service"_s};
    process.gpuMemory = {{0, u"GPU-1"_s, 96'615}};
    process.devices = QStringList{u"/dev/nvidia0"_s};
    s.processes = QList<Process>{process};
    Unit unit;
    unit.name = u"vllm.service"_s;
    unit.load = u"loaded"_s;
    unit.active = u"active"_s;
    unit.sub = u"running"_s;
    unit.result = u"success"_s;
    unit.mainPid = 1;
    unit.controlGroup = u"/system.slice/vllm.service"_s;
    unit.restarts = 0;
    unit.type = u"simple"_s;
    unit.killMode = u"control-group"_s;
    unit.hostSince = s.takenAt.addSecs(-60);
    s.units = QList<Unit>{unit};
    s.listening = QList<ListeningPort>{{u"127.0.0.1"_s, 8000, 84}};
    s.shm = QList<ShmFile>{{u"/dev/shm/psm_1a2b"_s, 4, 0, 26, 7, QList<qint64>{4242}}};
    s.system.memoryAvailableKib = 1;
    s.system.memoryTotalKib = 2;
    s.system.load1 = 0.5;
    s.system.oomKills = 0;
    s.system.pciGpus = 8;
    s.problems = {{u"gpu.reset_required"_s, Problem::Severity::Critical, 3, u"t"_s, u"a"_s}};
    return s;
}

/// Is every field of `wanted` in `found`, with the same value?
void compareParts(const QJsonObject &found, const QJsonObject &wanted)
{
    for (auto it = wanted.begin(); it != wanted.end(); ++it) {
        QVERIFY2(found.contains(it.key()), qPrintable(it.key()));
        QVERIFY2(found.value(it.key()) == it.value(),
            qPrintable(it.key() + u": "_s + QString::fromUtf8(QJsonDocument(found).toJson(QJsonDocument::Compact))));
    }
}

QJsonObject parsed(const char *text)
{
    QJsonParseError error{};
    const QJsonObject object = QJsonDocument::fromJson(text, &error).object();
    if (error.error != QJsonParseError::NoError)
        qFatal("%s", qPrintable(error.errorString()));
    return object;
}

QJsonObject first(const QJsonObject &object, const char *list)
{
    return object.value(QLatin1String(list)).toArray().first().toObject();
}

} // namespace

class TstSnapshotJson final : public QObject
{
    Q_OBJECT
private slots:
    void document_asInTheContract();
    void document_roundTripsThroughText();
    void empty_everythingIsNullWithReason();
    void deepFields_ofALightSnapshotAreNullWithoutReason();
    void devices_notToldHaveTheirReason();
    void deepFacts_onlyOfADeepLook();
    void unknown_isNullNeverZero();
    void lists_nullOrEmpty();
    void reason_ofEveryKind_data();
    void reason_ofEveryKind();
    void source_everyStatus_data();
    void source_everyStatus();
    void source_since();
    void gpu_fault();
    void gpu_withoutIndex();
    void gpuMemoryOfProcesses_isUnknownWithoutTheDriver();
    void mig_devices();
    void process_notFound();
    void process_rowsUnreadable();
    void owner_everyKind_data();
    void owner_everyKind();
    void port_withoutOwner();
    void shm_withoutMappers();
    void problem_severitiesAndGpu();
    void numbers_areFinite();
};

void TstSnapshotJson::document_asInTheContract()
{
    const QJsonObject json = toJson(fullSnapshot());
    compareParts(json, parsed(R"({ "schema": 1, "host": "gpu1", "target": "root@10.0.0.5:22", "boot_id": "5f2c1a6e",
        "kernel": "6.1.0", "uptime_s": 123.45, "taken_at": "2026-12-01T12:00:00.007Z", "duration_ms": 61.2,
        "skew_ms": 10, "round_trip_ms": 62.0, "bytes": 5120 })"));
    QVERIFY(!json.contains(u"unknown"_s));
    compareParts(json.value(u"gpu_source"_s).toObject(),
                 parsed(R"({ "tool": "nvidia-smi", "status": "ok", "since": null,
        "exit_code": 0, "message": "", "driver_version": "590.48.01", "duration_ms": 55.0 })"));
    compareParts(first(json, "gpus"), parsed(R"({ "index": 0, "uuid": "GPU-1", "name": "H100", "bus_id": "0000:01:00.0",
        "memory_total_mib": 97887, "memory_used_mib": 96619, "memory_free_mib": 630, "memory_reserved_mib": 638,
        "attributed_mib": 96615, "unattributed_mib": 4, "utilization_pct": 0, "temperature_c": 41, "power_w": 88.1,
        "persistence": true, "mig": false, "mig_devices": [], "recovery_action": "none", "fault": null,
        "unknown": {} })"));
    compareParts(first(json, "processes"),
                 parsed(R"({ "pid": 4242, "start_ticks": 123456, "ppid": 1, "pgid": 1, "sid": 1,
        "uid": 0, "user": "root", "state": "S", "threads": 77, "comm": "VLLM::Worker_TP", "command": "VLLM::Worker_TP0",
        "elapsed_s": 3600, "rss_kib": 1, "cpu_s": 1.5, "cgroup": "/user.slice/x",
        "owner": { "kind": "user_unit", "name": "x.service" },
        "gpu_memory": [ { "gpu": 0, "mib": 96615, "uuid": "GPU-1" } ], "devices": [ "/dev/nvidia0" ] })"));
    compareParts(first(json, "units"), parsed(R"({ "name": "vllm.service", "load": "loaded", "active": "active",
        "sub": "running", "result": "success", "main_pid": 1, "control_group": "/system.slice/vllm.service",
        "restarts": 0, "host_since": "2026-12-01T11:59:00.007Z", "type": "simple", "kill_mode": "control-group" })"));
    compareParts(first(json, "listening"), parsed(R"({ "address": "127.0.0.1", "port": 8000, "pid": 84 })"));
    compareParts(first(json, "shm"),
                 parsed(R"({ "path": "/dev/shm/psm_1a2b", "kib": 4, "uid": 0, "mapped_by": [ 4242 ] })"));
    compareParts(json.value(u"system"_s).toObject(), parsed(R"({ "memory_available_kib": 1, "memory_total_kib": 2,
        "load1": 0.5, "oom_kills": 0, "pci_gpus": 8 })"));
    compareParts(first(json, "problems"), parsed(R"({ "code": "gpu.reset_required", "severity": "critical", "gpu": 3,
        "text": "t", "advice": "a" })"));
}

void TstSnapshotJson::document_roundTripsThroughText()
{
    const QJsonObject json = toJson(fullSnapshot());
    const QByteArray text = QJsonDocument(json).toJson(QJsonDocument::Compact);
    QVERIFY(!text.contains('\n')); // one line a document with --watch
    QCOMPARE(QJsonDocument::fromJson(text).object(), json);
}

void TstSnapshotJson::empty_everythingIsNullWithReason()
{
    const QJsonObject json = toJson(Snapshot{});
    QCOMPARE(json.value(u"schema"_s), 1);
    for (const char *key : {"uptime_s", "skew_ms", "gpus", "processes", "units"}) {
        QVERIFY2(json.value(QLatin1String(key)).isNull(), key);
        QVERIFY2(json.value(u"unknown"_s).toObject().contains(QLatin1String(key)), key);
    }
    QVERIFY(json.value(u"taken_at"_s).isNull());
    QVERIFY(json.value(u"boot_id"_s).isNull());
    QVERIFY(json.value(u"problems"_s).toArray().isEmpty());
    QVERIFY(json.value(u"problems"_s).isArray());
}

void TstSnapshotJson::deepFields_ofALightSnapshotAreNullWithoutReason()
{
    Snapshot s = fullSnapshot();
    s.depth = Depth::Light;
    s.listening.reset();
    s.shm.reset();
    (*s.processes)[0].devices.reset();
    (*s.gpus)[0].mig = true;
    const QJsonObject light = toJson(s);
    QVERIFY(light.value(u"listening"_s).isNull());
    QVERIFY(light.value(u"shm"_s).isNull());
    QVERIFY(!light.contains(u"unknown"_s)); // not asked for: nothing is said of the host
    QVERIFY(first(light, "processes").value(u"devices"_s).isNull());
    QVERIFY(!first(light, "processes").contains(u"unknown"_s));
    // The outside contract names those three alone: any other null has its reason.
    QVERIFY(first(light, "gpus").value(u"mig_devices"_s).isNull());
    QCOMPARE(first(light, "gpus").value(u"unknown"_s).toObject(), (QJsonObject{{u"mig_devices"_s, u"absent"_s}}));
    s.depth = Depth::Deep;
    const QJsonObject deep = toJson(s);
    QCOMPARE(deep.value(u"unknown"_s).toObject(),
             (QJsonObject{{u"listening"_s, u"failed"_s}, {u"shm"_s, u"failed"_s}}));
    QCOMPARE(first(deep, "gpus").value(u"unknown"_s).toObject(), (QJsonObject{{u"mig_devices"_s, u"failed"_s}}));
}

void TstSnapshotJson::deepFacts_onlyOfADeepLook()
{
    Snapshot s = fullSnapshot();
    Process &process = (*s.processes)[0];
    QVERIFY(first(toJson(s), "processes").value(u"peers"_s).isNull());
    QVERIFY(first(toJson(s), "processes").contains(u"peers"_s));
    process.deep = {QList<quint64>{77}, u"bash"_s, QStringList{u"10.0.0.9:5001"_s}, false, u"do_wait"_s, 8};
    s.system.sessions =
        QList<LoginSession>{{u"session-3.scope"_s, u"alice"_s, 12.0}, {u"session-4.scope"_s, u"bob"_s, {}}};
    const QJsonObject json = toJson(s);
    compareParts(first(json, "processes"), parsed(R"({ "tracker_pipes": [ 77 ], "parent_name": "bash",
        "peers": [ "10.0.0.9:5001" ], "kill_pending": false, "waits_in": "do_wait", "locked_kib": 8 })"));
    const QJsonArray sessions = json.value(u"system"_s).toObject().value(u"sessions"_s).toArray();
    QCOMPARE(sessions.first().toObject(), parsed(R"({ "name": "session-3.scope", "user": "alice", "idle_s": 12 })"));
    QVERIFY(sessions.last().toObject().value(u"idle_s"_s).isNull());
    process.devices.reset();
    QVERIFY(!first(toJson(s), "processes").contains(u"peers"_s));
}

void TstSnapshotJson::devices_notToldHaveTheirReason()
{
    Snapshot s = fullSnapshot();
    Process &process = (*s.processes)[0];
    process.devices.reset();
    for (const UnknownReason why : {UnknownReason::NoPermission, UnknownReason::Failed, UnknownReason::Absent}) {
        process.devicesUnknown = why;
        const QJsonObject json = first(toJson(s), "processes");
        QVERIFY(json.value(u"devices"_s).isNull());
        QCOMPARE(json.value(u"unknown"_s).toObject(), (QJsonObject{{u"devices"_s, nameOf(why)}}));
    }
    process.devices = QStringList();
    QVERIFY(first(toJson(s), "processes").value(u"devices"_s).isArray());
}

void TstSnapshotJson::unknown_isNullNeverZero()
{
    Snapshot s = fullSnapshot();
    s.gpus = QList<Gpu>{Gpu{}};
    const QJsonObject gpu = first(toJson(s), "gpus");
    for (const char *key :
         {"memory_total_mib", "memory_used_mib", "memory_free_mib", "memory_reserved_mib", "attributed_mib",
          "unattributed_mib", "utilization_pct", "temperature_c", "power_w", "persistence", "mig", "recovery_action"}) {
        QVERIFY2(gpu.contains(QLatin1String(key)) && gpu.value(QLatin1String(key)).isNull(), key);
        QCOMPARE(gpu.value(u"unknown"_s).toObject().value(QLatin1String(key)).toString(), u"absent"_s);
    }
}

void TstSnapshotJson::lists_nullOrEmpty()
{
    Snapshot s = fullSnapshot();
    s.depth = Depth::Deep;
    s.gpus.reset();
    s.listening.reset();
    s.processes = QList<Process>();
    s.unknown = {{u"gpus"_s, UnknownReason::Failed}, {u"listening"_s, UnknownReason::Absent}};
    const QJsonObject json = toJson(s);
    QVERIFY(json.value(u"gpus"_s).isNull());
    QVERIFY(json.value(u"processes"_s).isArray());
    QCOMPARE(json.value(u"unknown"_s).toObject(),
             (QJsonObject{{u"gpus"_s, u"failed"_s}, {u"listening"_s, u"absent"_s}}));
}

void TstSnapshotJson::reason_ofEveryKind_data()
{
    QTest::addColumn<UnknownReason>("reason");
    QTest::addColumn<QString>("name");
    QTest::newRow("not supported") << UnknownReason::NotSupported << u"not_supported"_s;
    QTest::newRow("no permission") << UnknownReason::NoPermission << u"no_permission"_s;
    QTest::newRow("failed") << UnknownReason::Failed << u"failed"_s;
    QTest::newRow("absent") << UnknownReason::Absent << u"absent"_s;
    QTest::newRow("unparsable") << UnknownReason::Unparsable << u"unparsable"_s;
}

void TstSnapshotJson::reason_ofEveryKind()
{
    QFETCH(UnknownReason, reason);
    Snapshot s = fullSnapshot();
    (*s.gpus)[0].memoryUsedMib = Quantity<qint64>::unknown(reason, u"[word]"_s);
    s.system.load1 = Quantity<double>::unknown(reason);
    const QJsonObject json = toJson(s);
    QTEST(first(json, "gpus").value(u"unknown"_s).toObject().value(u"memory_used_mib"_s).toString(), "name");
    QTEST(json.value(u"system"_s).toObject().value(u"unknown"_s).toObject().value(u"load1"_s).toString(), "name");
}

void TstSnapshotJson::source_everyStatus_data()
{
    QTest::addColumn<GpuSource::Status>("status");
    using Status = GpuSource::Status;
    QTest::newRow("ok") << Status::Ok;
    QTest::newRow("absent") << Status::Absent;
    QTest::newRow("failed") << Status::Failed;
    QTest::newRow("timeout") << Status::Timeout;
    QTest::newRow("hung") << Status::Hung;
}

void TstSnapshotJson::source_everyStatus()
{
    QFETCH(GpuSource::Status, status);
    Snapshot s = fullSnapshot();
    s.gpuSource.status = status;
    QCOMPARE(toJson(s).value(u"gpu_source"_s).toObject().value(u"status"_s).toString(),
             QLatin1String(QTest::currentDataTag()));
}

void TstSnapshotJson::source_since()
{
    Snapshot s = fullSnapshot();
    s.gpuSource.since = QDateTime(QDate(2026, 12, 1), QTime(13, 0), Qt::OffsetFromUTC, 3600);
    s.gpuSource.exitCode = Quantity<int>::unknown(UnknownReason::Failed);
    s.gpuSource.stuckPid = 991;
    const QJsonObject source = toJson(s).value(u"gpu_source"_s).toObject();
    QCOMPARE(source.value(u"since"_s).toString(), u"2026-12-01T12:00:00.000Z"_s);
    QVERIFY(source.value(u"exit_code"_s).isNull());
    QCOMPARE(source.value(u"stuck_pid"_s).toInt(), 991);
}

void TstSnapshotJson::gpu_fault()
{
    Snapshot s = fullSnapshot();
    (*s.gpus)[0].fault = u"GPU is lost"_s;
    QCOMPARE(first(toJson(s), "gpus").value(u"fault"_s).toString(), u"GPU is lost"_s);
}

void TstSnapshotJson::gpu_withoutIndex()
{
    Snapshot s = fullSnapshot();
    (*s.gpus)[0].index = -1;
    (*s.gpus)[0].uuid.clear();
    const QJsonObject gpu = first(toJson(s), "gpus");
    QVERIFY(gpu.value(u"index"_s).isNull());
    QVERIFY(gpu.value(u"uuid"_s).isNull());
    QCOMPARE(gpu.value(u"unknown"_s).toObject(), (QJsonObject{{u"index"_s, u"failed"_s}, {u"uuid"_s, u"failed"_s}}));
}

void TstSnapshotJson::gpuMemoryOfProcesses_isUnknownWithoutTheDriver()
{
    Snapshot s = fullSnapshot();
    (*s.processes)[0].gpuMemory.clear();
    QVERIFY(first(toJson(s), "processes").value(u"gpu_memory"_s).isArray()); // the driver said none
    s.gpus.reset();
    s.unknown = {{u"gpus"_s, UnknownReason::Failed}};
    const QJsonObject process = first(toJson(s), "processes");
    QVERIFY(process.value(u"gpu_memory"_s).isNull());
    QCOMPARE(process.value(u"unknown"_s).toObject().value(u"gpu_memory"_s).toString(), u"failed"_s);
}

void TstSnapshotJson::mig_devices()
{
    Snapshot s = fullSnapshot();
    Gpu &gpu = (*s.gpus)[0];
    gpu.mig = Quantity<bool>::unknown(UnknownReason::Failed);
    QVERIFY(first(toJson(s), "gpus").value(u"mig_devices"_s).isNull()); // neither on nor off is known
    gpu.mig = true;
    QVERIFY(first(toJson(s), "gpus").value(u"mig_devices"_s).isNull()); // not looked at is not "none"
    s.depth = Depth::Deep;
    gpu.migDevices = {{0, 2, 0, u"MIG-1"_s, 40'448, 11'091, 29'357}, {1, {}, {}, {}, {}, {}, {}}};
    const QJsonArray devices = first(toJson(s), "gpus").value(u"mig_devices"_s).toArray();
    QCOMPARE(devices.size(), 2);
    compareParts(devices.at(0).toObject(),
                 parsed(R"({ "index": 0, "gpu_instance": 2, "compute_instance": 0, "uuid": "MIG-1",
        "memory_total_mib": 40448, "memory_used_mib": 11091, "memory_free_mib": 29357 })"));
    const auto unknownOf = [](const QJsonValue &device) { return device.toObject().value(u"unknown"_s).toObject(); };
    QVERIFY(devices.at(1).toObject().value(u"memory_used_mib"_s).isNull());
    QVERIFY(unknownOf(devices.at(1)).contains(u"memory_used_mib"_s));
    s.depth = Depth::Light; // asked by an earlier, deep one: its figures are not live, and not "absent" either
    const QJsonArray before = first(toJson(s), "gpus").value(u"mig_devices"_s).toArray();
    QVERIFY(before.at(1).toObject().value(u"memory_used_mib"_s).isNull());
    QVERIFY(!unknownOf(before.at(1)).contains(u"memory_used_mib"_s));
}

void TstSnapshotJson::process_notFound()
{
    Snapshot s = fullSnapshot();
    Process ghost;
    ghost.pid = Pid{31'337};
    ghost.driverName = u"python3"_s;
    ghost.gpuMemory = {{-1, u"GPU-x"_s, Quantity<qint64>::unknown(UnknownReason::NotSupported)}};
    s.processes = QList<Process>{ghost};
    const QJsonObject process = first(toJson(s), "processes");
    compareParts(process, parsed(R"({ "pid": 31337, "state": null, "start_ticks": null, "user": null, "cgroup": null,
        "driver_name": "python3", "devices": null, "owner": { "kind": "unknown", "name": "" } })"));
    const QJsonObject memory = first(process, "gpu_memory");
    QVERIFY(memory.value(u"gpu"_s).isNull());
    QVERIFY(memory.value(u"mib"_s).isNull());
    QCOMPARE(memory.value(u"uuid"_s).toString(), u"GPU-x"_s);
    QCOMPARE(memory.value(u"unknown"_s).toObject().value(u"mib"_s).toString(), u"not_supported"_s);
}

void TstSnapshotJson::process_rowsUnreadable()
{
    Snapshot s = fullSnapshot();
    (*s.processes)[0].rowsUnreadable = true;
    const QJsonObject process = first(toJson(s), "processes");
    QVERIFY(process.value(u"pid"_s).isNull()); // there is no PID 0 to act upon
    QCOMPARE(process.value(u"unknown"_s).toObject().value(u"pid"_s).toString(), u"no_permission"_s);
}

void TstSnapshotJson::owner_everyKind_data()
{
    QTest::addColumn<Owner::Kind>("kind");
    using Kind = Owner::Kind;
    QTest::newRow("unit") << Kind::Unit;
    QTest::newRow("user_unit") << Kind::UserUnit;
    QTest::newRow("session") << Kind::Session;
    QTest::newRow("container") << Kind::Container;
    QTest::newRow("pod") << Kind::Pod;
    QTest::newRow("slurm") << Kind::Slurm;
    QTest::newRow("kernel") << Kind::Kernel;
    QTest::newRow("unknown") << Kind::Unknown;
}

void TstSnapshotJson::owner_everyKind()
{
    QFETCH(Owner::Kind, kind);
    Snapshot s = fullSnapshot();
    (*s.processes)[0].owner.kind = kind;
    QCOMPARE(first(toJson(s), "processes").value(u"owner"_s).toObject().value(u"kind"_s).toString(),
             QLatin1String(QTest::currentDataTag()));
}

void TstSnapshotJson::port_withoutOwner()
{
    Snapshot s = fullSnapshot();
    (*s.listening)[0].pid = Quantity<qint64>::unknown(UnknownReason::NoPermission);
    const QJsonObject port = first(toJson(s), "listening");
    QVERIFY(port.value(u"pid"_s).isNull());
    QCOMPARE(port.value(u"unknown"_s).toObject().value(u"pid"_s).toString(), u"no_permission"_s);
}

void TstSnapshotJson::shm_withoutMappers()
{
    Snapshot s = fullSnapshot();
    (*s.shm)[0].mappedBy.reset();
    for (const UnknownReason why : {UnknownReason::NoPermission, UnknownReason::Failed}) {
        (*s.shm)[0].mappedByUnknown = why;
        const QJsonObject file = first(toJson(s), "shm");
        QVERIFY(file.value(u"mapped_by"_s).isNull());
        QCOMPARE(file.value(u"unknown"_s).toObject(), (QJsonObject{{u"mapped_by"_s, nameOf(why)}}));
    }
    (*s.shm)[0].mappedBy = QList<qint64>();
    QVERIFY(first(toJson(s), "shm").value(u"mapped_by"_s).isArray());
}

void TstSnapshotJson::problem_severitiesAndGpu()
{
    Snapshot s = fullSnapshot();
    s.problems = {{u"a"_s, Problem::Severity::Notice, {}, u"t"_s, {}},
                  {u"b"_s, Problem::Severity::Warning, 0, u"t"_s, {}}};
    const QJsonArray problems = toJson(s).value(u"problems"_s).toArray();
    QCOMPARE(problems.at(0).toObject().value(u"severity"_s).toString(), u"notice"_s);
    QVERIFY(problems.at(0).toObject().value(u"gpu"_s).isNull());
    QCOMPARE(problems.at(1).toObject().value(u"severity"_s).toString(), u"warning"_s);
    QCOMPARE(problems.at(1).toObject().value(u"gpu"_s).toInt(-1), 0);
}

void TstSnapshotJson::numbers_areFinite()
{
    Snapshot s = fullSnapshot();
    s.durationMs = qQNaN();
    s.roundTripMs = qInf();
    (*s.gpus)[0].powerW = qInf();
    (*s.processes)[0].startTicks = 9'007'199'254'740'993ULL; // beyond what a double holds exactly
    const QJsonObject json = toJson(s);
    QVERIFY(json.value(u"duration_ms"_s).isNull());
    QVERIFY(json.value(u"round_trip_ms"_s).isNull());
    QVERIFY(first(json, "gpus").value(u"power_w"_s).isNull());
    QVERIFY(QJsonDocument(json).toJson().contains("9007199254740993"));
}

PILOTHOUSE_TEST_MAIN(TstSnapshotJson)
#include "tst_snapshotjson.moc"
