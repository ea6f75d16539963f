// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What a snapshot means: who holds the memory, why, and what may be done. Values, any thread. GPU memory in MiB. Texts are
// English sentences whose host parts are cleaned already; they are plain text.

#include "core/base/ids.h"
#include "core/base/quantity.h"

#include <QDateTime>
#include <QList>
#include <QString>
#include <QStringList>

#include <optional>

namespace pilothouse {

/// Words of the outside contract.
enum class Verdict {
    Unknown,
    Serving,
    Starting,
    InUse,
    Leftover,
    Foreign,
    Helper,
    Infrastructure,
    Exiting,
    Stuck,
    Gone,
};

enum class ProposedAction { None, Terminate, Kill, StopUnit, StopContainer, AskOwner, Wait, Reboot };

/// In the order of the contract: the first that holds.
enum class HostState { Stuck, Leftover, Releasing, Starting, Serving, Busy, Free, Unknown };

[[nodiscard]] QString nameOf(Verdict verdict);        ///< "in_use"
[[nodiscard]] QString nameOf(ProposedAction action);  ///< "stop_unit"
[[nodiscard]] QString nameOf(HostState state);        ///< "leftover"

struct ProcessVerdict
{
    Pid pid;
    std::optional<ProcessIdentity> identity; ///< no value: its start time is not known, so nothing may be done to it
    QString rule;         ///< "R5"
    QString role;         ///< "vllm.worker"
    Verdict verdict = Verdict::Unknown;
    QStringList evidence;
    ProposedAction action = ProposedAction::None;
    bool preselected = false; ///< part of the default plan
    QString family;       ///< id; empty: of none

    friend bool operator==(const ProcessVerdict &, const ProcessVerdict &) = default;
};

struct StoryLine
{
    QDateTime at; ///< UTC, console's clock; invalid where nobody knows
    QString text;

    friend bool operator==(const StoryLine &, const StoryLine &) = default;
};

/// Processes that are ended or left as a whole.
struct Family
{
    QString id;                 ///< "4240-123456": PID and start of its first process; the same in every snapshot
    std::optional<Pid> head;    ///< who is asked first to end; no value: several equals
    QList<Pid> members;         ///< trackers and helpers included
    QString service;            ///< name of the service that it belongs to; empty: none
    QString unit;               ///< its unit; empty: none
    Verdict verdict = Verdict::Unknown;
    QStringList causes;         ///< "C1" …, as knowledge has them
    QStringList modifiers;      ///< names of what was found out, in the order of the rules
    QList<int> gpus;            ///< indices of the cards that it holds memory on
    QList<StoryLine> story;

    friend bool operator==(const Family &, const Family &) = default;
};

struct GpuHolding
{
    int gpu = -1;
    QString uuid;
    Quantity<qint64> heldMib;         ///< by leftover and stuck processes, and unattributed beyond the idle value
    Quantity<qint64> reclaimableMib;  ///< what the default plan would free
    Quantity<qint64> unattributedMib; ///< beyond the idle value

    friend bool operator==(const GpuHolding &, const GpuHolding &) = default;
};

struct HostVerdict
{
    HostState state = HostState::Unknown;
    Quantity<qint64> heldMib;
    Quantity<qint64> reclaimableMib;
    QDateTime since;                  ///< UTC, console's clock; invalid where nobody knows
    QString text;
    QStringList causes;               ///< those that are no family's: "C5", "C8", "C10", "C14"

    friend bool operator==(const HostVerdict &, const HostVerdict &) = default;
};

struct Diagnosis
{
    QList<ProcessVerdict> processes; ///< as many as the snapshot's list has, in its order
    QList<Family> families;
    QList<GpuHolding> gpus;
    HostVerdict host;

    friend bool operator==(const Diagnosis &, const Diagnosis &) = default;
};

} // namespace pilothouse
