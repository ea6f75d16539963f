// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// Any bytes as a hosts.toml. They may not crash or hang; a mistake names a place; what is accepted can be connected to,
// and a host added at the end leaves every byte and every host before it alone.
#include "core/fleet/inventoryreader.h"
#include "core/fleet/inventorytext.h"
#include "core/ssh/sshtarget.h"

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

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const QByteArray text(reinterpret_cast<const char *>(data), qsizetype(size));
    const auto read = readInventoryText(text, u"f"_s);
    if (!read) {
        require(read.error().code == ErrorCode::InventoryInvalid && read.error().detail.startsWith(u"f:"));
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
    return 0;
}
