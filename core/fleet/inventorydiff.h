// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What differs between two readings of the inventory, host by host and field by field, in words. Pure, any thread.

#include "core/fleet/hostspec.h"

namespace pilothouse {

/// "access: confirm → normal", "service kimi: unit: a.service → b.service", "service kimi added": one a field, in the
/// order of hosts.toml. Where the host stands counts, too. Empty: nothing differs.
[[nodiscard]] QStringList fieldChanges(const HostSpec &before, const HostSpec &after);

/// What `mine` changed of `base`, on top of `theirs`; the services are one field.
[[nodiscard]] HostSpec mergedHost(const HostSpec &base, const HostSpec &mine, const HostSpec &theirs);

struct HostChange
{
    QString name;
    QStringList fields; ///< as by fieldChanges()

    friend bool operator==(const HostChange &, const HostChange &) = default;
};

struct InventoryDifference
{
    QStringList added;
    QStringList removed;
    QList<HostChange> changed;

    [[nodiscard]] bool isEmpty() const { return added.isEmpty() && removed.isEmpty() && changed.isEmpty(); }
    friend bool operator==(const InventoryDifference &, const InventoryDifference &) = default;
};

/// By name: a host with a new name is one removed and one added. Order does not count.
[[nodiscard]] InventoryDifference differenceOf(const QList<HostSpec> &before, const QList<HostSpec> &after);

} // namespace pilothouse
