// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// A diagnosis for a person at a terminal. Pure.

#include "app/ctl/output.h"
#include "core/diagnosis/diagnosis.h"
#include "core/host/snapshot.h"

namespace pilothouse {

/// The host's verdict, a table of who holds and who belongs to them, and why, family by family. `narrowed`: processes of
/// families that the diagnosis does not list are left out.
[[nodiscard]] QString holdersText(const Snapshot &snapshot, const Diagnosis &diagnosis, bool narrowed, const Output &output);

} // namespace pilothouse
