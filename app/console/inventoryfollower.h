// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Follows hosts.toml and its includes on disk: hosts come, go and change in fleet and window, which says so. What this
// console wrote itself is no news. GUI thread; owned by Console.

#include "core/fleet/liveinventory.h"

#include <QObject>

namespace pilothouse {

class FleetBinding;
class MainWindow;

class InventoryFollower final : public QObject
{
    Q_OBJECT
public:
    /// `readOnly`: every host is, whatever its file says.
    InventoryFollower(MainWindow &window, FleetBinding &binding, const QString &configDir, bool readOnly,
                      QObject *parent = nullptr);

    void start(const InventoryReading &reading) { m_live.start(reading); }

private:
    void apply(const InventoryDifference &difference, const QList<HostSpec> &hosts);
    [[nodiscard]] HostSpec shown(const QString &name, const QList<HostSpec> &hosts) const;

    MainWindow &m_window;
    FleetBinding &m_binding;
    bool m_readOnly;
    LiveInventory m_live;
};

} // namespace pilothouse
