// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The one table of colours: an id with a light and a dark value each. Pure.

#include "ui/theme/severity.h"

#include <QColor>

namespace pilothouse {

enum class ColorId {
    Window,
    Panel,
    Chrome,        ///< menu bar, status bar, host list
    Border,
    Grid,
    Text,
    TextMuted,
    Selection,     ///< under Text
    Hover,
    Accent,        ///< under AccentText, and focus frames
    AccentText,
    Bar,
    BarTrack,
    SeverityOk,
    SeverityNotice,
    SeverityWarning,
    SeverityCritical,
    SeverityStale,
    Series1,
    Series2,
    Series3,
    Series4,
    Series5,
    Series6,
    Series7,
    Series8,
    Count, ///< not a colour
};

[[nodiscard]] QColor colorOf(ColorId id, bool dark);
/// Stable name for tests and messages: "severity.ok".
[[nodiscard]] QString nameOf(ColorId id);
/// Text colour of a severity; Quiet is muted text.
[[nodiscard]] ColorId colorIdOf(Severity severity);
/// Colour of a series by its slot; repeats after eight, when the dash differs.
[[nodiscard]] ColorId seriesColorId(int slot);

/// WCAG contrast ratio, 1–21.
[[nodiscard]] double contrastRatio(const QColor &a, const QColor &b);

} // namespace pilothouse
