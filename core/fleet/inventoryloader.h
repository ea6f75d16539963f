// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The files of the inventory: which they are, reading one, merging hosts.toml with what it includes. Any thread. Used
// by inventory.cpp, inventoryedit.cpp and imports alone.

#include "core/fleet/inventory.h"
#include "core/fleet/inventoryreader.h"

#include <QHash>

namespace pilothouse {

[[nodiscard]] QString inventoryFileOf(const QString &configDir);

/// A file that cannot be looked at is there, as far as we know: reading it will say why.
[[nodiscard]] bool isMissingFile(const QString &file);

/// Empty where there is no file.
[[nodiscard]] Result<QByteArray> inventoryBytes(const QString &file);

/// Writes `after` where `before` still stands (empty: no file), with its folder. Errors: LocalIo (another program has
/// changed it meanwhile, the disk).
[[nodiscard]] Result<void> replaceInventoryFile(const QString &path, const QByteArray &before, const QByteArray &after);

/// One use.
class InventoryLoader final
{
public:
    explicit InventoryLoader(const QString &mainFile) { m_inventory.mainFile = mainFile; }

    /// `mainText` stands for the bytes of the main file.
    [[nodiscard]] Result<Inventory> load(const QByteArray &mainText);
    /// All that it asked for so far, whether or not it is there.
    [[nodiscard]] const QStringList &touched() const { return m_touched; }

private:
    // Mistakes are collected, so that a person sees all of them.
    void merge(const QString &file, const QByteArray &bytes);
    void follow(const InventoryInclude &include, const QString &file);
    void take(const QList<InventoryHost> &hosts, const QString &file);
    void touch(const QString &file);
    [[nodiscard]] QString circleTo(const QString &file) const;

    Inventory m_inventory;
    QStringList m_open; // canonical, from the main file down to the one being read
    QStringList m_done;
    QStringList m_touched;
    QStringList m_mistakes; // whole lines
    QHash<QString, QString> m_places;
};

} // namespace pilothouse
