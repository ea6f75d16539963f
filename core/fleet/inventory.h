// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// hosts.toml: reading it with its includes, and adding a host so that every other byte stays. Any thread.

#include "core/base/result.h"
#include "core/fleet/hostspec.h"

namespace pilothouse {

struct Inventory
{
    QList<HostSpec> hosts; ///< includes first, in file order; names are unique
    QStringList files;     ///< absolute, as read
    QString mainFile;      ///< hosts.toml of the configuration folder, whether or not it exists
};

/// A missing file is an empty inventory. Errors: InventoryInvalid with "file:line: what was expected".
[[nodiscard]] Result<Inventory> loadInventory(const QString &configDir);

/// Splices a [[host]] table onto the end of hosts.toml (made if missing, with its folder), parses the result and
/// compares before the file is replaced. Errors: InventoryInvalid (name taken, file broken), LocalIo.
[[nodiscard]] Result<Inventory> appendHost(const QString &configDir, const HostSpec &host);

} // namespace pilothouse
