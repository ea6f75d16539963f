// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// A plan and its events for a person at a terminal, and the plan as JSON. Pure.

#include "app/ctl/output.h"
#include "core/workflow/plan.h"
#include "core/workflow/workflowevent.h"

#include <QJsonObject>

namespace pilothouse {

/// Each step, each process, and what is left alone.
[[nodiscard]] QString planText(const Plan &plan, const Output &output);
/// Its families and what is left alone.
[[nodiscard]] QString familiesText(const Plan &plan, const Output &output);
[[nodiscard]] QJsonObject toJson(const Plan &plan);

/// One line an event.
[[nodiscard]] QString lineOf(const WorkflowEvent &event, const Output &output);

} // namespace pilothouse
