// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What the rules of the unit check see: the unit as systemd will run it. Internal to core/units, any thread.

#include "core/units/checkunit.h"
#include "core/units/correction.h"
#include "core/units/execline.h"

#include <QSet>

namespace pilothouse {

/// One assignment of an Exec list that counts.
struct ExecEntry
{
    UnitLine line;
    ExecLine exec;
};

/// An inference server that a unit starts.
struct ServerKind
{
    QString name; ///< "vLLM"; empty: none is recognised
    bool neverNotifies = false; ///< it never tells systemd that it is ready
    std::chrono::seconds grace{0}; ///< what it may need to end after SIGTERM
};

/// Whether a variable is set where an Exec line is expanded.
enum class VariableState { Set, Unset, Perhaps };

struct RuleContext
{
    const UnitText &text;
    const UnitFacts &facts;
    QList<ExecEntry> entries; ///< of all Exec keys, in the order of the text
    ServerKind server;
    bool usesGpu = false;
    QString type; ///< simple, notify …
    std::chrono::microseconds timeoutStart{0};
    std::chrono::microseconds timeoutStop{0};
    QSet<QString> variables; ///< set for every command
    bool hidesVariables = false; ///< a source of variables could not be read

    [[nodiscard]] VariableState stateOf(const QString &name, const QString &execKey) const;
};

[[nodiscard]] RuleContext contextOf(const UnitText &text, const UnitFacts &facts);

/// A finding at a line, without suggestion.
[[nodiscard]] UnitFinding findingAt(const UnitLine &line, const QString &rule, UnitFinding::Severity severity,
                                    const QString &text);
/// "${free}" in quotes for a sentence: cleaned and short.
[[nodiscard]] QString shown(QStringView part);

/// Where the text of `sh -c` stands among a command's words; -1: there is none.
[[nodiscard]] qsizetype shellTextOf(const ExecCommand &command);
/// It runs a container: what it starts is not the unit's.
[[nodiscard]] bool runsContainer(const ExecCommand &command);

/// A rule for Exec lines: lays down what it would change, and tells what it found.
using ExecRule = QList<UnitFinding> (*)(const RuleContext &context, const ExecEntry &entry, Correction &correction);
QList<UnitFinding> checkShell(const RuleContext &context, const ExecEntry &entry, Correction &correction);
QList<UnitFinding> checkPatternKills(const RuleContext &context, const ExecEntry &entry, Correction &correction);
QList<UnitFinding> checkThreshold(const RuleContext &context, const ExecEntry &entry, Correction &correction);
QList<UnitFinding> checkVariables(const RuleContext &context, const ExecEntry &entry, Correction &correction);
QList<UnitFinding> checkSpecifiers(const RuleContext &context, const ExecEntry &entry, Correction &correction);

/// Rules for the unit as a whole.
QList<UnitFinding> checkWaits(const RuleContext &context);
QList<UnitFinding> checkSettings(const RuleContext &context);
QList<UnitFinding> checkDevices(const RuleContext &context);

} // namespace pilothouse
