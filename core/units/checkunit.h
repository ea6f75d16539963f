// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Says what will go wrong with a unit on a GPU host, line by line, with the line that would not. Pure, any thread.

#include "core/units/unitfacts.h"
#include "core/units/unittext.h"

#include <QJsonObject>

namespace pilothouse {

struct UnitFinding
{
    enum class Severity { Error, Warning };
    /// What to do with `suggestion`.
    enum class Way {
        None, ///< it is empty: only a person can know what was meant
        Replace, ///< stands for the lines `line` to `lastLine`
        Add, ///< a further line of the same section, behind `line` or anywhere in the section
        Run, ///< a command for the host's shell
    };
    QString rule; ///< stable, "exec.variable_empty"
    Severity severity = Severity::Warning;
    QString file; ///< cleaned; empty: it is in no file
    int line = 0; ///< 0: none
    int lastLine = 0;
    QString section; ///< of an added line: "Service", "Unit"
    QString text; ///< what happens and why, sentences
    Way way = Way::None;
    QString suggestion; ///< whole, as it can be pasted

    friend bool operator==(const UnitFinding &, const UnitFinding &) = default;
};

/// In the order of files and lines. Everything in them is cleaned and bounded; at most 100.
[[nodiscard]] QList<UnitFinding> checkUnit(const UnitText &text, const UnitFacts &facts);

[[nodiscard]] bool hasErrors(const QList<UnitFinding> &findings);

/// { "findings": [ … ] } of the outside contract.
[[nodiscard]] QJsonObject findingsJson(const QList<UnitFinding> &findings);

} // namespace pilothouse
