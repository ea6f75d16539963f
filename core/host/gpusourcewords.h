// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Why a snapshot has no GPUs, in words. Pure, any thread.

#include "core/host/snapshot.h"

namespace pilothouse {

/// One English sentence, for a snapshot whose `gpus` could not be read.
[[nodiscard]] QString missingGpusText(const Snapshot &snapshot);

} // namespace pilothouse
