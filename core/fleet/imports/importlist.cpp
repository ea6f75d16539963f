// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/fleet/imports/importlist.h"

#include "core/base/cleantext.h"
#include "core/fleet/inventoryreader.h"
#include "core/fleet/inventorytext.h"

#include <algorithm>

namespace pilothouse {

using namespace Qt::StringLiterals;

void ImportList::add(ImportedHost host)
{
    host.spec.access = Access::ReadOnly;
    host.spec.origin = HostOrigin::Imported;
    const QString shown = cleanLine(host.spec.name, 80);
    const auto same = [&](const ImportedHost &other) { return other.spec.name == host.spec.name; };
    if (std::ranges::any_of(hosts, same)) {
        leftOut += ImportLeftOut{shown, u"It stands there twice; the first counts."_s};
        return;
    }
    const auto read = readInventoryText(withHostAppended({}, host.spec), u"hosts.toml"_s);
    HostSpec written = read && !read->hosts.isEmpty() ? read->hosts.first().spec : HostSpec();
    written.source = host.spec.source;
    written.origin = host.spec.origin;
    if (written == host.spec)
        hosts += std::move(host);
    else
        leftOut += ImportLeftOut{shown, u"Its name, or how it is reached, cannot stand in hosts.toml."_s};
}

} // namespace pilothouse
