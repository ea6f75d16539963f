// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/console/hostremover.h"

#include "app/console/fleetbinding.h"
#include "core/base/cleantext.h"
#include "ui/text/errortext.h"
#include "ui/window/mainwindow.h"

namespace pilothouse {

HostRemover::HostRemover(MainWindow &window, FleetBinding &binding, QString configDir, QObject *parent)
    : QObject(parent)
    , m_window(window)
    , m_binding(binding)
    , m_configDir(std::move(configDir))
    , m_plans([this](const Result<HostRemoval> &plan) { showPlan(plan); })
    , m_removals([this](const Done &done) { finish(done); })
{
    connect(&window, &MainWindow::removeRequested, this, &HostRemover::ask);
    connect(&window, &MainWindow::removeConfirmed, this, &HostRemover::remove);
}

void HostRemover::ask(const QString &name)
{
    const HostData *host = m_window.store().find(name);
    if (!host)
        return;
    if (host->spec.source.isEmpty()) {
        m_plan = {};
        m_window.showRemoveHost(name, {}, {});
        return;
    }
    m_plans.run([folder = m_configDir, name] { return planRemoval(folder, name); });
}

void HostRemover::showPlan(const Result<HostRemoval> &plan)
{
    if (!plan) {
        m_window.showFailure(tr("Remove Host"), paragraphOf(plan.error()));
        return;
    }
    m_plan = *plan;
    m_window.showRemoveHost(m_plan.name, m_plan.file, cleanText(m_plan.lines));
}

void HostRemover::remove(const QString &name)
{
    if (m_plan.name != name) {
        m_binding.removeHost(name); // it stands in no file
        return;
    }
    m_removals.run([folder = m_configDir, plan = m_plan] {
        const Result<Inventory> removed = removeHost(folder, plan);
        return Done{plan.name, removed ? std::nullopt : std::optional(removed.error())};
    });
}

void HostRemover::finish(const Done &done)
{
    if (done.failure)
        m_window.showFailure(tr("Remove Host"), paragraphOf(*done.failure));
    else
        m_binding.removeHost(done.name);
}

} // namespace pilothouse
