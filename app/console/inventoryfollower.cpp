// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/console/inventoryfollower.h"

#include "app/console/fleetbinding.h"
#include "ui/window/mainwindow.h"

#include <algorithm>

namespace pilothouse {

InventoryFollower::InventoryFollower(MainWindow &window, FleetBinding &binding, const QString &configDir, bool readOnly,
                                     QObject *parent)
    : QObject(parent)
    , m_window(window)
    , m_binding(binding)
    , m_readOnly(readOnly)
    , m_live(configDir)
{
    connect(&m_live, &LiveInventory::changed, this, &InventoryFollower::apply);
    connect(&m_live, &LiveInventory::failed, &window, &MainWindow::showInventoryFailure);
    connect(&m_live, &LiveInventory::mended, &window, &MainWindow::showInventoryMended);
}

void InventoryFollower::apply(const InventoryDifference &difference, const QList<HostSpec> &hosts)
{
    InventoryDifference news;
    const auto isNews = [this](const HostSpec &host) {
        const HostData *known = m_window.store().find(host.name);
        return !known || known->spec != host;
    };
    for (const QString &name : difference.removed) {
        if (m_window.store().find(name)) {
            news.removed += name;
            m_binding.removeHost(name);
        }
    }
    for (const QString &name : difference.added) {
        if (const HostSpec host = shown(name, hosts); isNews(host)) {
            news.added += name;
            m_binding.changeHost(host);
        }
    }
    for (const HostChange &change : difference.changed) {
        if (const HostSpec host = shown(change.name, hosts); isNews(host)) {
            news.changed += change;
            m_binding.changeHost(host);
        }
    }
    if (!news.isEmpty())
        m_window.showInventoryChange(news);
}

HostSpec InventoryFollower::shown(const QString &name, const QList<HostSpec> &hosts) const
{
    HostSpec host = *std::ranges::find(hosts, name, &HostSpec::name);
    if (m_readOnly)
        host.access = Access::ReadOnly;
    return host;
}

} // namespace pilothouse
