// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Host text is hostile: a QLabel or a tooltip would render <img>. These never do. GUI thread.

#include "ui/theme/colors.h"

#include <QLabel>

namespace pilothouse {

class Theme;

/// A label that shows its text as it is, selectable by mouse, wrapped on demand.
[[nodiscard]] QLabel *plainLabel(const QString &text, QWidget *parent = nullptr);

/// `text` such that a tooltip shows it as it is, line feeds included.
[[nodiscard]] QString plainToolTip(const QString &text);

/// Colours the label's text and follows the theme.
void tint(QLabel *label, const Theme &theme, ColorId id);

} // namespace pilothouse
