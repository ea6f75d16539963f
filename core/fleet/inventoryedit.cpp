// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// The part of inventory.h that writes.
#include "core/fleet/inventory.h"

#include "core/base/cleantext.h"
#include "core/fleet/hostsplice.h"
#include "core/fleet/inventorydiff.h"
#include "core/fleet/inventoryloader.h"
#include "core/fleet/inventorytext.h"


#include <algorithm>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

/// A host of hosts.toml with all that stands around it.
struct Standing
{
    QByteArray text;
    Inventory inventory;
    qsizetype index = 0; ///< in `inventory`
    InventoryHost written;
};

Result<Standing> findOwn(const QString &mainFile, const QString &name)
{
    const auto text = inventoryBytes(mainFile);
    if (!text)
        return fail(text.error());
    const auto inventory = InventoryLoader(mainFile).load(*text);
    if (!inventory)
        return fail(inventory.error());
    const auto known = std::ranges::find(inventory->hosts, name, &HostSpec::name);
    if (known == inventory->hosts.end())
        return fail(ErrorCode::InventoryInvalid, u"%1 has no host \"%2\"."_s.arg(mainFile, cleanLine(name)));
    if (isReadOnly(known->origin))
        return fail(ErrorCode::InventoryInvalid, readOnlyReason(*known), u"Nothing was changed."_s);
    const auto own = readInventoryText(*text, mainFile);
    if (!own)
        return fail(own.error());
    const auto written
        = std::ranges::find_if(own->hosts, [&](const InventoryHost &host) { return host.spec.name == name; });
    return Standing{*text, *inventory, known - inventory->hosts.begin(), *written};
}

/// The main file without a host, and what that makes of the inventory.
struct Removed
{
    QByteArray before;
    TextCut cut;
    Inventory inventory;
};

Result<Removed> withoutHost(const QString &mainFile, const QString &name)
{
    const auto host = findOwn(mainFile, name);
    if (!host)
        return fail(host.error());
    Removed removed{host->text, cutTable(host->text, host->written.place.line, host->written.lastLine), {}};
    const auto changed = InventoryLoader(mainFile).load(removed.cut.before + removed.cut.after);
    QList<HostSpec> others = host->inventory.hosts;
    others.removeAt(host->index);
    if (!removed.cut.lines.contains("[[") || !changed || changed->hosts != others
        || changed->files != host->inventory.files) {
        return fail(ErrorCode::InventoryInvalid,
                    u"%1: \"%2\" cannot be taken out so that the rest reads back the same."_s.arg(mainFile,
                                                                                                 cleanLine(name)),
                    u"Remove it by hand; nothing was changed."_s);
    }
    removed.inventory = *changed;
    return removed;
}

HostText textOf(const Standing &host)
{
    const QList<QByteArray> lines = splitLines(host.text);
    const qsizetype first = host.written.place.line - 1;
    return {host.inventory.hosts.at(host.index), lines.mid(first, host.written.lastLine - first).join()};
}

} // namespace

Result<Inventory> appendHost(const QString &configDir, const HostSpec &host)
{
    const QString mainFile = inventoryFileOf(configDir);
    const auto before = inventoryBytes(mainFile);
    if (!before)
        return fail(before.error());
    const auto old = InventoryLoader(mainFile).load(*before);
    if (!old)
        return fail(old.error());
    for (const HostSpec &other : old->hosts) {
        if (other.name == host.name) {
            return fail(ErrorCode::InventoryInvalid,
                        u"The name \"%1\" is taken by a host in %2."_s.arg(cleanLine(host.name), other.source));
        }
    }
    const QByteArray after = withHostAppended(*before, host);
    const auto changed = InventoryLoader(mainFile).load(after);
    if (!changed)
        return fail(changed.error());
    HostSpec wanted = host;
    wanted.source = mainFile;
    wanted.origin = HostOrigin::OwnFile;
    if (wanted.ssh.isEmpty())
        wanted.ssh = wanted.name;
    if (!after.startsWith(*before) || changed->hosts != old->hosts + QList<HostSpec>{wanted}) {
        return fail(ErrorCode::InventoryInvalid,
                    u"%1: the host cannot be added at the end of this file so that it reads back the same."_s.arg(
                        mainFile),
                    u"Add it by hand; nothing was changed."_s);
    }
    if (const auto written = replaceInventoryFile(mainFile, *before, after); !written)
        return fail(written.error());
    return changed;
}

Result<HostRemoval> planRemoval(const QString &configDir, const QString &name)
{
    const QString mainFile = inventoryFileOf(configDir);
    const auto removed = withoutHost(mainFile, name);
    if (!removed)
        return fail(removed.error());
    return HostRemoval{name, mainFile, removed->cut.lines};
}

Result<Inventory> removeHost(const QString &configDir, const HostRemoval &planned)
{
    const QString mainFile = inventoryFileOf(configDir);
    const auto removed = withoutHost(mainFile, planned.name);
    if (!removed)
        return fail(removed.error());
    if (removed->cut.lines != planned.lines) {
        return fail(ErrorCode::InventoryInvalid,
                    u"The lines of \"%1\" in %2 have changed meanwhile."_s.arg(cleanLine(planned.name), mainFile),
                    u"Look at them again; nothing was changed."_s);
    }
    const auto written = replaceInventoryFile(mainFile, removed->before, removed->cut.before + removed->cut.after);
    if (!written)
        return fail(written.error());
    return removed->inventory;
}

Result<HostText> readHostText(const QString &configDir, const QString &name)
{
    const auto host = findOwn(inventoryFileOf(configDir), name);
    if (!host)
        return fail(host.error());
    return textOf(*host);
}

Result<Inventory> changeHost(const QString &configDir, const HostText &before, const HostSpec &after)
{
    const QString mainFile = inventoryFileOf(configDir);
    const auto host = findOwn(mainFile, before.spec.name);
    if (!host)
        return fail(host.error());
    if (const HostText now = textOf(*host); now.lines != before.lines) {
        const QStringList fields = fieldChanges(before.spec, now.spec);
        const QString what = fields.isEmpty() ? u"its comments or spacing"_s : fields.join(u"; "_s);
        return fail(ErrorCode::InventoryInvalid,
                    u"The lines of \"%1\" in %2 have changed meanwhile: %3."_s.arg(cleanLine(before.spec.name),
                                                                                  mainFile, what),
                    u"Look at them again; nothing was changed."_s);
    }
    HostSpec wanted = after;
    wanted.source = mainFile;
    wanted.origin = HostOrigin::OwnFile;
    if (wanted.ssh.isEmpty())
        wanted.ssh = wanted.name;
    if (wanted == before.spec)
        return host->inventory;
    const auto text = withHostChanged(host->text, host->written, wanted);
    if (!text)
        return fail(text.error());
    const auto changed = InventoryLoader(mainFile).load(*text);
    if (!changed)
        return fail(changed.error());
    QList<HostSpec> hosts = host->inventory.hosts;
    hosts[host->index] = wanted;
    if (changed->hosts != hosts || changed->files != host->inventory.files) {
        return fail(ErrorCode::InventoryInvalid,
                    u"%1: \"%2\" cannot be changed so that all reads back the same."_s.arg(
                        mainFile, cleanLine(before.spec.name)),
                    u"Change it by hand; nothing was changed."_s);
    }
    if (const auto written = replaceInventoryFile(mainFile, host->text, *text); !written)
        return fail(written.error());
    return changed;
}

} // namespace pilothouse
