// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What happened to a family, from what the host has kept: starts, unit times, kernel log. Where there is no record the words
// say so. Pure, any thread.

#include "core/diagnosis/verdicts.h"

namespace pilothouse {

/// Oldest first; lines without a time last.
[[nodiscard]] QList<StoryLine> storyOf(const JudgedFamily &family, const Ground &ground);

} // namespace pilothouse
