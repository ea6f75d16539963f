// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Whose a process is and what it is called, as a person says it. Pure, any thread.

#include "core/host/process.h"

namespace pilothouse {

/// "vllm.service", "session 3", "container docker 9ec39b91f3d7", "–".
[[nodiscard]] QString textOf(const Owner &owner);

/// Short name: comm, or the whole title where the kernel has cut comm at 15 bytes; the driver's name for a PID that
/// the host does not show.
[[nodiscard]] QString shortNameOf(const Process &process);

/// "running", "sleeping", "waits for a device (D)", "not on the host" …
[[nodiscard]] QString stateTextOf(const Process &process);

} // namespace pilothouse
