// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workflow/journal.h"

#include "core/base/cleantext.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QUuid>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 mostBytes = 1024 * 1024;
constexpr qsizetype mostFiles = 200;
constexpr qsizetype mostText = 2000;

QString folderOf(const QString &stateFolder)
{
    return QDir(stateFolder).filePath(u"journal"_s);
}

Result<void> append(int fd, const QString &path, const QJsonObject &line)
{
    const QByteArray bytes = QJsonDocument(line).toJson(QJsonDocument::Compact) + '\n';
    if (::write(fd, bytes.constData(), size_t(bytes.size())) != bytes.size())
        return fail(ErrorCode::LocalIo, u"%1 cannot be written: %2."_s.arg(path, QString::fromLocal8Bit(std::strerror(errno))));
    return {};
}

QJsonObject headOf(const QString &recipe, const QString &bootId, const QString &planId, const Actor &actor)
{
    return {{u"recipe"_s, recipe},
            {u"host"_s, actor.host},
            {u"person"_s, actor.person},
            {u"boot_id"_s, bootId},
            {u"plan"_s, planId},
            {u"started_at"_s, QDateTime::currentDateTimeUtc().toString(Qt::ISODateWithMs)}};
}

QJsonValue valueOf(const std::optional<qint64> &number)
{
    return number ? QJsonValue(*number) : QJsonValue();
}

QJsonObject headOf(const Plan &plan, const Actor &actor)
{
    QJsonArray included;
    for (const PlanFamily &family : plan.families) {
        for (const PlanTarget &target : family.included ? family.targets : QList<PlanTarget>()) {
            const ProcessIdentity &identity = target.process.identity;
            included += QJsonArray{identity.pid.value, QString::number(identity.start.value)};
        }
    }
    QJsonObject head = headOf(u"reclaim"_s, plan.bootId, plan.id(), actor);
    head.insert(u"include"_s, included);
    head.insert(u"below_mib"_s, valueOf(plan.belowMib));
    head.insert(u"clean_shm"_s, !plan.shm.isEmpty());
    return head;
}

QJsonObject headOf(const RestartPlan &plan, const Actor &actor)
{
    const RestartOptions &options = plan.options;
    QJsonArray gpus;
    for (const int gpu : options.gpus)
        gpus += gpu;
    QJsonObject head = headOf(u"restart"_s, plan.bootId, plan.id(), actor);
    head.insert(u"service"_s, options.service);
    head.insert(u"unit"_s, options.unit);
    head.insert(u"user_unit"_s, options.userUnit);
    head.insert(u"gpus"_s, gpus);
    head.insert(u"gpus_written"_s, options.gpusAreWritten);
    head.insert(u"drain"_s, options.drain);
    head.insert(u"undrain"_s, options.undrain);
    head.insert(u"health"_s, options.health);
    head.insert(u"model"_s, options.model);
    head.insert(u"below_mib"_s, valueOf(options.belowMib));
    head.insert(u"grace_ms"_s, options.grace ? QJsonValue(qint64(options.grace->count())) : QJsonValue());
    return head;
}

std::optional<qint64> numberOf(const QJsonValue &value)
{
    return value.isDouble() ? std::optional(value.toInteger()) : std::nullopt;
}

RestartOptions restartOf(const QJsonObject &head)
{
    RestartOptions options;
    options.service = cleanLine(head.value(u"service"_s).toString(), 200);
    options.unit = head.value(u"unit"_s).toString();
    options.userUnit = head.value(u"user_unit"_s).toBool();
    for (const QJsonValue &gpu : head.value(u"gpus"_s).toArray())
        options.gpus += gpu.toInt(-1);
    options.gpusAreWritten = head.value(u"gpus_written"_s).toBool();
    options.drain = head.value(u"drain"_s).toString();
    options.undrain = head.value(u"undrain"_s).toString();
    options.health = head.value(u"health"_s).toString();
    options.model = head.value(u"model"_s).toString();
    options.belowMib = numberOf(head.value(u"below_mib"_s));
    if (const auto grace = numberOf(head.value(u"grace_ms"_s)))
        options.grace = std::chrono::milliseconds(*grace);
    return options;
}

std::optional<WorkflowEvent::State> stateOf(const QString &name)
{
    using State = WorkflowEvent::State;
    for (const State state : {State::Started, State::Progress, State::Done, State::Skipped, State::Failed, State::Refused}) {
        if (nameOf(state) == name)
            return state;
    }
    return std::nullopt;
}

std::optional<InterruptedRun> parsed(const QByteArray &text, const QString &path)
{
    const QList<QByteArray> lines = text.split('\n');
    const QJsonObject head = QJsonDocument::fromJson(lines.first()).object();
    InterruptedRun run;
    run.file = path;
    run.host = head.value(u"host"_s).toString();
    run.person = cleanLine(head.value(u"person"_s).toString(), 80);
    run.bootId = head.value(u"boot_id"_s).toString();
    run.planId = head.value(u"plan"_s).toString();
    run.startedAt = QDateTime::fromString(head.value(u"started_at"_s).toString(), Qt::ISODateWithMs);
    const QString recipe = head.value(u"recipe"_s).toString();
    if ((recipe != "reclaim"_L1 && recipe != "restart"_L1) || run.host.isEmpty() || !run.startedAt.isValid())
        return std::nullopt;
    run.recipe = recipe == "restart"_L1 ? InterruptedRun::Recipe::Restart : InterruptedRun::Recipe::Reclaim;
    if (run.recipe == InterruptedRun::Recipe::Restart)
        run.restart = restartOf(head);
    run.options.belowMib = numberOf(head.value(u"below_mib"_s));
    run.options.cleanShm = head.value(u"clean_shm"_s).toBool();
    for (const QJsonValue &pair : head.value(u"include"_s).toArray())
        run.options.include += ProcessIdentity{Pid{pair[0].toInteger()}, StartTicks{pair[1].toString().toULongLong()}};
    for (const QByteArray &line : lines.mid(1)) {
        const QJsonObject object = QJsonDocument::fromJson(line).object(); // the last one may be cut off
        const auto state = stateOf(object.value(u"state"_s).toString());
        if (!state)
            continue;
        run.events += WorkflowEvent{QDateTime::fromString(object.value(u"at"_s).toString(), Qt::ISODateWithMs),
                                    cleanLine(object.value(u"step"_s).toString(), 80), *state,
                                    cleanLine(object.value(u"text"_s).toString(), mostText), object.value(u"data"_s).toObject()};
    }
    std::ranges::stable_sort(run.events, {}, &WorkflowEvent::at);
    return run;
}

/// Opens it when no program has it open as its own.
int openAbandoned(const QString &path)
{
    const int fd = ::open(QFile::encodeName(path).constData(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd >= 0 && ::flock(fd, LOCK_EX | LOCK_NB) != 0) {
        ::close(fd);
        return -1;
    }
    return fd;
}

std::optional<InterruptedRun> readAbandoned(const QString &path)
{
    const int fd = openAbandoned(path);
    if (fd < 0)
        return std::nullopt;
    QFile file;
    std::optional<InterruptedRun> run;
    if (file.open(fd, QIODevice::ReadOnly, QFileDevice::DontCloseHandle))
        run = parsed(file.read(mostBytes), path);
    ::close(fd);
    return run;
}

} // namespace

Journal::Journal(QString path, int fd)
    : m_path(std::move(path))
    , m_fd(fd)
{
}

Journal::~Journal()
{
    ::close(m_fd);
}

Result<std::unique_ptr<Journal>> Journal::begin(const QString &stateFolder, const Plan &plan, const Actor &actor)
{
    return open(stateFolder, headOf(plan, actor));
}

Result<std::unique_ptr<Journal>> Journal::begin(const QString &stateFolder, const RestartPlan &plan, const Actor &actor)
{
    return open(stateFolder, headOf(plan, actor));
}

Result<std::unique_ptr<Journal>> Journal::open(const QString &stateFolder, const QJsonObject &head)
{
    const QString path = QDir(folderOf(stateFolder)).filePath(QUuid::createUuid().toString(QUuid::WithoutBraces) + u".jsonl"_s);
    const auto failed = [&](int why) {
        return fail(ErrorCode::LocalIo, u"%1 cannot be written: %2."_s.arg(path, QString::fromLocal8Bit(std::strerror(why))));
    };
    if (!QDir().mkpath(folderOf(stateFolder)))
        return failed(errno);
    const int fd = ::open(QFile::encodeName(path).constData(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600);
    if (fd < 0)
        return failed(errno);
    std::unique_ptr<Journal> journal(new Journal(path, fd)); // its constructor is private
    const bool locked = ::flock(fd, LOCK_EX | LOCK_NB) == 0;
    const auto begun = locked ? append(fd, path, head) : Result<void>(failed(errno));
    if (!begun) {
        journal->close();
        return fail(begun.error());
    }
    return journal;
}

Result<void> Journal::note(const WorkflowEvent &event)
{
    const QMutexLocker lock(&m_mutex);
    return m_closed ? Result<void>() : append(m_fd, m_path, toJson(event));
}

void Journal::close()
{
    const QMutexLocker lock(&m_mutex);
    if (!std::exchange(m_closed, true))
        QFile::remove(m_path);
}

QList<InterruptedRun> interruptedRuns(const QString &stateFolder, const QString &host)
{
    const QDir folder(folderOf(stateFolder));
    QList<InterruptedRun> runs;
    for (const QString &name : folder.entryList({u"*.jsonl"_s}, QDir::Files, QDir::Time).mid(0, mostFiles)) {
        const auto run = readAbandoned(folder.filePath(name));
        if (run && (host.isEmpty() || run->host == host))
            runs += *run;
    }
    std::ranges::stable_sort(runs, {}, &InterruptedRun::startedAt);
    return runs;
}

void forgetRun(const InterruptedRun &run)
{
    const int fd = openAbandoned(run.file);
    if (fd < 0)
        return;
    QFile::remove(run.file);
    ::close(fd);
}

QString wordsOf(const InterruptedRun &run, const QString &bootId)
{
    const QString restarted = bootId.isEmpty() || bootId == run.bootId ? QString() : u" The host has been restarted since."_s;
    const auto clock = [](const QDateTime &at) { return at.toLocalTime().toString(u"yyyy-MM-dd HH:mm:ss"_s); };
    const QString what = run.recipe == InterruptedRun::Recipe::Restart ? u"A restart of %1"_s.arg(run.restart.unit) : u"A reclaim"_s;
    const QString begun = u"%1 that %2 began at %3 was cut off with its program"_s.arg(what, run.person, clock(run.startedAt));
    if (run.events.isEmpty())
        return begun + u", before it had done anything."_s + restarted;
    const WorkflowEvent &last = run.events.last();
    return begun + u". The last that it told, at %1: %2"_s.arg(last.at.toLocalTime().toString(u"HH:mm:ss"_s), last.text) + restarted;
}

} // namespace pilothouse
