// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/fleet/findings.h"

#include <QSet>

#include <algorithm>

namespace pilothouse {

namespace {

QSet<ProcessIdentity> holdersIn(const Snapshot &snapshot)
{
    QSet<ProcessIdentity> holders;
    for (const Process &process : snapshot.processes.value_or(QList<Process>())) {
        const auto identity = process.identity();
        if (identity && !process.gpuMemory.isEmpty())
            holders.insert(*identity);
    }
    return holders;
}

} // namespace

bool stillHolds(const Findings &findings, const Snapshot &now)
{
    if (&now == findings.snapshot.get())
        return true;
    if (now.bootId != findings.snapshot->bootId || !now.gpus || !now.processes)
        return false;
    const QSet<ProcessIdentity> before = holdersIn(*findings.snapshot);
    const QSet<ProcessIdentity> after = holdersIn(now);
    const HostState state = findings.diagnosis.host.state;
    if (state != HostState::Leftover && state != HostState::Stuck)
        return before == after;
    return std::ranges::all_of(findings.diagnosis.processes, [&](const ProcessVerdict &verdict) {
        const bool counts = verdict.verdict == Verdict::Leftover || verdict.verdict == Verdict::Stuck;
        return !counts || !verdict.identity || !before.contains(*verdict.identity)
            || after.contains(*verdict.identity);
    });
}

} // namespace pilothouse
