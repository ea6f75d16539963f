// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/fleet/inventory.h"

#include "core/fleet/inventoryloader.h"

namespace pilothouse {

InventoryReading readInventory(const QString &configDir)
{
    const QString mainFile = inventoryFileOf(configDir);
    InventoryLoader loader(mainFile);
    if (isMissingFile(mainFile)) {
        Inventory empty;
        empty.mainFile = mainFile;
        return {empty, {mainFile}};
    }
    const auto bytes = inventoryBytes(mainFile);
    if (!bytes)
        return {fail(bytes.error()), {mainFile}};
    Result<Inventory> inventory = loader.load(*bytes);
    return {std::move(inventory), loader.touched()};
}

Result<Inventory> loadInventory(const QString &configDir)
{
    return readInventory(configDir).inventory;
}

} // namespace pilothouse
