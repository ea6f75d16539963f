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

/// Errors: LocalIo (a file named on the command line is not there).
[[nodiscard]] Result<FleetSettings> fleetSettingsFor(const CommandContext &context);

} // namespace pilothouse
