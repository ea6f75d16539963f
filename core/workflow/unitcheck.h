// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The unit check with what is known of its host: what to ask, and what the answer comes to. Pure, any thread.

#include "core/actions/action.h"
#include "core/diagnosis/lineage.h"
#include "core/host/snapshot.h"
#include "core/units/checkunit.h"

namespace pilothouse {

/// Reads the unit; changes nothing and needs no lock. `unit`: a full name.
[[nodiscard]] ActionRequest unitReadingRequest(const Snapshot &snapshot, const QString &unit, bool user);

/// Only for a reading whose state is Read. `lineage` knows what a free GPU keeps in use, `snapshot` whether the unit's
/// processes hold GPU memory.
[[nodiscard]] QList<UnitFinding> checkReading(const UnitReading &reading, const Snapshot &snapshot,
                                              const Lineage &lineage);

} // namespace pilothouse
