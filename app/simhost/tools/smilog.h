// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The long forms of nvidia-smi: -L, -q, -q -x, the box table. All write to standard output. Short, but no line is
// there that the true tool does not print.

#include "smimodel.h"

namespace pilothouse::sim {

using CardList = std::vector<const Card *>;

void printList(const CardList &cards);
void printLog(const Machine &machine, const CardList &cards);
void printXml(const Machine &machine, const CardList &cards);
void printTable(const Machine &machine, const CardList &cards);

} // namespace pilothouse::sim
