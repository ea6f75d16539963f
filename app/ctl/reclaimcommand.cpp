// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/reclaimcommand.h"

#include "app/ctl/interrupts.h"
#include "app/ctl/output.h"
#include "app/ctl/planfile.h"
#include "app/ctl/reclaimtext.h"
#include "core/actions/actor.h"
#include "core/base/statefolder.h"
#include "core/fleet/hostdiagnosis.h"
#include "core/workflow/plansteps.h"
#include "core/workflow/reclaimwords.h"

#include <QJsonDocument>

#include <algorithm>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

/// From one look a young orphan may be a server that loads; this long a second one tells.
constexpr std::chrono::milliseconds watchTime{11'000};

bool mayOnlyBeYoung(const Diagnosis &diagnosis)
{
    return std::ranges::any_of(diagnosis.families, [](const Family &family) {
        return family.verdict == Verdict::Starting && family.modifiers.contains(u"ORPHAN"_s);
    });
}

} // namespace

ReclaimCommand::ReclaimCommand(const CommandContext &context)
    : Command(context)
    , m_visit(context)
    , m_terminal(context.output, context.interrupts)
{
    m_again.setSingleShot(true);
    connect(&m_again, &QTimer::timeout, this, [this] { m_visit.examine(); });
    connect(&context.interrupts, &Interrupts::interrupted, this, [this] {
        if (m_job)
            m_job->cancel();
        else
            finish(exitCodeOf(ErrorCode::Cancelled));
    });
    connect(&m_visit, &HostVisit::examined, this,
            [this](const SnapshotPtr &snapshot, const Diagnosis &diagnosis) { consider(*snapshot, diagnosis); });
    connect(&m_visit, &HostVisit::missed, this, &ReclaimCommand::stop);
    connect(&m_visit, &HostVisit::away, this, &ReclaimCommand::away);
}

ReclaimCommand::~ReclaimCommand() = default;

void ReclaimCommand::start()
{
    if (options().readOnly && !options().dryRun) {
        stop({ErrorCode::ReadOnly, u"--read-only forbids whatever changes a host."_s, u"Use --dry-run to see the plan."_s});
        return;
    }
    if (!options().yes && !options().dryRun && !Terminal::isThere()) {
        stop({ErrorCode::Usage, u"There is no terminal to ask for consent."_s, u"Use --yes, or --dry-run to see the plan."_s});
        return;
    }
    if (const auto ready = prepare(); !ready) {
        stop(ready.error());
        return;
    }
    m_visit.examine();
}

Result<void> ReclaimCommand::prepare()
{
    auto actor = actorHere(stateFolder(), {});
    if (!actor)
        return fail(actor.error());
    if (!options().dryRun) {
        auto turn = AuditTurn::begin(actor->auditFolder);
        if (!turn)
            return fail(turn.error());
        m_auditTurn = *std::move(turn);
    }
    if (const auto begun = m_visit.begin(options().arguments.first()); !begun)
        return fail(begun.error());
    if (m_visit.host().access == Access::ReadOnly && !options().dryRun) {
        return fail(ErrorCode::ReadOnly, u"%1 is read-only in the inventory."_s.arg(m_visit.host().name),
                    u"Its entry in hosts.toml says access = \"read-only\"."_s);
    }
    m_actor = *std::move(actor);
    m_actor.host = m_visit.host().name;
    m_interrupted = interruptedRuns(m_actor.auditFolder, m_actor.host);
    return {};
}

void ReclaimCommand::consider(const Snapshot &snapshot, const Diagnosis &diagnosis)
{
    const auto plan = planOf(snapshot, diagnosis);
    if (!plan) {
        stop(plan.error());
        return;
    }
    if (m_phase == Phase::Again) {
        compare(*plan);
        return;
    }
    if (plan->families.isEmpty() && mayOnlyBeYoung(diagnosis) && !std::exchange(m_watched, true)) {
        m_phase = Phase::Watching;
        print({QDateTime::currentDateTimeUtc(), u"watch"_s, WorkflowEvent::State::Started,
               u"An orphan is so young that it may be loading: looked at for %1 whether it grows."_s.arg(secondsOf(watchTime)), {}});
        m_again.start(watchTime);
        return;
    }
    tellInterrupted(snapshot);
    propose(*plan, diagnosis);
}

/// Where an earlier run stood. What is left of it is in the plan, which is made of the host as it is now.
void ReclaimCommand::tellInterrupted(const Snapshot &snapshot)
{
    for (const InterruptedRun &run : std::as_const(m_interrupted)) {
        print({QDateTime::currentDateTimeUtc(), u"interrupted"_s, WorkflowEvent::State::Progress, wordsOf(run, snapshot.bootId),
               {{u"plan"_s, run.planId}, {u"started_at"_s, run.startedAt.toString(Qt::ISODateWithMs)}, {u"person"_s, run.person}}});
    }
}

/// Once the host was brought to where it should be, or is there.
void ReclaimCommand::forgetInterrupted()
{
    for (const InterruptedRun &run : std::exchange(m_interrupted, {}))
        forgetRun(run);
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
            return concernsUnit(family, options().units.first(), m_visit.host(), snapshot);
        };
    }
    return makePlan(snapshot, diagnosis, wanted);
}

void ReclaimCommand::propose(const Plan &plan, const Diagnosis &diagnosis)
{
    if (!options().plan.isEmpty() && options().plan != plan.id()) {
        for (const QString &line : planDifference(m_actor.auditFolder, options().plan, plan))
            output().problem(line);
        result(WorkflowEvent::State::Refused, u"The plan is no longer %1 but %2: nothing was done."_s.arg(options().plan, plan.id()),
               exitCodeOf(ErrorCode::RefusedBySafety));
    } else if (plan.families.isEmpty()) {
        nothingToDo(plan, diagnosis);
    } else if (options().dryRun) {
        show(plan);
    } else if (options().yes) {
        show(plan);
        run(plan);
    } else {
        show(plan);
        ask(plan);
    }
}

void ReclaimCommand::nothingToDo(const Plan &plan, const Diagnosis &diagnosis)
{
    for (const QString &line : plan.left)
        output().problem(line);
    if (!options().dryRun)
        forgetInterrupted();
    const QString text = u"There is nothing to reclaim. "_s + diagnosis.host.text;
    if (plan.leftBySafety)
        result(WorkflowEvent::State::Refused, text, exitCodeOf(ErrorCode::RefusedBySafety));
    else if (diagnosis.host.state == HostState::Free)
        result(WorkflowEvent::State::Done, text, 0);
    else
        result(WorkflowEvent::State::Failed, text, 1);
}

void ReclaimCommand::show(const Plan &plan)
{
    const auto scripts = planScripts(plan, m_actor);
    if (!scripts) {
        stop(scripts.error());
        return;
    }
    const WorkflowEvent event{QDateTime::currentDateTimeUtc(), u"plan"_s, WorkflowEvent::State::Done, u"Plan %1."_s.arg(plan.id()), toJson(plan)};
    if (options().json && options().dryRun) {
        WorkflowEvent whole = event;
        whole.data.insert(u"scripts"_s, *scripts);
        print(whole);
    } else if (options().json) {
        print(event);
    } else {
        output().data(planText(plan, output()) + (options().dryRun ? *scripts : QString()) + u'\n');
    }
    if (!options().dryRun)
        return;
    if (const auto kept = keepPlan(m_actor.auditFolder, plan); !kept)
        output().problem(sentenceOf(kept.error())); // only the difference would be missing
    result(WorkflowEvent::State::Done, u"Nothing was done. To run this very plan: --yes --plan %1"_s.arg(plan.id()), 0);
}

void ReclaimCommand::ask(const Plan &plan)
{
    m_phase = Phase::Asking;
    m_agreed = plan;
    m_terminal.ask(u"End %1 on %2? Type yes or no: "_s.arg(processesInWords(plan.targets().size()), plan.host), Terminal::Typing::Shown,
                   [this](const std::optional<QString> &line) {
                       if (!line || line->trimmed().toLower() != "yes"_L1) {
                           result(WorkflowEvent::State::Refused, u"Declined: nothing was done."_s, exitCodeOf(ErrorCode::Cancelled));
                           return;
                       }
                       m_phase = Phase::Again; // a person takes their time, and the host went on
                       m_visit.examine();
                   });
}

void ReclaimCommand::compare(const Plan &plan)
{
    if (plan.id() == m_agreed->id()) {
        run(plan);
        return;
    }
    for (const QString &line : differenceOf(m_agreed->deeds(), plan.deeds()))
        output().problem(line);
    result(WorkflowEvent::State::Refused, u"The host has changed since you were asked: nothing was done."_s,
           exitCodeOf(ErrorCode::RefusedBySafety));
}

void ReclaimCommand::run(const Plan &plan)
{
    if (m_over)
        return;
    m_phase = Phase::Running;
    ReclaimSettings settings;
    settings.evidence = !options().noEvidence;
    m_job = std::make_unique<ReclaimJob>(m_visit.link(),
                                         ReclaimJob::Setup{plan, m_visit.host(), m_actor, m_visit.lineage(), settings});
    connect(m_job.get(), &ReclaimJob::happened, this, &ReclaimCommand::print);
    connect(m_job.get(), &ReclaimJob::finished, this, [this](int exitCode) {
        forgetInterrupted();
        finish(exitCode);
    });
    m_job->start();
}

void ReclaimCommand::away(const Error &error, bool final)
{
    if (m_phase != Phase::Running && (m_phase != Phase::Asking || final))
        stop(error);
}

void ReclaimCommand::print(const WorkflowEvent &event)
{
    if (options().json)
        output().data(QString::fromUtf8(QJsonDocument(toJson(event)).toJson(QJsonDocument::Compact)) + u'\n');
    else if (event.step == "result"_L1)
        output().data(event.text + u'\n');
    else
        output().prompt(lineOf(event, output()));
}

void ReclaimCommand::result(WorkflowEvent::State state, const QString &text, int exitCode)
{
    print({QDateTime::currentDateTimeUtc(), u"result"_s, state, text, {{u"exit_code"_s, exitCode}}});
    finish(exitCode);
}

void ReclaimCommand::stop(const Error &error)
{
    if (options().json) {
        const bool refused = exitCodeOf(error.code) == exitCodeOf(ErrorCode::RefusedBySafety);
        result(refused ? WorkflowEvent::State::Refused : WorkflowEvent::State::Failed, sentenceOf(error), exitCodeOf(error.code));
        return;
    }
    output().problem(sentenceOf(error));
    finish(exitCodeOf(error.code));
}

void ReclaimCommand::finish(int exitCode)
{
    if (std::exchange(m_over, true))
        return;
    m_again.stop();
    m_visit.leave(); // its link ends with this command: we may be in one of its signals
    emit finished(exitCode);
}

} // namespace pilothouse
