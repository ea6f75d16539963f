// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// hosts.toml: reading it with its includes, adding, changing and removing a host so that every other byte stays. Any
// thread.

#include "core/base/result.h"
#include "core/fleet/hostspec.h"

namespace pilothouse {

struct Inventory
{
    QList<HostSpec> hosts; ///< includes first, in file order; names are unique
    QStringList files;     ///< absolute, as read
    QString mainFile;      ///< hosts.toml of the configuration folder, whether or not it exists
};

/// An inventory, or why there is none, and what that depends on.
struct InventoryReading
{
    Result<Inventory> inventory;
    QStringList files; ///< absolute, those too that are missing or broken: when one changes, read again
};

/// A missing file is an empty inventory. Errors: InventoryInvalid, the detail being a line "file:line:column: what was
/// expected." for each mistake in all files (20 at most); LocalIo.
[[nodiscard]] InventoryReading readInventory(const QString &configDir);
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

/// Changes nothing. Errors: InventoryInvalid (unknown; stands in an included file, which belongs to somebody else; is
/// not a [[host]] table of its own; the rest would not read back the same), LocalIo.
[[nodiscard]] Result<HostRemoval> planRemoval(const QString &configDir, const QString &name);

/// Does what was planned, from hosts.toml alone, unless the host's lines have changed since. Errors: as above.
[[nodiscard]] Result<Inventory> removeHost(const QString &configDir, const HostRemoval &planned);

/// A host of hosts.toml as a person begins to edit it.
struct HostText
{
    HostSpec spec;
    QByteArray lines; ///< from its header to its last value, services too
};

/// Errors: InventoryInvalid (unknown; stands in a file that is not ours to change), LocalIo.
[[nodiscard]] Result<HostText> readHostText(const QString &configDir, const QString &name);

/// Splices what differs between `before` and `after` into the file as it is now: a change elsewhere in it stays.
/// Refused, with the difference, when the host's own lines have changed since `before`. Parses the result and compares
/// before the file is replaced. Errors: InventoryInvalid (as above; a value that cannot be; would not read back the
/// same), LocalIo.
[[nodiscard]] Result<Inventory> changeHost(const QString &configDir, const HostText &before, const HostSpec &after);

} // namespace pilothouse
