// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/windowlayout.h"

#include <algorithm>

namespace pilothouse {

QSize firstSize(const QSize &available, int headHeight)
{
    constexpr QSize wanted(1280, 800);
    return wanted.boundedTo({available.width(), available.height() - headHeight});
}

QRect reachable(const QRect &window, const QList<QRect> &screens)
{
    constexpr QSize grip(160, 24); // of the head, enough to take the window by
    const QRect head(window.topLeft(), QSize(window.width(), grip.height()));
    const auto holds = [&](const QRect &screen) {
        const QRect seen = screen.intersected(head);
        return seen.width() >= std::min(grip.width(), window.width()) && seen.height() >= grip.height();
    };
    if (screens.isEmpty() || std::ranges::any_of(screens, holds))
        return window;
    QRect moved(QPoint(), window.size().boundedTo(screens.first().size()));
    moved.moveCenter(screens.first().center());
    return moved;
}

} // namespace pilothouse
