// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The lists of hosts that a person has already: the SSH configuration and Ansible's inventories. Reads files, runs
// nothing; may block briefly, any thread.

#include "core/base/result.h"
#include "core/fleet/imports/ansibleinventory.h"
#include "core/fleet/imports/importlist.h"
#include "core/ssh/sshconfigfiles.h"

namespace pilothouse {

/// The aliases; patterns are no hosts. How each is reached is left to ssh, by its alias.
[[nodiscard]] ImportList importSsh(const SshConfigRoots &roots);

/// A file, INI or YAML by its name or else by its first line. Errors: LocalIo, InventoryInvalid ("file:line: …"), Usage
/// (a folder, a program, a list of plugins: nothing is run).
[[nodiscard]] Result<ImportList> importAnsible(const QString &path);

/// What importAnsible() makes of a file that is read. Groups become tags, but for "all" and "ungrouped".
[[nodiscard]] ImportList hostsOf(const AnsibleInventory &inventory, const QString &source);

} // namespace pilothouse
