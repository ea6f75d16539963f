// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The steps of a guided restart: their names in events, and as a person reads them before it begins. Pure, any thread.

#include "core/workflow/plansteps.h"
#include "core/workflow/restartplan.h"

namespace pilothouse {

enum class RestartStep { Idle, Begin, Drain, Requests, Stop, Look, Reclaim, Memory, Reset, Start, Serve, Undrain, Why, End, Over };

/// For events: "who_else", "drain" …
[[nodiscard]] QString nameOf(RestartStep step);

/// In their order, each with what goes to the host; what is left of the unit after its stop can only be named then.
[[nodiscard]] QList<PlanStep> stepsOf(const RestartPlan &plan, bool evidence = true);

/// The exact scripts of its steps, the shared part once. Errors: as actionScript().
[[nodiscard]] Result<QString> planScripts(const RestartPlan &plan, const Actor &actor);

/// One action of it.
[[nodiscard]] ActionRequest requestOf(const RestartPlan &plan, ActionRequest::Kind kind, const QString &what = {});

/// How far it came, for a run that ends there.
[[nodiscard]] QString whereItStood(RestartStep step, const RestartPlan &plan, bool drained);

} // namespace pilothouse
