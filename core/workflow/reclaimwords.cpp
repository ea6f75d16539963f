// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workflow/reclaimwords.h"

#include <QJsonArray>

namespace pilothouse {

using namespace Qt::StringLiterals;

QString nameOf(ReclaimStep step)
{
    using Step = ReclaimStep;
    switch (step) {
    case Step::Begin:
        return u"who_else"_s;
    case Step::Evidence:
        return u"evidence"_s;
    case Step::StopUnit:
        return u"stop_unit"_s;
    case Step::Terminate:
        return u"terminate"_s;
    case Step::Grace:
        return u"grace"_s;
    case Step::Kill:
        return u"kill"_s;
    case Step::Dying:
        return u"end_of_processes"_s;
    case Step::Memory:
        return u"memory"_s;
    case Step::SecondLook:
        return u"second_look"_s;
    case Step::CleanShm:
        return u"clean_shm"_s;
    default:
        return u"lock"_s;
    }
}

QString inWords(ReclaimStep step, bool unknown, bool killSent, qsizetype left)
{
    using Step = ReclaimStep;
    switch (step) {
    case Step::Idle:
    case Step::Begin:
    case Step::Evidence:
    case Step::StopUnit:
        return u"no process was signalled"_s;
    case Step::Terminate:
        return unknown ? u"SIGTERM may have been sent"_s : u"no process was signalled"_s;
    case Step::Grace:
        return u"SIGTERM was sent, SIGKILL was not; %1 were left"_s.arg(processesInWords(left));
    case Step::Kill:
    case Step::Dying:
        return killSent ? u"SIGKILL was sent"_s : u"SIGTERM was sent, SIGKILL may have been"_s;
    default:
        return u"all processes of the plan have ended"_s;
    }
}

bool isLinkTrouble(ErrorCode code)
{
    switch (code) {
    case ErrorCode::ConnectionLost:
    case ErrorCode::Timeout:
    case ErrorCode::AnswerTruncated:
    case ErrorCode::AnswerMalformed:
    case ErrorCode::ChannelRefused:
    case ErrorCode::ShellUnusable:
        return true;
    default:
        return false;
    }
}

std::optional<Error> lockTrouble(const ActionAnswer &answer)
{
    using Lock = ActionAnswer::Lock;
    switch (answer.lock) {
    case Lock::Mine:
    case Lock::NotNeeded:
        return std::nullopt;
    case Lock::Busy:
        return Error{ErrorCode::RefusedBySafety,
                     u"%1 is at work on this host (%2 s ago)."_s.arg(answer.lockHolder).arg(answer.lockAgeS.value_or(0)), {}};
    case Lock::OtherBoot:
        return Error{ErrorCode::RefusedBySafety,
                     u"The host has been booted anew since it was looked at: the plan's processes are gone."_s, {}};
    default:
        return Error{ErrorCode::NoRights, u"The host's lock cannot be written: its disk may be full."_s, {}};
    }
}

QString othersInWords(const ActionAnswer &answer)
{
    QStringList words;
    if (!answer.sessions.isEmpty())
        words += u"logged in: %1"_s.arg(answer.sessions.join(u"; "_s));
    if (!answer.jobs.isEmpty())
        words += u"pending unit jobs: %1"_s.arg(answer.jobs.join(u"; "_s));
    if (!answer.lastDeed.isEmpty())
        words += u"last here: %1"_s.arg(answer.lastDeed.join(u", "_s));
    return words.isEmpty() ? u"Nobody else is at work here."_s : u"The lock is ours; %1."_s.arg(words.join(u". "_s));
}

QJsonArray figuresOf(const QList<Quantity<qint64>> &figures)
{
    QJsonArray array;
    for (const Quantity<qint64> &figure : figures)
        array += figure.isKnown() ? QJsonValue(figure.value()) : QJsonValue();
    return array;
}

QString processesInWords(qsizetype count)
{
    return count == 1 ? u"1 process"_s : u"%1 processes"_s.arg(count);
}

QString secondsOf(std::chrono::milliseconds time)
{
    return QString::number(double(time.count()) / 1000, 'f', time.count() % 1000 == 0 ? 0 : 1) + u" s"_s;
}

QString namesOf(const QList<SignalTarget> &targets)
{
    QStringList names;
    for (const SignalTarget &target : targets)
        names += u"PID %1 (%2)"_s.arg(target.identity.pid.value).arg(target.name);
    return names.join(u", "_s) + (names.size() == 1 ? u" is"_s : u" are"_s);
}

QJsonObject pidsOf(const QList<SignalTarget> &targets)
{
    QJsonArray pids;
    for (const SignalTarget &target : targets)
        pids += target.identity.pid.value;
    return {{u"pids"_s, pids}};
}

} // namespace pilothouse
