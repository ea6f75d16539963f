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
    bool readOnlySource = false;

    friend bool operator==(const HostSpec &, const HostSpec &) = default;
};

} // namespace pilothouse
