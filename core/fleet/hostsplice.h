// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Changes one host in the text of a hosts.toml by replacing the source regions of what differs, and nothing else. Pure,
// any thread. Whoever calls parses the result again and compares: this only proposes.

#include "core/fleet/inventoryreader.h"

#include <QByteArray>

namespace pilothouse {

/// `written` was read from `text`. A value that is there is replaced where it stands; one that is not is written below
/// the table's last value; a service that is new stands below the last one. Line ends as in `text`, and no final one
/// where it has none. Errors: InventoryInvalid (a list with comments inside, which would be lost).
[[nodiscard]] Result<QByteArray> withHostChanged(const QByteArray &text, const InventoryHost &written,
                                                 const HostSpec &after);

} // namespace pilothouse
