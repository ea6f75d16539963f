// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// What each step of a restart does, and what its answers mean.
#include "core/workflow/restartmachine.h"

#include "core/serving/metrics.h"
#include "core/workflow/rootcause.h"

#include <QJsonArray>

#include <algorithm>

namespace pilothouse {

using namespace Qt::StringLiterals;
using std::chrono::milliseconds;

void RestartMachine::enter(Step next)
{
    if (paused && next != Step::Why && next != Step::End) { // what has failed is told and ends at once
        waiting = next;
        keepLock();
        return;
    }
    step = next;
    stepStart = host.nowMs();
    sent = false;
    switch (step) {
    case Step::Begin:
        say(EventState::Started, u"Takes the host's lock and looks who else is here."_s);
        act(Kind::Begin, u"restart %1 of %2 begins"_s.arg(plan.id(), unit()));
        break;
    case Step::Drain:
        command(plan.options.drain, drainWords());
        break;
    case Step::Requests:
        say(EventState::Started, u"Asks how many requests run."_s);
        askRequests();
        break;
    case Step::Stop:
        say(EventState::Started, u"Asks systemd to stop %1."_s.arg(unit()));
        stopWatch = std::make_unique<UnitWatch>(UnitWatch::Verb::Stop, lastUnit, milliseconds(0), settings.reclaim.unitPatience);
        act(Kind::StopUnit, u"systemctl stop %1"_s.arg(unit()));
        break;
    case Step::Look:
        say(EventState::Started, u"Looks what is left."_s);
        host.look(Depth::Deep);
        break;
    case Step::Reclaim: // its own run tells
        break;
    case Step::Memory:
        say(EventState::Started, u"Waits for the memory of its GPUs."_s);
        memory = std::make_unique<MemoryWatch>(plan.holds, ownTargets(), plan.reclaim.pinnedKib(), plan.options.belowMib);
        memory->begin(host.nowMs());
        host.look(Depth::Light);
        break;
    case Step::Reset:
        say(EventState::Started, u"Clears the failed state of %1, so that no start limit stops it."_s.arg(unit()));
        act(Kind::ResetFailedUnit, u"systemctl reset-failed %1"_s.arg(unit()));
        break;
    case Step::Start:
        say(EventState::Started, u"Asks systemd to start %1."_s.arg(unit()), startData());
        act(Kind::StartUnit, u"systemctl start %1"_s.arg(unit()));
        break;
    case Step::Serve:
        say(EventState::Started, serves->introduction());
        serves->begin(host.nowMs());
        serveOn();
        break;
    case Step::Undrain:
        command(plan.options.undrain, undrainWords());
        break;
    case Step::Why:
        say(EventState::Started, u"Looks for the reason in the log of that start."_s);
        act(logRequest(2000));
        break;
    case Step::End:
        act(Kind::End, u"restart %1: %2"_s.arg(plan.id(), result.text));
        break;
    case Step::Idle:
    case Step::Over:
        break;
    }
}

void RestartMachine::command(const QString &text, const QString &what)
{
    say(EventState::Started, u"Runs: %1"_s.arg(text));
    ActionRequest request = requestOf(plan, Kind::Command, what);
    request.command = text;
    act(request);
}

void RestartMachine::begun(const ActionAnswer &answer)
{
    say(EventState::Done, othersInWords(answer),
        {{u"sessions"_s, QJsonArray::fromStringList(answer.sessions)}, {u"jobs"_s, QJsonArray::fromStringList(answer.jobs)}});
    for (const QString &line : settings.earlier.goesOn ? answer.lastDeed : QStringList()) { // begun and cut off: not twice
        commandBegun = commandBegun || line == u"what="_s + drainWords();
        undrainBegun = undrainBegun || line == u"what="_s + undrainWords();
    }
    looking = Looking::BeforeAll;
    act(Kind::LookAtUnit);
}

void RestartMachine::beginWith(const UnitOutcome &now)
{
    lastUnit = now;
    const bool wasStarted = settings.earlier.started && now.invocation != settings.earlier.invocationBefore
        && (now.active == "active"_L1 || now.active == "activating"_L1);
    if (wasStarted) {
        step = Step::Start;
        say(EventState::Skipped, u"%1 has been started already; it goes on from there."_s.arg(unit()));
        resumed = true;
        started();
        return;
    }
    if (!plan.stops) {
        enter(Step::Look);
    } else if (!plan.options.drain.isEmpty() && !drained && !commandBegun) {
        enter(Step::Drain);
    } else {
        if (!plan.options.drain.isEmpty())
            drained = true;
        enter(Step::Requests);
    }
}

void RestartMachine::commandDone(const CommandOutcome &outcome)
{
    const bool isDrain = step == Step::Drain;
    if (outcome.status == 0) {
        say(EventState::Done, outcome.words.isEmpty() ? u"Done."_s : outcome.words);
        drained = isDrain;
        enter(isDrain ? Step::Requests : Step::End);
        return;
    }
    const QString how = !outcome.status ? u"could not be run"_s
        : *outcome.status == 124       ? u"did not end in time and was ended"_s
                                       : u"ended with status %1"_s.arg(*outcome.status);
    const QString text = u"The %1 command %2: %3."_s.arg(isDrain ? u"drain"_s : u"undrain"_s, how,
                                                         outcome.words.isEmpty() ? u"it printed nothing"_s : outcome.words);
    giveUp(ErrorCode::NoRights, isDrain ? text + u" Nothing was stopped."_s : u"%1 serves, but is not undrained. "_s.arg(unit()) + text, 1);
}

void RestartMachine::askRequests()
{
    if (plan.endpoint.metrics.isEmpty() || !plan.endpoint.isKnown()) {
        say(EventState::Skipped, u"Nobody knows where to ask how many requests run; those that do will be cut."_s);
        enter(Step::Stop);
        return;
    }
    asking = true;
    host.ask(plan.endpoint.askMetrics());
}

void RestartMachine::requestsAnswered(const HttpAnswer &answer)
{
    const ServingMetrics metrics = answer.isSuccess() ? readMetrics(answer.body) : ServingMetrics();
    const Quantity<double> &running = metrics.running;
    const Quantity<double> &waits = metrics.waiting;
    const bool late = host.nowMs() - stepStart >= plan.options.drainLimit.count();
    const auto number = [](const Quantity<double> &count) { return count.isKnown() ? QString::number(qRound64(count.value())) : u"an unknown number"_s; };
    const QJsonObject data{{u"running"_s, running.isKnown() ? QJsonValue(running.value()) : QJsonValue()},
                           {u"waiting"_s, waits.isKnown() ? QJsonValue(waits.value()) : QJsonValue()}};
    const QString words = running.isKnown() || waits.isKnown() ? u"%1 running, %2 waiting"_s.arg(number(running), number(waits))
                                                              : u"How many requests run cannot be read (%1); those that do"_s.arg(answer.words);
    if (answer.outcome == HttpAnswer::Outcome::NothingListens) {
        say(EventState::Done, u"Nobody listens at its port, so no request is cut."_s, data);
    } else if (metrics.atWork().isKnown() && metrics.atWork().value() < 0.5) {
        say(EventState::Done, u"No request runs or waits."_s, data);
    } else if (!drained || late || hurry) { // without a drain command new ones would come for ever
        say(drained ? EventState::Failed : EventState::Done, words + u" will be cut."_s, data);
    } else {
        progress(words + u'.');
        host.wakeAfter(settings.poll);
        return;
    }
    enter(Step::Stop);
}

void RestartMachine::stopAnswered(const UnitOutcome &now)
{
    lastUnit = now;
    if (now.jobStatus && *now.jobStatus != 0) {
        giveUp(ErrorCode::NoRights, u"systemctl stop %1 was refused: %2."_s.arg(unit(), now.jobWords));
        return;
    }
    if (std::exchange(stopIsUnsure, false) && now.active == "active"_L1 && !now.jobPending) {
        act(Kind::StopUnit, u"systemctl stop %1"_s.arg(unit()));
        return;
    }
    switch (stopWatch->take(now, host.nowMs())) {
    case UnitWatch::State::Done:
        say(EventState::Done, stopWatch->words());
        enter(Step::Look);
        break;
    case UnitWatch::State::Failed:
        giveUp(stopWatch->code(), stopWatch->words(), stopWatch->isSomebodyElses() ? exitCodeOf(stopWatch->code()) : 1);
        break;
    case UnitWatch::State::Waiting:
        progress(stopWatch->words());
        host.wakeAfter(settings.poll);
        break;
    }
}

void RestartMachine::lookedAfterStop(const Snapshot &snapshot)
{
    const Diagnosis diagnosis = host.diagnose(snapshot);
    const auto after = planAfterStop(plan, snapshot, diagnosis);
    if (!after) {
        giveUp(after.error().code, after.error().detail);
        return;
    }
    if (after->families.isEmpty()) {
        nothingLeft(snapshot, *after);
        return;
    }
    say(EventState::Done, u"%1 are left and will be ended."_s.arg(processesInWords(after->targets().size())), pidsOf(after->targets()));
    step = Step::Reclaim;
    stepStart = host.nowMs();
    ReclaimSettings ladder = settings.reclaim;
    ladder.within = true;
    reclaim = std::make_unique<ReclaimRun>(*after, host, ladder);
    QObject::connect(reclaim.get(), &ReclaimRun::happened, &q, [this](WorkflowEvent event) {
        if (event.step == "result"_L1) {
            event.step = nameOf(Step::Reclaim);
            reclaimWords = event.text;
        }
        emit q.happened(event);
    });
    QObject::connect(reclaim.get(), &ReclaimRun::finished, &q, [this](int code) { reclaimed(code); });
    reclaim->start();
}

void RestartMachine::nothingLeft(const Snapshot &snapshot, const Plan &after)
{
    qsizetype holding = 0;
    for (const Process &process : snapshot.processes.value_or(QList<Process>())) {
        const auto identity = process.identity();
        if (identity && plan.ownProcesses.contains(*identity) && !process.gpuMemory.isEmpty() && !process.exiting)
            ++holding;
    }
    if (holding == 0) {
        say(EventState::Done, u"Nothing is left of it, so nothing is ended."_s);
        enter(needsMemory() ? Step::Memory : startStep());
    } else if (host.nowMs() - stepStart < settings.survivors.count()) {
        progress(u"%1 of its own still hold memory and may be on their way out."_s.arg(processesInWords(holding)));
        host.wakeAfter(settings.poll);
    } else {
        giveUp(after.leftBySafety ? ErrorCode::RefusedBySafety : ErrorCode::DriverFault,
               u"%1 of %2 still hold memory and are not ended by default: %3"_s.arg(processesInWords(holding), unit(),
                   after.left.isEmpty() ? u"see pilothousectl holders."_s : after.left.first()),
               after.leftBySafety ? exitCodeOf(ErrorCode::RefusedBySafety) : 1);
    }
}

void RestartMachine::reclaimed(int code)
{
    if (step != Step::Reclaim)
        return;
    reclaim.release()->deleteLater(); // this runs inside one of its signals
    if (code != 0) {
        result = {code == exitCodeOf(ErrorCode::RefusedBySafety) ? EventState::Refused : EventState::Failed, reclaimWords, code};
        away = away || !connected;
        endOrOver();
        return;
    }
    enter(needsMemory() ? Step::Memory : startStep());
}

QList<SignalTarget> RestartMachine::ownTargets() const
{
    QList<SignalTarget> targets;
    for (const ProcessIdentity &identity : plan.ownProcesses)
        targets += SignalTarget{identity, {}, {}, {}};
    return targets;
}

void RestartMachine::memoryRead(const Snapshot &snapshot)
{
    const auto state = memory->take(snapshot, host.nowMs());
    const QJsonObject data{{u"used_mib"_s, figuresOf(memory->usedMib())}};
    if (state == MemoryWatch::State::Back) {
        say(EventState::Done, u"Memory is back: %1, %2 readings alike."_s.arg(counted(memory->usedMib().size(), "GPU"_L1))
                .arg(MemoryWatch::steadyReadings), data);
        enter(startStep());
    } else if (state == MemoryWatch::State::GivenUp) {
        giveUp(ErrorCode::DriverFault, u"Its processes have ended, yet memory has not come back: %1."_s.arg(memory->words()), 1);
    } else {
        say(EventState::Progress, memory->words() + u'.', data);
        host.wakeAfter(memory->isSteadying() ? settings.reclaim.steadyPoll : settings.reclaim.poll);
    }
}

QJsonObject RestartMachine::startData() const
{
    return {{u"invocation_before"_s, lastUnit.invocation},
            {u"restarts_before"_s, lastUnit.restarts ? QJsonValue(*lastUnit.restarts) : QJsonValue()}};
}

void RestartMachine::startAnswered(const UnitOutcome &now)
{
    if (now.jobStatus && *now.jobStatus != 0) {
        giveUp(ErrorCode::NoRights, u"systemctl start %1 was refused: %2."_s.arg(unit(), now.jobWords));
        return;
    }
    started();
}

void RestartMachine::started()
{
    UnitOutcome before = lastUnit;
    RestartPlan seen = plan;
    if (resumed) { // what runs now is what was started
        seen.ownProcesses.clear();
        seen.levels.clear();
        seen.xids.reset();
        before.invocation = settings.earlier.invocationBefore;
        before.restarts = settings.earlier.restartsBefore;
    }
    serves = std::make_unique<StartWatch>(seen, before, settings.record, settings.limits);
    say(EventState::Done, u"systemd was asked to start %1."_s.arg(unit()));
    enter(Step::Serve);
}

void RestartMachine::serveOn()
{
    using Need = StartWatch::Need::Kind;
    const StartWatch::Need need = serves->next(host.nowMs());
    for (const WorkflowEvent &event : serves->takeEvents(host.nowMs()))
        emit q.happened(event);
    const bool lockIsOld = host.nowMs() - lastBeat >= settings.beat.count();
    switch (need.kind) {
    case Need::Proved:
        say(EventState::Done, serves->words());
        result = {EventState::Done, u"%1: %2"_s.arg(unit(), serves->words()), 0};
        host.keepRecord(serves->record());
        enter(plan.options.undrain.isEmpty() || undrainBegun ? Step::End : Step::Undrain);
        break;
    case Need::Failed:
        say(EventState::Failed, serves->words());
        result = {EventState::Failed, u"%1 does not serve. %2"_s.arg(unit(), serves->words()), 1};
        if (serves->code() == ErrorCode::RefusedBySafety) // it is somebody else's now
            giveUp(ErrorCode::RefusedBySafety, serves->words());
        else
            enter(Step::Why);
        break;
    case Need::Log:
        act(logRequest(200));
        break;
    case Need::Snapshot:
        host.look(Depth::Deep);
        break;
    case Need::Http:
        asking = true;
        host.ask(need.request);
        break;
    case Need::Wait:
        if (!lockIsOld) {
            host.wakeAfter(std::min(need.wait, settings.poll));
            break;
        }
        [[fallthrough]];
    case Need::Unit:
        act(Kind::LookAtUnit);
        break;
    }
}

ActionRequest RestartMachine::logRequest(int lines) const
{
    ActionRequest request = requestOf(plan, Kind::UnitLog);
    request.invocation = lastUnit.invocation;
    request.lines = lines;
    return request;
}

void RestartMachine::whyAnswered(const ActionAnswer &answer)
{
    QStringList lines;
    for (const JournalLine &line : answer.log)
        lines += line.text;
    const auto cause = rootCauseOf(lines);
    if (cause) {
        const QString rank = cause->rank.isEmpty() ? QString() : u"%1: "_s.arg(cause->rank);
        say(EventState::Done, rank + cause->line + (cause->advice.isEmpty() ? QString() : u" — "_s + cause->advice),
            {{u"line"_s, cause->line}, {u"rank"_s, cause->rank}, {u"advice"_s, cause->advice}});
        result.text += u" Its log says: %1"_s.arg(rank + cause->line);
    } else {
        say(EventState::Done, lines.isEmpty() ? u"The log holds nothing of that start."_s : u"The log names no error; its last line: %1"_s.arg(lines.last()));
    }
    for (const QString &line : serves->changes())
        emit q.happened({QDateTime::currentDateTimeUtc(), u"changed"_s, EventState::Progress, line, {}});
    enter(Step::End);
}

} // namespace pilothouse
