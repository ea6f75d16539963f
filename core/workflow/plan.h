// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What a reclaim would do to a host, made of a deep snapshot and its diagnosis: which families, which processes, in which
// way. A family that a plan does not name is never touched. Pure values and functions, any thread.

#include "core/actions/action.h"
#include "core/base/result.h"
#include "core/diagnosis/diagnosis.h"
#include "core/host/snapshot.h"

#include <functional>

namespace pilothouse {

struct PlanOptions
{
    QList<int> gpus;                 ///< only families that hold memory on one of these; empty: all
    QList<ProcessIdentity> include;  ///< families of these too, by a person's explicit word
    std::optional<ProcessIdentity> only; ///< that process alone, by a person's explicit word; its family is left otherwise
    std::optional<qint64> belowMib;  ///< each GPU concerned has to get below it
    std::optional<std::chrono::milliseconds> grace; ///< between SIGTERM and SIGKILL, for all
    bool cleanShm = false;           ///< remove files of /dev/shm that only the targets map
    std::function<bool(const Family &)> concerns;   ///< --unit; empty: all
};

struct PlanTarget
{
    SignalTarget process;
    QString role;
    bool first = false;     ///< gets SIGTERM; the others follow it, or get SIGKILL
    qint64 pinnedKib = 0;   ///< host memory that the kernel has to give back, at most

    friend bool operator==(const PlanTarget &, const PlanTarget &) = default;
};

struct PlanFamily
{
    QString id;
    Verdict verdict = Verdict::Unknown;
    bool included = false;  ///< not by default
    QString why;            ///< its first evidence sentence
    QString unit;           ///< that it belongs to; empty: none
    QString stopUnit;       ///< systemd would start it again: it is asked to stop first
    bool userUnit = false;
    QList<PlanTarget> targets; ///< in the order of their start
    QStringList spared;     ///< helpers, which end with the family
    QList<int> gpus;
    std::chrono::milliseconds grace{5'000};
};

struct PlanGpu
{
    int gpu = -1;
    QString uuid;
    Quantity<qint64> usedMib;
    Quantity<qint64> heldMib;         ///< by the targets
    Quantity<qint64> unattributedMib; ///< before

    friend bool operator==(const PlanGpu &, const PlanGpu &) = default;
};

struct Plan
{
    QString host;
    QString bootId;
    bool asRoot = false;
    QList<PlanFamily> families;
    QList<PlanGpu> gpus;              ///< those that the targets hold memory on
    std::optional<qint64> belowMib;
    QList<ShmTarget> shm;             ///< to be removed once they are proved to be used by nobody
    QStringList left;                 ///< leftover families that it does not touch, and why
    bool leftBySafety = false;        ///< some of them because this console knows too little

    [[nodiscard]] QList<SignalTarget> targets() const;
    [[nodiscard]] QList<SignalTarget> heads() const;
    [[nodiscard]] qint64 pinnedKib() const;
    /// What it would do, a line each, by identities alone: the same as long as it would do the same.
    [[nodiscard]] QStringList deeds() const;
    /// 12 hex digits, of deeds().
    [[nodiscard]] QString id() const;
};

/// Errors: ToolMissing (no GPU data: nothing would show that memory came back), RefusedBySafety (a process of `include` that
/// is never touched, or is not there as named).
[[nodiscard]] Result<Plan> makePlan(const Snapshot &snapshot, const Diagnosis &diagnosis, const PlanOptions &options);

/// May a person name it, so that its family ends although no plan proposes it?
[[nodiscard]] bool mayBeNamed(const ProcessVerdict &verdict);

/// "+ …" and "- …" of the deeds.
[[nodiscard]] QStringList differenceOf(const QStringList &before, const QStringList &after);

} // namespace pilothouse
