// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// How a person has divided a host's page: the same for all hosts of a window. Plain values, any thread.

#include <QByteArray>
#include <QList>

namespace pilothouse {

struct PageLayout
{
    QList<int> figures;        ///< sizes of plot and GPUs
    QList<int> body;           ///< sizes of the figures and the processes
    QByteArray processColumns; ///< order, widths and sorting, of QHeaderView::saveState()
};

} // namespace pilothouse
