// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What a snapshot's driver did not tell, in words. Pure, any thread.

#include "core/host/snapshot.h"

namespace pilothouse {

/// One English sentence, for a snapshot whose `gpus` could not be read.
[[nodiscard]] QString missingGpusText(const Snapshot &snapshot);

/// What to do about it; empty: nobody knows.
[[nodiscard]] QString missingGpusAdvice(const Snapshot &snapshot);

/// Whether the problem is of nvidia-smi or the driver as a whole: where the GPUs are missing, why.
[[nodiscard]] bool isAboutGpuSource(const Problem &problem);

/// One English sentence where it is not known which processes have memory of a GPU; empty: all of them are known.
[[nodiscard]] QString unknownHoldersText(const Snapshot &snapshot);

} // namespace pilothouse
