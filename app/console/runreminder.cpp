// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/console/runreminder.h"

#include "app/console/reclaimdesk.h"
#include "ui/window/mainwindow.h"

namespace pilothouse {

RunReminder::RunReminder(MainWindow &window, ReclaimDesk &desk, const QString &stateDir, QObject *parent)
    : QObject(parent)
    , m_window(window)
    , m_found([this](const QList<InterruptedRun> &runs) {
        for (const InterruptedRun &run : runs)
            m_runs[run.host] += run;
        for (auto host = m_runs.cbegin(); host != m_runs.cend(); ++host)
            m_window.setInterrupted(host.key(), host.value());
    })
{
    connect(&window.store(), &HostStore::added, this, [this](const QString &name) {
        if (const auto runs = m_runs.value(name); !runs.isEmpty())
            m_window.setInterrupted(name, runs);
    });
    connect(&window, &MainWindow::interruptedDismissed, this, &RunReminder::forget);
    connect(&desk, &ReclaimDesk::settled, this, &RunReminder::forget);
    m_found.run([stateDir] { return interruptedRuns(stateDir); });
}

void RunReminder::forget(const QString &host)
{
    const QList<InterruptedRun> runs = m_runs.take(host);
    if (runs.isEmpty())
        return;
    m_window.setInterrupted(host, {});
    QThreadPool::globalInstance()->start([runs] {
        for (const InterruptedRun &run : runs)
            forgetRun(run);
    });
}

} // namespace pilothouse
