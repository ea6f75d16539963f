// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The words at the right end of the lines: lines that coincide share one, "8 equal 94.4". Pure.

#include <QList>
#include <QString>

namespace pilothouse {

struct LineEnd
{
    int slot = 0;
    int index = -1;   ///< of the GPU
    double mib = 0;
};

struct EndLabel
{
    QString text;
    double mib = 0;    ///< where its lines end
    double y = 0;      ///< where it is written, mib or moved away from its neighbour
    QList<int> slots_; ///< of its lines; one: it may take the line's colour
};

/// `toleranceMib`: lines closer than this are seen as one. `heightMib`: of a line of text; labels never overlap.
[[nodiscard]] QList<EndLabel> endLabels(QList<LineEnd> ends, double toleranceMib, double heightMib);

} // namespace pilothouse
