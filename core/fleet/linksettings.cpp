// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/fleet/fleet.h"

#include "core/fleet/inventoryreader.h"

#include <algorithm>

namespace pilothouse {

using namespace std::chrono_literals;

void watchUnitsOf(const QList<ServiceSpec> &services, ProbeSettings &probe)
{
    for (const ServiceSpec &service : services) {
        QStringList &units = service.userScope ? probe.userUnits : probe.units;
        const auto name = fullUnitName(service.unit);
        if (name && !units.contains(*name))
            units += *name;
    }
}

Result<LinkSettings> linkSettingsFor(const HostSpec &host, const FleetSettings &settings)
{
    const auto target = parseTarget(host.ssh.isEmpty() ? host.name : host.ssh);
    if (!target)
        return fail(target.error());
    LinkSettings link;
    link.connection.target = *target;
    link.connection.sshConfigFile = settings.sshConfigFile;
    link.connection.knownHostsFile = settings.knownHostsFile;
    link.connection.identityFile = settings.identityFile;
    link.connection.acceptNewHostKey = settings.acceptNewHostKey;
    link.connection.askPerson = settings.askPerson;
    link.probe.host = host.name;
    link.probe.target = target->display();
    link.probe.consoleId = settings.consoleId;
    link.probe.expectedGpus = host.expectedGpus;
    link.probe.sudo = settings.sudo.value_or(host.sudo);
    link.probe.askPerson = settings.askPerson;
    watchUnitsOf(host.services, link.probe);
    if (settings.timeout) {
        link.connection.connectTimeout = *settings.timeout;
        link.connection.signInTimeout = *settings.timeout;
        link.probe.snapshotTimeout = *settings.timeout;
        // A link that says nothing for so long is no longer waited for either; a second is left for the way there and
        // back.
        link.connection.deadAfter = std::clamp(*settings.timeout, 1000ms, link.connection.deadAfter);
        link.connection.keepaliveInterval = std::min(link.connection.keepaliveInterval, link.connection.deadAfter / 3);
        // The tool's own limit passes first: the answer then says so, instead of being late as a whole.
        link.probe.smiTimeout = std::clamp(*settings.timeout - 1000ms, 1000ms, link.probe.smiTimeout);
    }
    return link;
}

} // namespace pilothouse
