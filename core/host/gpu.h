// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// A GPU as the driver reports it, and where the report came from. Values, any thread. GPU memory in MiB.

#include "core/base/quantity.h"

#include <QDateTime>
#include <QList>
#include <QString>

namespace pilothouse {

struct MigDevice
{
    int index = 0;
    Quantity<int> gpuInstance;
    Quantity<int> computeInstance;
    QString uuid;
    Quantity<qint64> memoryTotalMib;
    Quantity<qint64> memoryUsedMib;
    Quantity<qint64> memoryFreeMib;

    friend bool operator==(const MigDevice &, const MigDevice &) = default;
};

struct Gpu
{
    int index = -1;               ///< the driver's index; -1 when its row had none. Never the row's position.
    QString uuid;                 ///< empty when unreadable
    QString name;
    QString busId;                ///< normalised: lower case, four-digit domain at least, "0000:01:00.0"
    Quantity<qint64> memoryTotalMib;
    Quantity<qint64> memoryUsedMib;
    Quantity<qint64> memoryFreeMib;
    Quantity<qint64> memoryReservedMib;
    Quantity<qint64> attributedMib;   ///< what its listed processes hold
    Quantity<qint64> unattributedMib; ///< used less attributed; unknown where either is
    Quantity<double> utilizationPct;  ///< 0–100, a trailing window
    Quantity<double> temperatureC;
    Quantity<double> powerW;
    Quantity<bool> persistence;
    Quantity<bool> mig;
    QList<MigDevice> migDevices;
    Quantity<QString> recoveryAction; ///< the driver's own verdict: "none", "gpu reset", …
    bool unifiedMemory = false;       ///< no memory of its own: totals are not supported, the host's count
    QString fault;                    ///< empty when well; else the driver's word, cleaned. A fault taints the whole card.

    friend bool operator==(const Gpu &, const Gpu &) = default;
};

struct GpuSource
{
    enum class Status { Ok, Absent, Failed, Timeout, Hung };
    QString tool = QStringLiteral("nvidia-smi");
    Status status = Status::Absent;
    QDateTime since;             ///< UTC; since when it is hung or failing; invalid when well
    Quantity<int> exitCode;
    QString message;             ///< what the tool said that was not a row, cleaned
    QString driverVersion;
    Quantity<double> durationMs; ///< of the tool on the host
    Quantity<qint64> stuckPid;   ///< of a hung one

    friend bool operator==(const GpuSource &, const GpuSource &) = default;
};

} // namespace pilothouse
