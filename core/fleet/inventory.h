// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// hosts.toml: reading it with its includes, adding a host and removing one so that every other byte stays. Any thread.

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

/// What would go with a host, for a person to see before.
struct HostRemoval
{
    QString name;
    QString file;
    QByteArray lines; ///< as they stand there, its comments too
};

/// Changes nothing. Errors: InventoryInvalid (unknown; stands in an included file, which belongs to somebody else; is not
/// a [[host]] table of its own; the rest would not read back the same), LocalIo.
[[nodiscard]] Result<HostRemoval> planRemoval(const QString &configDir, const QString &name);

/// Does what was planned, from hosts.toml alone, unless the host's lines have changed since. Errors: as above.
[[nodiscard]] Result<Inventory> removeHost(const QString &configDir, const HostRemoval &planned);

} // namespace pilothouse
