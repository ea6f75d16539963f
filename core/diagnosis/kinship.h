// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Which processes belong together: by parentage, by the pipe of a Python resource tracker, by what was remembered, and
// where these are silent by control group, session, user and start. Pure, any thread.

#include "core/diagnosis/lineage.h"
#include "core/diagnosis/table.h"

namespace pilothouse {

struct Kin
{
    QList<qsizetype> rows;      ///< of the table, in order of their start
    qsizetype head = -1;        ///< a living server, launcher or program of its own; -1: none
    qsizetype first = -1;       ///< who is asked first to end: the head, else the engine, else the only one; -1: equals
    const RememberedFamily *remembered = nullptr;
    QHash<qsizetype, QString> ties; ///< of rows that no parent ties to the others: by what they belong
};

[[nodiscard]] QList<Kin> familiesOf(const Table &table, const Lineage &lineage);

} // namespace pilothouse
