// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diagnosis/diagnose.h"

#include "core/diagnosis/figures.h"
#include "core/diagnosis/story.h"

#include <algorithm>

namespace pilothouse {

namespace {

QString serviceOf(const JudgedFamily &family, const QList<WatchedService> &services)
{
    for (const WatchedService &service : services) {
        if (!service.unit.isEmpty() && service.unit == family.facts.unitName)
            return service.name;
    }
    if (!family.facts.unitName.isEmpty())
        return {}; // in a unit of its own
    for (const WatchedService &service : services) {
        const bool uses = std::ranges::any_of(family.facts.gpus, [&](int gpu) { return service.gpus.contains(gpu); });
        if (uses && family.verdict == Verdict::Leftover)
            return service.name; // in the way of this one
    }
    return {};
}

Family shown(const JudgedFamily &judged, const Ground &ground)
{
    Family family;
    family.id = familyId(judged.kin, ground.table);
    if (judged.kin.first >= 0)
        family.head = ground.table.row(judged.kin.first).process->pid;
    for (const qsizetype at : judged.kin.rows)
        family.members += ground.table.row(at).process->pid;
    family.service = serviceOf(judged, ground.input.services);
    family.unit = judged.facts.unitName;
    family.verdict = judged.verdict;
    family.causes = judged.causes;
    for (const Modifier &modifier : Rules::builtIn().modifiers()) {
        if (judged.facts.find(modifier.name))
            family.modifiers += modifier.name;
    }
    family.gpus = judged.facts.gpus;
    family.story = storyOf(judged, ground);
    return family;
}

} // namespace

Diagnosis diagnose(const DiagnosisInput &input)
{
    static const Lineage none;
    const bool sameBoot = !input.snapshot.bootId.isEmpty() && input.lineage.bootId == input.snapshot.bootId;
    const DiagnosisInput known{input.snapshot, sameBoot ? input.lineage : none, input.login, input.services, input.ports,
        input.ownPids, input.endedAt, input.thresholdMib};
    const Table table(known.snapshot, Rules::builtIn(), known.ownPids);
    const Ground ground(known, table);

    QList<JudgedFamily> families;
    QHash<qsizetype, qsizetype> familyAt;
    for (const Kin &kin : familiesOf(table, known.lineage)) {
        for (const qsizetype at : kin.rows)
            familyAt.insert(at, families.size());
        families += judgedFamily(kin, ground);
    }

    Diagnosis diagnosis;
    diagnosis.processes.reserve(table.rows().size());
    for (qsizetype at = 0; at < table.rows().size(); ++at) {
        const auto family = familyAt.constFind(at);
        diagnosis.processes += judgedProcess(at, family == familyAt.cend() ? nullptr : &families.at(*family), ground);
    }
    for (const JudgedFamily &family : std::as_const(families))
        diagnosis.families += shown(family, ground);
    diagnosis.gpus = holdingsOf(ground, diagnosis.processes);
    diagnosis.host = hostVerdictOf(ground, diagnosis, families);
    return diagnosis;
}

} // namespace pilothouse
