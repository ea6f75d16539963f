// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diagnosis/table.h"

#include <algorithm>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

bool isKernel(const Process &process)
{
    return process.owner.kind == Owner::Kind::Kernel || process.pid.value == 2 || process.ppid.valueOr(0) == 2;
}

TableRow rowOf(const Process &process, const Rules &rules, const QSet<qint64> &ownPids)
{
    TableRow row;
    row.process = &process;
    const bool zombie = process.state == u'Z' || process.state == u'X';
    row.present = process.state.has_value();
    row.running = row.present && !zombie && !process.exiting;
    const Quantity<qint64> mib = heldBy(process);
    row.listed = !mib.isKnown() || mib.value() > holderMib;
    row.holds = row.listed || (process.devices && process.devices->contains(u"/dev/nvidia-uvm"_s));

    if (process.rowsUnreadable)
        return row;
    if (process.pid.value <= 1 || isKernel(process) || ownPids.contains(process.pid.value)
        || ownPids.contains(process.sid.valueOr(-1))) {
        row.rule = u"R0"_s;
        row.role = isKernel(process) ? u"system.kernel"_s : process.pid.value <= 1 ? u"system.init"_s : u"system.own"_s;
        row.roleClass = RoleClass::System;
        return row;
    }
    if (const RoleRule *rule = rules.roleOf(process)) {
        row.rule = rule->id;
        row.role = rule->role;
        row.roleClass = rule->roleClass;
        if (rule->role == "python.forkserver"_L1 && row.listed)
            row.roleClass = RoleClass::Spawned; // preloaded with CUDA
    } else if (row.holds && invocationOf(process.arguments).python) {
        row.rule = u"R22"_s;
        row.role = u"python.app"_s;
        row.roleClass = RoleClass::App;
    }
    return row;
}

} // namespace

Quantity<qint64> heldBy(const Process &process)
{
    qint64 sum = 0;
    for (const ProcessGpuMemory &memory : process.gpuMemory) {
        if (!memory.mib.isKnown())
            return memory.mib;
        sum += std::max<qint64>(0, memory.mib.value());
    }
    return sum;
}

bool TableRow::isHead() const
{
    switch (roleClass) {
    case RoleClass::Server:
    case RoleClass::Runtime:
    case RoleClass::Mpi:
    case RoleClass::Training:
    case RoleClass::Notebook:
    case RoleClass::App:
    case RoleClass::Importer:
        return running;
    default:
        return false;
    }
}

bool TableRow::isDependent() const
{
    return roleClass == RoleClass::Worker || roleClass == RoleClass::Engine || roleClass == RoleClass::Frontend
        || roleClass == RoleClass::Spawned || roleClass == RoleClass::RayWorker;
}

bool TableRow::hasFamily() const
{
    if (!present || (process->state == u'Z' && process->threads.valueOr(1) <= 1))
        return false;
    switch (roleClass) {
    case RoleClass::System:
    case RoleClass::Infrastructure:
    case RoleClass::Mps:
    case RoleClass::Vm:
        return false;
    case RoleClass::Other:
        return holds || !process->deep.trackerPipes.value_or(QList<quint64>()).isEmpty();
    default:
        return true;
    }
}

Table::Table(const Snapshot &snapshot, const Rules &rules, const QSet<qint64> &ownPids)
{
    if (!snapshot.processes)
        return;
    m_rows.reserve(snapshot.processes->size());
    for (const Process &process : *snapshot.processes) {
        if (process.pid.value > 0 && !m_byPid.contains(process.pid.value))
            m_byPid.insert(process.pid.value, m_rows.size());
        m_rows += rowOf(process, rules, ownPids);
    }
}

bool Table::isAlive(const ProcessIdentity &identity) const
{
    const qsizetype at = find(identity.pid.value);
    return at >= 0 && m_rows.at(at).running && m_rows.at(at).process->identity() == identity;
}

} // namespace pilothouse
