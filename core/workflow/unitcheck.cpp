// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workflow/unitcheck.h"

#include <algorithm>

namespace pilothouse {

ActionRequest unitReadingRequest(const Snapshot &snapshot, const QString &unit, bool user)
{
    ActionRequest request;
    request.kind = ActionRequest::Kind::CatUnit;
    request.unit = unit;
    request.userUnit = user;
    request.asRoot = snapshot.system.root && !user; // root's own manager is another one
    return request;
}

QList<UnitFinding> checkReading(const UnitReading &reading, const Snapshot &snapshot, const Lineage &lineage)
{
    UnitFacts facts = reading.facts;
    const QList<Process> processes = snapshot.processes.value_or(QList<Process>());
    facts.usesGpu = std::ranges::any_of(processes, [&](const Process &process) {
        return process.owner.name == facts.unit && !process.gpuMemory.isEmpty();
    });
    for (const qint64 mib : lineage.idleMib) // the wait is for all of them: the most counts
        facts.idleMib = std::max(facts.idleMib.value_or(0), int(std::min<qint64>(mib, 1'000'000)));
    return checkUnit(reading.text, facts);
}

} // namespace pilothouse
