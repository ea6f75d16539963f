// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workflow/restartsteps.h"

#include "core/workflow/reclaimwords.h"

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

using Kind = ActionRequest::Kind;

constexpr std::chrono::milliseconds commandLimit{120'000}; ///< of a drain or undrain command

} // namespace

QString nameOf(RestartStep step)
{
    using Step = RestartStep;
    switch (step) {
    case Step::Begin:
        return u"who_else"_s;
    case Step::Drain:
        return u"drain"_s;
    case Step::Requests:
        return u"requests"_s;
    case Step::Stop:
        return u"stop"_s;
    case Step::Look:
        return u"look"_s;
    case Step::Reclaim:
        return u"reclaim"_s;
    case Step::Memory:
        return u"memory"_s;
    case Step::Reset:
        return u"reset_failed"_s;
    case Step::Start:
        return u"start"_s;
    case Step::Serve:
        return u"serve"_s;
    case Step::Undrain:
        return u"undrain"_s;
    case Step::Why:
        return u"root_cause"_s;
    default:
        return u"lock"_s;
    }
}

ActionRequest requestOf(const RestartPlan &plan, Kind kind, const QString &what)
{
    ActionRequest request;
    request.kind = kind;
    request.bootId = plan.bootId;
    request.asRoot = plan.asRoot && !plan.options.userUnit; // the account's own manager is not root's
    request.unit = plan.options.unit;
    request.userUnit = plan.options.userUnit;
    request.what = what;
    if (kind == Kind::Command)
        request.limit = commandLimit;
    return request;
}

QList<PlanStep> stepsOf(const RestartPlan &plan, bool evidence)
{
    const RestartOptions &options = plan.options;
    const QString id = plan.id();
    const QString &unit = options.unit;
    QList<PlanStep> steps;
    steps += PlanStep{{u"who_else"_s}, u"Lock"_s, u"Take the host's lock and see who else is here."_s,
                      {requestOf(plan, Kind::Begin, u"restart %1 begins"_s.arg(id))}};
    if (!options.drain.isEmpty()) {
        ActionRequest drain = requestOf(plan, Kind::Command, u"drain of restart %1"_s.arg(id));
        drain.command = options.drain;
        steps += PlanStep{{u"drain"_s}, u"Drain"_s, u"Run: %1"_s.arg(options.drain), {drain}};
    }
    if (plan.stops) {
        steps += PlanStep{{u"requests"_s}, u"Requests"_s,
                          options.drain.isEmpty() ? u"Say how many requests will be cut."_s
                                                  : u"Wait up to %1 for the requests that run."_s.arg(secondsOf(options.drainLimit)), {}};
        steps += PlanStep{{u"stop"_s}, u"Stop"_s, u"systemctl stop %1, and wait until it has stopped."_s.arg(unit),
                          {requestOf(plan, Kind::StopUnit, u"systemctl stop %1"_s.arg(unit))}};
    }
    steps += PlanStep{{u"look"_s, u"reclaim"_s}, u"Leftovers"_s,
                      plan.reclaim.families.isEmpty()
                          ? u"Look deep; end what is left of %1 by the ladder of reclaim. If nothing is left, nothing is ended."_s.arg(unit)
                          : u"Look deep; end %1 in the way, and what is left of %2, by the ladder of reclaim."_s.arg(
                                processesInWords(plan.reclaim.targets().size()), unit),
                      {}};
    if (!plan.reclaim.families.isEmpty()) {
        for (const PlanStep &step : stepsOf(plan.reclaim, evidence))
            steps.last().requests += step.requests;
        steps.last().requests.removeIf([](const ActionRequest &one) { return one.kind == Kind::Begin || one.kind == Kind::End; });
    }
    if (!plan.holds.isEmpty()) {
        steps += PlanStep{{u"memory"_s}, u"Memory"_s,
                          u"Wait until the memory of its GPUs is back, by three readings alike%1."_s.arg(
                              options.belowMib ? u", each below %1 MiB"_s.arg(*options.belowMib) : QString()), {}};
    }
    steps += PlanStep{{u"reset_failed"_s, u"start"_s}, u"Start"_s, u"systemctl start %1."_s.arg(unit),
                      {requestOf(plan, Kind::StartUnit, u"systemctl start %1"_s.arg(unit))}};
    steps += PlanStep{{u"serve"_s}, u"Serves"_s,
                      u"Follow the load, then prove it: unit, new processes, port, health, model, one token, memory, no Xid, no restart."_s, {}};
    if (!options.undrain.isEmpty()) {
        ActionRequest undrain = requestOf(plan, Kind::Command, u"undrain of restart %1"_s.arg(id));
        undrain.command = options.undrain;
        steps += PlanStep{{u"undrain"_s}, u"Undrain"_s, u"Run: %1"_s.arg(options.undrain), {undrain}};
    }
    steps += PlanStep{{u"lock"_s}, u"Unlock"_s, u"Give the host's lock back."_s, {}};
    return steps;
}

Result<QString> planScripts(const RestartPlan &plan, const Actor &actor)
{
    return scriptsOf(stepsOf(plan), actor);
}

QString whereItStood(RestartStep step, const RestartPlan &plan, bool drained)
{
    using Step = RestartStep;
    const QString &unit = plan.options.unit;
    const QString still = drained && !plan.options.undrain.isEmpty() ? u"; it is still drained"_s : QString();
    switch (step) {
    case Step::Idle:
    case Step::Begin:
        return u"nothing was done"_s;
    case Step::Drain:
    case Step::Requests:
        return u"%1 was not stopped"_s.arg(unit) + still;
    case Step::Stop:
        return plan.stops ? u"%1 was asked to stop, and was not started again"_s.arg(unit) + still : u"nothing was done"_s;
    case Step::Look:
    case Step::Reclaim:
    case Step::Memory:
    case Step::Reset:
        return u"%1 is stopped and was not started"_s.arg(unit) + still;
    case Step::Start:
    case Step::Serve:
    case Step::Why:
        return u"%1 was asked to start; that it serves is not proved"_s.arg(unit) + still;
    case Step::Undrain:
        return u"%1 serves"_s.arg(unit) + still;
    default:
        return u"%1 serves"_s.arg(unit);
    }
}

} // namespace pilothouse
