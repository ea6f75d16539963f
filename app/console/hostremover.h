// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Takes a host out of the console: reads what would go from hosts.toml, has the window ask, then does it. Files are
// read and written beside the GUI thread. GUI thread; owned by Console.

#include "core/base/background.h"
#include "core/fleet/inventory.h"

#include <QObject>

namespace pilothouse {

class FleetBinding;
class MainWindow;

class HostRemover final : public QObject
{
    Q_OBJECT
public:
    HostRemover(MainWindow &window, FleetBinding &binding, QString configDir, QObject *parent = nullptr);

private:
    struct Done
    {
        QString name;
        std::optional<Error> failure;
    };

    void ask(const QString &name);
    void showPlan(const Result<HostRemoval> &plan);
    void remove(const QString &name);
    void finish(const Done &done);

    MainWindow &m_window;
    FleetBinding &m_binding;
    QString m_configDir;
    HostRemoval m_plan; ///< of the dialog that is open
    Background<Result<HostRemoval>> m_plans;
    Background<Done> m_removals;
};

} // namespace pilothouse
