// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What is held and what can be had back, of each card and of the host. Unknown is never zero. Pure, any thread.

#include "core/diagnosis/verdicts.h"

namespace pilothouse {

[[nodiscard]] QList<GpuHolding> holdingsOf(const Ground &ground, const QList<ProcessVerdict> &processes);

[[nodiscard]] HostVerdict hostVerdictOf(const Ground &ground, const Diagnosis &diagnosis, const QList<JudgedFamily> &families);

} // namespace pilothouse
