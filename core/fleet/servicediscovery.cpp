// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/fleet/servicediscovery.h"

#include "core/fleet/inventoryreader.h"
#include "core/probe/commandrules.h"

#include <algorithm>
#include <array>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

/// Hold GPU memory on any desktop or GPU host, and serve no model.
constexpr std::array infrastructure{u"Xorg", u"Xwayland", u"gnome-shell", u"kwin_wayland", u"nvidia-persiste",
                                    u"nv-hostengine", u"dcgm-exporter", u"nvidia-cuda-mps", u"nv-fabricmanage"};

/// Roles of the rules that are a server's own; the others are workers of one, helpers or anybody's tools.
bool isServer(QByteArrayView role)
{
    return role.endsWith(".server") || role == "ollama.process" || role == "tgi.process" || role == "vllm.process"
        || role == "sglang.process";
}

bool isServerCommand(const Process &process)
{
    const CommandRule *rule = CommandRules::builtIn().match(process.arguments.join(u'\0').toUtf8());
    return rule && isServer(rule->role);
}

bool isInfrastructure(const Process &process)
{
    return std::ranges::any_of(infrastructure,
                               [&](const char16_t *comm) { return process.comm == QStringView(comm); });
}

/// Only its own manager answers an account for user units.
bool isReachable(const Process &process, const Snapshot &snapshot)
{
    if (process.owner.kind == Owner::Kind::Unit)
        return true;
    const qsizetype at = snapshot.target.indexOf(u'@');
    return process.owner.kind == Owner::Kind::UserUnit && at > 0 && process.user == snapshot.target.left(at);
}

bool isSame(const ServiceSpec &a, const ServiceSpec &b)
{
    return a.userScope == b.userScope && fullUnitName(a.unit) == fullUnitName(b.unit);
}

} // namespace

bool belongsTo(const Process &process, const ServiceSpec &service)
{
    const Owner::Kind kind = service.userScope ? Owner::Kind::UserUnit : Owner::Kind::Unit;
    return process.owner.kind == kind && process.owner.name == fullUnitName(service.unit);
}

const Unit *unitOf(const Snapshot &snapshot, const ServiceSpec &service)
{
    if (!snapshot.units)
        return nullptr;
    const auto name = fullUnitName(service.unit);
    const auto at = std::ranges::find_if(*snapshot.units, [&](const Unit &unit) {
        return unit.user == service.userScope && unit.name == name;
    });
    return at == snapshot.units->end() ? nullptr : &*at;
}

Quantity<qint64> gpuMemoryOf(const Snapshot &snapshot, const ServiceSpec &service)
{
    const auto unknown = [&](const QString &list) {
        return Quantity<qint64>::unknown(snapshot.unknown.value(list, UnknownReason::Failed));
    };
    if (!snapshot.gpus)
        return unknown(u"gpus"_s);
    if (!snapshot.processes)
        return unknown(u"processes"_s);
    qint64 sum = 0;
    bool ownerless = false;
    for (const Process &process : *snapshot.processes) {
        if (process.gpuMemory.isEmpty())
            continue;
        ownerless = ownerless || process.owner.kind == Owner::Kind::Unknown;
        if (!belongsTo(process, service))
            continue;
        for (const ProcessGpuMemory &memory : process.gpuMemory) {
            if (!memory.mib.isKnown())
                return memory.mib;
            sum += memory.mib.value();
        }
    }
    const Unit *unit = unitOf(snapshot, service);
    if (sum == 0 && ownerless && unit && unit->mainPid.isKnown())
        return Quantity<qint64>::unknown(UnknownReason::NoPermission);
    return sum;
}

QList<ServiceSpec> discoverServices(const Snapshot &snapshot, const QList<ServiceSpec> &written)
{
    QList<ServiceSpec> found;
    const QList<Process> processes = snapshot.processes.value_or(QList<Process>());
    for (const Process &process : processes) {
        if (!process.owner.name.endsWith(u".service") || !isReachable(process, snapshot) || isInfrastructure(process)
            || (process.gpuMemory.isEmpty() && !isServerCommand(process)))
            continue;
        ServiceSpec service;
        service.unit = process.owner.name;
        service.name = service.unit.chopped(8);
        service.userScope = process.owner.kind == Owner::Kind::UserUnit;
        const auto same = [&](const ServiceSpec &other) { return isSame(other, service); };
        if (std::ranges::none_of(written, same) && std::ranges::none_of(found, same))
            found += service;
    }
    std::ranges::sort(found, {}, [](const ServiceSpec &service) { return std::pair(service.userScope, service.unit); });
    return found;
}

} // namespace pilothouse
