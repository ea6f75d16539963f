// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/fleet/inventorydiff.h"

#include <QHash>

#include <algorithm>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

/// Collects "title: before → after".
class Changes final
{
public:
    void compare(const QString &title, const QString &before, const QString &after)
    {
        if (before != after)
            m_lines += u"%1: %2 → %3"_s.arg(title, shown(before), shown(after));
    }
    void add(const QString &line) { m_lines += line; }
    [[nodiscard]] const QStringList &lines() const { return m_lines; }

private:
    static QString shown(const QString &value) { return value.isEmpty() ? u"none"_s : value; }

    QStringList m_lines;
};

QString countOf(int gpus)
{
    return gpus > 0 ? QString::number(gpus) : QString();
}

void compareService(Changes &changes, const ServiceSpec &before, const ServiceSpec &after)
{
    const QString title = u"service %1: "_s.arg(before.name);
    const auto scope = [](const ServiceSpec &service) { return service.userScope ? u"user"_s : u"system"_s; };
    changes.compare(title + u"unit", before.unit, after.unit);
    changes.compare(title + u"scope", scope(before), scope(after));
    changes.compare(title + u"gpus", before.gpus.join(u", "_s), after.gpus.join(u", "_s));
    changes.compare(title + u"health", before.health, after.health);
    changes.compare(title + u"model", before.model, after.model);
    changes.compare(title + u"drain", before.drain, after.drain);
    changes.compare(title + u"undrain", before.undrain, after.undrain);
}

} // namespace

QStringList fieldChanges(const HostSpec &before, const HostSpec &after)
{
    Changes changes;
    changes.compare(u"name"_s, before.name, after.name);
    changes.compare(u"ssh"_s, before.ssh, after.ssh);
    changes.compare(u"tags"_s, before.tags.join(u", "_s), after.tags.join(u", "_s));
    changes.compare(u"access"_s, wordOf(before.access), wordOf(after.access));
    changes.compare(u"sudo"_s, wordOf(before.sudo), wordOf(after.sudo));
    changes.compare(u"expected_gpus"_s, countOf(before.expectedGpus), countOf(after.expectedGpus));
    changes.compare(u"threshold_mib"_s, QString::number(before.thresholdMib), QString::number(after.thresholdMib));
    QStringList kept;
    for (const ServiceSpec &service : before.services) {
        const auto at = std::ranges::find(after.services, service.name, &ServiceSpec::name);
        if (at == after.services.end()) {
            changes.add(u"service %1 removed"_s.arg(service.name));
            continue;
        }
        kept += service.name;
        compareService(changes, service, *at);
    }
    QStringList order;
    for (const ServiceSpec &service : after.services) {
        if (kept.contains(service.name))
            order += service.name;
        else
            changes.add(u"service %1 added"_s.arg(service.name));
    }
    changes.compare(u"order of services"_s, kept.join(u", "_s), order.join(u", "_s));
    changes.compare(u"file"_s, before.source, after.source);
    if (before.source == after.source)
        changes.compare(u"origin"_s, wordOf(before.origin), wordOf(after.origin));
    return changes.lines();
}

HostSpec mergedHost(const HostSpec &base, const HostSpec &mine, const HostSpec &theirs)
{
    HostSpec merged = theirs;
    const auto take = [&](auto field) {
        if (mine.*field != base.*field)
            merged.*field = mine.*field;
    };
    take(&HostSpec::name);
    take(&HostSpec::ssh);
    take(&HostSpec::tags);
    take(&HostSpec::access);
    take(&HostSpec::sudo);
    take(&HostSpec::expectedGpus);
    take(&HostSpec::thresholdMib);
    take(&HostSpec::services);
    return merged;
}

InventoryDifference differenceOf(const QList<HostSpec> &before, const QList<HostSpec> &after)
{
    InventoryDifference difference;
    QHash<QString, const HostSpec *> old;
    for (const HostSpec &host : before)
        old.insert(host.name, &host);
    for (const HostSpec &host : after) {
        const HostSpec *known = old.take(host.name);
        if (!known)
            difference.added += host.name;
        else if (const QStringList fields = fieldChanges(*known, host); !fields.isEmpty())
            difference.changed += HostChange{host.name, fields};
    }
    for (const HostSpec &host : before) {
        if (old.contains(host.name))
            difference.removed += host.name;
    }
    return difference;
}

} // namespace pilothouse
