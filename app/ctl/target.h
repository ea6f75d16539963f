// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// From TARGET and the common options to a host and the settings of its connection.

#include "app/ctl/command.h"
#include "core/fleet/fleet.h"
#include "core/fleet/inventory.h"

namespace pilothouse {

[[nodiscard]] Result<Inventory> inventoryFor(const Options &options);

/// A host of the inventory, else an alias or [user@]host[:port], with the units of the command line instead of its
/// services' where there are any. Errors: Usage, InventoryInvalid, LocalIo.
[[nodiscard]] Result<HostSpec> hostFor(const Options &options, const QString &target);

/// Those of the arguments and of the tags, each once; without any, all of the inventory. Errors: Usage (a tag that no host
/// has, nothing to look at), as hostFor().
[[nodiscard]] Result<QList<HostSpec>> hostsFor(const Options &options);

/// Errors: LocalIo (a file named on the command line is not there).
[[nodiscard]] Result<FleetSettings> fleetSettingsFor(const CommandContext &context);

} // namespace pilothouse
