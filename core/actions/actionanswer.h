// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// From an action's frames to what came of it. Trusts nothing: a process that the answer leaves out is "untold". Pure, any
// thread.

#include "core/actions/action.h"
#include "core/base/result.h"
#include "core/probe/frames.h"

namespace pilothouse {

/// Errors: AnswerMalformed (no lock section, a process that was not asked for).
[[nodiscard]] Result<ActionAnswer> readActionAnswer(const ProbeAnswer &answer, const ActionRequest &request);

/// What the audit keeps: "9 signalled", "8 signalled, 1 already gone".
[[nodiscard]] QString summaryOf(const ActionAnswer &answer);

} // namespace pilothouse
