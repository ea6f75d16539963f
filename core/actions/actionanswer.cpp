// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/actions/actionanswer.h"

#include "core/actions/httptext.h"
#include "core/base/cleantext.h"

#include <QHash>
#include <QMap>

#include <array>
#include <cmath>
#include <limits>
#include <utility>

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

void readUnitProperty(const QByteArray &key, const QByteArray &value, UnitOutcome &unit)
{
    struct Text
    {
        const char *key;
        QString UnitOutcome::*into;
    };
    static constexpr std::array texts{Text{"ActiveState", &UnitOutcome::active},     Text{"SubState", &UnitOutcome::sub},
                                      Text{"Result", &UnitOutcome::result},          Text{"Type", &UnitOutcome::type},
                                      Text{"LoadState", &UnitOutcome::load},         Text{"LoadError", &UnitOutcome::loadError},
                                      Text{"Restart", &UnitOutcome::restart},        Text{"KillMode", &UnitOutcome::killMode},
                                      Text{"UnitFileState", &UnitOutcome::unitFileState}, Text{"StatusText", &UnitOutcome::statusText},
                                      Text{"InvocationID", &UnitOutcome::invocation}};
    for (const Text &text : texts) {
        if (key == text.key)
            unit.*text.into = cleanLine(value, 200);
    }
    bool isNumber = false;
    const qint64 number = value.toLongLong(&isNumber);
    const auto small = [&]() -> std::optional<int> { return isNumber && std::in_range<int>(number) ? std::optional(int(number)) : std::nullopt; };
    const auto pid = [&]() -> std::optional<qint64> { return isNumber && number > 0 ? std::optional(number) : std::nullopt; };
    if (key == "Job")
        unit.jobPending = !value.isEmpty() && value != "0";
    else if (key == "MainPID")
        unit.mainPid = pid();
    else if (key == "ControlPID")
        unit.controlPid = pid();
    else if (key == "ExecMainCode")
        unit.execMainCode = small();
    else if (key == "ExecMainStatus")
        unit.execMainStatus = small();
    else if (key == "NRestarts")
        unit.restarts = small();
    else if (key == "NeedDaemonReload")
        unit.needDaemonReload = value == "yes";
    else if (key == "ConditionResult")
        unit.conditionFailed = value == "no";
    else if (key == "TimeoutStartUSec")
        unit.startLimit = spanOf(value);
    else if (key == "TimeoutStopUSec")
        unit.stopLimit = spanOf(value);
}

void readUnit(const ProbeAnswer &answer, ActionAnswer &read)
{
    if (const Frame *job = answer.find("job")) {
        read.unit.jobStatus = job->status;
        read.unit.jobWords = cleanLine(QByteArray(job->errors + ' ' + job->output).simplified(), 300);
    }
    read.unit.members = linesOf(answer.find("members"), 30);
    const Frame *unit = answer.find("unit");
    for (const QByteArray &line : unit ? unit->output.split('\n') : QList<QByteArray>()) {
        const qsizetype equals = line.indexOf('=');
        const QByteArray key = line.left(equals);
        const QByteArray value = line.mid(equals + 1).trimmed();
        readUnitProperty(key, value, read.unit);
    }
}

void readCommand(const ProbeAnswer &answer, ActionAnswer &read)
{
    if (const Frame *command = answer.find("command")) {
        read.command.status = command->status;
        read.command.words = cleanLine(QByteArray(command->errors + ' ' + command->output).simplified(), 300);
    }
}

void readRoom(const ProbeAnswer &answer, ActionAnswer &read)
{
    const Frame *frame = answer.find("room");
    for (const QByteArray &line : frame ? frame->output.split('\n') : QList<QByteArray>()) {
        const QList<QByteArray> words = line.split(' ');
        bool isNumber = false;
        const qint64 number = words.value(1).toLongLong(&isNumber);
        if (!isNumber || number < 0)
            continue;
        if (words.at(0) == "model_there" && words.size() == 2)
            read.room.pathThere = number != 0;
        const qint64 block = words.value(2).toLongLong(&isNumber);
        if (words.size() != 3 || !isNumber || block <= 0 || number > std::numeric_limits<qint64>::max() / block)
            continue;
        auto &into = words.at(0) == "shm" ? read.room.shmFreeKib : words.at(0) == "root" ? read.room.rootFreeKib : read.room.pathFreeKib;
        into = number * block / 1024;
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
    if (request.kind == ActionRequest::Kind::UnitLog) {
        const Frame *frame = answer.find("log");
        read.lock = ActionAnswer::Lock::NotNeeded;
        read.logAbsent = frame && frame->status == 127;
        if (frame)
            read.log = readJournal(frame->output);
        return read;
    }
    if (request.kind == ActionRequest::Kind::LookAtRoom) {
        read.lock = ActionAnswer::Lock::NotNeeded;
        readRoom(answer, read);
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
    readCommand(answer, read);
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
    if (answer.unit.jobStatus) {
        parts += *answer.unit.jobStatus == 0
            ? u"systemd was asked"_s
            : u"systemctl ended with status %1: %2"_s.arg(*answer.unit.jobStatus).arg(answer.unit.jobWords);
    }
    if (answer.command.status)
        parts += u"the command ended with status %1"_s.arg(*answer.command.status);
    return parts.join(u", "_s);
}

} // namespace pilothouse
