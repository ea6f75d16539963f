// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The answer of `systemctl show UNIT… --property=…` under TZ=UTC and LC_ALL=C. Blocks are told apart by an empty line,
// named by Id, in any order of properties; a value may hold line feeds. Pure, any thread.

#include "core/host/unit.h"

#include <QByteArrayView>
#include <QDateTime>
#include <QList>
#include <QStringList>

namespace pilothouse {

/// What to ask for. Environment is left out on purpose: it holds secrets and every local user may read it.
[[nodiscard]] QStringList unitProperties();

/// The host's clock against its uptime, for time stamps that only the monotonic clock tells.
struct HostClock
{
    QDateTime now;      ///< UTC; invalid: monotonic stamps cannot be used
    double uptimeS = 0;
};

struct UnitBlocks
{
    QList<Unit> units;     ///< one for each asked name that was answered, in the order asked; `name` as asked
    QStringList unanswered;///< asked, and no block came
    bool noSystemd = false;  ///< not booted with systemd, or no systemctl
    bool noBus = false;      ///< systemd or the user's manager cannot be reached
    QString message;       ///< of systemctl itself, cleaned, the first line
};

/// `asked`: full unit names. `errors`: standard error of the same command.
[[nodiscard]] UnitBlocks parseUnits(const QStringList &asked, QByteArrayView output, QByteArrayView errors,
    const HostClock &clock, bool user);

/// "Tue 2026-12-01 21:35:00 UTC", with microseconds, "@1796160891", "n/a" or nothing: invalid. Other zones are
/// refused: their abbreviations are ambiguous.
[[nodiscard]] QDateTime parseSystemdTime(QByteArrayView text);

} // namespace pilothouse
