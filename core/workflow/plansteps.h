// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// A plan as steps that a person reads, and as the exact scripts that go to the host. Pure, any thread.

#include "core/workflow/plan.h"

namespace pilothouse {

struct PlanStep
{
    QStringList events;          ///< steps of the events that tell of it: "terminate", "grace"
    QString name;                ///< two or three words
    QString text;                ///< what it does, one sentence
    QList<ActionRequest> requests; ///< what goes to the host; none: it only looks
};

/// In their order. Without `evidence` nothing is kept before anything ends.
[[nodiscard]] QList<PlanStep> stepsOf(const Plan &plan, bool evidence = true);

/// The exact scripts of its steps, the shared part once. Errors: as actionScript().
[[nodiscard]] Result<QString> planScripts(const Plan &plan, const Actor &actor);

[[nodiscard]] Result<QString> scriptsOf(const QList<PlanStep> &steps, const Actor &actor);

/// What the plan's processes hold, as far as it is known.
[[nodiscard]] Quantity<qint64> heldBy(const Plan &plan);

/// The longest of its families.
[[nodiscard]] std::chrono::milliseconds graceOf(const Plan &plan);

} // namespace pilothouse
