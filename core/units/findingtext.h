// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Findings as a terminal and a ticket show them. Pure, any thread.

#include "core/units/checkunit.h"

namespace pilothouse {

/// "vllm.service: 2 errors, 1 warning", "vllm.service: no finding".
[[nodiscard]] QString headlineOf(const QString &unit, const QList<UnitFinding> &findings);
/// "/etc/systemd/system/vllm.service:7"; empty when it is in no file.
[[nodiscard]] QString placeOf(const UnitFinding &finding);
/// What to do with the suggestion: "Instead:"; empty when there is none.
[[nodiscard]] QString wordsOf(const UnitFinding &finding);
/// All of it, ending in a line feed.
[[nodiscard]] QString findingsText(const QString &unit, const QList<UnitFinding> &findings);

} // namespace pilothouse
