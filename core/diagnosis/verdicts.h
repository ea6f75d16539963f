// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// From facts to verdicts: of a family, and of each process. Pure, any thread.

#include "core/diagnosis/facts.h"

namespace pilothouse {

struct JudgedFamily
{
    Kin kin;
    FamilyFacts facts;
    Verdict verdict = Verdict::Unknown;
    QStringList evidence;    ///< what decided first
    bool confirm = false;    ///< nothing of it is proposed by default
    bool holds = false;      ///< somebody of it is known to hold
    ProposedAction action = ProposedAction::None; ///< for its members
    QStringList causes;
};

[[nodiscard]] JudgedFamily judgedFamily(const Kin &kin, const Ground &ground);

/// Of one process; `family` is null for those of none.
[[nodiscard]] ProcessVerdict judgedProcess(qsizetype at, const JudgedFamily *family, const Ground &ground);

/// "4240-123456".
[[nodiscard]] QString familyId(const Kin &kin, const Table &table);

} // namespace pilothouse
