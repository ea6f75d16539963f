// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/console/reclaimdesk.h"

#include "core/actions/actionscript.h"
#include "core/actions/actor.h"
#include "core/base/quoting.h"
#include "core/probe/proberequest.h"
#include "ui/host/reclaimoffer.h"
#include "ui/text/errortext.h"
#include "ui/theme/theme.h"
#include "ui/window/mainwindow.h"
#include "ui/workflow/reclaimdialog.h"

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

/// What stands at the memory's curve; empty: nothing was done to the host.
QString markOf(const WorkflowEvent &event)
{
    using State = WorkflowEvent::State;
    if (event.step == "memory"_L1 && event.state == State::Done)
        return ReclaimDesk::tr("freed");
    if (event.state != State::Started)
        return {};
    if (event.step == "stop_unit"_L1)
        return ReclaimDesk::tr("stop");
    if (event.step == "terminate"_L1)
        return u"TERM"_s;
    if (event.step == "kill"_L1)
        return u"KILL"_s;
    return event.step == "clean_shm"_L1 ? ReclaimDesk::tr("clean shm") : QString();
}

} // namespace

ReclaimDesk::ReclaimDesk(const Theme &theme, MainWindow &window, Fleet &fleet, FleetBinding &binding, QString stateDir,
                         SshLine sshLine, QObject *parent)
    : QObject(parent)
    , m_theme(theme)
    , m_window(window)
    , m_fleet(fleet)
    , m_binding(binding)
    , m_stateDir(std::move(stateDir))
    , m_sshLine(std::move(sshLine))
    , m_actors([this](const ActorAnswer &answer) {
        if (answer.turn)
            m_turn = answer.turn;
        Case *open = find(answer.name);
        if (!open)
            return;
        if (answer.actor)
            open->actor = *answer.actor;
        else // nothing could be written down, so nothing may be done
            open->dialog->showNothing(paragraphOf(answer.actor.error()), {});
    })
{
    connect(&window, &MainWindow::reclaimRequested, this, &ReclaimDesk::begin);
    connect(&fleet, &Fleet::hostRemoved, this, [this](const QString &name) {
        if (const auto at = m_cases.find(name); at != m_cases.end()) {
            delete at->second.dialog;
            m_cases.erase(name);
        }
    });
    connect(&window.store(), &HostStore::changed, this, &ReclaimDesk::refresh);
}

ReclaimDesk::~ReclaimDesk()
{
    for (auto &[name, open] : m_cases)
        delete open.dialog;
}

ReclaimDesk::ActorAnswer ReclaimDesk::makeActor(const QString &name, const QString &folder)
{
    ActorAnswer answer{name, actorHere(folder, name), {}};
    if (!answer.actor)
        return answer;
    auto turn = AuditTurn::begin(answer.actor->auditFolder);
    if (turn)
        answer.turn = *std::move(turn);
    else
        answer.actor = fail(turn.error());
    return answer;
}

ReclaimDesk::Case *ReclaimDesk::find(const QString &name)
{
    const auto at = m_cases.find(name);
    return at == m_cases.end() || !at->second.dialog ? nullptr : &at->second;
}

void ReclaimDesk::begin(const QString &name, const PlanOptions &options)
{
    if (const Case *open = find(name)) {
        open->dialog->show();
        open->dialog->raise();
        open->dialog->activateWindow();
        return;
    }
    const HostData *host = m_window.store().find(name);
    LiveDiagnosis *diagnosis = m_binding.diagnosisOf(name);
    HostLink *link = m_fleet.link(name);
    if (!host || !diagnosis || !link)
        return;
    if (const QString why = changesForbidden(*host); !why.isEmpty()) {
        m_window.showFailure(tr("Free Memory"), why);
        return;
    }
    Case &open = m_cases[name];
    open.options = options;
    open.dialog = new ReclaimDialog(m_theme, name, &m_window);
    open.dialog->setShellOf([this, name](const ActionRequest &request) { return shellFor(name, request); });
    connect(open.dialog, &QDialog::finished, this, [this, name] { closed(name); });
    connect(open.dialog, &ReclaimDialog::agreed, this, [this, name] { look(name); });
    connect(open.dialog, &ReclaimDialog::killNowRequested, this, [this, name] {
        if (Case *running = find(name); running && running->job)
            running->job->killNow();
    });
    connect(open.dialog, &ReclaimDialog::stopRequested, this, [this, name] {
        if (Case *running = find(name); running && running->job)
            running->job->cancel();
    });
    connect(diagnosis, &LiveDiagnosis::diagnosed, open.dialog,
            [this, name](const FindingsPtr &findings) { take(name, findings); });
    connect(link, &HostLink::stateChanged, open.dialog, [this, name](const LinkState &state) { follow(name, state); });
    m_actors.run([name, folder = m_stateDir] { return makeActor(name, folder); });
    open.dialog->show();
    refresh(name);
    look(name);
}

void ReclaimDesk::look(const QString &name)
{
    Case *open = find(name);
    LiveDiagnosis *diagnosis = m_binding.diagnosisOf(name);
    if (!open || !diagnosis)
        return;
    open->askedAt = QDateTime::currentDateTimeUtc();
    diagnosis->look();
}

void ReclaimDesk::take(const QString &name, const FindingsPtr &findings)
{
    using Phase = ReclaimDialog::Phase;
    Case *open = find(name);
    if (!open || (open->dialog->phase() != Phase::Looking && open->dialog->phase() != Phase::Checking))
        return;
    if (findings->snapshot->takenAt < open->askedAt || (open->dialog->phase() == Phase::Checking
                                                        && open->actor.console.isEmpty())) {
        look(name); // that one was on its way already
        return;
    }
    if (open->dialog->phase() == Phase::Looking) {
        propose(name, *open, *findings, {});
        return;
    }
    const auto plan = makePlan(*findings->snapshot, findings->diagnosis, open->options);
    if (plan && open->agreed && plan->id() == open->agreed->id()) {
        run(name, *open, *plan);
        return;
    }
    propose(name, *open, *findings, plan ? differenceOf(open->agreed->deeds(), plan->deeds()) : QStringList());
}

void ReclaimDesk::propose(const QString &name, Case &open, const Findings &findings, const QStringList &changes)
{
    const auto plan = makePlan(*findings.snapshot, findings.diagnosis, open.options);
    if (!plan) {
        open.dialog->showNothing(paragraphOf(plan.error()), {});
    } else if (plan->families.isEmpty()) {
        open.dialog->showNothing(findings.diagnosis.host.text, plan->left + changes);
        if (!open.options.only)
            emit settled(name);
    } else {
        open.agreed = *plan;
        open.dialog->showPlan(*plan, *findings.snapshot, changes);
    }
}

void ReclaimDesk::run(const QString &name, Case &open, const Plan &plan)
{
    HostLink *link = m_fleet.link(name);
    LiveDiagnosis *diagnosis = m_binding.diagnosisOf(name);
    const HostData *host = m_window.store().find(name);
    if (!link || !diagnosis || !host)
        return;
    if (const QString why = changesForbidden(*host); !why.isEmpty()) { // the inventory may have been changed meanwhile
        open.dialog->showNothing(why, {});
        return;
    }
    diagnosis->setQuiet(true);
    diagnosis->setEndedAt(QDateTime::currentDateTimeUtc());
    open.job = std::make_unique<ReclaimJob>(
        *link, ReclaimJob::Setup{plan, diagnosis->host(), open.actor, diagnosis->lineage()});
    connect(open.job.get(), &ReclaimJob::happened, this,
            [this, name](const WorkflowEvent &event) { happened(name, event); });
    connect(open.job.get(), &ReclaimJob::finished, this, [this, name](int exitCode) { finished(name, exitCode); });
    open.dialog->showRunning();
    m_window.setReclaiming(name, true);
    open.job->start();
}

void ReclaimDesk::happened(const QString &name, const WorkflowEvent &event)
{
    if (const QString mark = markOf(event); !mark.isEmpty())
        m_window.addMark(name, event.at, mark);
    if (const Case *open = find(name))
        open->dialog->addEvent(event);
}

void ReclaimDesk::finished(const QString &name, int exitCode)
{
    m_window.setReclaiming(name, false);
    if (LiveDiagnosis *diagnosis = m_binding.diagnosisOf(name))
        diagnosis->setQuiet(false);
    Case *open = find(name);
    if (!open)
        return;
    open->job.release()->deleteLater(); // this is one of its signals
    if (!open->options.only)
        emit settled(name);
    open->dialog->finish(exitCode);
    if (!open->dialog->isVisible())
        open->dialog->show(); // who closed it wants to know the end all the same
}

void ReclaimDesk::follow(const QString &name, const LinkState &state)
{
    using Phase = ReclaimDialog::Phase;
    const Case *open = find(name);
    if (!open || open->job || state.phase == LinkState::Phase::Connected)
        return;
    if (open->dialog->phase() == Phase::Looking || open->dialog->phase() == Phase::Checking)
        open->dialog->showNothing(tr("The connection to %1 is gone. Nothing was done.").arg(name), {});
}

void ReclaimDesk::closed(const QString &name)
{
    Case *open = find(name);
    if (!open || open->job) // it goes on; the page brings it back
        return;
    open->dialog->deleteLater();
    m_cases.erase(name);
}

void ReclaimDesk::refresh(const QString &name)
{
    const Case *open = find(name);
    const HostData *host = m_window.store().find(name);
    if (open && host && open->dialog->isVisible())
        open->dialog->refresh(host->history, m_window.store().now());
}

QString ReclaimDesk::shellFor(const QString &name, const ActionRequest &request) const
{
    const auto at = m_cases.find(name);
    const Result<QStringList> line = m_sshLine(name);
    if (at == m_cases.end() || !line)
        return {};
    const auto script = actionScript(request, at->second.actor, makeNonce());
    if (!script)
        return u"# "_s + sentenceOf(script.error());
    const HostData *host = m_window.store().find(name);
    const bool sudo = request.asRoot && host && !host->state.peer.startsWith("root@"_L1);
    const QString shell = sudo ? u"exec sudo /bin/sh"_s : u"exec /bin/sh"_s;
    return shellQuoted(*line + QStringList{shell}) + u" <<'PILOTHOUSE'\n"_s + QString::fromUtf8(*script)
        + u"\nPILOTHOUSE"_s;
}

} // namespace pilothouse
