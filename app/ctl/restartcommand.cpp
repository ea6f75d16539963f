// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/restartcommand.h"

#include "app/ctl/output.h"
#include "app/ctl/restarttext.h"
#include "app/ctl/target.h"
#include "core/base/cleantext.h"
#include "core/base/statefolder.h"
#include "core/fleet/hostdiagnosis.h"
#include "core/fleet/inventoryreader.h"
#include "core/fleet/restartjob.h"
#include "core/workflow/servicerecord.h"
#include "core/workflow/unitcheck.h"

#include <algorithm>

namespace pilothouse {

using namespace Qt::StringLiterals;

RestartCommand::RestartCommand(const CommandContext &context)
    : WorkflowCommand(context, InterruptedRun::Recipe::Restart)
{
}

RestartCommand::~RestartCommand() = default;

void RestartCommand::start()
{
    const auto host = options().goOn ? hostFor(options(), options().arguments.first()) : Result<HostSpec>(HostSpec());
    const auto runs = options().goOn && host ? interruptedRuns(stateFolder(), host->name) : QList<InterruptedRun>();
    const bool none = std::ranges::none_of(runs, [](const InterruptedRun &run) { return run.recipe == InterruptedRun::Recipe::Restart; });
    if (options().goOn && host && none)
        result(WorkflowEvent::State::Failed, u"There is no restart on %1 that was cut off."_s.arg(host->name), 1);
    else
        WorkflowCommand::start();
}

/// Refused before anything is opened: what is no unit's name.
Result<QStringList> RestartCommand::wantedUnits()
{
    const QString named = options().arguments.value(1);
    if (options().goOn) {
        if (!named.isEmpty())
            return fail(ErrorCode::Usage, u"--continue takes no unit: it goes on with the restart that was cut off."_s);
        if (interrupted().isEmpty()) // another program has gone on with it meanwhile
            return fail(ErrorCode::RefusedBySafety, u"The restart that was cut off is gone on with elsewhere."_s);
        m_goesOn = interrupted().last();
        m_unit = m_goesOn->restart.unit;
        return QStringList{m_unit};
    }
    if (named.isEmpty())
        return fail(ErrorCode::Usage, u"restart wants a TARGET and a unit, or a TARGET and --continue."_s);
    const auto unit = fullUnitName(named);
    if (!unit)
        return fail(ErrorCode::Usage, u"\"%1\" is no name of a systemd unit."_s.arg(cleanLine(named, 80)));
    m_unit = *unit;
    return QStringList{m_unit};
}

void RestartCommand::opened()
{
    connect(&visit().link(), &HostLink::acted, this, [this](quint64 number, const ActionResult &answer) {
        if (number != m_asking || m_asked)
            return;
        const ActionAnswer told = answer.answer.value_or(ActionAnswer()); // what nobody told is not known
        if (!m_askingUnit) {
            m_facts.room = told.room;
            askUnit();
            return;
        }
        takeUnit(told.reading);
        m_asked = true;
        plan();
    });
    examine();
}

void RestartCommand::consider(const SnapshotPtr &snapshot, const Diagnosis &diagnosis)
{
    m_snapshot = snapshot;
    m_diagnosis = diagnosis;
    if (m_asked)
        plan();
    else
        askRoom();
}

void RestartCommand::askRoom()
{
    m_facts.modelPath = modelPathOf(*m_snapshot, m_unit);
    ActionRequest request;
    request.kind = ActionRequest::Kind::LookAtRoom;
    request.path = m_facts.modelPath;
    request.asRoot = m_snapshot->system.root;
    m_asking = visit().link().act(request, {});
}

void RestartCommand::askUnit()
{
    m_askingUnit = true;
    m_asking = visit().link().act(unitReadingRequest(*m_snapshot, m_unit, wanted().userUnit), {});
}

void RestartCommand::takeUnit(const UnitReading &reading)
{
    if (reading.state != UnitReading::State::Read)
        return;
    m_facts.findings = checkReading(reading, *m_snapshot, visit().lineage());
    m_facts.unitLines = unitLinesOf(reading.text);
}

RestartOptions RestartCommand::wanted() const
{
    if (m_goesOn)
        return m_goesOn->restart;
    RestartOptions wanted;
    wanted.service = wanted.unit = m_unit;
    const auto &services = visit().host().services;
    const auto at = std::ranges::find_if(services, [this](const ServiceSpec &service) { return service.unit == m_unit; });
    if (at != services.cend()) {
        wanted.service = at->name.isEmpty() ? m_unit : at->name;
        wanted.userUnit = at->userScope;
        wanted.drain = at->drain;
        wanted.undrain = at->undrain;
        wanted.health = at->health;
        wanted.model = at->model;
    }
    for (const WatchedService &watched : watchedServices(visit().host(), *m_snapshot)) {
        if (watched.unit == m_unit)
            wanted.gpus = watched.gpus;
    }
    wanted.gpusAreWritten = !wanted.gpus.isEmpty();
    if (wanted.gpus.isEmpty()) { // as it used them when it last served
        const auto record = recordOf(actor().auditFolder, actor().host, m_unit);
        for (const Gpu &gpu : m_snapshot->gpus.value_or(QList<Gpu>())) {
            if (record && record->usedMib.contains(gpu.uuid))
                wanted.gpus += gpu.index;
        }
    }
    if (!options().health.isEmpty())
        wanted.health = options().health;
    if (!options().model.isEmpty())
        wanted.model = options().model;
    wanted.belowMib = options().belowMib;
    wanted.grace = options().grace;
    return wanted;
}

void RestartCommand::plan()
{
    const auto made = makeRestartPlan(*m_snapshot, m_diagnosis, wanted(), m_facts);
    if (!made) {
        stop(made.error());
        return;
    }
    m_plan = *made;
    if (m_plan.reclaim.families.isEmpty() && watchesYoung(m_diagnosis))
        return;
    if (phase() != Phase::Again)
        tellInterrupted(*m_snapshot);
    const RestartCheck *blocker = m_plan.blocker();
    const Proposal proposal{m_plan.id(), m_plan.deeds(), u"Restart %1 on %2?"_s.arg(m_unit, m_plan.host),
                            restartText(m_plan, output(), m_goesOn.has_value()), toJson(m_plan), planScripts(m_plan, actor())};
    propose(proposal, blocker && !options().dryRun ? [this, why = *blocker] { refuse(why); } : std::function<void()>());
}

void RestartCommand::refuse(const RestartCheck &why)
{
    for (const RestartCheck &check : std::as_const(m_plan.checks)) {
        if (check.weight != RestartCheck::Weight::Good)
            output().problem(check.text);
    }
    result(WorkflowEvent::State::Refused, u"Nothing was done: %1 %2"_s.arg(why.text, why.advice).trimmed(), why.exitCode);
}

std::unique_ptr<WorkflowJob> RestartCommand::makeJob()
{
    RestartSettings settings;
    settings.reclaim.evidence = !options().noEvidence;
    settings.record = recordOf(actor().auditFolder, actor().host, m_unit);
    if (m_goesOn)
        settings.earlier = progressOf(m_goesOn->events);
    return std::make_unique<RestartJob>(visit().link(),
                                        RestartJob::Setup{m_plan, visit().host(), actor(), visit().lineage(), settings});
}

} // namespace pilothouse
