// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What a unit's properties mean, as one English phrase for people: "exited with status 7", not "exit-code". Pure, any
// thread. Decides on LoadState first, then on ActiveState, then on how the last run ended; states that a newer systemd
// invents are printed as they are.

#include "core/host/unit.h"

namespace pilothouse {

[[nodiscard]] QString stateWordsOf(const Unit &unit);

/// It is not as its people want it: failed, waiting to restart after a crash, broken or not there.
[[nodiscard]] bool isInTrouble(const Unit &unit);

} // namespace pilothouse
