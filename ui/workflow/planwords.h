// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// A plan in the words of a dialog. Pure, any thread.

#include "core/host/snapshot.h"
#include "core/workflow/plan.h"

namespace pilothouse {

/// "Ends 9 processes of 1 family, which hold 754.8 GiB on GPU 0–7."
[[nodiscard]] QString planSentence(const Plan &plan);

/// All of it: families, processes, grace, what is spared, what is left alone, who else is logged in.
[[nodiscard]] QStringList planLines(const Plan &plan, const Snapshot &seen);

} // namespace pilothouse
