// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What another tool's list of hosts gives: hosts for the inventory, and by name what of it is left out, and why.
// Values, any thread.

#include "core/fleet/hostspec.h"

namespace pilothouse {

struct ImportedHost
{
    HostSpec spec;     ///< read-only, its origin an import
    QStringList notes; ///< sentences: what of the source is not honoured for it
};

struct ImportLeftOut
{
    QString name;      ///< of a host or pattern, cleaned
    QString why;       ///< one sentence

    friend bool operator==(const ImportLeftOut &, const ImportLeftOut &) = default;
};

struct ImportList
{
    QString source;    ///< where it comes from, for people
    QString name;      ///< for the file that keeps it: letters, digits, dashes
    QList<ImportedHost> hosts;
    QList<ImportLeftOut> leftOut;
    QStringList notes; ///< about the source as a whole

    /// Takes the host where hosts.toml can hold it, else says why not.
    void add(ImportedHost host);
};

} // namespace pilothouse
