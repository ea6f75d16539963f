// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diagnosis/story.h"

#include "core/diagnosis/evidence.h"
#include "core/host/unitwords.h"

#include <algorithm>

namespace pilothouse {

using namespace Qt::StringLiterals;

QList<StoryLine> storyOf(const JudgedFamily &family, const Ground &ground)
{
    QList<StoryLine> story;
    const Snapshot &snapshot = ground.input.snapshot;
    const Kin &kin = family.kin;
    for (const qsizetype at : {kin.head, kin.rows.first(), kin.rows.last()}) {
        const Process *process = at < 0 ? nullptr : ground.table.row(at).process;
        if (!process || !process->elapsedS.isKnown() || !snapshot.takenAt.isValid())
            continue;
        const StoryLine line{snapshot.takenAt.addMSecs(-qint64(std::clamp(process->elapsedS.value(), 0.0, 1e9) * 1000)),
            nameOf(*process) + u" started."_s};
        if (!story.contains(line))
            story += line;
    }
    if (kin.remembered && kin.head < 0) {
        story += StoryLine{kin.remembered->healthyAt,
            u"Its server, PID %1, was seen alive for the last time."_s.arg(kin.remembered->head.pid.value)};
    }
    const Unit *unit = family.facts.unit;
    bool ended = kin.remembered != nullptr;
    if (unit && unit->hostSince.isValid()) {
        story += StoryLine{unit->hostSince, unit->name + u": "_s + stateWordsOf(*unit) + u'.'};
        ended = ended || unit->active == "failed"_L1 || unit->active == "inactive"_L1;
    }
    std::ranges::stable_sort(story, {}, &StoryLine::at);
    for (const Problem &problem : snapshot.problems) {
        if (problem.code.contains("oom"_L1) && family.verdict == Verdict::Leftover)
            story += StoryLine{QDateTime(), problem.text};
    }
    if (family.verdict == Verdict::Leftover && !ended)
        story += StoryLine{QDateTime(), u"This host has no record of when or how its server ended."_s};
    return story;
}

} // namespace pilothouse
