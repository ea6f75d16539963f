// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// One host at one moment: whole, or the missing part is named. Immutable once shared; any thread.
// A list without a value could not be read; an empty one means that the host said none.

#include "core/host/gpu.h"
#include "core/host/process.h"
#include "core/host/system.h"
#include "core/host/unit.h"

#include <QDateTime>
#include <QHash>

#include <memory>
#include <optional>

namespace pilothouse {

enum class Depth { Light, Deep };

struct Snapshot
{
    QString host;            ///< name in the inventory, or the target as typed
    QString target;          ///< user@address:port
    Depth depth = Depth::Light;
    quint64 tick = 0;        ///< the request's number on its connection
    QString bootId;
    QString kernel;
    Quantity<double> uptimeS;
    QDateTime takenAt;       ///< UTC, console's clock, when the answer was complete
    double durationMs = 0;   ///< on the host, by its clock of 10 ms steps
    Quantity<int> skewMs;    ///< spread of the sections, a multiple of 10
    double roundTripMs = 0;  ///< request to answer, console's clock
    qint64 bytes = 0;        ///< of the answer
    GpuSource gpuSource;
    std::optional<QList<Gpu>> gpus;
    std::optional<QList<Process>> processes;
    std::optional<QList<Unit>> units;
    std::optional<QList<ListeningPort>> listening;
    std::optional<QList<ShmFile>> shm;
    SystemFacts system;
    QList<Problem> problems;
    /// Contract's "unknown" map of the document itself, for lists without a value: "gpus" -> reason. What a light
    /// snapshot does not look for ("listening", "shm") has no reason.
    QHash<QString, UnknownReason> unknown;
};

using SnapshotPtr = std::shared_ptr<const Snapshot>;

} // namespace pilothouse
