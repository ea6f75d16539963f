// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What a guided restart would do to a unit and to what is in its way, made of a deep snapshot, its diagnosis and what the
// host said of its disks. Pure values and functions, any thread.

#include "core/host/unit.h"
#include "core/serving/servingproof.h"
#include "core/units/checkunit.h"
#include "core/workflow/plan.h"

namespace pilothouse {

struct RestartOptions
{
    QString service;        ///< as the inventory calls it; the unit's name where it does not know it
    QString unit;
    bool userUnit = false;
    QList<int> gpus;        ///< of the service; empty: those that its processes are on
    bool gpusAreWritten = false; ///< by the inventory; otherwise they are remembered
    QString drain;          ///< commands that the inventory has for it; empty: none
    QString undrain;
    QString health;         ///< URL as seen from the host; empty: from the command line
    QString model;          ///< that has to be listed; empty: from the command line
    std::optional<qint64> belowMib;
    std::optional<std::chrono::milliseconds> grace;
    std::chrono::milliseconds drainLimit{60'000}; ///< for the requests that run
};

/// Something that a person should know before anything is done.
struct RestartCheck
{
    enum class Weight { Good, Notice, Warning, Blocks };
    Weight weight = Weight::Good;
    QString text;           ///< one sentence, cleaned
    QString advice;
    int exitCode = 1;       ///< of a run that it stops

    friend bool operator==(const RestartCheck &, const RestartCheck &) = default;
};

struct RestartPlan
{
    QString host;
    QString bootId;
    bool asRoot = false;
    RestartOptions options;
    Unit unit;              ///< as it was seen
    bool stops = false;     ///< it runs, or systemd is about to start it
    QStringList own;        ///< ids of the families that are the unit's own
    QList<ProcessIdentity> ownProcesses;
    QList<int> gpus;        ///< that the service uses, as far as it is known
    QList<PlanGpu> holds;   ///< what the unit's own processes hold there; with a limit each of its cards
    QHash<int, QString> uuids; ///< of its GPUs
    Endpoint endpoint;      ///< where it answers, by the processes that run now
    QList<ServingGpu> levels; ///< what serving holds, where it serves now
    std::optional<QStringList> xids; ///< messages of the driver that are there already
    Plan reclaim;           ///< leftovers in its way, beside what is left of itself after the stop
    QList<RestartCheck> checks;
    QStringList unitLines;  ///< of its text, as it is now

    /// Why it must not be begun; null: it may.
    [[nodiscard]] const RestartCheck *blocker() const;
    /// What it would do, a line each; of what it only asks nothing.
    [[nodiscard]] QStringList deeds() const;
    /// 12 hex digits, of deeds().
    [[nodiscard]] QString id() const;
};

/// What the host was asked for beside its snapshot. What nobody told is empty.
struct RestartFacts
{
    RoomOutcome room;
    QString modelPath;            ///< that `room` tells of
    QList<UnitFinding> findings;  ///< of the unit check
    QStringList unitLines;        ///< unitLinesOf()
};

/// "Key=value" of a unit's text, without secrets, to be remembered.
[[nodiscard]] QStringList unitLinesOf(const UnitText &text);

/// Errors: as makePlan(); ToolMissing (no systemd, no such unit).
[[nodiscard]] Result<RestartPlan> makeRestartPlan(const Snapshot &snapshot, const Diagnosis &diagnosis, const RestartOptions &options,
                                                  const RestartFacts &facts = {});

/// What is to be ended once the unit has stopped: what is left of its own families and of those that the plan named, by
/// identity or by the unit's name. Errors: as makePlan().
[[nodiscard]] Result<Plan> planAfterStop(const RestartPlan &plan, const Snapshot &snapshot, const Diagnosis &diagnosis);

/// The model's path in the command lines of the unit's processes, absolute; empty: none.
[[nodiscard]] QString modelPathOf(const Snapshot &snapshot, const QString &unit);

} // namespace pilothouse
