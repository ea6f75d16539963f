// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The one entry: a deep snapshot, what was remembered, and what was asked elsewhere, to a Diagnosis. Pure, any thread; about
// 20 ms for 5,000 processes at most. A light snapshot is diagnosed too, but nothing is preselected from one.

#include "core/diagnosis/lineage.h"

#include <QHash>
#include <QSet>

namespace pilothouse {

enum class PortAnswer {
    Unasked, ///< nobody asked, or the question failed on the way
    Silent,  ///< refused, no answer in time, or an answer that says no (503)
    Answers,
};

/// A service of the inventory, or one that was found.
struct WatchedService
{
    QString name;
    QString unit;
    QList<int> gpus; ///< indices; empty: from its processes
};

/// Who asks, and with what rights.
struct LoginRights
{
    QString user;          ///< empty: not known
    Quantity<qint64> uid;
    bool everything = false; ///< root, or sudo that works: equals root
};

struct DiagnosisInput
{
    const Snapshot &snapshot;
    const Lineage &lineage; ///< of earlier snapshots, without this one
    LoginRights login;
    QList<WatchedService> services;
    QHash<quint16, PortAnswer> ports; ///< a port that is missing was not asked
    QSet<qint64> ownPids;             ///< of the console's own shells and of what stands above them
    QDateTime endedAt;                ///< when this console last ended something here; invalid: never
    qint64 thresholdMib = 1000;       ///< below it a card counts as free
};

[[nodiscard]] Diagnosis diagnose(const DiagnosisInput &input);

} // namespace pilothouse
