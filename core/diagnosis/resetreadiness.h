// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What stands in the way of a GPU reset, card by card. Nothing here resets anything; the driver has the last word. Pure, any
// thread.

#include "core/diagnosis/diagnosis.h"
#include "core/host/snapshot.h"

namespace pilothouse {

struct ResetReadiness
{
    int gpu = -1;
    QString name;
    Quantity<QString> recoveryAction; ///< the driver's own verdict
    QStringList blockers;   ///< sentences; empty: none is known
    QStringList unknown;    ///< what could not be seen, so that a blocker may hide there
};

/// Of a deep snapshot and its diagnosis; the order is the driver's. Empty where the cards could not be read.
[[nodiscard]] QList<ResetReadiness> resetReadinessOf(const Snapshot &snapshot, const Diagnosis &diagnosis);

/// All of it as lines of plain text.
[[nodiscard]] QStringList resetLines(const Snapshot &snapshot, const Diagnosis &diagnosis);

} // namespace pilothouse
