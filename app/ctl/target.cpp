// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/target.h"

#include "app/ctl/terminal.h"
#include "core/base/cleantext.h"

#include <QFileInfo>
#include <QStandardPaths>

#include <algorithm>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

/// Units of the command line as services, so that the rest of the program knows one way only. A unit that the
/// inventory knows as a user's stays one.
QList<ServiceSpec> servicesFor(const QStringList &units, const QList<ServiceSpec> &known)
{
    QList<ServiceSpec> services;
    for (const QString &unit : units) {
        const auto at = std::ranges::find_if(known, [&](const ServiceSpec &service) {
            return service.unit == unit || QString(service.unit + u".service"_s) == unit;
        });
        ServiceSpec service = at == known.end() ? ServiceSpec{} : *at;
        service.unit = unit;
        services += service;
    }
    return services;
}

Result<HostSpec> hostIn(const Inventory &inventory, const Options &options, const QString &target)
{
    HostSpec host;
    const auto at = std::ranges::find_if(inventory.hosts, [&](const HostSpec &h) { return h.name == target; });
    if (at != inventory.hosts.end()) {
        host = *at;
    } else {
        const auto parsed = parseTarget(target);
        if (!parsed)
            return fail(parsed.error());
        host.name = target;
        host.ssh = target;
    }
    if (!options.units.isEmpty())
        host.services = servicesFor(options.units, host.services);
    return host;
}

} // namespace

Result<Inventory> inventoryFor(const Options &options)
{
    QString folder = options.configDir;
    if (!folder.isEmpty() && !QFileInfo(folder).isDir()) // a slip of the pen would be an empty inventory
        return fail(ErrorCode::LocalIo, u"%1 is no folder."_s.arg(folder));
    if (folder.isEmpty())
        folder = QStandardPaths::writableLocation(QStandardPaths::GenericConfigLocation) + u"/pilothouse"_s;
    return loadInventory(folder);
}

Result<HostSpec> hostFor(const Options &options, const QString &target)
{
    const auto inventory = inventoryFor(options);
    if (!inventory)
        return fail(inventory.error());
    return hostIn(*inventory, options, target);
}

Result<QList<HostSpec>> hostsFor(const Options &options)
{
    const auto inventory = inventoryFor(options);
    if (!inventory)
        return fail(inventory.error());
    const bool all = options.all || (options.arguments.isEmpty() && options.tags.isEmpty());
    QList<HostSpec> hosts;
    const auto take = [&](const HostSpec &host) {
        if (std::ranges::none_of(hosts, [&](const HostSpec &other) { return other.name == host.name; }))
            hosts += host;
    };
    for (const QString &target : options.arguments) {
        const auto host = hostIn(*inventory, options, target);
        if (!host)
            return fail(host.error());
        take(*host);
    }
    for (const QString &tag : options.tags) {
        const auto has = [&](const HostSpec &host) { return host.tags.contains(tag); };
        if (std::ranges::none_of(inventory->hosts, has)) {
            return fail(ErrorCode::Usage, u"No host of the inventory has the tag \"%1\"."_s.arg(cleanLine(tag, 80)),
                        u"See pilothousectl hosts for the tags."_s);
        }
    }
    for (const HostSpec &host : inventory->hosts) {
        if (all || std::ranges::any_of(options.tags, [&](const QString &tag) { return host.tags.contains(tag); }))
            take(host);
    }
    if (hosts.isEmpty()) {
        return fail(ErrorCode::Usage, u"There is no host to look at: %1 has none."_s.arg(inventory->mainFile),
                    u"Name one as TARGET, or add it there as [[host]] with its name."_s);
    }
    return hosts;
}

Result<FleetSettings> fleetSettingsFor(const CommandContext &context)
{
    const Options &options = context.options;
    for (const QString &file : {options.sshConfigFile, options.identityFile}) {
        if (!file.isEmpty() && !QFileInfo(file).isReadable())
            return fail(ErrorCode::LocalIo, u"%1 cannot be read."_s.arg(file));
        if (QFileInfo(file).isDir())
            return fail(ErrorCode::LocalIo, u"%1 is a folder, not a file."_s.arg(file));
    }
    const auto absolute = [](const QString &file) {
        return file.isEmpty() ? file : QFileInfo(file).absoluteFilePath();
    };
    FleetSettings settings;
    settings.sshConfigFile = absolute(options.sshConfigFile);
    settings.knownHostsFile = absolute(options.knownHostsFile);
    settings.identityFile = absolute(options.identityFile);
    settings.acceptNewHostKey = options.acceptNewHostKey;
    settings.askPerson = Terminal::isThere();
    settings.timeout = options.timeout;
    settings.sudo = options.sudo;
    settings.end = context.end;
    return settings;
}

} // namespace pilothouse
