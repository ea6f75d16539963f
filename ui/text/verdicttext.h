// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Roles, verdicts and proposals as a person says them. Pure, any thread.

#include "core/diagnosis/diagnosis.h"

namespace pilothouse {

/// "leftover", "in use" …
[[nodiscard]] QString textOf(Verdict verdict);
/// What would be done to it, as a sentence; empty for nothing.
[[nodiscard]] QString textOf(ProposedAction action);
/// "vLLM worker" of "vllm.worker"; empty where no rule knows it.
[[nodiscard]] QString roleText(const QString &role);
/// "vLLM" of "vllm.worker".
[[nodiscard]] QString engineText(const QString &role);

} // namespace pilothouse
