// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// systemd's words for a length of time. Pure, any thread.

#include <QString>

#include <chrono>
#include <optional>

namespace pilothouse {

/// "infinity".
inline constexpr std::chrono::microseconds endlessTime = std::chrono::microseconds::max();

/// "90" (seconds), "1min 30s", "1h30m", "2.5 min", "infinity"; no value for anything else.
[[nodiscard]] std::optional<std::chrono::microseconds> parseTimeSpan(QStringView text);

/// For people, and for systemd too: "250ms", "90s", "10min", "infinity".
[[nodiscard]] QString timeSpanText(std::chrono::microseconds span);

} // namespace pilothouse
