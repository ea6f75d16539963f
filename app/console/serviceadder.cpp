// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/console/serviceadder.h"

#include "app/console/fleetbinding.h"
#include "ui/text/errortext.h"
#include "ui/window/mainwindow.h"

#include <algorithm>

namespace pilothouse {

ServiceAdder::ServiceAdder(MainWindow &window, FleetBinding &binding, QString configDir, QObject *parent)
    : QObject(parent)
    , m_window(window)
    , m_binding(binding)
    , m_configDir(std::move(configDir))
    , m_saves([this](const Result<HostSpec> &changed) { finish(changed); })
{
    connect(&window, &MainWindow::servicesWanted, this, &ServiceAdder::add);
}

void ServiceAdder::add(const QString &host, const QList<ServiceSpec> &services)
{
    m_saves.run([folder = m_configDir, host, services]() -> Result<HostSpec> {
        const auto before = readHostText(folder, host);
        if (!before)
            return fail(before.error());
        HostSpec after = before->spec;
        for (ServiceSpec service : services) {
            const auto same = [&](const ServiceSpec &other) { return other.name == service.name; };
            if (std::ranges::any_of(after.services, same))
                service.name = service.unit;
            after.services += service;
        }
        const auto changed = changeHost(folder, *before, after);
        if (!changed)
            return fail(changed.error());
        return *std::ranges::find(changed->hosts, host, &HostSpec::name);
    });
}

void ServiceAdder::finish(const Result<HostSpec> &changed)
{
    if (!changed) {
        m_window.showFailure(tr("Add Services"), paragraphOf(changed.error()));
        return;
    }
    HostSpec host = *changed;
    if (const HostData *shown = m_window.store().find(host.name))
        host.access = shown->spec.access; // the console's --read-only, if it is so
    m_binding.changeHost(host);
}

} // namespace pilothouse
