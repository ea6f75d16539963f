// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Facts as words, and small readings of words. Pure, any thread.

#include "core/diagnosis/facts.h"

namespace pilothouse {

/// The sentence of the rule; empty where no rule has the name.
[[nodiscard]] QString sentenceOf(const Fact &fact);

/// "02:41:07", UTC.
[[nodiscard]] QString clockOf(const QDateTime &at);

/// What tells that a server spans several hosts, with its head where named: "--headless, head 10.0.0.7"; empty: nothing.
[[nodiscard]] QString spanOf(const QStringList &arguments);

/// Takes over other processes' children, or is a shell that starts servers and is none: by the rules.
[[nodiscard]] bool isReaper(const QString &comm);

/// A process for a sentence: "VLLM::Worker_TP0 (PID 4242)", bounded.
[[nodiscard]] QString nameOf(const Process &process);

} // namespace pilothouse
