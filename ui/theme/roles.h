// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The roles between models, proxies and delegates: these know each other by roles only (H6).

#include <Qt>

namespace pilothouse {

enum Role : int {
    SortRole = Qt::UserRole + 1, ///< raw value, comparable
    KeyRole,        ///< QString, identity of the row, unique in its model
    SeverityRole,   ///< int of Severity
    StaleRole,      ///< bool: the row is old; drawn muted
    FractionRole,   ///< double 0–1 for a bar; invalid: no bar
    BarTextRole,    ///< QString in place of a bar
    SlotRole,       ///< int, colour slot of a series; invalid: none
    IndentRole,     ///< int, levels
    DetailRole,     ///< QString, second line
    DetailEndRole,  ///< QString, right end of the second line
    EndRole,        ///< QString, right end of the first line
    FilterRole,     ///< QString that a filter searches
    LockedRole,     ///< bool: somebody else's to change
};

} // namespace pilothouse
