// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diagnosis/lineage.h"

#include "core/diagnosis/kinship.h"

#include <algorithm>

namespace pilothouse {

namespace {

constexpr qint64 minuteMs = 60'000;
constexpr qsizetype mostMoments = 128;
constexpr qint64 betweenWholeMs = 6'000;
constexpr qsizetype mostFamilies = 64;
constexpr qint64 mostIdleMib = 2048; ///< MPS and graphics take hundreds; more is somebody's, seen or not

QHash<ProcessIdentity, ProcessMoment> processesOf(const Table &table)
{
    QHash<ProcessIdentity, ProcessMoment> processes;
    for (const TableRow &row : table.rows()) {
        const auto identity = row.process->identity();
        if (!identity || !row.hasFamily())
            continue;
        processes.insert(*identity, {heldBy(*row.process).optional(), row.process->rssKib.optional(),
                                     row.process->cpuS.optional()});
    }
    return processes;
}

HostMoment momentOf(const Snapshot &snapshot)
{
    HostMoment moment;
    moment.at = snapshot.takenAt;
    for (const Gpu &gpu : snapshot.gpus.value_or(QList<Gpu>())) {
        if (gpu.utilizationPct.isKnown())
            moment.loadPct.insert(gpu.uuid, gpu.utilizationPct.value());
        if (gpu.unattributedMib.isKnown())
            moment.unattributedMib.insert(gpu.uuid, gpu.unattributedMib.value());
    }
    return moment;
}

void rememberMinute(Lineage &lineage, const Snapshot &snapshot, const Table &table)
{
    HostMoment now = momentOf(snapshot);
    now.whole = std::ranges::none_of(lineage.minute, [&](const HostMoment &moment) {
        const qint64 ago = moment.at.msecsTo(snapshot.takenAt);
        return moment.whole && ago >= 0 && ago < betweenWholeMs;
    });
    if (now.whole)
        now.processes = processesOf(table);
    lineage.minute += now;
    const auto stale = [&](const HostMoment &moment) {
        return moment.at.msecsTo(snapshot.takenAt) > minuteMs || moment.at > snapshot.takenAt;
    };
    lineage.minute.removeIf(stale);
    while (lineage.minute.size() > mostMoments)
        lineage.minute.removeAt(lineage.minute.size() / 2); // the ends tell most
}

/// Since when each of those to whom it applies has been so; the others are forgotten.
template <class Applies>
void rememberSince(QHash<ProcessIdentity, QDateTime> &since, const Snapshot &snapshot, const Table &table, Applies applies)
{
    QHash<ProcessIdentity, QDateTime> now;
    for (const TableRow &row : table.rows()) {
        const auto identity = row.process->identity();
        if (identity && applies(*row.process))
            now.insert(*identity, since.value(*identity, snapshot.takenAt));
    }
    since = now;
}

void rememberFamilies(Lineage &lineage, const Snapshot &snapshot, const Table &table)
{
    for (const Kin &kin : familiesOf(table, lineage)) {
        const TableRow *head = kin.head < 0 ? nullptr : &table.row(kin.head);
        if (!head || head->roleClass != RoleClass::Server || !head->process->identity())
            continue;
        RememberedFamily family;
        family.head = *head->process->identity();
        family.headCommand = head->process->command;
        family.owner = head->process->owner;
        family.cgroup = head->process->cgroup;
        family.session = head->process->sid.valueOr(0);
        family.healthyAt = snapshot.takenAt;
        for (const qsizetype at : kin.rows) {
            const Process &process = *table.row(at).process;
            if (const auto identity = process.identity())
                family.members.insert(*identity, {process.ppid.valueOr(0), process.user});
        }
        lineage.families.removeIf([&](const RememberedFamily &old) { return old.head == family.head; });
        lineage.families += family;
    }
    // Without a living member there is nothing left to explain.
    lineage.families.removeIf([&](const RememberedFamily &family) {
        return std::none_of(family.members.keyBegin(), family.members.keyEnd(), [&](const ProcessIdentity &member) {
            const qsizetype at = table.find(member.pid.value);
            return at >= 0 && table.row(at).process->identity() == member;
        });
    });
    while (lineage.families.size() > mostFamilies)
        lineage.families.removeFirst();
}

/// What a card shows while the driver lists nobody on it and nobody has it open belongs to no one.
void rememberIdle(Lineage &lineage, const Snapshot &snapshot, const Table &table)
{
    const bool used = std::ranges::any_of(table.rows(), [](const TableRow &row) { return row.holds; });
    if (used || !snapshot.processes || snapshot.depth != Depth::Deep)
        return;
    for (const Gpu &gpu : snapshot.gpus.value_or(QList<Gpu>())) {
        if (!gpu.unattributedMib.isKnown() || gpu.uuid.isEmpty())
            continue;
        const qint64 now = gpu.unattributedMib.value();
        if (now > mostIdleMib)
            continue;
        lineage.idleMib.insert(gpu.uuid, std::min(now, lineage.idleMib.value(gpu.uuid, now)));
    }
}

} // namespace

Lineage remember(Lineage lineage, const Snapshot &snapshot)
{
    if (lineage.bootId != snapshot.bootId || snapshot.bootId.isEmpty())
        lineage = {};
    lineage.bootId = snapshot.bootId;
    if (!snapshot.processes)
        return lineage; // nothing is known, so nothing is forgotten
    const Table table(snapshot, Rules::builtIn(), {});
    rememberFamilies(lineage, snapshot, table);
    rememberMinute(lineage, snapshot, table);
    rememberSince(lineage.killPendingSince, snapshot, table,
        [](const Process &process) { return process.deep.killPending.value_or(false); });
    rememberSince(lineage.exitingSince, snapshot, table, [](const Process &process) { return process.exiting; });
    for (const Unit &unit : snapshot.units.value_or(QList<Unit>())) {
        if (unit.restarts.isKnown() && !lineage.restarts.contains(unit.name))
            lineage.restarts.insert(unit.name, unit.restarts.value());
    }
    rememberIdle(lineage, snapshot, table);
    return lineage;
}

} // namespace pilothouse
