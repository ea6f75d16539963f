// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/fleet/hostdiagnosis.h"

#include "core/fleet/inventoryreader.h"

#include <QSet>

#include <algorithm>

namespace pilothouse {

using namespace Qt::StringLiterals;

LoginRights rightsOf(const Snapshot &snapshot)
{
    LoginRights rights;
    rights.user = snapshot.target.left(std::max<qsizetype>(0, snapshot.target.lastIndexOf(u'@')));
    rights.everything = snapshot.system.root;
    if (rights.user == "root"_L1)
        rights.uid = 0;
    return rights;
}

QList<WatchedService> watchedServices(const HostSpec &host, const Snapshot &snapshot)
{
    QList<WatchedService> services;
    for (const ServiceSpec &spec : host.services) {
        WatchedService service;
        service.unit = fullUnitName(spec.unit).value_or(QString());
        service.name = spec.name.isEmpty() ? service.unit : spec.name;
        for (const Gpu &gpu : snapshot.gpus.value_or(QList<Gpu>())) {
            if (spec.gpus.contains(QString::number(gpu.index)) || (!gpu.uuid.isEmpty() && spec.gpus.contains(gpu.uuid)))
                service.gpus += gpu.index;
        }
        services += service;
    }
    return services;
}

Diagnosis diagnose(const HostSpec &host, const Snapshot &snapshot, const Lineage &lineage,
                   const QHash<quint16, PortAnswer> &ports, const QDateTime &endedAt)
{
    return diagnose(DiagnosisInput{
        snapshot, lineage, rightsOf(snapshot), watchedServices(host, snapshot), ports, {}, endedAt, host.thresholdMib});
}

QList<std::pair<QString, quint16>> portsToAsk(const Snapshot &snapshot, const Diagnosis &diagnosis)
{
    constexpr qsizetype most = 64;
    QSet<qint64> members;
    for (const Family &family : diagnosis.families) {
        for (const Pid pid : family.members)
            members.insert(pid.value);
    }
    QList<std::pair<QString, quint16>> ports;
    for (const ListeningPort &port : snapshot.listening.value_or(QList<ListeningPort>())) {
        const bool ours = port.pid.isKnown() && members.contains(port.pid.value());
        const bool known = std::ranges::any_of(ports, [&](const auto &other) { return other.second == port.port; });
        if (!ours || known || ports.size() >= most)
            continue;
        const bool any = port.address == "0.0.0.0"_L1 || port.address == "::"_L1 || port.address.isEmpty();
        ports += std::pair(any ? u"127.0.0.1"_s : port.address, port.port);
    }
    return ports;
}

QHash<quint16, PortAnswer> answersOf(const QHash<quint16, PortStatus> &ports)
{
    const auto yes = [](int status) { return (status >= 200 && status < 300) || status == 401 || status == 403; };
    const auto no = [](int status) { return status == 0 || status == 503; };
    QHash<quint16, PortAnswer> answers;
    for (auto at = ports.cbegin(); at != ports.cend(); ++at) {
        if (!at->health)
            continue;
        const int models = at->models.value_or(0);
        if (yes(*at->health) || yes(models))
            answers.insert(at.key(), PortAnswer::Answers);
        else if (no(*at->health) || models == 503)
            answers.insert(at.key(), PortAnswer::Silent);
        // Anything else speaks HTTP and is not known: a doubt stays a doubt.
    }
    return answers;
}

bool concernsUnit(const Family &family, const QString &unit, const HostSpec &host, const Snapshot &snapshot)
{
    if (family.unit == unit)
        return true;
    if (family.verdict != Verdict::Leftover)
        return false;
    QList<int> gpus;
    for (const WatchedService &service : watchedServices(host, snapshot)) {
        if (service.unit == unit)
            gpus += service.gpus;
    }
    for (const Process &process : snapshot.processes.value_or(QList<Process>())) {
        const bool owned = process.owner.kind == Owner::Kind::Unit || process.owner.kind == Owner::Kind::UserUnit;
        if (!owned || process.owner.name != unit)
            continue;
        for (const ProcessGpuMemory &memory : process.gpuMemory)
            gpus += memory.gpu;
    }
    return std::ranges::any_of(family.gpus, [&](int gpu) { return gpu >= 0 && gpus.contains(gpu); });
}

} // namespace pilothouse
