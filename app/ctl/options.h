// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// A command line of pilothousectl, read by the tables of commandtable.h. Pure, one thread.

#include "core/base/ids.h"
#include "core/base/result.h"
#include "core/probe/probesettings.h"

#include <QString>
#include <QStringList>

#include <chrono>
#include <optional>

namespace pilothouse {

enum class ColorMode { Auto, Always, Never };

struct Options
{
    // common to all commands
    bool json = false;
    QString configDir;      ///< --config, else the person's own
    QString sshConfigFile;
    QString knownHostsFile;
    QString identityFile;
    bool acceptNewHostKey = false;
    std::optional<std::chrono::milliseconds> timeout;
    std::optional<SudoPolicy> sudo;
    bool readOnly = false;
    ColorMode color = ColorMode::Auto;
    bool version = false;
    bool help = false;

    QString command;        ///< empty: none was given
    QStringList arguments;

    // snapshot
    QStringList units;      ///< full names
    bool deep = false;
    std::optional<std::chrono::milliseconds> watch;
    std::optional<int> count;

    // reclaim
    QList<int> gpus;
    QList<ProcessIdentity> include;
    std::optional<qint64> belowMib;
    std::optional<std::chrono::milliseconds> grace;
    bool cleanShm = false;
    bool noEvidence = false;
    bool dryRun = false;
    bool yes = false;
    QString plan;           ///< id

    // unit
    bool userUnit = false;  ///< of the person's own manager

    // restart
    QString health;
    QString model;
    bool goOn = false;      ///< --continue

    // evidence
    QString file;

    // status
    QStringList tags;
    bool all = false;
};

/// `words` without the program's name. Errors: Usage.
[[nodiscard]] Result<Options> parseOptions(const QStringList &words);

} // namespace pilothouse
