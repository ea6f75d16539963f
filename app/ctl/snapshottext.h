// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// A snapshot for a person at a terminal. Pure.

#include "app/ctl/output.h"
#include "core/host/snapshot.h"

#include <QStringList>

namespace pilothouse {

/// A line of the host, then tables of GPUs, of processes with GPU memory, of units; with a deep snapshot of listening
/// ports and shared memory too. Of the units `asked` for none is left out.
[[nodiscard]] QString snapshotText(const Snapshot &snapshot, const QStringList &asked, const Output &output);
/// One line a problem, the worst first; why GPU data are missing once, in the words of missingGpusText().
[[nodiscard]] QStringList problemLines(const Snapshot &snapshot);

} // namespace pilothouse
