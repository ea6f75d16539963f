// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// A process of a host, and who owns it. Values, any thread. Host memory in KiB, GPU memory in MiB.

#include "core/base/ids.h"
#include "core/base/quantity.h"

#include <QList>
#include <QString>
#include <QStringList>

#include <optional>

namespace pilothouse {

struct Owner
{
    enum class Kind { Unit, UserUnit, Session, Container, Pod, Slurm, Kernel, Unknown };
    Kind kind = Kind::Unknown;
    QString name; ///< "vllm.service", "session-3.scope", "docker 9ec39b91f3d7", "job 4711" …

    friend bool operator==(const Owner &, const Owner &) = default;
};

struct ProcessGpuMemory
{
    int gpu = -1;              ///< index of the GPU; -1 when the row's GPU is not in the list
    QString gpuUuid;
    Quantity<qint64> mib;

    friend bool operator==(const ProcessGpuMemory &, const ProcessGpuMemory &) = default;
};

/// What only core/diagnosis asks for. No value: not asked, or could not be read.
struct DeepFacts
{
    std::optional<QList<quint64>> trackerPipes; ///< inodes of pipes that it shares with a Python resource tracker
    std::optional<QString> parentName;          ///< comm of its parent, cleaned: parents need not be in the list
    std::optional<QStringList> peers;           ///< established connections to other hosts, "address:port"
    std::optional<bool> killPending;            ///< SIGKILL is pending, /proc/PID/status
    std::optional<QString> waitsIn;             ///< /proc/PID/wchan, cleaned
    std::optional<qint64> lockedKib;            ///< VmLck and VmPin

    friend bool operator==(const DeepFacts &, const DeepFacts &) = default;
};

struct Process
{
    Pid pid;
    Quantity<quint64> startTicks;
    Quantity<qint64> ppid;
    Quantity<qint64> pgid;
    Quantity<qint64> sid;
    Quantity<qint64> uid;
    QString user;                ///< empty when the host has no name for the uid
    /// R, S, D, Z, T …; no value: the driver lists this PID, the host does not show it
    std::optional<QChar> state;
    Quantity<int> threads;
    QString comm;                ///< cleaned
    QString command;             ///< the arguments joined for display, cleaned; empty for kernel threads and zombies
    QStringList arguments;       ///< cleaned one by one, for the rules
    QString driverName;          ///< what the driver calls it, for PIDs that cannot be found
    Quantity<double> elapsedS;
    Quantity<qint64> rssKib;
    Quantity<double> cpuS;
    QString cgroup;
    Owner owner;
    bool exiting = false;        ///< PF_EXITING, stat field 9
    bool rowsUnreadable = false; ///< stands for driver rows whose PID is a word
    QList<ProcessGpuMemory> gpuMemory;
    std::optional<QStringList> devices; ///< filled by a deep snapshot
    std::optional<UnknownReason> devicesUnknown; ///< why a deep one has none; no value: a light one does not look
    DeepFacts deep;


    [[nodiscard]] std::optional<ProcessIdentity> identity() const
    {
        if (!startTicks.isKnown())
            return std::nullopt;
        return ProcessIdentity{pid, StartTicks{startTicks.value()}};
    }

    friend bool operator==(const Process &, const Process &) = default;
};

} // namespace pilothouse
