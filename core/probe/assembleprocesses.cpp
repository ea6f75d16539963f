// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/cleantext.h"
#include "core/probe/assembleparts.h"
#include "core/probe/parse/cgroup.h"
#include "core/probe/parse/procstat.h"
#include "core/probe/parse/smiwords.h"

#include <algorithm>
#include <cmath>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr double clockStep = 0.05; // seconds; start times and stamps are rounded to 0.01

template <class T>
Quantity<T> denied()
{
    return Quantity<T>::unknown(UnknownReason::NoPermission);
}

/// Only its PID is known: the directory is there and closed, or the driver alone speaks of it.
void hideFacts(Process &process, UnknownReason reason)
{
    process.startTicks = Quantity<quint64>::unknown(reason);
    process.threads = Quantity<int>::unknown(reason);
    process.elapsedS = process.cpuS = Quantity<double>::unknown(reason);
    process.ppid = process.pgid = process.sid = process.rssKib = Quantity<qint64>::unknown(reason);
    if (!process.uid.isKnown())
        process.uid = Quantity<qint64>::unknown(reason);
}

void fillFromStat(Process &process, const ProcStat &stat, const HostAnswer &answer)
{
    const double ticks = answer.clockTicks > 0 ? answer.clockTicks : 100;
    process.startTicks = stat.startTicks;
    process.ppid = stat.ppid;
    process.pgid = stat.pgid;
    process.sid = stat.sid;
    process.state = stat.state;
    process.threads = stat.threads;
    process.comm = stat.comm;
    process.rssKib = stat.rssPages * std::max(1, answer.pageKib);
    process.cpuS = std::round(double(stat.cpuTicks) / ticks * 100) / 100;
    process.exiting = stat.exiting;
    if (answer.uptimeAfter > 0)
        process.elapsedS =
            std::max(0.0, std::round((answer.uptimeAfter - double(stat.startTicks) / ticks) * 100) / 100);
}

/// Whole families share one cgroup: each is read once a tick.
class Cgroups
{
public:
    struct Entry
    {
        QString path;
        Owner owner;
    };

    const Entry &entryOf(const QByteArray &file)
    {
        const auto known = m_entries.constFind(file);
        if (known != m_entries.cend())
            return *known;
        const QString path = cgroupPathOf(file);
        return *m_entries.insert(file, {path, ownerOf(path)});
    }

private:
    QHash<QByteArray, Entry> m_entries;
};

/// What `raw` was read as: only the files whose bytes are not those of the last tick are read.
const ReadMemo::KnownProcess &knownOf(const RawProcess &raw, ReadMemo &memo, Cgroups &cgroups)
{
    ReadMemo::KnownProcess &known = memo.processes[raw.pid];
    const bool fresh = known.tick == 0;
    known.tick = memo.tick;
    if (fresh || known.stat != raw.stat) {
        known.stat = raw.stat;
        known.read = parseProcStat(raw.stat);
    }
    if (fresh || known.cmdlineCut != raw.cmdlineCut || known.cmdline != raw.cmdline) {
        known.cmdline = raw.cmdline;
        known.cmdlineCut = raw.cmdlineCut;
        CommandLine command = parseCommandLine(raw.cmdline, raw.cmdlineCut);
        known.process.arguments = std::move(command.arguments);
        known.process.command = std::move(command.display);
    }
    if (fresh || known.cgroup != raw.cgroup) {
        known.cgroup = raw.cgroup;
        const Cgroups::Entry &cgroup = cgroups.entryOf(raw.cgroup);
        known.process.cgroup = cgroup.path;
        known.process.owner = cgroup.owner;
    }
    return known;
}

/// No value: gone between two reads, which is normal.
std::optional<Process> processOf(const RawProcess &raw, const HostAnswer &answer, ReadMemo &memo, Cgroups &cgroups)
{
    Process process;
    const bool described = !raw.stat.isEmpty();
    const ReadMemo::KnownProcess *known = described ? &knownOf(raw, memo, cgroups) : nullptr;
    const bool readable = known && known->read && known->read->pid == raw.pid;
    if (readable)
        process = known->process;
    process.pid = Pid{raw.pid};
    process.uid = raw.uid >= 0 ? Quantity<qint64>(raw.uid) : denied<qint64>();
    process.user = answer.users.value(raw.uid);
    if (answer.depth == Depth::Deep && !raw.devices)
        process.devicesUnknown =
            raw.descriptorsDenied || !raw.readable ? UnknownReason::NoPermission : UnknownReason::Failed;
    if (!readable) {
        if (!described && raw.readable)
            return std::nullopt;
        hideFacts(process, described ? UnknownReason::Unparsable : UnknownReason::NoPermission);
        return process;
    }
    fillFromStat(process, *known->read, answer);
    if (known->read->kernelThread)
        process.owner = Owner{Owner::Kind::Kernel, {}};
    if (raw.devices) {
        QStringList devices;
        for (const QByteArray &device : *raw.devices)
            devices += cleanLine(device, 256);
        devices.removeDuplicates();
        process.devices = devices;
    }
    return process;
}

/// The list from the host; a PID that stands there twice with two start times is a forged or broken answer.
std::optional<QList<Process>> hostProcesses(AssembleContext &c)
{
    const HostAnswer &answer = c.answer;
    if (!answer.processes) {
        c.add(u"section.processes"_s, u"Processes could not be read: "_s + sentence(answer.processTrouble));
        return std::nullopt;
    }
    QList<Process> processes;
    processes.reserve(answer.processes->size());
    QHash<qint64, qsizetype> positions;
    Cgroups cgroups;
    ReadMemo &memo = c.memory.read;
    ++memo.tick;
    for (const RawProcess &raw : *answer.processes) {
        auto process = processOf(raw, answer, memo, cgroups);
        if (!process)
            continue;
        const auto known = positions.constFind(raw.pid);
        if (known == positions.cend()) {
            positions.insert(raw.pid, processes.size());
            processes += std::move(*process);
            continue;
        }
        Process &before = processes[*known];
        if (before.startTicks.isKnown() && process->startTicks.isKnown() && before.startTicks != process->startTicks) {
            c.add(u"section.processes"_s,
                u"Processes could not be read: the answer names PID "_s + QString::number(raw.pid) + u" twice."_s);
            return std::nullopt;
        }
        if (!before.startTicks.isKnown())
            before = std::move(*process);
        else if (!before.devices && process->devices) {
            before.devices = process->devices;
            before.devicesUnknown.reset();
        }
    }
    if (memo.processes.size() > positions.size())
        memo.processes.removeIf([&](QHash<qint64, ReadMemo::KnownProcess>::iterator known) { return known.value().tick != memo.tick; });
    return processes;
}

int indexOfGpu(const Snapshot &snapshot, const QString &uuid)
{
    if (!snapshot.gpus || uuid.isEmpty())
        return -1;
    int onlyMig = -1;
    int migCards = 0;
    for (const Gpu &gpu : *snapshot.gpus) {
        const auto isSlice = [&](const MigDevice &device) { return device.uuid == uuid; };
        if (gpu.uuid == uuid || std::any_of(gpu.migDevices.begin(), gpu.migDevices.end(), isSlice))
            return gpu.index;
        if (gpu.mig.valueOr(false)) {
            onlyMig = gpu.index;
            ++migCards;
        }
    }
    return uuid.startsWith("MIG-"_L1) && migCards == 1 ? onlyMig : -1;
}

void addMemory(Process &process, const ProcessGpuMemory &memory)
{
    for (ProcessGpuMemory &known : process.gpuMemory) {
        if (known.gpuUuid != memory.gpuUuid)
            continue;
        if (known.mib.isKnown() && memory.mib.isKnown()) // two slices of one card are booked on the card
            known.mib = known.mib.value() + memory.mib.value();
        else
            known.mib = memory.mib.isKnown() ? known.mib : memory.mib;
        return;
    }
    process.gpuMemory += memory;
}

Process unfound(const SmiApp &app, Depth depth)
{
    Process process;
    process.pid = Pid{app.pid};
    process.driverName = app.nameNotFound ? u"[Not Found]"_s : app.name;
    process.uid = Quantity<qint64>();
    hideFacts(process, UnknownReason::Absent);
    if (depth == Depth::Deep)
        process.devicesUnknown = UnknownReason::Absent;
    return process;
}

QString pidList(const QList<qint64> &pids)
{
    QStringList texts;
    for (qint64 pid : pids.first(std::min<qsizetype>(pids.size(), 5)))
        texts += QString::number(pid);
    return texts.join(u", "_s) + (pids.size() > 5 ? u" …"_s : QString());
}

/// Why a PID of the driver's list cannot be found, from the most certain reason down.
void nameUnfound(AssembleContext &c, const QList<qint64> &pids)
{
    const QSet<qint64> before = std::exchange(c.memory.unresolvedPids, QSet<qint64>(pids.begin(), pids.end()));
    if (pids.isEmpty())
        return;
    if (c.isWsl()) {
        c.add(u"process.wsl"_s, u"Under WSL the driver does not tell which process holds GPU memory."_s);
        return;
    }
    if (c.answer.container) {
        c.add(u"process.outside_container"_s,
            u"GPU memory is held by processes outside this container (host PID "_s + pidList(pids) + u")."_s);
        return;
    }
    if (c.answer.hidepid) {
        c.add(u"process.hidden"_s,
            u"GPU memory is held by processes that this account may not see (PID "_s + pidList(pids) + u")."_s);
        return;
    }
    QList<qint64> ghosts;
    for (qint64 pid : pids) {
        if (before.contains(pid))
            ghosts += pid;
    }
    if (!ghosts.isEmpty())
        c.add(u"process.ghost"_s,
              u"The driver books GPU memory on processes that no longer exist (PID "_s + pidList(ghosts) + u")."_s);
}

void joinApps(AssembleContext &c, QList<Process> &processes, bool scanned)
{
    QHash<qint64, qsizetype> positions;
    for (qsizetype i = 0; i < processes.size(); ++i)
        positions.insert(processes.at(i).pid.value, i);
    const double ticks = c.answer.clockTicks > 0 ? c.answer.clockTicks : 100;
    const double sampledAt = c.answer.smi.apps.endedAt;
    QList<qint64> lost;
    for (const SmiApp &app : std::as_const(c.apps.apps)) {
        auto at = positions.value(app.pid, -1);
        const bool foreign = c.isWsl() || (c.answer.container && app.nameNotFound);
        if (at >= 0 && processes.at(at).state) {
            // Born after the sample: another process that got the PID since.
            const double born = double(processes.at(at).startTicks.valueOr(0)) / ticks;
            if (foreign || (sampledAt > 0 && born > sampledAt + clockStep))
                at = -1;
        }
        if (at < 0) {
            at = processes.size();
            processes += unfound(app, c.answer.depth);
            positions.insert(app.pid, at);
            if (!lost.contains(app.pid))
                lost += app.pid;
        }
        if (processes.at(at).driverName.isEmpty())
            processes[at].driverName = app.name;
        addMemory(processes[at], {indexOfGpu(c.snapshot, app.gpuUuid), app.gpuUuid, app.mib});
    }
    if (scanned)
        nameUnfound(c, lost);
    else
        c.memory.unresolvedPids.clear();
}

/// One row in the list for all driver rows that name no PID.
void addHidden(AssembleContext &c, QList<Process> &processes)
{
    const QList<SmiHiddenApp> &rows = c.apps.hidden;
    if (rows.isEmpty())
        return;
    Process process;
    process.rowsUnreadable = true;
    process.driverName = rows.first().word;
    hideFacts(process, rows.first().reason);
    if (c.answer.depth == Depth::Deep)
        process.devicesUnknown = rows.first().reason;
    for (const SmiHiddenApp &row : rows)
        addMemory(process, {indexOfGpu(c.snapshot, row.gpuUuid), row.gpuUuid, row.mib});
    processes += process;
    c.add(u"process.not_visible"_s, QString::number(rows.size()) + u" GPU processes are not visible: "_s
            + sentence(rows.first().word));
}

} // namespace

void assembleProcesses(AssembleContext &c)
{
    auto scanned = hostProcesses(c);
    QList<Process> processes = scanned.value_or(QList<Process>());
    joinApps(c, processes, scanned.has_value());
    addHidden(c, processes);
    if (scanned)
        c.snapshot.processes = processes;
    else
        c.snapshot.unknown.insert(u"processes"_s, UnknownReason::Failed);
    if (c.answer.matchLimitHit)
        c.add(u"process.limit"_s, u"More processes match the rules than are listed; the list is not complete."_s);
}

} // namespace pilothouse
