// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Joins the fleet's links, and what is found out about each, to the window, both ways. GUI thread; owned by Console.

#include "core/fleet/fleet.h"
#include "core/fleet/livediagnosis.h"

#include <QObject>
#include <QPointer>

namespace pilothouse {

class MainWindow;

class FleetBinding final : public QObject
{
    Q_OBJECT
public:
    FleetBinding(Fleet &fleet, MainWindow &window, QObject *parent = nullptr);

    /// Shows the host and opens its link; a link that cannot be made is shown as stopped, with the reason.
    void addHost(const HostSpec &spec);
    /// The host is described anew; it connects anew only where that concerns the connection. Unknown: as addHost().
    void changeHost(const HostSpec &spec);
    /// Closes its link and takes it out of the window.
    void removeHost(const QString &name);
    /// Every host has been read or has failed for now.
    [[nodiscard]] bool isSettled() const;
    /// Of the first host that could not be read; no value when all could.
    [[nodiscard]] std::optional<Error> firstFailure() const;
    /// Null: there is no such link.
    [[nodiscard]] LiveDiagnosis *diagnosisOf(const QString &name) const { return m_diagnoses.value(name); }

private:
    void bind(HostLink *link);
    void showUnusable(const QString &name, const Error &error);

    void setInView(const QString &name);

    Fleet &m_fleet;
    MainWindow &m_window;
    QHash<QString, QPointer<LiveDiagnosis>> m_diagnoses; ///< each goes with its link
};

} // namespace pilothouse
