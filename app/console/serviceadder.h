// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Writes services that were found on a host into hosts.toml. The file is read and written beside the GUI thread. GUI
// thread; owned by Console.

#include "core/base/background.h"
#include "core/fleet/inventory.h"

#include <QObject>

namespace pilothouse {

class FleetBinding;
class MainWindow;

class ServiceAdder final : public QObject
{
    Q_OBJECT
public:
    ServiceAdder(MainWindow &window, FleetBinding &binding, QString configDir, QObject *parent = nullptr);

private:
    void add(const QString &host, const QList<ServiceSpec> &services);
    void finish(const Result<HostSpec> &changed);

    MainWindow &m_window;
    FleetBinding &m_binding;
    QString m_configDir;
    Background<Result<HostSpec>> m_saves;
};

} // namespace pilothouse
