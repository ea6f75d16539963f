// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The hosts that a person's SSH configuration names, for the list in the add-host dialog. Only Host
// and Include lines are read; what they mean is asked of ssh when one is chosen. Any thread; reads
// files, may block briefly.

#include "core/ssh/sshconfigfiles.h"

namespace pilothouse {

struct SshAlias
{
    QString name;
    QString file; ///< of its first Host line
    int line = 0; ///< from 1

    friend bool operator==(const SshAlias &, const SshAlias &) = default;
};

struct SshAliasList
{
    QList<SshAlias> aliases; ///< in the order of the configuration, each name once, no patterns
    QStringList unreadable; ///< files that are named but could not be read
};

[[nodiscard]] SshAliasList listSshAliases(const SshConfigRoots &roots);

} // namespace pilothouse
