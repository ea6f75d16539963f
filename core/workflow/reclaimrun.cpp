// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workflow/reclaimrun.h"

#include "core/actions/actionanswer.h"
#include "core/workflow/plansteps.h"
#include "core/workflow/reclaimwords.h"

#include <QJsonArray>

#include <algorithm>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

using Kind = ActionRequest::Kind;
using What = ProcessOutcome::What;
using EventState = WorkflowEvent::State;
using std::chrono::milliseconds;

} // namespace

class ReclaimRun::Private
{
public:
    using Step = ReclaimStep;

    Private(ReclaimRun &run, Plan consented, ReclaimHost &world, ReclaimSettings given)
        : q(run)
        , plan(std::move(consented))
        , host(world)
        , settings(given)
        , watch(plan.gpus, plan.targets(), plan.pinnedKib(), plan.belowMib)
        , remaining(plan.targets())
    {
    }

    void say(EventState state, const QString &text, const QJsonObject &data = {})
    {
        emit q.happened({QDateTime::currentDateTimeUtc(), nameOf(step), state, text, data});
    }

    void act(Kind kind, const QList<SignalTarget> &targets, const QString &what)
    {
        ActionRequest request;
        request.kind = kind;
        request.bootId = plan.bootId;
        request.asRoot = plan.asRoot;
        request.targets = targets;
        request.what = what;
        if (kind == Kind::CleanShm)
            request.files = plan.shm;
        for (const PlanFamily &family : plan.families) {
            if (kind == Kind::Evidence && request.unit.isEmpty() && !family.userUnit)
                request.unit = family.unit;
        }
        if (kind == Kind::StopUnit || kind == Kind::LookAtUnit) {
            request.unit = units.first().first;
            request.userUnit = units.first().second;
        }
        acting = kind;
        lastBeat = host.nowMs();
        host.act(request);
    }

    // ---- steps

    void enter(Step next)
    {
        step = next;
        stepStart = host.nowMs();
        switch (step) {
        case Step::Begin:
            say(EventState::Started, u"Takes the host's lock and looks who else is here."_s);
            act(Kind::Begin, {}, u"reclaim %1 begins"_s.arg(plan.id()));
            break;
        case Step::Evidence:
            say(EventState::Started, u"Keeps evidence, for at most 10 s."_s);
            act(Kind::Evidence, plan.targets(), {});
            break;
        case Step::StopUnit:
            say(EventState::Started, u"Asks systemd to stop %1, which would start it again."_s.arg(units.first().first));
            act(Kind::StopUnit, {}, u"systemctl stop %1"_s.arg(units.first().first));
            break;
        case Step::Terminate:
            say(EventState::Started, u"SIGTERM to %1."_s.arg(processesInWords(plan.heads().size())), pidsOf(plan.heads()));
            act(Kind::Terminate, plan.heads(), u"SIGTERM to %1 of plan %2"_s.arg(processesInWords(plan.heads().size()), plan.id()));
            break;
        case Step::Grace:
            say(EventState::Started, u"Waits %1 for them to end by themselves."_s.arg(secondsOf(grace())));
            pollProcesses();
            break;
        case Step::Kill:
            say(EventState::Started, u"SIGKILL to the %1 that are left; trackers are spared."_s.arg(processesInWords(remaining.size())),
                pidsOf(remaining));
            act(Kind::Kill, remaining, u"SIGKILL to %1 of plan %2"_s.arg(processesInWords(remaining.size()), plan.id()));
            break;
        case Step::Dying:
            pollProcesses();
            break;
        case Step::Memory:
            say(EventState::Started, u"Waits for the memory: usually %1."_s.arg(secondsOf(milliseconds(watch.expectedMs()))));
            watch.begin(host.nowMs());
            host.look(Depth::Light);
            break;
        case Step::SecondLook:
            host.look(Depth::Deep);
            break;
        case Step::CleanShm:
            say(EventState::Started, u"Removes files of /dev/shm that nobody uses any more."_s);
            act(Kind::CleanShm, {}, u"clean /dev/shm of plan %1"_s.arg(plan.id()));
            break;
        case Step::End:
            if (settings.within)
                over();
            else
                act(Kind::End, {}, u"reclaim %1: %2"_s.arg(plan.id(), result.text));
            break;
        case Step::Idle:
        case Step::Over:
            break;
        }
    }

    void begun(const ActionAnswer &answer)
    {
        say(EventState::Done, othersInWords(answer),
            {{u"sessions"_s, QJsonArray::fromStringList(answer.sessions)}, {u"jobs"_s, QJsonArray::fromStringList(answer.jobs)}});
        prepare();
    }

    void prepare()
    {
        for (const PlanFamily &family : plan.families) {
            const std::pair unit(family.stopUnit, family.userUnit);
            if (!family.stopUnit.isEmpty() && !units.contains(unit))
                units += unit;
        }
        if (settings.evidence) {
            enter(Step::Evidence);
            return;
        }
        step = Step::Evidence;
        evidenceOver(EventState::Skipped, u"No evidence is kept, as was asked for."_s);
    }

    /// It is no condition of what follows.
    void evidenceOver(EventState state, const QString &text)
    {
        say(state, text);
        enter(units.isEmpty() ? Step::Terminate : Step::StopUnit);
    }

    void kept(const Result<QString> &kept)
    {
        if (step != Step::Evidence || acting || awaySince) // it is asked for anew, or no more
            return;
        if (kept)
            evidenceOver(EventState::Done, u"Evidence is kept in %1."_s.arg(*kept));
        else
            evidenceOver(EventState::Failed, sentenceOf(kept.error()));
    }

    void unitAnswered(const UnitOutcome &unit)
    {
        if (unit.jobStatus && *unit.jobStatus != 0) {
            giveUp(ErrorCode::NoRights, u"systemctl stop %1 was refused: %2."_s.arg(units.first().first, unit.jobWords));
            return;
        }
        const bool rests = unit.active == "inactive"_L1 || unit.active == "failed"_L1 || unit.active.isEmpty();
        if (rests && !unit.jobPending) {
            say(EventState::Done, u"%1 is %2."_s.arg(units.first().first, unit.active.isEmpty() ? u"not known"_s : unit.active));
            units.removeFirst();
            enter(units.isEmpty() ? Step::Terminate : Step::StopUnit);
            return;
        }
        const milliseconds limit = unit.stopLimit.value_or(settings.unitPatience) + milliseconds(10'000);
        if (host.nowMs() - stepStart > limit.count())
            giveUp(ErrorCode::Timeout, u"%1 has not stopped within %2; it is %3."_s.arg(units.first().first, secondsOf(limit), unit.active), 1);
        else
            host.wakeAfter(settings.poll);
    }

    void signalled(const ActionAnswer &answer)
    {
        const QString summary = summaryOf(answer);
        for (const ProcessOutcome &outcome : answer.processes) {
            if (outcome.what == What::Denied)
                denied += outcome.identity;
            if (outcome.what == What::Changed || outcome.what == What::Refused || outcome.what == What::Unlocked)
                refused += outcome.identity;
            if (outcome.what == What::Gone || outcome.what == What::Other)
                strike(outcome.identity);
        }
        if (!refused.isEmpty()) {
            giveUp(ErrorCode::RefusedBySafety, u"What was planned is no longer what is there: %1. A fresh diagnosis is needed."_s.arg(summary));
            return;
        }
        if (!denied.isEmpty()) {
            giveUp(ErrorCode::NoRights, u"The account may not signal %1 (%2)."_s.arg(processesInWords(denied.size()), summary));
            return;
        }
        say(EventState::Done, summary + u'.');
        if (step == Step::Kill)
            killSent = true;
        enter(step == Step::Kill ? Step::Dying : Step::Grace);
    }

    void looked(const ActionAnswer &answer)
    {
        for (const ProcessOutcome &outcome : answer.processes) {
            if (outcome.what == What::Gone || outcome.what == What::Other)
                strike(outcome.identity);
            if (outcome.what == What::Changed || outcome.what == What::Refused)
                refused += outcome.identity;
        }
        if (!refused.isEmpty()) {
            giveUp(ErrorCode::RefusedBySafety, u"A process of the plan has changed its user or control group. A fresh diagnosis is needed."_s);
            return;
        }
        const qint64 waited = host.nowMs() - stepStart;
        if (remaining.isEmpty()) {
            say(EventState::Done, u"All of them have ended after %1."_s.arg(secondsOf(milliseconds(waited))));
            enter(Step::Memory);
        } else if (step == Step::Grace && (hurry || waited >= grace().count())) {
            enter(Step::Kill);
        } else if (step == Step::Dying && !killSent) {
            enter(Step::Kill); // nobody knows whether the first one arrived, and they are here
        } else if (step == Step::Dying && waited >= settings.killPatience.count()) {
            giveUp(ErrorCode::DriverFault,
                   u"SIGKILL was delivered %1 ago and %2 still here: stuck inside the kernel. No tool can end it and a reset will "
                   "be refused; a reboot is the only remedy."_s.arg(secondsOf(milliseconds(waited)), namesOf(remaining)), 1);
        } else {
            host.wakeAfter(settings.poll);
        }
    }

    void memoryRead(const Snapshot &snapshot)
    {
        const auto state = watch.take(snapshot, host.nowMs());
        const QJsonObject data{{u"used_mib"_s, figuresOf(watch.usedMib())}};
        if (state == MemoryWatch::State::Back) {
            say(EventState::Done, u"Memory is back: %1, %2 readings alike."_s.arg(counted(plan.gpus.size(), "GPU"_L1)).arg(MemoryWatch::steadyReadings), data);
            result = {EventState::Done, u"What they held is free."_s, 0};
            enter(Step::SecondLook);
            return;
        }
        if (state == MemoryWatch::State::GivenUp) {
            say(EventState::Failed, u"%1."_s.arg(watch.words()), data);
            result = {EventState::Failed, u"The processes have ended, yet memory has not come back: %1."_s.arg(watch.words()), 1};
            enter(Step::SecondLook);
            return;
        }
        say(EventState::Progress, watch.words() + u'.', data);
        const qint64 waited = host.nowMs() - stepStart;
        if (!std::exchange(saidLate, saidLate || waited > 3 * watch.expectedMs()) && saidLate)
            say(EventState::Progress, u"That takes three times as long as usual; it is waited for as long as it falls."_s);
        host.wakeAfter(watch.isSteadying() ? settings.steadyPoll : settings.poll);
    }

    void lookedAgain(const Snapshot &snapshot)
    {
        const Diagnosis diagnosis = host.diagnose(snapshot);
        say(EventState::Done, diagnosis.host.text,
            {{u"state"_s, pilothouse::nameOf(diagnosis.host.state)},
             {u"held_mib"_s, diagnosis.host.heldMib.isKnown() ? QJsonValue(diagnosis.host.heldMib.value()) : QJsonValue()}});
        for (const Family &family : diagnosis.families) {
            if (family.modifiers.contains(u"RESPAWNED"_s))
                say(EventState::Progress, u"Family %1 was started again%2; it is not touched."_s.arg(family.id,
                    family.unit.isEmpty() ? QString() : u" by "_s + family.unit));
        }
        const bool starting = std::ranges::any_of(diagnosis.families, [](const Family &f) { return f.verdict == Verdict::Starting; });
        enter(plan.shm.isEmpty() || starting ? Step::End : Step::CleanShm);
    }

    // ---- answers

    void take(const ActionResult &answer)
    {
        acting.reset();
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
            giveUp(ErrorCode::Cancelled, u"Interrupted; %1."_s.arg(whereItStood()));
            return;
        }
        switch (step) {
        case Step::Begin:
            begun(*answer.answer);
            break;
        case Step::Evidence:
            host.keepEvidence(answer.answer->evidence);
            break;
        case Step::CleanShm:
            say(EventState::Done, summaryOf(*answer.answer) + u'.');
            enter(Step::End);
            break;
        case Step::StopUnit:
            unitAnswered(answer.answer->unit);
            break;
        case Step::Terminate:
        case Step::Kill:
            signalled(*answer.answer);
            break;
        case Step::Grace:
        case Step::Dying:
            looked(*answer.answer);
            break;
        case Step::Memory: // the lock was renewed
            host.look(Depth::Light);
            break;
        default:
            break;
        }
    }

    void actionFailed(const Error &error, bool sent)
    {
        if (step == Step::Evidence && error.code != ErrorCode::ConnectionLost) {
            evidenceOver(EventState::Failed, u"Evidence could not be gathered; it goes on. "_s + sentenceOf(error));
            return;
        }
        if (step == Step::CleanShm) { // memory is what was asked for first
            say(EventState::Failed, sentenceOf(error));
            enter(Step::End);
            return;
        }
        if (!isLinkTrouble(error.code)) {
            giveUp(error);
            return;
        }
        say(EventState::Progress, sent ? u"The connection broke and nobody knows whether it was done: %1"_s.arg(sentenceOf(error))
                                       : u"The connection broke before it was sent: %1"_s.arg(sentenceOf(error)));
        unknown = sent;
        wentAway();
    }

    void wentAway()
    {
        if (!awaySince)
            awaySince = host.nowMs();
        host.look(Depth::Deep); // as soon as there is a connection again
        host.wakeAfter(settings.awayPatience);
    }

    /// From the host's truth, not from what was thought of it.
    void cameBack(const Snapshot &snapshot)
    {
        awaySince.reset();
        if (snapshot.bootId != plan.bootId) {
            giveUp(ErrorCode::RefusedBySafety, u"The host has been booted anew meanwhile: the plan's processes are gone."_s);
            return;
        }
        say(EventState::Progress, u"The host is there again; it goes on from what is there."_s);
        const bool wasSent = std::exchange(unknown, false);
        switch (step) {
        case Step::Terminate:
            enter(wasSent ? Step::Grace : Step::Terminate); // a second SIGTERM would cut a clean end short
            break;
        case Step::Kill:
            enter(Step::Dying);
            break;
        case Step::Grace:
        case Step::Dying:
            pollProcesses();
            break;
        case Step::Memory:
            watch.miss();
            host.look(Depth::Light);
            break;
        case Step::SecondLook:
            lookedAgain(snapshot);
            break;
        default:
            enter(step);
            break;
        }
    }

    void take(const Snapshot &snapshot)
    {
        if (step == Step::Over || step == Step::End)
            return;
        if (awaySince) {
            cameBack(snapshot);
            return;
        }
        if (cancelled) {
            giveUp(ErrorCode::Cancelled, u"Interrupted; %1."_s.arg(whereItStood()));
            return;
        }
        if (step == Step::Memory)
            memoryRead(snapshot);
        else if (step == Step::SecondLook)
            lookedAgain(snapshot);
    }

    void miss(const Error &error)
    {
        if (step == Step::Over || step == Step::End)
            return;
        if (step == Step::Memory && !awaySince) {
            watch.miss();
            say(EventState::Progress, u"A reading failed: %1"_s.arg(sentenceOf(error)));
            host.wakeAfter(settings.poll);
        } else if (step == Step::SecondLook && !awaySince) {
            say(EventState::Failed, sentenceOf(error));
            enter(Step::End);
        } else {
            host.look(Depth::Deep);
        }
    }

    void wake()
    {
        if (step == Step::Over || acting)
            return;
        if (awaySince) {
            if (host.nowMs() - *awaySince >= settings.awayPatience.count()) {
                away = true;
                giveUp(ErrorCode::ConnectionLost, u"The host did not come back within %1; %2. Run it again: it goes on from what is there."_s
                       .arg(secondsOf(settings.awayPatience), whereItStood()));
            }
            return;
        }
        if (cancelled) {
            giveUp(ErrorCode::Cancelled, u"Interrupted; %1."_s.arg(whereItStood()));
            return;
        }
        if (step == Step::StopUnit)
            act(Kind::LookAtUnit, {}, {});
        else if (step == Step::Grace || step == Step::Dying)
            pollProcesses();
        else if (step == Step::Memory && host.nowMs() - lastBeat >= settings.beat.count())
            act(Kind::Look, {}, {});
        else if (step == Step::Memory)
            host.look(Depth::Light);
    }

    void pollProcesses() { act(Kind::Look, remaining, {}); }

    // ---- the end

    void giveUp(ErrorCode code, const QString &text, std::optional<int> exitCode = {})
    {
        const bool isRefusal = code == ErrorCode::RefusedBySafety || code == ErrorCode::ReadOnly;
        result = {isRefusal ? EventState::Refused : EventState::Failed, text, exitCode.value_or(exitCodeOf(code))};
        say(result.state, text);
        if (step == Step::Begin || away || !connected)
            over(); // there is no lock of ours, or no way to it: it ends with its lease
        else
            enter(Step::End);
    }
    void giveUp(const Error &error) { giveUp(error.code, sentenceOf(error)); }

    void over()
    {
        if (std::exchange(step, Step::Over) == Step::Over)
            return;
        emit q.happened({QDateTime::currentDateTimeUtc(), u"result"_s, result.state, result.text,
                         {{u"plan"_s, plan.id()}, {u"exit_code"_s, result.exitCode}}});
        emit q.finished(result.exitCode);
    }

    // ---- small things

    [[nodiscard]] milliseconds grace() const { return graceOf(plan); }
    void strike(const ProcessIdentity &identity)
    {
        erase_if(remaining, [&](const SignalTarget &target) { return target.identity == identity; });
    }
    [[nodiscard]] QString whereItStood() const { return inWords(step, unknown, killSent, remaining.size()); }

    struct Result
    {
        EventState state = EventState::Failed;
        QString text;
        int exitCode = 1;
    };

    ReclaimRun &q;
    const Plan plan;
    ReclaimHost &host;
    const ReclaimSettings settings;
    MemoryWatch watch;
    QList<SignalTarget> remaining;
    QList<std::pair<QString, bool>> units; ///< still to be stopped; true: of the user's manager
    QList<ProcessIdentity> denied;
    QList<ProcessIdentity> refused;
    Step step = Step::Idle;
    Result result;
    std::optional<Kind> acting;
    std::optional<qint64> awaySince;
    qint64 stepStart = 0;
    qint64 lastBeat = 0;
    bool unknown = false;   ///< the last thing sent may have been done
    bool killSent = false;
    bool hurry = false;
    bool saidLate = false;
    bool cancelled = false;
    bool connected = true;
    bool away = false;
};

ReclaimRun::ReclaimRun(Plan plan, ReclaimHost &host, ReclaimSettings settings, QObject *parent)
    : WorkflowRun(parent)
    , d(std::make_unique<Private>(*this, std::move(plan), host, settings))
{
}

ReclaimRun::~ReclaimRun() = default;

void ReclaimRun::start()
{
    if (d->step != Private::Step::Idle)
        return;
    if (d->settings.within)
        d->prepare();
    else
        d->enter(Private::Step::Begin);
}

void ReclaimRun::takeAction(const ActionResult &result)
{
    d->take(result);
}

void ReclaimRun::takeSnapshot(const Snapshot &snapshot)
{
    d->connected = true;
    d->take(snapshot);
}

void ReclaimRun::takeMiss(const Error &error)
{
    d->miss(error);
}

void ReclaimRun::takeWake()
{
    d->wake();
}

void ReclaimRun::takeEvidence(const Result<QString> &kept)
{
    d->kept(kept);
}

void ReclaimRun::takeAway(const Error &error, bool final)
{
    using Step = Private::Step;
    if (d->step == Step::Idle || d->step == Step::Over)
        return;
    d->connected = false;
    if (d->step == Step::End) {
        d->over();
        return;
    }
    if (final) {
        d->giveUp(error.code, u"%1 %2."_s.arg(sentenceOf(error), d->whereItStood()));
        return;
    }
    if (!d->acting && !d->awaySince) { // of an action its answer says so
        d->say(EventState::Progress, u"The connection broke: %1"_s.arg(sentenceOf(error)));
        d->wentAway();
    }
}

void ReclaimRun::killNow()
{
    d->hurry = true;
    if (d->step == Private::Step::Grace && !d->acting && !d->awaySince)
        d->pollProcesses();
}

void ReclaimRun::cancel()
{
    d->cancelled = true;
    if (d->step == Private::Step::Idle || d->awaySince || (!d->acting && d->step != Private::Step::Memory && d->step != Private::Step::SecondLook)) {
        d->connected = d->connected && !d->awaySince;
        d->giveUp(ErrorCode::Cancelled, u"Interrupted; %1."_s.arg(d->whereItStood()));
    }
}

} // namespace pilothouse
