// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workflow/unitwatch.h"

#include "core/base/counted.h"
#include "core/host/unitwords.h"
#include "core/workflow/loadwatch.h"

namespace pilothouse {

using namespace Qt::StringLiterals;
using std::chrono::milliseconds;

namespace {

constexpr qint64 patienceBeyondMs = 10'000; ///< systemd itself ends what passes its limits
constexpr int crashesTold = 2;              ///< so many restarts since the start are a loop

bool isActive(const UnitOutcome &now)
{
    return now.active == "active"_L1 || now.active == "reloading"_L1;
}

bool isResting(const UnitOutcome &now)
{
    return now.active == "inactive"_L1 || now.active == "failed"_L1;
}

QString forHow(qint64 ms)
{
    return spanInWords(milliseconds(ms));
}

} // namespace

UnitWatch::UnitWatch(Verb verb, UnitOutcome before, milliseconds settle, milliseconds patience)
    : m_verb(verb)
    , m_before(std::move(before))
    , m_settle(settle)
    , m_patience(patience)
{
}

UnitWatch::State UnitWatch::fail(const QString &words, ErrorCode code)
{
    m_words = words;
    m_code = code;
    return State::Failed;
}

UnitWatch::State UnitWatch::wait(const QString &words)
{
    m_words = words;
    return State::Waiting;
}

UnitWatch::State UnitWatch::take(const UnitOutcome &now, qint64 nowMs)
{
    if (!m_began)
        m_began = nowMs;
    if (now.active.isEmpty())
        return nowMs - *m_began > m_patience.count() ? fail(u"systemd does not say how the unit is."_s) : wait(u"systemd does not say how the unit is."_s);
    return m_verb == Verb::Stop ? takeStop(now, nowMs) : takeStart(now, nowMs);
}

UnitWatch::State UnitWatch::takeStop(const UnitOutcome &now, qint64 nowMs)
{
    const qint64 waited = nowMs - *m_began;
    if (isResting(now) && !now.jobPending) {
        m_words = now.active == "failed"_L1 ? u"It has stopped; systemd calls it failed: %1."_s.arg(stateWordsOf(now.asUnit({}, false)))
                                            : u"It has stopped."_s;
        return State::Done;
    }
    if (!now.invocation.isEmpty() && !m_before.invocation.isEmpty() && now.invocation != m_before.invocation && isActive(now) && !now.jobPending)
        return fail(u"It was started again meanwhile, by somebody else or by what needs it."_s, ErrorCode::RefusedBySafety);
    const qint64 limit = now.stopLimit ? now.stopLimit->count() : m_patience.count();
    QString what = u"It stops"_s;
    if (now.sub.startsWith("stop-sigkill"_L1) || now.sub.startsWith("final-sigkill"_L1))
        what = u"systemd has sent SIGKILL"_s;
    else if (now.sub.startsWith("stop-post"_L1))
        what = u"Its ExecStopPost command runs"_s;
    else if (now.sub == "stop"_L1)
        what = u"Its ExecStop command runs"_s;
    QString whom;
    if (!now.members.isEmpty()) {
        whom = u" and waits for PID %1"_s.arg(now.members.first());
        if (now.members.size() > 1)
            whom += u" and %1"_s.arg(counted(now.members.size() - 1, "other process"_L1, "other processes"_L1));
    }
    const QString until = now.stopLimit ? u", until its TimeoutStopSec of %1 at the latest"_s.arg(forHow(limit)) : u"; it has no limit of its own"_s;
    if (waited > limit + patienceBeyondMs) {
        return fail(u"It has not stopped within %1; it is %2 (%3)%4."_s.arg(forHow(waited), now.active, now.sub, whom));
    }
    return wait(what + whom + u", since %1"_s.arg(forHow(waited)) + until + u'.');
}

QString UnitWatch::failureOf(const UnitOutcome &now) const
{
    if (now.load == "not-found"_L1)
        return u"There is no such unit."_s;
    if (now.load == "masked"_L1)
        return u"It is masked: systemd does not start it."_s;
    if (!now.load.isEmpty() && now.load != "loaded"_L1)
        return u"systemd cannot use its file (%1) %2."_s.arg(now.load, now.loadError);
    const QString words = stateWordsOf(now.asUnit({}, false));
    if (now.active == "failed"_L1)
        return u"It failed: %1."_s.arg(words);
    if (now.conditionFailed)
        return u"A condition of the unit is not met (Condition…=), so systemd did not start it."_s;
    return u"It is %1 right after the start: a dependency failed, the job was taken back, or its program ended at once."_s.arg(words);
}

UnitWatch::State UnitWatch::takeStart(const UnitOutcome &now, qint64 nowMs)
{
    const qint64 waited = nowMs - *m_began;
    const bool newInvocation = !now.invocation.isEmpty() && now.invocation != m_before.invocation;
    if (newInvocation && m_invocation.isEmpty()) {
        m_invocation = now.invocation;
        m_restarts = now.restarts;
    }
    const int restarted = m_restarts && now.restarts ? *now.restarts - *m_restarts : 0;
    if (newInvocation && now.invocation != m_invocation && restarted == 0)
        return fail(u"Somebody else started it anew meanwhile."_s, ErrorCode::RefusedBySafety);
    if (restarted >= crashesTold) {
        return fail(u"It ends again and again: systemd has restarted it %1 since the start; the last time it was %2."_s.arg(
            counted(restarted, "time"_L1), stateWordsOf(now.asUnit({}, false))));
    }
    if (newInvocation)
        m_invocation = now.invocation;
    if (isResting(now) && !now.jobPending && now.active == "failed"_L1 && (newInvocation || m_before.active != "failed"_L1))
        return fail(failureOf(now));
    if (isResting(now) && !now.jobPending) {
        // A job that has just been queued may not be seen yet.
        return waited < 3'000 && !newInvocation ? wait(u"systemd has not begun yet."_s) : fail(failureOf(now));
    }
    if (!isActive(now)) {
        m_activeSince.reset();
        const QString limit = now.startLimit ? u", of at most %1 (TimeoutStartSec)"_s.arg(forHow(now.startLimit->count())) : QString();
        if (now.sub == "start-pre"_L1) {
            return wait(u"Its ExecStartPre command runs%1, since %2%3."_s.arg(
                now.controlPid ? u" (PID %1)"_s.arg(*now.controlPid) : QString(), forHow(waited), limit));
        }
        if (now.sub.contains("auto-restart"_L1))
            return wait(u"It ended and systemd is about to start it again: %1."_s.arg(stateWordsOf(now.asUnit({}, false))));
        if (now.type == "notify"_L1 && now.mainPid)
            return wait(u"Its program runs and has not said yet that it is ready (Type=notify), since %1%2."_s.arg(forHow(waited), limit));
        return wait(u"It is %1, since %2%3."_s.arg(stateWordsOf(now.asUnit({}, false)), forHow(waited), limit));
    }
    if (!newInvocation && !m_before.invocation.isEmpty() && m_before.active == "active"_L1 && m_verb == Verb::Start) {
        m_words = u"It was active already: nothing was started."_s;
        return State::Done;
    }
    if (!m_activeSince)
        m_activeSince = nowMs;
    const qint64 active = nowMs - *m_activeSince;
    if (active < m_settle.count())
        return wait(u"It is active since %1; it has to stay so for %2."_s.arg(forHow(active), forHow(m_settle.count())));
    m_words = u"It is active and has stayed so for %1."_s.arg(forHow(active));
    return State::Done;
}

} // namespace pilothouse
