// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Severity icons: SVG shapes that differ by form, tinted from the colour table. GUI thread.

#include "ui/theme/severity.h"

#include <QIcon>
#include <QPixmap>

namespace pilothouse {

class Theme;

/// `size` in device-independent px.
[[nodiscard]] QPixmap severityPixmap(const Theme &theme, Severity severity, int size, double devicePixelRatio);
[[nodiscard]] QIcon programIcon();
/// The word that goes with the icon, for assistive technology.
[[nodiscard]] QString severityWord(Severity severity);

} // namespace pilothouse
