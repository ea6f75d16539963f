// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// A table as text: what is selected, or all of it, with its header, tab separated. GUI thread.

#include <QString>

class QAbstractItemView;

namespace pilothouse {

/// In the view's order of rows; cells as displayed.
[[nodiscard]] QString tableText(const QAbstractItemView &view);

/// Ctrl+C in `view` puts tableText() on the clipboard.
void copyOnRequest(QAbstractItemView *view);

} // namespace pilothouse
