// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The command line of pilothouse. Pure.

#include "core/base/result.h"
#include "core/fleet/fleet.h"

#include <QStringList>

namespace pilothouse {

struct ConsoleOptions
{
    QString target;     ///< as typed, without the service; empty: none
    QString service;
    bool demo = false;
    bool offscreen = false;
    bool readOnly = false;
    QString screenshot; ///< file; empty: none
    QString theme;      ///< "light", "dark"; empty: as the desktop
    QString configDir;
    QString stateDir;
    FleetSettings fleet;
    QString printAndExit; ///< text of --help or --version
};

/// Error: Usage.
[[nodiscard]] Result<ConsoleOptions> parseConsoleOptions(const QStringList &arguments);

/// The host that `target` means: one of the inventory by name, else what is typed.
[[nodiscard]] HostSpec hostFor(const QString &target, const QString &service, const QList<HostSpec> &known);

} // namespace pilothouse
