// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What is remembered of a host from earlier snapshots: families while their server lived, the last minute's figures, since
// when a SIGKILL is pending. A value, updated by a pure function; any thread. Bounded.

#include "core/diagnosis/diagnosis.h"
#include "core/host/snapshot.h"

#include <QHash>

namespace pilothouse {

struct RememberedMember
{
    qint64 ppid = 0;
    QString user;
};

/// One server with its relatives, as they were while it lived.
struct RememberedFamily
{
    ProcessIdentity head;
    QString headCommand;      ///< cleaned
    Owner owner;              ///< of the head
    QString cgroup;
    qint64 session = 0;
    QDateTime healthyAt;      ///< when it was last seen whole, UTC, console's clock
    QHash<ProcessIdentity, RememberedMember> members; ///< the head too
};

/// Of one process at one moment.
struct ProcessMoment
{
    std::optional<qint64> mib;
    std::optional<qint64> rssKib;
    std::optional<double> cpuS;
};

struct HostMoment
{
    QDateTime at;
    bool whole = false; ///< with its processes: every few seconds is enough, and there may be thousands
    QHash<ProcessIdentity, ProcessMoment> processes;
    QHash<QString, double> loadPct; ///< by GPU UUID
    QHash<QString, qint64> unattributedMib;
};

struct Lineage
{
    QString bootId;
    QList<RememberedFamily> families;
    QList<HostMoment> minute;                            ///< oldest first, of the last 60 s, 128 at most
    QHash<ProcessIdentity, QDateTime> killPendingSince;
    QHash<ProcessIdentity, QDateTime> exitingSince;
    QHash<QString, int> restarts;                        ///< a unit's counter when it was first seen
    QHash<QString, qint64> idleMib;                      ///< unattributed of a card that nobody used, the least seen
};

/// The same boot is taken for granted only where its id says so: another one forgets all.
[[nodiscard]] Lineage remember(Lineage lineage, const Snapshot &snapshot);

} // namespace pilothouse
