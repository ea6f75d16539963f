// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/reclaimcommand.h"

#include "app/ctl/output.h"
#include "app/ctl/reclaimtext.h"
#include "core/fleet/hostdiagnosis.h"
#include "core/fleet/reclaimjob.h"
#include "core/workflow/plansteps.h"
#include "core/workflow/reclaimwords.h"

namespace pilothouse {

using namespace Qt::StringLiterals;

ReclaimCommand::ReclaimCommand(const CommandContext &context)
    : WorkflowCommand(context, InterruptedRun::Recipe::Reclaim)
{
}

ReclaimCommand::~ReclaimCommand() = default;

void ReclaimCommand::consider(const SnapshotPtr &snapshot, const Diagnosis &diagnosis)
{
    const auto plan = planOf(*snapshot, diagnosis);
    if (!plan) {
        stop(plan.error());
        return;
    }
    m_plan = *plan;
    if (plan->families.isEmpty() && watchesYoung(diagnosis))
        return;
    if (phase() != Phase::Again)
        tellInterrupted(*snapshot);
    const Proposal proposal{plan->id(), plan->deeds(), u"End %1 on %2?"_s.arg(processesInWords(plan->targets().size()), plan->host),
                            planText(*plan, output()), toJson(*plan), planScripts(*plan, actor())};
    propose(proposal, plan->families.isEmpty() ? [this, diagnosis] { nothingToDo(diagnosis); } : std::function<void()>());
}

Result<Plan> ReclaimCommand::planOf(const Snapshot &snapshot, const Diagnosis &diagnosis) const
{
    PlanOptions wanted;
    wanted.gpus = options().gpus;
    wanted.include = options().include;
    wanted.belowMib = options().belowMib;
    wanted.grace = options().grace;
    wanted.cleanShm = options().cleanShm;
    if (!options().units.isEmpty()) {
        wanted.concerns = [&](const Family &family) {
            return concernsUnit(family, options().units.first(), visit().host(), snapshot);
        };
    }
    return makePlan(snapshot, diagnosis, wanted);
}

void ReclaimCommand::nothingToDo(const Diagnosis &diagnosis)
{
    for (const QString &line : std::as_const(m_plan.left))
        output().problem(line);
    if (!options().dryRun)
        forgetInterrupted();
    const QString text = u"There is nothing to reclaim. "_s + diagnosis.host.text;
    if (m_plan.leftBySafety)
        result(WorkflowEvent::State::Refused, text, exitCodeOf(ErrorCode::RefusedBySafety));
    else if (diagnosis.host.state == HostState::Free)
        result(WorkflowEvent::State::Done, text, 0);
    else
        result(WorkflowEvent::State::Failed, text, 1);
}

std::unique_ptr<WorkflowJob> ReclaimCommand::makeJob()
{
    ReclaimSettings settings;
    settings.evidence = !options().noEvidence;
    return std::make_unique<ReclaimJob>(visit().link(), ReclaimJob::Setup{m_plan, visit().host(), actor(), visit().lineage(), settings});
}

} // namespace pilothouse
