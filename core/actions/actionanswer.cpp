// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/actions/actionanswer.h"

#include "core/actions/httptext.h"
#include "core/base/cleantext.h"

#include <QHash>
#include <QMap>

#include <array>
#include <cmath>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

using What = ProcessOutcome::What;

std::optional<What> outcomeOf(QByteArrayView word)
{
    static constexpr std::array words{std::pair("signalled", What::Signalled), std::pair("gone", What::Gone),
                                      std::pair("other", What::Other),         std::pair("changed", What::Changed),
                                      std::pair("refused", What::Refused),     std::pair("denied", What::Denied),
                                      std::pair("alive", What::Alive),         std::pair("unlocked", What::Unlocked)};
    for (const auto &[name, what] : words) {
        if (word == name)
            return what;
    }
    return std::nullopt;
}

QStringList linesOf(const Frame *frame, qsizetype most = 50)
{
    QStringList lines;
    for (const QByteArray &line : frame ? frame->output.split('\n') : QList<QByteArray>()) {
        if (!line.trimmed().isEmpty() && lines.size() < most)
            lines += cleanLine(line.trimmed(), 300);
    }
    return lines;
}

Result<void> readLock(const ProbeAnswer &answer, ActionAnswer &read)
{
    if (const Frame *boot = answer.find("boot"); boot && boot->status != 0) {
        read.lock = ActionAnswer::Lock::OtherBoot;
        return {};
    }
    const Frame *lock = answer.find("lock");
    if (!lock)
        return fail(ErrorCode::AnswerMalformed, u"The host's answer says nothing of its lock."_s);
    const QByteArray text = lock->output.trimmed();
    if (text == "mine") {
        read.lock = ActionAnswer::Lock::Mine;
    } else if (text == "dropped") {
        read.lock = ActionAnswer::Lock::Dropped;
    } else if (text.startsWith("busy ")) {
        read.lock = ActionAnswer::Lock::Busy;
        const qsizetype blank = text.indexOf(' ', 5);
        bool isNumber = false;
        const int age = text.mid(5, blank - 5).toInt(&isNumber);
        if (isNumber)
            read.lockAgeS = age;
        read.lockHolder = cleanLine(text.mid(blank + 1), 120);
    } else {
        read.lock = ActionAnswer::Lock::None;
    }
    return {};
}

Result<void> readProcesses(const ProbeAnswer &answer, const ActionRequest &request, ActionAnswer &read)
{
    QHash<ProcessIdentity, What> told;
    const Frame *frame = answer.find("signal");
    const QList<QByteArray> lines = frame ? frame->output.split('\n') : QList<QByteArray>();
    read.way = cleanLine(lines.value(0), 20);
    for (const QByteArray &line : lines.mid(1)) {
        const QList<QByteArray> words = line.split(' ');
        if (words.size() != 3)
            continue;
        const auto what = outcomeOf(words.at(2));
        if (what)
            told.insert({Pid{words.at(0).toLongLong()}, StartTicks{words.at(1).toULongLong()}}, *what);
    }
    for (const SignalTarget &target : request.targets) {
        // Another boot has none of them.
        const What what = read.lock == ActionAnswer::Lock::OtherBoot ? What::Gone : told.value(target.identity, What::Untold);
        read.processes += ProcessOutcome{target.identity, what};
        told.remove(target.identity);
    }
    if (!told.isEmpty())
        return fail(ErrorCode::AnswerMalformed, u"The host's answer tells of a process that was not asked about."_s);
    return {};
}

/// "1min 30s", "infinity".
std::optional<std::chrono::milliseconds> spanOf(const QByteArray &text)
{
    static const QMap<QByteArray, double> units{{"us", 0.001}, {"ms", 1},          {"s", 1000},         {"min", 60'000},
                                                {"h", 3.6e6},  {"d", 86.4e6},      {"w", 604.8e6},      {"month", 2.63e9},
                                                {"y", 3.16e10}};
    double sum = 0;
    for (const QByteArray &word : text.simplified().split(' ')) {
        qsizetype digits = 0;
        while (digits < word.size() && (std::isdigit(static_cast<unsigned char>(word.at(digits))) || word.at(digits) == '.'))
            ++digits;
        if (digits == 0 || !units.contains(word.mid(digits)))
            return std::nullopt;
        sum += word.left(digits).toDouble() * units.value(word.mid(digits));
    }
    return std::chrono::milliseconds(qint64(std::min(sum, 86.4e6)));
}

void readFiles(const ProbeAnswer &answer, const ActionRequest &request, ActionAnswer &read)
{
    using FileWhat = ShmOutcome::What;
    static constexpr std::array words{std::pair("removed", FileWhat::Removed),   std::pair("used", FileWhat::Used),
                                      std::pair("gone", FileWhat::Gone),         std::pair("other", FileWhat::Other),
                                      std::pair("refused", FileWhat::Refused),   std::pair("unproved", FileWhat::Unproved),
                                      std::pair("denied", FileWhat::Denied)};
    const Frame *frame = answer.find("shm");
    const QList<QByteArray> lines = frame ? frame->output.split('\n') : QList<QByteArray>();
    for (const ShmTarget &file : request.files) {
        ShmOutcome outcome{file.name, FileWhat::Untold};
        for (const auto &[word, what] : words) {
            if (lines.contains(QByteArray(file.name.toLatin1() + ' ' + word)))
                outcome.what = what;
        }
        read.files += outcome;
    }
}

void readPorts(const ProbeAnswer &answer, ActionAnswer &read)
{
    const Frame *frame = answer.find("ports");
    const auto status = [](const QByteArray &word) -> std::optional<int> {
        bool isNumber = false;
        const int number = word.toInt(&isNumber);
        return isNumber && number >= 0 && number < 1000 ? std::optional(number) : std::nullopt;
    };
    for (const QByteArray &line : frame ? frame->output.split('\n') : QList<QByteArray>()) {
        const QList<QByteArray> words = line.split(' ');
        bool isPort = false;
        const quint16 port = words.value(0).toUShort(&isPort);
        if (isPort && words.size() == 3)
            read.ports.insert(port, {status(words.at(1)), status(words.at(2))});
    }
}

void readUnit(const ProbeAnswer &answer, ActionAnswer &read)
{
    if (const Frame *stop = answer.find("stop")) {
        read.unit.stopStatus = stop->status;
        read.unit.stopWords = cleanLine(QByteArray(stop->errors + ' ' + stop->output).simplified(), 300);
    }
    const Frame *unit = answer.find("unit");
    for (const QByteArray &line : unit ? unit->output.split('\n') : QList<QByteArray>()) {
        const qsizetype equals = line.indexOf('=');
        const QByteArray key = line.left(equals);
        const QByteArray value = line.mid(equals + 1).trimmed();
        if (key == "ActiveState")
            read.unit.active = cleanLine(value, 40);
        else if (key == "SubState")
            read.unit.sub = cleanLine(value, 40);
        else if (key == "Job")
            read.unit.jobPending = !value.isEmpty() && value != "0";
        else if (key == "TimeoutStopUSec")
            read.unit.stopLimit = spanOf(value);
    }
}

} // namespace

Result<ActionAnswer> readActionAnswer(const ProbeAnswer &answer, const ActionRequest &request)
{
    ActionAnswer read;
    if (request.kind == ActionRequest::Kind::AskPorts) {
        read.lock = ActionAnswer::Lock::NotNeeded;
        readPorts(answer, read);
        return read;
    }
    if (request.kind == ActionRequest::Kind::CatUnit) {
        read.lock = ActionAnswer::Lock::NotNeeded;
        const auto said = [&](QByteArrayView name) {
            const Frame *frame = answer.find(name);
            return frame ? UnitReply{frame->status, frame->output, frame->errors} : UnitReply();
        };
        read.reading = readUnit(request.unit, request.userUnit, said("properties"), said("text"), said("lines").output);
        return read;
    }
    if (request.kind == ActionRequest::Kind::AskHttp) {
        const Frame *frame = answer.find("http");
        if (!frame)
            return fail(ErrorCode::AnswerMalformed, u"The host's answer says nothing of the request."_s);
        read.lock = ActionAnswer::Lock::NotNeeded;
        read.http = readHttpSection(request.http, frame->output);
        return read;
    }
    if (request.kind == ActionRequest::Kind::Evidence) {
        const Frame *frame = answer.find("evidence");
        read.lock = frame ? ActionAnswer::Lock::NotNeeded : ActionAnswer::Lock::OtherBoot;
        read.evidence = frame ? frame->output : QByteArray();
        return read;
    }
    if (const auto lock = readLock(answer, read); !lock)
        return fail(lock.error());
    if (const auto processes = readProcesses(answer, request, read); !processes)
        return fail(processes.error());
    readFiles(answer, request, read);
    readUnit(answer, read);
    read.sessions = linesOf(answer.find("sessions"));
    read.jobs = linesOf(answer.find("jobs"));
    read.lastDeed = linesOf(answer.find("last"));
    return read;
}

QString summaryOf(const ActionAnswer &answer)
{
    if (answer.lock == ActionAnswer::Lock::Busy)
        return u"Not done: %1 is at work on this host."_s.arg(answer.lockHolder);
    if (answer.lock == ActionAnswer::Lock::OtherBoot)
        return u"Not done: the host has been booted anew."_s;
    if (answer.lock == ActionAnswer::Lock::None)
        return u"Not done: the host's lock cannot be written."_s;
    QMap<What, int> counts;
    for (const ProcessOutcome &process : answer.processes)
        ++counts[process.what];
    QStringList parts;
    for (auto at = counts.cbegin(); at != counts.cend(); ++at)
        parts += u"%1 %2"_s.arg(at.value()).arg(wordsOf(at.key()));
    for (const ShmOutcome &file : answer.files)
        parts += u"%1 %2"_s.arg(file.name, wordsOf(file.what));
    if (answer.unit.stopStatus) {
        parts += *answer.unit.stopStatus == 0
            ? u"systemd was asked"_s
            : u"systemctl ended with status %1: %2"_s.arg(*answer.unit.stopStatus).arg(answer.unit.stopWords);
    }
    return parts.join(u", "_s);
}

} // namespace pilothouse
