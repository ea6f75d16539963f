// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What --dry-run printed, kept by its id in the state folder, so that --plan can tell what differs. Any thread; waits for the
// disk.

#include "core/workflow/plan.h"

namespace pilothouse {

/// Errors: LocalIo.
[[nodiscard]] Result<void> keepPlan(const QString &stateFolder, const QString &id, const QStringList &deeds);

/// Lines for a person: what is different now from the plan with that id; where that is not kept here, the plan as it is now.
[[nodiscard]] QStringList planDifference(const QString &stateFolder, const QString &id, const QString &idNow,
                                         const QStringList &now);

} // namespace pilothouse
