// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// Any bytes as a hosts.toml. They may not crash or hang; a mistake names a place; what is accepted can be connected to,
// a host added at the end leaves every byte and every host before it alone, and one changed those around it.
#include "core/fleet/hostsplice.h"
#include "core/fleet/inventoryreader.h"
#include "core/fleet/inventorytext.h"
#include "core/ssh/sshtarget.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>

using namespace pilothouse;
using namespace Qt::StringLiterals;

namespace {

void require(bool holds)
{
    if (!holds)
        std::abort();
}

void checkHost(const HostSpec &host)
{
    require(!host.name.isEmpty() && !host.name.contains(u'\n') && !host.name.contains(u'/'));
    require(parseTarget(host.ssh).has_value());
    require(host.expectedGpus >= 0 && host.thresholdMib >= 0);
    for (const ServiceSpec &service : host.services)
        require(fullUnitName(service.unit).has_value());
}

/// Where the changed text reads back as it should, it is the old one up to the host and behind it.
void checkChange(const QByteArray &text, const InventoryText &read, qsizetype index)
{
    const InventoryHost &host = read.hosts.at(index);
    HostSpec after = host.spec;
    after.ssh = u"root@gpu1:2222"_s;
    after.tags += u"# \"]"_s;
    after.access = Access::Normal;
    const auto changed = withHostChanged(text, host, after);
    if (!changed)
        return;
    const auto again = readInventoryText(*changed, u"f"_s);
    if (!again || again->hosts.size() != read.hosts.size() || again->hosts.at(index).spec != after)
        return; // inline tables, and what else cannot be changed: the caller refuses it
    const QList<QByteArray> lines = splitLines(text);
    require(changed->startsWith(lines.first(host.place.line - 1).join()));
    require(changed->endsWith(lines.sliced(std::min<qsizetype>(host.lastLine, lines.size())).join()));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const QByteArray text(reinterpret_cast<const char *>(data), qsizetype(size));
    const auto read = readInventoryText(text, u"f"_s);
    if (!read) {
        require(read.error().code == ErrorCode::InventoryInvalid);
        for (const QString &line : read.error().detail.split(u'\n'))
            require(line.startsWith(u"f:") && line.endsWith(u'.'));
        return 0;
    }
    for (const InventoryHost &host : read->hosts)
        checkHost(host.spec);
    HostSpec added = read->hosts.isEmpty() ? HostSpec{} : read->hosts.first().spec;
    added.name = u"added"_s;
    added.ssh = u"root@gpu1:2222"_s;
    const QByteArray longer = withHostAppended(text, added);
    require(longer.startsWith(text));
    // Not every file can be added to (hosts as an inline array); where it can, nothing else changes.
    if (const auto again = readInventoryText(longer, u"f"_s)) {
        require(again->hosts.size() == read->hosts.size() + 1);
        for (qsizetype i = 0; i < read->hosts.size(); ++i)
            require(again->hosts.at(i).spec == read->hosts.at(i).spec);
        added.source = u"f"_s;
        require(again->hosts.last().spec == added);
    }
    for (qsizetype i = 0; i < std::min<qsizetype>(read->hosts.size(), 4); ++i)
        checkChange(text, *read, i);
    return 0;
}
