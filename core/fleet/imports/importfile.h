// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Where imported hosts are kept: imported/NAME.toml beside hosts.toml, which includes it. A file of Pilothouse's own,
// which the next import replaces; its hosts are read-only. Any thread.

#include "core/fleet/inventory.h"

namespace pilothouse {

/// Absolute. `name`: letters, digits, dashes (ImportList::name).
[[nodiscard]] QString importFileOf(const QString &configDir, const QString &name);

/// It lies in the folder of imports.
[[nodiscard]] bool isImportFile(const QString &mainFile, const QString &file);

/// Writes the file anew and sees to it that hosts.toml includes it; there every other byte stays. When the inventory
/// cannot be read afterwards, all is as before. `source`: where the hosts come from, for the file's first lines.
/// Errors: InventoryInvalid (a name that is taken, a broken hosts.toml), LocalIo.
[[nodiscard]] Result<Inventory> writeImport(const QString &configDir, const QString &name, const QString &source,
                                            const QList<HostSpec> &hosts);

/// `text` with `path` among its includes, first of them; unchanged where it is there. Errors: InventoryInvalid.
[[nodiscard]] Result<QByteArray> withInclude(const QByteArray &text, const QString &path, const QString &file);

} // namespace pilothouse
