// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// A host as the inventory knows it: [[host]] of hosts.toml, an SSH alias or a typed target. Plain value, any thread.

#include "core/probe/probesettings.h"

#include <QList>
#include <QString>
#include <QStringList>

namespace pilothouse {

enum class Access { ReadOnly, Confirm, Normal };

struct ServiceSpec
{
    QString name;
    QString unit;
    bool userScope = false;
    QStringList gpus;    ///< indices or UUIDs as written; empty: from its processes
    QString health;
    QString model;
    QString drain;
    QString undrain;

    friend bool operator==(const ServiceSpec &, const ServiceSpec &) = default;
};

/// Where a host comes from, and with it who may change it.
enum class HostOrigin {
    Typed,    ///< in the window or on a command line: stands in no file
    OwnFile,  ///< a [[host]] of hosts.toml, which the window edits
    Included, ///< a [[host]] of a file that hosts.toml includes: its keeper's
    Imported, ///< from an SSH configuration or an Ansible inventory
};

struct HostSpec
{
    QString name;        ///< unique, shown everywhere
    QString ssh;         ///< alias or [user@]host[:port]
    QStringList tags;
    Access access = Access::Confirm;
    SudoPolicy sudo = SudoPolicy::Never;
    int expectedGpus = 0;
    int thresholdMib = 1000;
    QList<ServiceSpec> services;
    QString source;      ///< file it stands in; empty for a typed target
    HostOrigin origin = HostOrigin::Typed;

    friend bool operator==(const HostSpec &, const HostSpec &) = default;
};

/// Asks for the services' units too; what is no unit's name is passed over.
void watchUnitsOf(const QList<ServiceSpec> &services, ProbeSettings &probe);

/// Words of hosts.toml and of JSON, in the order of the enums.
[[nodiscard]] QString wordOf(Access access);
[[nodiscard]] QString wordOf(SudoPolicy sudo);
[[nodiscard]] QString wordOf(HostOrigin origin); ///< "typed", "own", "include", "import"
[[nodiscard]] const QStringList &accessWords();
[[nodiscard]] const QStringList &sudoWords();

/// Only its file's keeper changes it.
[[nodiscard]] bool isReadOnly(HostOrigin origin);
/// Why, as one English sentence that names the file; empty where the window may change the host.
[[nodiscard]] QString readOnlyReason(const HostSpec &host);

} // namespace pilothouse
