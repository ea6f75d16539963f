// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workflow/reclaimwords.h"

#include <QJsonArray>

namespace pilothouse {

using namespace Qt::StringLiterals;

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
