// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What a diagnosis comes to in the words of a page. Pure, any thread.

#include "core/fleet/findings.h"

namespace pilothouse {

/// "of a vLLM engine whose server is gone; all of it can be freed", after the amount. `now` is for times.
[[nodiscard]] QString leftoverWords(const Findings &findings, const QDateTime &now);

/// "9 leftovers in 1 family · 1 helper".
[[nodiscard]] QString countWords(const Diagnosis &diagnosis);

/// One process: who, verdict, why, what to do, and the story of its family. Lines of plain text.
[[nodiscard]] QString holderText(const Process &shown, const ProcessVerdict &verdict, const Findings &findings,
                                 const QDateTime &now);

/// Every family that is no helper, with its evidence and story, for a ticket.
[[nodiscard]] QStringList ticketLines(const Findings &findings, const QDateTime &now);

} // namespace pilothouse
