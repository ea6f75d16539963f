// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workflow/plansteps.h"

#include "core/actions/actionscript.h"
#include "core/workflow/reclaimwords.h"

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

using Kind = ActionRequest::Kind;

QString gpusInWords(const QList<PlanGpu> &gpus)
{
    QStringList names;
    for (const PlanGpu &gpu : gpus) {
        names += u"%1 (%2)"_s.arg(gpu.gpu).arg(gpu.heldMib.isKnown() ? QString::number(gpu.heldMib.value()) + u" MiB"_s
                                                                     : u"an unknown amount"_s);
    }
    return names.join(u", "_s);
}

ActionRequest requestFor(const Plan &plan, Kind kind, const QList<SignalTarget> &targets, const QString &what)
{
    ActionRequest request;
    request.kind = kind;
    request.bootId = plan.bootId;
    request.asRoot = plan.asRoot;
    request.targets = targets;
    request.what = what;
    return request;
}

QList<ActionRequest> unitStops(const Plan &plan)
{
    QList<ActionRequest> stops;
    for (const PlanFamily &family : plan.families) {
        const bool known = std::ranges::any_of(stops, [&](const ActionRequest &stop) {
            return stop.unit == family.stopUnit && stop.userUnit == family.userUnit;
        });
        if (family.stopUnit.isEmpty() || known)
            continue;
        ActionRequest stop = requestFor(plan, Kind::StopUnit, {}, u"systemctl stop %1"_s.arg(family.stopUnit));
        stop.unit = family.stopUnit;
        stop.userUnit = family.userUnit;
        stops += stop;
    }
    return stops;
}

} // namespace

std::chrono::milliseconds graceOf(const Plan &plan)
{
    std::chrono::milliseconds grace{0};
    for (const PlanFamily &family : plan.families)
        grace = std::max(grace, family.grace);
    return grace;
}

Quantity<qint64> heldBy(const Plan &plan)
{
    qint64 sum = 0;
    for (const PlanGpu &gpu : plan.gpus) {
        if (!gpu.heldMib.isKnown())
            return gpu.heldMib;
        sum += gpu.heldMib.value();
    }
    return sum;
}

QList<PlanStep> stepsOf(const Plan &plan, bool evidence)
{
    const QString id = plan.id();
    const QString heads = processesInWords(plan.heads().size());
    const QString targets = processesInWords(plan.targets().size());
    QList<PlanStep> steps;
    steps += PlanStep{{u"who_else"_s}, u"Lock"_s, u"Take the host's lock and see who else is here."_s,
                      {requestFor(plan, Kind::Begin, {}, u"reclaim %1 begins"_s.arg(id))}};
    if (evidence) {
        steps += PlanStep{{u"evidence"_s}, u"Evidence"_s, u"Keep evidence of the processes, for at most 10 s."_s,
                          {requestFor(plan, Kind::Evidence, plan.targets(), {})}};
    }
    const QList<ActionRequest> stops = unitStops(plan);
    QStringList units;
    for (const ActionRequest &stop : stops)
        units += stop.unit;
    if (!stops.isEmpty()) {
        steps += PlanStep{{u"stop_unit"_s}, u"Stop the unit"_s,
                          u"systemctl stop %1, which would start it again."_s.arg(units.join(u", "_s)), stops};
    }
    steps += PlanStep{{u"terminate"_s, u"grace"_s}, u"SIGTERM"_s,
                      u"SIGTERM to the %1 marked so, then up to %2 of grace."_s.arg(heads, secondsOf(graceOf(plan))),
                      {requestFor(plan, Kind::Terminate, plan.heads(), u"SIGTERM to %1 of plan %2"_s.arg(heads, id))}};
    steps += PlanStep{{u"kill"_s, u"end_of_processes"_s}, u"SIGKILL"_s,
                      u"SIGKILL to those of the %1 that are left then; each is looked at again in the command that "
                      "signals it."_s.arg(targets),
                      {requestFor(plan, Kind::Kill, plan.targets(), u"SIGKILL to %1 of plan %2"_s.arg(targets, id))}};
    steps += PlanStep{{u"memory"_s}, u"Memory"_s,
                      u"Wait until what they held is back on GPU %1, by three readings alike%2."_s.arg(
                          gpusInWords(plan.gpus),
                          plan.belowMib ? u", each below %1 MiB"_s.arg(*plan.belowMib) : QString()),
                      {}};
    steps += PlanStep{{u"second_look"_s}, u"Second look"_s, u"Look once more at who is there."_s, {}};
    if (!plan.shm.isEmpty()) {
        ActionRequest clean = requestFor(plan, Kind::CleanShm, {}, u"clean /dev/shm of plan %1"_s.arg(id));
        clean.files = plan.shm;
        steps += PlanStep{{u"clean_shm"_s}, u"Clean /dev/shm"_s,
                          u"Remove %1 of /dev/shm, each only if nobody uses it."_s.arg(counted(plan.shm.size(), "file"_L1)), {clean}};
    }
    steps += PlanStep{{u"lock"_s}, u"Unlock"_s, u"Give the host's lock back."_s, {}};
    return steps;
}

Result<QString> planScripts(const Plan &plan, const Actor &actor)
{
    return scriptsOf(stepsOf(plan), actor);
}

Result<QString> scriptsOf(const QList<PlanStep> &steps, const Actor &actor)
{
    QString text = u"\n# Each script begins with a line N=<nonce>, drawn anew. Its arguments and its own part stand below; "
                   "between\n# them stands the part that all share, printed first.\n# ---- shared\n"_s
        + QString::fromUtf8(sharedScript());
    for (const PlanStep &step : steps) {
        for (const ActionRequest &request : step.requests) {
            const auto excerpt = actionExcerpt(request, actor);
            if (!excerpt)
                return fail(excerpt.error());
            text += u"# ---- %1\n"_s.arg(nameOf(request.kind)) + QString::fromUtf8(*excerpt);
        }
    }
    return text;
}

} // namespace pilothouse
