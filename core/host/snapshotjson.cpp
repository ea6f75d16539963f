// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/host/snapshotjson.h"

#include <QJsonArray>
#include <QTimeZone>

#include <algorithm>
#include <cmath>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

QJsonValue rounded(double value, double steps)
{
    return std::isfinite(value) ? QJsonValue(std::round(value * steps) / steps) : QJsonValue();
}

QJsonValue jsonOf(int value)
{
    return value;
}

QJsonValue jsonOf(qint64 value)
{
    return value;
}

QJsonValue jsonOf(quint64 value)
{
    return qint64(value);
}

QJsonValue jsonOf(double value)
{
    return rounded(value, 1000);
}

QJsonValue jsonOf(bool value)
{
    return value;
}

QJsonValue jsonOf(const QString &value)
{
    return value;
}

QJsonValue jsonOf(const QDateTime &time)
{
    return time.isValid() ? QJsonValue(time.toUTC().toString(Qt::ISODateWithMs)) : QJsonValue();
}

QJsonValue textOrNull(const QString &text)
{
    return text.isEmpty() ? QJsonValue() : QJsonValue(text);
}

/// An object that notes the reason of each figure it does not know.
class Writer
{
public:
    void set(const QString &key, const QJsonValue &value) { m_object.insert(key, value); }

    template <class T>
    void quantity(const QString &key, const Quantity<T> &value)
    {
        m_object.insert(key, value.isKnown() ? jsonOf(value.value()) : QJsonValue());
        if (!value.isKnown())
            m_unknown.insert(key, nameOf(value.reason()));
    }

    /// An identifier that the host did not give in a readable form.
    void identifier(const QString &key, const QString &text)
    {
        m_object.insert(key, textOrNull(text));
        if (text.isEmpty())
            m_unknown.insert(key, nameOf(UnknownReason::Failed));
    }

    /// `looked`: this snapshot asked for it; where not, null says no more than that.
    template <class T>
    void quantity(const QString &key, const Quantity<T> &value, bool looked)
    {
        if (looked || value.isKnown())
            quantity(key, value);
        else
            set(key, QJsonValue());
    }

    void unknown(const QString &key, UnknownReason reason)
    {
        m_object.insert(key, QJsonValue());
        m_unknown.insert(key, nameOf(reason));
    }

    [[nodiscard]] QJsonObject object(bool alwaysNoted = false) const
    {
        QJsonObject object = m_object;
        if (alwaysNoted || !m_unknown.isEmpty())
            object.insert(u"unknown"_s, m_unknown);
        return object;
    }

private:
    QJsonObject m_object;
    QJsonObject m_unknown;
};

template <class T>
QJsonArray arrayOf(const QList<T> &list, QJsonObject (*one)(const T &))
{
    QJsonArray array;
    for (const T &item : list)
        array += one(item);
    return array;
}

QString nameOf(GpuSource::Status status)
{
    switch (status) {
    case GpuSource::Status::Ok:
        return u"ok"_s;
    case GpuSource::Status::Absent:
        return u"absent"_s;
    case GpuSource::Status::Failed:
        return u"failed"_s;
    case GpuSource::Status::Timeout:
        return u"timeout"_s;
    case GpuSource::Status::Hung:
        return u"hung"_s;
    }
    return {};
}

QString nameOf(Owner::Kind kind)
{
    switch (kind) {
    case Owner::Kind::Unit:
        return u"unit"_s;
    case Owner::Kind::UserUnit:
        return u"user_unit"_s;
    case Owner::Kind::Session:
        return u"session"_s;
    case Owner::Kind::Container:
        return u"container"_s;
    case Owner::Kind::Pod:
        return u"pod"_s;
    case Owner::Kind::Slurm:
        return u"slurm"_s;
    case Owner::Kind::Kernel:
        return u"kernel"_s;
    case Owner::Kind::Unknown:
        return u"unknown"_s;
    }
    return {};
}

QString nameOf(Problem::Severity severity)
{
    switch (severity) {
    case Problem::Severity::Notice:
        return u"notice"_s;
    case Problem::Severity::Warning:
        return u"warning"_s;
    case Problem::Severity::Critical:
        return u"critical"_s;
    }
    return {};
}

QJsonObject sourceJson(const GpuSource &source)
{
    Writer w;
    w.set(u"tool"_s, source.tool);
    w.set(u"status"_s, nameOf(source.status));
    w.set(u"since"_s, jsonOf(source.since));
    w.quantity(u"exit_code"_s, source.exitCode);
    w.set(u"message"_s, source.message);
    w.set(u"driver_version"_s, textOrNull(source.driverVersion));
    w.quantity(u"duration_ms"_s, source.durationMs);
    if (source.stuckPid.isKnown())
        w.quantity(u"stuck_pid"_s, source.stuckPid);
    return w.object();
}

QJsonObject migJson(const MigDevice &device, bool looked)
{
    Writer w;
    w.set(u"index"_s, device.index);
    w.quantity(u"gpu_instance"_s, device.gpuInstance);
    w.quantity(u"compute_instance"_s, device.computeInstance);
    w.set(u"uuid"_s, textOrNull(device.uuid));
    w.quantity(u"memory_total_mib"_s, device.memoryTotalMib);
    w.quantity(u"memory_used_mib"_s, device.memoryUsedMib, looked);
    w.quantity(u"memory_free_mib"_s, device.memoryFreeMib, looked);
    return w.object();
}

void setMigDevices(Writer &w, const Gpu &gpu, bool looked)
{
    const QString key = u"mig_devices"_s;
    if (!gpu.migDevices.isEmpty() || !gpu.mig.valueOr(true)) {
        QJsonArray devices;
        for (const MigDevice &device : gpu.migDevices)
            devices += migJson(device, looked);
        w.set(key, devices);
    } else if (!gpu.mig.isKnown()) {
        w.unknown(key, gpu.mig.reason());
    } else {
        w.unknown(key, looked ? UnknownReason::Failed : UnknownReason::Absent); // a light look does not ask for them
    }
}

QJsonObject gpuJson(const Gpu &gpu, bool deep)
{
    Writer w;
    if (gpu.index >= 0)
        w.set(u"index"_s, gpu.index);
    else
        w.unknown(u"index"_s, UnknownReason::Failed);
    w.identifier(u"uuid"_s, gpu.uuid);
    w.identifier(u"name"_s, gpu.name);
    w.identifier(u"bus_id"_s, gpu.busId);
    w.quantity(u"memory_total_mib"_s, gpu.memoryTotalMib);
    w.quantity(u"memory_used_mib"_s, gpu.memoryUsedMib);
    w.quantity(u"memory_free_mib"_s, gpu.memoryFreeMib);
    w.quantity(u"memory_reserved_mib"_s, gpu.memoryReservedMib);
    w.quantity(u"attributed_mib"_s, gpu.attributedMib);
    w.quantity(u"unattributed_mib"_s, gpu.unattributedMib);
    w.quantity(u"utilization_pct"_s, gpu.utilizationPct);
    w.quantity(u"temperature_c"_s, gpu.temperatureC);
    w.quantity(u"power_w"_s, gpu.powerW);
    w.quantity(u"persistence"_s, gpu.persistence);
    w.quantity(u"mig"_s, gpu.mig);
    setMigDevices(w, gpu, deep);
    w.quantity(u"recovery_action"_s, gpu.recoveryAction);
    w.set(u"unified_memory"_s, gpu.unifiedMemory);
    w.set(u"fault"_s, textOrNull(gpu.fault));
    return w.object(true);
}

QJsonObject ownerJson(const Owner &owner)
{
    return {{u"kind"_s, nameOf(owner.kind)}, {u"name"_s, owner.name}};
}

QJsonObject memoryJson(const ProcessGpuMemory &memory)
{
    Writer w;
    if (memory.gpu >= 0)
        w.set(u"gpu"_s, memory.gpu);
    else
        w.unknown(u"gpu"_s, UnknownReason::Failed);
    w.set(u"uuid"_s, textOrNull(memory.gpuUuid));
    w.quantity(u"mib"_s, memory.mib);
    return w.object();
}

/// What a deep look alone finds out; null where it could not.
void setDeepFacts(Writer &w, const Process &process)
{
    const DeepFacts &deep = process.deep;
    const auto set = [&w](const QString &key, const auto &fact) { w.set(key, fact ? QJsonValue(*fact) : QJsonValue()); };
    set(u"parent_name"_s, deep.parentName);
    set(u"kill_pending"_s, deep.killPending);
    set(u"waits_in"_s, deep.waitsIn);
    set(u"locked_kib"_s, deep.lockedKib);
    w.set(u"peers"_s, deep.peers ? QJsonValue(QJsonArray::fromStringList(*deep.peers)) : QJsonValue());
    QJsonArray pipes;
    for (const quint64 inode : deep.trackerPipes.value_or(QList<quint64>()))
        pipes += qint64(inode);
    w.set(u"tracker_pipes"_s, deep.trackerPipes ? QJsonValue(pipes) : QJsonValue());
}

/// `driverRead`: the driver told of processes at all; where not, `why`.
QJsonObject processJson(const Process &process, bool driverRead, UnknownReason why)
{
    Writer w;
    if (process.rowsUnreadable)
        w.unknown(u"pid"_s, UnknownReason::NoPermission);
    else
        w.set(u"pid"_s, process.pid.value);
    w.quantity(u"start_ticks"_s, process.startTicks);
    w.quantity(u"ppid"_s, process.ppid);
    w.quantity(u"pgid"_s, process.pgid);
    w.quantity(u"sid"_s, process.sid);
    w.quantity(u"uid"_s, process.uid);
    w.set(u"user"_s, textOrNull(process.user));
    w.set(u"state"_s, process.state ? QJsonValue(QString(*process.state)) : QJsonValue());
    w.quantity(u"threads"_s, process.threads);
    w.set(u"comm"_s, process.comm);
    w.set(u"command"_s, process.command);
    w.set(u"driver_name"_s, textOrNull(process.driverName));
    w.quantity(u"elapsed_s"_s, process.elapsedS);
    w.quantity(u"rss_kib"_s, process.rssKib);
    w.quantity(u"cpu_s"_s, process.cpuS);
    w.set(u"cgroup"_s, textOrNull(process.cgroup));
    w.set(u"owner"_s, ownerJson(process.owner));
    w.set(u"exiting"_s, process.exiting);
    if (process.gpuMemory.isEmpty() && !driverRead)
        w.unknown(u"gpu_memory"_s, why);
    else
        w.set(u"gpu_memory"_s, arrayOf(process.gpuMemory, memoryJson));
    if (!process.devices && process.devicesUnknown)
        w.unknown(u"devices"_s, *process.devicesUnknown);
    else
        w.set(u"devices"_s, process.devices ? QJsonValue(QJsonArray::fromStringList(*process.devices)) : QJsonValue());
    if (process.devices || process.devicesUnknown)
        setDeepFacts(w, process);
    return w.object();
}

QJsonObject unitJson(const Unit &unit)
{
    Writer w;
    w.set(u"name"_s, unit.name);
    w.set(u"user"_s, unit.user);
    w.set(u"load"_s, textOrNull(unit.load));
    w.set(u"active"_s, textOrNull(unit.active));
    w.set(u"sub"_s, textOrNull(unit.sub));
    w.set(u"result"_s, textOrNull(unit.result));
    w.quantity(u"main_pid"_s, unit.mainPid);
    w.set(u"control_group"_s, textOrNull(unit.controlGroup));
    w.quantity(u"restarts"_s, unit.restarts);
    w.quantity(u"exec_main_code"_s, unit.execMainCode);
    w.quantity(u"exec_main_status"_s, unit.execMainStatus);
    w.set(u"host_since"_s, jsonOf(unit.hostSince));
    w.set(u"type"_s, textOrNull(unit.type));
    w.set(u"kill_mode"_s, textOrNull(unit.killMode));
    w.set(u"restart"_s, textOrNull(unit.restart));
    w.set(u"user_name"_s, textOrNull(unit.userName));
    w.set(u"unit_file_state"_s, textOrNull(unit.unitFileState));
    w.set(u"status_text"_s, textOrNull(unit.statusText));
    w.set(u"load_error"_s, textOrNull(unit.loadError));
    w.set(u"need_daemon_reload"_s, unit.needDaemonReload);
    return w.object();
}

QJsonObject portJson(const ListeningPort &port)
{
    Writer w;
    w.set(u"address"_s, port.address);
    w.set(u"port"_s, port.port);
    w.quantity(u"pid"_s, port.pid);
    return w.object();
}

QJsonObject shmJson(const ShmFile &file)
{
    Writer w;
    w.set(u"path"_s, file.path);
    w.set(u"kib"_s, file.kib);
    if (file.uid >= 0)
        w.set(u"uid"_s, file.uid);
    else
        w.unknown(u"uid"_s, UnknownReason::NoPermission);
    if (!file.mappedBy) {
        w.unknown(u"mapped_by"_s, file.mappedByUnknown);
        return w.object();
    }
    QJsonArray pids;
    for (qint64 pid : *file.mappedBy)
        pids += pid;
    w.set(u"mapped_by"_s, pids);
    return w.object();
}

QJsonObject sessionJson(const LoginSession &session)
{
    Writer w;
    w.set(u"name"_s, session.name);
    w.set(u"user"_s, session.user);
    w.quantity(u"idle_s"_s, session.idleS);
    return w.object();
}

QJsonObject systemJson(const SystemFacts &system)
{
    Writer w;
    w.quantity(u"memory_available_kib"_s, system.memoryAvailableKib);
    w.quantity(u"memory_total_kib"_s, system.memoryTotalKib);
    w.quantity(u"load1"_s, system.load1);
    w.quantity(u"oom_kills"_s, system.oomKills);
    w.quantity(u"pci_gpus"_s, system.pciGpus);
    w.set(u"container"_s, system.container);
    w.set(u"hidepid"_s, system.hidepid);
    w.set(u"root"_s, system.root);
    if (system.sessions)
        w.set(u"sessions"_s, arrayOf(*system.sessions, sessionJson));
    return w.object();
}

QJsonObject problemJson(const Problem &problem)
{
    return {{u"code"_s, problem.code}, {u"severity"_s, nameOf(problem.severity)},
        {u"gpu"_s, problem.gpu ? QJsonValue(*problem.gpu) : QJsonValue()}, {u"text"_s, problem.text},
        {u"advice"_s, problem.advice}};
}

template <class T>
void setList(Writer &w, const Snapshot &snapshot, const QString &key, const std::optional<QList<T>> &list,
    QJsonObject (*one)(const T &))
{
    if (list)
        w.set(key, arrayOf(*list, one));
    else
        w.unknown(key, snapshot.unknown.value(key, UnknownReason::Failed));
}

/// A list that only a deep snapshot looks for.
template <class T>
void setDeepList(Writer &w, const Snapshot &snapshot, const QString &key, const std::optional<QList<T>> &list,
    QJsonObject (*one)(const T &))
{
    if (!list && snapshot.depth == Depth::Light)
        w.set(key, QJsonValue());
    else
        setList(w, snapshot, key, list, one);
}

void setGpus(Writer &w, const Snapshot &snapshot)
{
    if (!snapshot.gpus) {
        w.unknown(u"gpus"_s, snapshot.unknown.value(u"gpus"_s, UnknownReason::Failed));
        return;
    }
    QJsonArray gpus;
    for (const Gpu &gpu : *snapshot.gpus)
        gpus += gpuJson(gpu, snapshot.depth == Depth::Deep);
    w.set(u"gpus"_s, gpus);
}

} // namespace

QJsonObject toJson(const Snapshot &snapshot)
{
    Writer w;
    w.set(u"schema"_s, 1);
    w.set(u"host"_s, snapshot.host);
    w.set(u"target"_s, snapshot.target);
    w.set(u"depth"_s, snapshot.depth == Depth::Deep ? u"deep"_s : u"light"_s);
    w.set(u"boot_id"_s, textOrNull(snapshot.bootId));
    w.set(u"kernel"_s, textOrNull(snapshot.kernel));
    w.quantity(u"uptime_s"_s, snapshot.uptimeS);
    w.set(u"taken_at"_s, jsonOf(snapshot.takenAt));
    w.set(u"duration_ms"_s, rounded(snapshot.durationMs, 10));
    w.quantity(u"skew_ms"_s, snapshot.skewMs);
    w.set(u"round_trip_ms"_s, rounded(snapshot.roundTripMs, 10));
    w.set(u"bytes"_s, snapshot.bytes);
    w.set(u"gpu_source"_s, sourceJson(snapshot.gpuSource));
    setGpus(w, snapshot);
    if (snapshot.processes) {
        const UnknownReason why = snapshot.unknown.value(u"gpus"_s, UnknownReason::Failed);
        QJsonArray processes;
        for (const Process &process : *snapshot.processes)
            processes += processJson(process, snapshot.gpus.has_value(), why);
        w.set(u"processes"_s, processes);
    } else {
        w.unknown(u"processes"_s, snapshot.unknown.value(u"processes"_s, UnknownReason::Failed));
    }
    setList(w, snapshot, u"units"_s, snapshot.units, unitJson);
    setDeepList(w, snapshot, u"listening"_s, snapshot.listening, portJson);
    setDeepList(w, snapshot, u"shm"_s, snapshot.shm, shmJson);
    w.set(u"system"_s, systemJson(snapshot.system));
    w.set(u"problems"_s, arrayOf(snapshot.problems, problemJson));
    return w.object();
}

} // namespace pilothouse
