// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// How a person has arranged the window, to be remembered: plain values, any thread. Empty parts mean "as built".

#include "ui/host/pagelayout.h"
#include "ui/theme/theme.h"

#include <QByteArray>
#include <QRect>

namespace pilothouse {

struct WindowLayout
{
    QByteArray geometry; ///< of QWidget::saveGeometry()
    QList<int> hosts;    ///< sizes of host list and page
    PageLayout page;
    Theme::Mode theme = Theme::Mode::Follow;
};

/// Of a window that nobody has arranged yet, within what the desktop's bars and its own head leave of the screen.
[[nodiscard]] QSize firstSize(const QSize &available, int headHeight);

/// `window` where its head can be reached on one of the `screens` (their available parts, the first one is the
/// primary); else as large as fits in the middle of the primary one.
[[nodiscard]] QRect reachable(const QRect &window, const QList<QRect> &screens);

} // namespace pilothouse
