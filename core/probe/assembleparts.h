// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The parts of assemble(), in the order in which they run; each fills its share of the snapshot. Internal to
// core/probe. One thread at a time.

#include "core/probe/assemble.h"
#include "core/probe/parse/smiapps.h"
#include "core/probe/problems.h"

namespace pilothouse {

struct AssembleContext
{
    const HostAnswer &answer;
    const ProbeSettings &settings;
    AssembleMemory &memory;
    QDateTime takenAt;
    Snapshot &snapshot;
    SmiApps apps;            ///< after assembleApps
    bool appsKnown = false;  ///< the driver's list of processes could be read

    void add(const QString &code, const QString &text, int gpu = -1, std::optional<Problem::Severity> severity = {})
    {
        snapshot.problems += problemOf(code, text, gpu, severity);
    }
    /// Windows' driver behind a Linux virtual machine: its PIDs are not this kernel's.
    [[nodiscard]] bool isWsl() const { return answer.kernel.contains(QLatin1String("microsoft"), Qt::CaseInsensitive); }
};

void assembleGpus(AssembleContext &context);
void assembleMissingGpus(AssembleContext &context);
void assembleMig(AssembleContext &context);
void assembleApps(AssembleContext &context);
void assembleProcesses(AssembleContext &context);
void assembleFacts(AssembleContext &context);
void assembleAttribution(AssembleContext &context);
void assembleSystem(AssembleContext &context);
void assembleUnits(AssembleContext &context);
void assembleDeep(AssembleContext &context);

/// "Text.", from a sentence that may lack its full stop.
[[nodiscard]] QString sentence(const QString &text);

} // namespace pilothouse
