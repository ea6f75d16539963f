// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/workflowcommand.h"

#include "app/ctl/interrupts.h"
#include "app/ctl/output.h"
#include "app/ctl/planfile.h"
#include "app/ctl/reclaimtext.h"
#include "app/ctl/target.h"
#include "core/actions/actor.h"
#include "core/base/statefolder.h"
#include "core/fleet/hostdiagnosis.h"
#include "core/workflow/reclaimwords.h"

#include <QJsonDocument>

#include <algorithm>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

/// From one look a young orphan may be a server that loads; this long a second one tells.
constexpr std::chrono::milliseconds watchTime{11'000};

} // namespace

WorkflowCommand::WorkflowCommand(const CommandContext &context, InterruptedRun::Recipe recipe)
    : Command(context)
    , m_recipe(recipe)
    , m_visit(context)
    , m_terminal(context.output, context.interrupts)
{
    m_again.setSingleShot(true);
    connect(&m_again, &QTimer::timeout, this, [this] { examine(); });
    connect(&context.interrupts, &Interrupts::interrupted, this, [this] {
        if (m_job)
            m_job->cancel();
        else
            finish(exitCodeOf(ErrorCode::Cancelled));
    });
    connect(&m_visit, &HostVisit::examined, this, &WorkflowCommand::consider);
    connect(&m_visit, &HostVisit::missed, this, &WorkflowCommand::stop);
    connect(&m_visit, &HostVisit::away, this, &WorkflowCommand::away);
}

WorkflowCommand::~WorkflowCommand() = default;

void WorkflowCommand::start()
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
    opened();
}

Result<void> WorkflowCommand::prepare()
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
    const auto host = hostFor(options(), options().arguments.first());
    if (!host)
        return fail(host.error());
    m_interrupted = interruptedRuns(actor->auditFolder, host->name);
    m_interrupted.removeIf([this](const InterruptedRun &run) { return run.recipe != m_recipe; });
    const auto units = wantedUnits();
    if (!units)
        return fail(units.error());
    if (const auto begun = m_visit.begin(options().arguments.first(), *units); !begun)
        return fail(begun.error());
    if (m_visit.host().access == Access::ReadOnly && !options().dryRun) {
        return fail(ErrorCode::ReadOnly, u"%1 is read-only in the inventory."_s.arg(m_visit.host().name),
                    u"Its entry in hosts.toml says access = \"read-only\"."_s);
    }
    m_actor = *std::move(actor);
    m_actor.host = m_visit.host().name;
    return {};
}

bool WorkflowCommand::watchesYoung(const Diagnosis &diagnosis)
{
    const bool young = std::ranges::any_of(diagnosis.families, [](const Family &family) {
        return family.verdict == Verdict::Starting && family.modifiers.contains(u"ORPHAN"_s);
    });
    if (!young || m_phase == Phase::Again || std::exchange(m_watched, true))
        return false;
    m_phase = Phase::Watching;
    print({QDateTime::currentDateTimeUtc(), u"watch"_s, WorkflowEvent::State::Started,
           u"An orphan is so young that it may be loading: looked at for %1 whether it grows."_s.arg(secondsOf(watchTime)), {}});
    m_again.start(watchTime);
    return true;
}

/// Where an earlier run stood. What is left of it is in the plan, which is made of the host as it is now.
void WorkflowCommand::tellInterrupted(const Snapshot &snapshot)
{
    for (const InterruptedRun &run : std::as_const(m_interrupted)) {
        print({QDateTime::currentDateTimeUtc(), u"interrupted"_s, WorkflowEvent::State::Progress, wordsOf(run, snapshot.bootId),
               {{u"plan"_s, run.planId}, {u"started_at"_s, run.startedAt.toString(Qt::ISODateWithMs)}, {u"person"_s, run.person}}});
    }
}

/// Once the host was brought to where it should be, or is there.
void WorkflowCommand::forgetInterrupted()
{
    for (const InterruptedRun &run : std::exchange(m_interrupted, {}))
        forgetRun(run);
}

void WorkflowCommand::propose(const Proposal &proposal, const std::function<void()> &nothing)
{
    if (m_phase == Phase::Again) {
        compare(proposal);
    } else if (!options().plan.isEmpty() && options().plan != proposal.id) {
        for (const QString &line : planDifference(m_actor.auditFolder, options().plan, proposal.id, proposal.deeds))
            output().problem(line);
        result(WorkflowEvent::State::Refused, u"The plan is no longer %1 but %2: nothing was done."_s.arg(options().plan, proposal.id),
               exitCodeOf(ErrorCode::RefusedBySafety));
    } else if (nothing) {
        nothing();
    } else if (!proposal.scripts) {
        stop(proposal.scripts.error());
    } else {
        show(proposal);
        if (options().dryRun)
            return;
        if (options().yes)
            run();
        else
            ask(proposal);
    }
}

void WorkflowCommand::show(const Proposal &proposal)
{
    const WorkflowEvent event{QDateTime::currentDateTimeUtc(), u"plan"_s, WorkflowEvent::State::Done, u"Plan %1."_s.arg(proposal.id), proposal.json};
    if (options().json && options().dryRun) {
        WorkflowEvent whole = event;
        whole.data.insert(u"scripts"_s, *proposal.scripts);
        print(whole);
    } else if (options().json) {
        print(event);
    } else {
        output().data(proposal.text + (options().dryRun ? *proposal.scripts : QString()) + u'\n');
    }
    if (!options().dryRun)
        return;
    if (const auto kept = keepPlan(m_actor.auditFolder, proposal.id, proposal.deeds); !kept)
        output().problem(sentenceOf(kept.error())); // only the difference would be missing
    result(WorkflowEvent::State::Done, u"Nothing was done. To run this very plan: --yes --plan %1"_s.arg(proposal.id), 0);
}

void WorkflowCommand::ask(const Proposal &proposal)
{
    m_phase = Phase::Asking;
    m_agreed = proposal;
    m_terminal.ask(proposal.question + u" Type yes or no: "_s, Terminal::Typing::Shown, [this](const std::optional<QString> &line) {
        if (!line || line->trimmed().toLower() != "yes"_L1) {
            result(WorkflowEvent::State::Refused, u"Declined: nothing was done."_s, exitCodeOf(ErrorCode::Cancelled));
            return;
        }
        m_phase = Phase::Again; // a person takes their time, and the host went on
        examine();
    });
}

void WorkflowCommand::compare(const Proposal &proposal)
{
    if (proposal.id == m_agreed->id) {
        run();
        return;
    }
    for (const QString &line : differenceOf(m_agreed->deeds, proposal.deeds))
        output().problem(line);
    result(WorkflowEvent::State::Refused, u"The host has changed since you were asked: nothing was done."_s,
           exitCodeOf(ErrorCode::RefusedBySafety));
}

void WorkflowCommand::run()
{
    if (m_over)
        return;
    m_phase = Phase::Running;
    m_job = makeJob();
    connect(m_job.get(), &WorkflowJob::happened, this, &WorkflowCommand::print);
    connect(m_job.get(), &WorkflowJob::finished, this, [this](int exitCode) {
        forgetInterrupted();
        finish(exitCode);
    });
    m_job->start();
}

void WorkflowCommand::away(const Error &error, bool final)
{
    if (m_phase != Phase::Running && (m_phase != Phase::Asking || final))
        stop(error);
}

void WorkflowCommand::print(const WorkflowEvent &event)
{
    if (options().json)
        output().data(QString::fromUtf8(QJsonDocument(toJson(event)).toJson(QJsonDocument::Compact)) + u'\n');
    else if (event.step == "result"_L1)
        output().data(event.text + u'\n');
    else
        output().prompt(lineOf(event, output()));
}

void WorkflowCommand::result(WorkflowEvent::State state, const QString &text, int exitCode)
{
    print({QDateTime::currentDateTimeUtc(), u"result"_s, state, text, {{u"exit_code"_s, exitCode}}});
    finish(exitCode);
}

void WorkflowCommand::stop(const Error &error)
{
    if (options().json) {
        const bool refused = exitCodeOf(error.code) == exitCodeOf(ErrorCode::RefusedBySafety);
        result(refused ? WorkflowEvent::State::Refused : WorkflowEvent::State::Failed, sentenceOf(error), exitCodeOf(error.code));
        return;
    }
    output().problem(sentenceOf(error));
    finish(exitCodeOf(error.code));
}

void WorkflowCommand::finish(int exitCode)
{
    if (std::exchange(m_over, true))
        return;
    m_again.stop();
    m_visit.leave(); // its link ends with this command: we may be in one of its signals
    emit finished(exitCode);
}

} // namespace pilothouse
