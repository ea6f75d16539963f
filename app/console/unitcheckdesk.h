// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Check Unit…: opens the dialog, asks the host for the unit's files and settings, shows what they come to. Changes
// nothing on the host. GUI thread; owned by Console, gone before the fleet.

#include "app/console/fleetbinding.h"

#include <QPointer>

namespace pilothouse {

class MainWindow;
class Theme;
class UnitCheckDialog;
struct ActionResult;

class UnitCheckDesk final : public QObject
{
    Q_OBJECT
public:
    UnitCheckDesk(const Theme &theme, MainWindow &window, Fleet &fleet, FleetBinding &binding,
                  QObject *parent = nullptr);

    /// Opens the dialog for that host.
    void open(const QString &host);

private:
    void ask(const QString &host, const QString &unit, bool user);
    void show(const QString &host, const ActionResult &result);

    const Theme &m_theme;
    MainWindow &m_window;
    Fleet &m_fleet;
    FleetBinding &m_binding;
    QPointer<UnitCheckDialog> m_dialog;
    QMetaObject::Connection m_answer;
    quint64 m_question = 0;
};

} // namespace pilothouse
