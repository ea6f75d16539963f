// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Export Incident…: asks for a file, asks the host how the processes stand, writes both with the last diagnosis.
// Changes nothing on the host. GUI thread; owned by Console, gone before the fleet.

#include "app/console/fleetbinding.h"
#include "core/base/background.h"
#include "core/workflow/incident.h"

namespace pilothouse {

class MainWindow;

class IncidentExport final : public QObject
{
    Q_OBJECT
public:
    IncidentExport(MainWindow &window, Fleet &fleet, QObject *parent = nullptr);

    /// Opens the file dialog for that host.
    void begin(const QString &name);
    /// To that file, without a dialog.
    void exportTo(const QString &name, const QString &file);

signals:
    /// Written, or `failure` says why not.
    void exported(const QString &file, const QString &failure);

private:
    struct Written
    {
        QString file;
        QString failure;
    };
    void write(const QString &file, const Incident &incident);

    MainWindow &m_window;
    Fleet &m_fleet;
    Background<Written> m_written;
};

} // namespace pilothouse
