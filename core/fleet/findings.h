// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What a deep look at a host came to: its snapshot, what it means, and what a reclaim would do by default. Immutable
// once shared; any thread.

#include "core/workflow/plan.h"

#include <memory>

namespace pilothouse {

struct Findings
{
    SnapshotPtr snapshot; ///< never null, deep
    Diagnosis diagnosis;  ///< of that snapshot, its ports asked
    Plan plan;            ///< without any family: nothing is proposed, or the GPUs cannot be read
};

using FindingsPtr = std::shared_ptr<const Findings>;

/// Everything on which the host's verdict rests is still there in a later, perhaps light snapshot: the same boot, and
/// the same processes hold GPU memory (of a host with leftovers or stuck ones: those at least).
[[nodiscard]] bool stillHolds(const Findings &findings, const Snapshot &now);

} // namespace pilothouse
