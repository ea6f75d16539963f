// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Small files of /proc and /sys about the whole host, /proc/PID/status, and logind's of its sessions. Pure, any thread.

#include "core/base/quantity.h"
#include "core/host/system.h"

#include <QByteArrayView>
#include <QStringList>

namespace pilothouse {

struct HostMemory
{
    Quantity<qint64> totalKib;
    Quantity<qint64> availableKib; ///< absent before Linux 3.14
};

struct ProcStatus
{
    std::optional<bool> killPending;    ///< SIGKILL, for the process or its first thread
    std::optional<qint64> lockedKib;    ///< VmLck and VmPin
    std::optional<QString> waitsIn;     ///< of a line "wchan:PLACE"
};

/// Lines of /proc/PID/status, and of its wchan.
[[nodiscard]] ProcStatus parseProcStatus(QByteArrayView lines);

/// Lines "PATH/ID:KEY=VALUE" of logind's files, each session's behind one another, then "SECONDS UID TERMINAL" and, last,
/// "SECONDS UID /proc/self/stat", the host's clock. Sessions that are closing or a manager's are nobody's any more. Where
/// logind knows no terminal, the one counts that its user has touched last.
[[nodiscard]] QList<LoginSession> parseSessions(QByteArrayView text);

[[nodiscard]] HostMemory parseMeminfo(QByteArrayView meminfo);
[[nodiscard]] Quantity<double> parseLoad1(QByteArrayView loadavg);
/// /proc/vmstat's oom_kill; absent before Linux 4.13.
[[nodiscard]] Quantity<qint64> parseOomKills(QByteArrayView vmstat);
/// Normalised bus ids of NVIDIA's display controllers, from lines "0000:01:00.0 0x10de 0x030200"; sorted, each once.
[[nodiscard]] QStringList parsePciGpus(QByteArrayView pci);

} // namespace pilothouse
