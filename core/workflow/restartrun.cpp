// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workflow/restartmachine.h"

#include <algorithm>

namespace pilothouse {

using namespace Qt::StringLiterals;
using std::chrono::milliseconds;
using EventState = WorkflowEvent::State;

void RestartMachine::say(EventState state, const QString &text, QJsonObject data)
{
    if (state == EventState::Done)
        data.insert(u"elapsed_ms"_s, host.nowMs() - stepStart);
    emit q.happened({QDateTime::currentDateTimeUtc(), nameOf(step), state, text, data});
}

void RestartMachine::act(const ActionRequest &request)
{
    acting = request.kind;
    lastBeat = host.nowMs();
    host.act(request);
}

void RestartMachine::take(const ActionResult &answer)
{
    if (reclaim && step == Step::Reclaim) {
        reclaim->takeAction(answer);
        return;
    }
    const auto kind = std::exchange(acting, std::nullopt);
    if (!answer.auditTrouble.isEmpty())
        say(EventState::Progress, answer.auditTrouble);
    if (step == Step::End || step == Step::Over) {
        over();
        return;
    }
    if (answer.error) {
        actionFailed(*answer.error, answer.sent);
        return;
    }
    if (const auto trouble = lockTrouble(*answer.answer)) {
        giveUp(trouble->code, trouble->detail);
        return;
    }
    if (cancelled) {
        interrupted();
        return;
    }
    if (waiting) { // the lock was renewed
        if (paused)
            host.wakeAfter(settings.beat);
        else
            enter(*std::exchange(waiting, std::nullopt));
        return;
    }
    switch (std::exchange(looking, Looking::No)) {
    case Looking::BeforeAll:
        beginWith(answer.answer->unit);
        return;
    case Looking::Command:
        commandLookedAt(*answer.answer);
        return;
    case Looking::Start:
        startLookedAt(answer.answer->unit);
        return;
    case Looking::No:
        break;
    }
    switch (step) {
    case Step::Begin:
        begun(*answer.answer);
        break;
    case Step::Drain:
    case Step::Undrain:
        commandDone(answer.answer->command);
        break;
    case Step::Requests: // the lock was renewed
        askRequests();
        break;
    case Step::Stop:
        stopAnswered(answer.answer->unit);
        break;
    case Step::Look:
        host.look(Depth::Deep);
        break;
    case Step::Memory:
        host.look(Depth::Light);
        break;
    case Step::Reset:
        enter(Step::Start);
        break;
    case Step::Start:
        startAnswered(answer.answer->unit);
        break;
    case Step::Serve:
        if (kind == Kind::UnitLog) {
            serves->takeLog(answer.answer->log, host.nowMs());
        } else {
            lastUnit = answer.answer->unit;
            serves->takeUnit(lastUnit, host.nowMs());
        }
        serveOn();
        break;
    case Step::Why:
        whyAnswered(*answer.answer);
        break;
    default:
        break;
    }
}

void RestartMachine::actionFailed(const Error &error, bool wasSent)
{
    if (step == Step::Why && !isLinkTrouble(error.code)) { // the result stands already
        say(EventState::Failed, sentenceOf(error));
        enter(Step::End);
        return;
    }
    if (!isLinkTrouble(error.code)) {
        giveUp(error.code, sentenceOf(error));
        return;
    }
    say(EventState::Progress, wasSent ? u"The connection broke and nobody knows whether it was done: %1"_s.arg(sentenceOf(error))
                                      : u"The connection broke before it was sent: %1"_s.arg(sentenceOf(error)));
    sent = sent || wasSent; // a look that was lost afterwards makes it no surer
    wentAway();
}

void RestartMachine::wentAway()
{
    asking = false;
    if (!awaySince)
        awaySince = host.nowMs();
    host.look(Depth::Deep); // as soon as there is a connection again
    host.wakeAfter(settings.reclaim.awayPatience);
}

void RestartMachine::cameBack(const Snapshot &snapshot)
{
    awaySince.reset();
    if (snapshot.bootId != plan.bootId) {
        giveUp(ErrorCode::RefusedBySafety, u"The host has been booted anew meanwhile. A fresh plan is needed."_s);
        return;
    }
    say(EventState::Progress, u"The host is there again; it goes on from what is there."_s);
    const bool mayBeDone = sent;
    looking = Looking::No;
    switch (step) {
    case Step::Drain:
    case Step::Undrain:
        looking = mayBeDone ? Looking::Command : Looking::No;
        if (mayBeDone)
            act(Kind::Begin, u"restart %1 goes on"_s.arg(plan.id()));
        else
            enter(step);
        break;
    case Step::Start:
        looking = mayBeDone ? Looking::Start : Looking::No;
        if (mayBeDone)
            act(Kind::LookAtUnit);
        else
            enter(step);
        break;
    case Step::Stop:
        stopIsUnsure = mayBeDone;
        act(mayBeDone ? Kind::LookAtUnit : Kind::StopUnit, u"systemctl stop %1"_s.arg(unit()));
        break;
    case Step::Look:
        lookedAfterStop(snapshot);
        break;
    case Step::Memory:
        memory->miss();
        host.look(Depth::Light);
        break;
    case Step::Serve:
        serves->miss(host.nowMs());
        serves->takeSnapshot(snapshot, host.nowMs());
        serveOn();
        break;
    case Step::Requests:
        askRequests();
        break;
    default:
        enter(step);
        break;
    }
}

void RestartMachine::startLookedAt(const UnitOutcome &now)
{
    const bool begun = now.jobPending || now.active == "activating"_L1
        || (!now.invocation.isEmpty() && now.invocation != lastUnit.invocation);
    if (begun)
        started();
    else
        enter(Step::Start);
}

void RestartMachine::commandLookedAt(const ActionAnswer &answer)
{
    const QString words = u"what="_s + (step == Step::Drain ? drainWords() : undrainWords());
    if (!answer.lastDeed.contains(words)) {
        enter(step);
        return;
    }
    say(EventState::Skipped, u"The command was begun before the connection broke; it is not run again."_s);
    drained = step == Step::Drain;
    enter(step == Step::Drain ? Step::Requests : Step::End);
}

void RestartMachine::take(const Snapshot &snapshot)
{
    if (step == Step::Over || step == Step::End)
        return;
    if (reclaim && step == Step::Reclaim) {
        reclaim->takeSnapshot(snapshot);
        return;
    }
    if (awaySince) {
        cameBack(snapshot);
        return;
    }
    if (cancelled) {
        interrupted();
        return;
    }
    if (step == Step::Look)
        lookedAfterStop(snapshot);
    else if (step == Step::Memory)
        memoryRead(snapshot);
    else if (step == Step::Serve) {
        serves->takeSnapshot(snapshot, host.nowMs());
        serveOn();
    }
}

void RestartMachine::miss(const Error &error)
{
    if (step == Step::Over || step == Step::End)
        return;
    if (reclaim && step == Step::Reclaim) {
        reclaim->takeMiss(error);
        return;
    }
    if (awaySince) {
        host.look(Depth::Deep);
        return;
    }
    if (memory)
        memory->miss();
    if (serves)
        serves->miss(host.nowMs());
    say(EventState::Progress, u"A reading failed: %1"_s.arg(sentenceOf(error)));
    host.wakeAfter(settings.poll);
}

void RestartMachine::http(const HttpAnswer &answer)
{
    if (!std::exchange(asking, false) || awaySince)
        return;
    if (cancelled) {
        interrupted();
    } else if (step == Step::Requests) {
        requestsAnswered(answer);
    } else if (step == Step::Serve) {
        serves->takeHttp(answer, host.nowMs());
        serveOn();
    }
}

void RestartMachine::wake()
{
    if (step == Step::Over || acting)
        return;
    if (reclaim && step == Step::Reclaim) {
        reclaim->takeWake();
        return;
    }
    if (awaySince) {
        if (host.nowMs() - *awaySince >= settings.reclaim.awayPatience.count()) {
            away = true;
            giveUp(ErrorCode::ConnectionLost, u"The host did not come back within %1; %2. It can be gone on with later."_s
                   .arg(secondsOf(settings.reclaim.awayPatience), stood()));
        }
        return;
    }
    if (cancelled) {
        interrupted();
    } else if (waiting) {
        keepLock();
    } else if (step == Step::Serve) {
        serveOn();
    } else if (host.nowMs() - lastBeat >= settings.beat.count() || step == Step::Stop) {
        act(Kind::LookAtUnit);
    } else if (step == Step::Requests) {
        askRequests();
    } else if (step == Step::Look || step == Step::Memory) {
        host.look(step == Step::Look ? Depth::Deep : Depth::Light);
    }
}

void RestartMachine::keepLock()
{
    if (!acting)
        act(Kind::LookAtUnit);
}

void RestartMachine::giveUp(ErrorCode code, const QString &text, std::optional<int> exitCode)
{
    const bool isRefusal = code == ErrorCode::RefusedBySafety || code == ErrorCode::ReadOnly;
    result = {isRefusal ? EventState::Refused : EventState::Failed, text, exitCode.value_or(exitCodeOf(code))};
    say(result.state, text);
    endOrOver();
}

void RestartMachine::endOrOver()
{
    if (step == Step::Begin || step == Step::Idle || away || !connected)
        over(); // there is no lock of ours, or no way to it: it ends with its lease
    else
        enter(Step::End);
}

void RestartMachine::over()
{
    if (std::exchange(step, Step::Over) == Step::Over)
        return;
    emit q.happened({QDateTime::currentDateTimeUtc(), u"result"_s, result.state, result.text,
                     {{u"plan"_s, plan.id()}, {u"exit_code"_s, result.exitCode}}});
    emit q.finished(result.exitCode);
}

void RestartMachine::progress(const QString &text)
{
    if (text != std::exchange(lastProgress, text)) // every second the same words help nobody
        say(EventState::Progress, text);
}

RestartRun::RestartRun(RestartPlan plan, RestartHost &host, RestartSettings settings, QObject *parent)
    : WorkflowRun(parent)
    , d(std::make_unique<RestartMachine>(*this, std::move(plan), host, std::move(settings)))
{
}

RestartRun::~RestartRun() = default;

void RestartRun::start()
{
    if (d->step == RestartStep::Idle)
        d->enter(RestartStep::Begin);
}

void RestartRun::takeAction(const ActionResult &result)
{
    d->take(result);
}

void RestartRun::takeSnapshot(const Snapshot &snapshot)
{
    d->connected = true;
    d->take(snapshot);
}

void RestartRun::takeMiss(const Error &error)
{
    d->miss(error);
}

void RestartRun::takeWake()
{
    d->wake();
}

void RestartRun::takeEvidence(const Result<QString> &kept)
{
    if (d->reclaim)
        d->reclaim->takeEvidence(kept);
}

void RestartRun::takeHttp(const HttpAnswer &answer)
{
    d->http(answer);
}

void RestartRun::takeAway(const Error &error, bool final)
{
    if (d->step == RestartStep::Idle || d->step == RestartStep::Over)
        return;
    d->connected = false;
    if (d->reclaim && d->step == RestartStep::Reclaim) {
        d->reclaim->takeAway(error, final);
    } else if (d->step == RestartStep::End) {
        d->over();
    } else if (final) {
        d->giveUp(error.code, u"%1 %2."_s.arg(sentenceOf(error), d->stood()));
    } else if (!d->acting && !d->awaySince) { // of an action its answer says so
        d->say(EventState::Progress, u"The connection broke: %1"_s.arg(sentenceOf(error)));
        d->wentAway();
    }
}

void RestartRun::killNow()
{
    if (d->reclaim)
        d->reclaim->killNow();
}

bool RestartRun::canSkip() const
{
    return d->step == RestartStep::Requests;
}

void RestartRun::skip()
{
    d->hurry = d->hurry || canSkip();
}

bool RestartRun::isPaused() const
{
    return d->paused;
}

void RestartRun::pause()
{
    if (!std::exchange(d->paused, true))
        emit pausedChanged(true);
}

void RestartRun::resume()
{
    if (!std::exchange(d->paused, false))
        return;
    emit pausedChanged(false);
    if (d->waiting && !d->acting && !d->awaySince)
        d->enter(*std::exchange(d->waiting, std::nullopt));
}

void RestartRun::cancel()
{
    d->cancelled = true;
    if (d->reclaim && d->step == RestartStep::Reclaim) {
        d->reclaim->cancel();
        return;
    }
    const bool isAsking = d->acting || d->asking || d->step == RestartStep::Look || d->step == RestartStep::Memory || d->step == RestartStep::Serve;
    if (d->step == RestartStep::Idle || d->awaySince || !isAsking) {
        d->connected = d->connected && !d->awaySince;
        d->interrupted();
    }
}

RestartProgress progressOf(const QList<WorkflowEvent> &events)
{
    RestartProgress progress;
    progress.goesOn = true;
    for (const WorkflowEvent &event : events) {
        if (event.step == nameOf(RestartStep::Drain) && event.state == EventState::Done)
            progress.drained = true;
        if (event.step != nameOf(RestartStep::Start) || event.state != EventState::Started)
            continue;
        progress.started = true;
        progress.invocationBefore = event.data.value(u"invocation_before"_s).toString();
        const QJsonValue restarts = event.data.value(u"restarts_before"_s);
        progress.restartsBefore = restarts.isDouble() ? std::optional(restarts.toInt()) : std::nullopt;
    }
    return progress;
}

} // namespace pilothouse
