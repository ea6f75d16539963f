// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// A restart's plan for a person at a terminal, and as JSON. Pure.

#include "app/ctl/output.h"
#include "core/workflow/restartplan.h"

#include <QJsonObject>

namespace pilothouse {

/// What was checked, each step, and what is ended. `goesOn`: an earlier run of it was cut off.
[[nodiscard]] QString restartText(const RestartPlan &plan, const Output &output, bool goesOn);
[[nodiscard]] QJsonObject toJson(const RestartPlan &plan);

} // namespace pilothouse
