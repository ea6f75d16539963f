// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Turns one tick's raw answer into a Snapshot: reads each section with its parser, joins them (GPUs by uuid, then bus
// id; processes by PID) and names as a Problem whatever is incomplete or wrong. Pure but for `memory`, which the
// caller keeps per connection target. Any thread.

#include "core/host/snapshot.h"
#include "core/probe/hostanswer.h"
#include "core/probe/parse/procstat.h"
#include "core/probe/parse/smiapps.h"
#include "core/probe/parse/smicsv.h"
#include "core/probe/probesettings.h"

#include <QDateTime>
#include <QHash>
#include <QList>
#include <QSet>
#include <QString>

#include <optional>

namespace pilothouse {

/// What the last tick's bytes were read as: bytes that come again are not read again, and give the same as without.
/// Holds no more than that tick did.
struct ReadMemo
{
    struct KnownProcess
    {
        QByteArray stat;
        QByteArray cmdline;
        bool cmdlineCut = false;
        QByteArray cgroup;
        std::optional<ProcStat> read; ///< of `stat`
        Process process;              ///< the parts that come from cmdline and cgroup
        quint64 tick = 0;             ///< when it was last there
    };

    SmiGpusMemo gpus;
    QByteArray appRows;
    SmiApps apps;
    QByteArray pci;
    QStringList pciBusIds;
    QHash<qint64, KnownProcess> processes;
    quint64 tick = 0;
};

/// What spans ticks of one host. Value; starts empty; keep it across reconnects, it notices a reboot itself.
struct AssembleMemory
{
    struct SeenGpu
    {
        int index = -1;
        QString uuid;
        QString name;
        QString busId;
        QList<MigDevice> migDevices; ///< as last read; their figures are not live
    };

    QString bootId;
    QList<SeenGpu> seenGpus;       ///< every healthy row since boot
    QSet<qint64> unresolvedPids;   ///< listed by the driver, not found in /proc, in the last tick
    QSet<QString> busyWithoutProcess; ///< uuid or bus id of GPUs at full load with nothing on them, in the last tick
    GpuSource::Status smiStatus = GpuSource::Status::Ok;
    QDateTime smiSince;            ///< UTC; since when smiStatus holds; hung and timeout are one state
    ReadMemo read;
};

/// `takenAt`: when the answer was complete, console's clock.
[[nodiscard]] Snapshot assemble(const HostAnswer &answer, const ProbeSettings &settings, AssembleMemory &memory,
    const QDateTime &takenAt);

} // namespace pilothouse
