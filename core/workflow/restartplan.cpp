// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workflow/restartplan.h"

#include "core/base/counted.h"
#include "core/host/unitwords.h"
#include "core/workflow/evidence.h"

#include <QCryptographicHash>
#include <QMap>
#include <QSet>

#include <algorithm>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

using Weight = RestartCheck::Weight;

constexpr qint64 littleShmKib = 1024 * 1024;   ///< NCCL and the ranks' queues want more than that on eight cards
constexpr qsizetype mostFindings = 6;
constexpr qint64 littleMib = 256;              ///< of a card: nobody's start fails for it
constexpr qint64 littleDiskKib = 1024 * 1024;
const int driverExit = exitCodeOf(ErrorCode::DriverFault);
constexpr double littleMemory = 0.05;          ///< of the host's

bool isOf(const Process &process, const RestartOptions &options)
{
    const auto kind = options.userUnit ? Owner::Kind::UserUnit : Owner::Kind::Unit;
    return process.owner.kind == kind && process.owner.name == options.unit;
}

const Unit *unitOf(const Snapshot &snapshot, const RestartOptions &options)
{
    if (!snapshot.units)
        return nullptr;
    const auto at = std::ranges::find_if(*snapshot.units, [&](const Unit &unit) { return unit.name == options.unit && unit.user == options.userUnit; });
    return at == snapshot.units->cend() ? nullptr : &*at;
}

class Planner
{
public:
    Planner(const Snapshot &snapshot, const Diagnosis &diagnosis, const RestartOptions &options)
        : m_snapshot(snapshot)
        , m_diagnosis(diagnosis)
    {
        m_plan.options = options;
    }

    Result<RestartPlan> make(const RestartFacts &facts)
    {
        const Unit *unit = unitOf(m_snapshot, m_plan.options);
        if (!unit)
            return fail(ErrorCode::ToolMissing, u"The host's systemd tells nothing of %1."_s.arg(m_plan.options.unit));
        if (unit->load == "not-found"_L1 && unit->active != "active"_L1)
            return fail(ErrorCode::ToolMissing, u"There is no unit %1 on this host."_s.arg(m_plan.options.unit),
                        u"See systemctl list-unit-files on the host; with --user it is looked for among the account's own."_s);
        m_plan.unit = *unit;
        m_plan.host = m_snapshot.host;
        m_plan.bootId = m_snapshot.bootId;
        m_plan.asRoot = m_snapshot.system.root;
        m_plan.stops = unit->active == "active"_L1 || unit->active == "activating"_L1 || unit->active == "reloading"_L1
            || unit->active == "deactivating"_L1;
        findOwn();
        findGpus();
        const ServiceWish wish{m_plan.options.unit, m_plan.options.userUnit, m_plan.options.health, m_plan.options.model};
        m_plan.endpoint = endpointOf(wish, m_snapshot);
        if (unit->active == "active"_L1)
            m_plan.levels = servingLevelOf(m_snapshot, wish);
        m_plan.xids = xidsOf(m_snapshot);
        const auto reclaim = makePlan(m_snapshot, m_diagnosis, reclaimOptions(m_plan));
        if (!reclaim)
            return fail(reclaim.error());
        m_plan.reclaim = *reclaim;
        check(facts);
        m_plan.unitLines = facts.unitLines;
        return m_plan;
    }

    /// Leftovers on its cards; what is its own is stopped first and looked at again.
    PlanOptions reclaimOptions(const RestartPlan &plan) const
    {
        PlanOptions wanted;
        wanted.grace = plan.options.grace;
        wanted.belowMib = plan.options.belowMib;
        wanted.cleanShm = true;
        wanted.concerns = [this](const Family &family) {
            return !m_plan.own.contains(family.id)
                && (m_plan.gpus.isEmpty() || std::ranges::any_of(family.gpus, [this](int gpu) { return m_plan.gpus.contains(gpu); }));
        };
        return wanted;
    }

private:
    void findOwn()
    {
        QSet<qint64> pids;
        for (const Process &process : *m_snapshot.processes) {
            if (isOf(process, m_plan.options))
                pids.insert(process.pid.value);
        }
        for (const Family &family : m_diagnosis.families) {
            const bool hasOne = std::ranges::any_of(family.members, [&](const Pid &pid) { return pids.contains(pid.value); });
            if (hasOne || family.unit == m_plan.options.unit) {
                m_plan.own += family.id;
                for (const Pid &pid : family.members)
                    pids.insert(pid.value);
            }
        }
        for (const Process &process : *m_snapshot.processes) {
            const auto identity = process.identity();
            if (identity && pids.contains(process.pid.value))
                m_plan.ownProcesses += *identity;
        }
    }

    bool isOwn(const Process &process) const
    {
        const auto identity = process.identity();
        return identity && m_plan.ownProcesses.contains(*identity);
    }

    void findGpus()
    {
        QList<int> found = m_plan.options.gpus;
        QList<PlanGpu> all;
        QSet<int> held; // by its own processes
        for (const Gpu &gpu : *m_snapshot.gpus) {
            PlanGpu planned{gpu.index, gpu.uuid, gpu.memoryUsedMib, Quantity<qint64>(0), gpu.unattributedMib};
            for (const Process &process : *m_snapshot.processes) {
                for (const ProcessGpuMemory &memory : process.gpuMemory) {
                    if (!isOwn(process) || (memory.gpu != gpu.index && (gpu.uuid.isEmpty() || memory.gpuUuid != gpu.uuid)))
                        continue;
                    held.insert(gpu.index);
                    if (planned.heldMib.isKnown())
                        planned.heldMib = memory.mib.isKnown() ? Quantity<qint64>(planned.heldMib.value() + memory.mib.value()) : memory.mib;
                }
            }
            all += planned;
            if (held.contains(gpu.index) && !found.contains(gpu.index))
                found += gpu.index;
        }
        for (const PlanGpu &planned : std::as_const(all)) {
            const bool isLimited = m_plan.options.belowMib && (found.isEmpty() || found.contains(planned.gpu));
            if (held.contains(planned.gpu) || isLimited)
                m_plan.holds += planned;
            if (found.contains(planned.gpu))
                m_plan.uuids.insert(planned.gpu, planned.uuid);
        }
        std::ranges::sort(found);
        m_plan.gpus = found;
    }

    // ---- before anything is done

    void say(Weight weight, const QString &text, const QString &advice = {}, int exitCode = 1)
    {
        m_plan.checks += RestartCheck{weight, text, advice, exitCode};
    }

    void check(const RestartFacts &facts)
    {
        say(Weight::Notice, u"%1 is %2."_s.arg(m_plan.options.unit, stateWordsOf(m_plan.unit)));
        if (m_plan.unit.load == "masked"_L1)
            say(Weight::Blocks, u"%1 is masked: systemd will not start it."_s.arg(m_plan.options.unit), u"systemctl unmask it first, if nobody means it."_s);
        else if (!m_plan.unit.load.isEmpty() && m_plan.unit.load != "loaded"_L1)
            say(Weight::Blocks, u"systemd cannot use the file of %1 (%2) %3."_s.arg(m_plan.options.unit, m_plan.unit.load, m_plan.unit.loadError));
        if (m_plan.unit.needDaemonReload)
            say(Weight::Warning, u"The file of %1 was changed since systemd read it: what starts is the old text."_s.arg(m_plan.options.unit),
                u"systemctl daemon-reload; beware: it can cut running GPU containers off their cards."_s);
        if (m_plan.gpus.isEmpty())
            say(Weight::Notice, u"Which GPUs it uses is not known: every leftover of the host counts as in its way."_s,
                u"The service's gpus in hosts.toml would narrow it."_s);
        checkCards();
        checkOthers();
        checkRoom(facts.room, facts.modelPath);
        checkText(facts.findings);
    }

    void checkCards()
    {
        for (const Problem &problem : m_snapshot.problems) {
            if (!problem.code.startsWith("gpu"_L1) || problem.severity == Problem::Severity::Notice)
                continue;
            const bool onOurs = !problem.gpu || m_plan.gpus.isEmpty() || m_plan.gpus.contains(*problem.gpu);
            const bool blocks = onOurs && problem.gpu && problem.severity == Problem::Severity::Critical;
            if (onOurs)
                say(blocks ? Weight::Blocks : Weight::Warning, problem.text, problem.advice, driverExit);
        }
        for (const int index : std::as_const(m_plan.gpus)) {
            if (std::ranges::find(*m_snapshot.gpus, index, &Gpu::index) == m_snapshot.gpus->cend())
                say(Weight::Blocks, u"GPU %1, which the service uses, is not there."_s.arg(index), {}, driverExit);
        }
    }

    /// Who holds memory on its cards and stays, a sentence a family.
    void checkOthers()
    {
        struct Stays
        {
            const Process *first = nullptr;
            QString why;
            QSet<qint64> pids;
            QSet<int> gpus;
            Quantity<qint64> mib = Quantity<qint64>(0);
        };
        QMap<QString, Stays> families;
        const QList<SignalTarget> ended = m_plan.reclaim.targets();
        for (qsizetype at = 0; at < m_diagnosis.processes.size(); ++at) {
            const Process &process = m_snapshot.processes->at(at);
            const ProcessVerdict &verdict = m_diagnosis.processes.at(at);
            if (isOwn(process) || std::ranges::any_of(ended, [&](const SignalTarget &one) { return process.identity() == one.identity; }))
                continue;
            for (const ProcessGpuMemory &memory : process.gpuMemory) {
                if ((!m_plan.gpus.isEmpty() && !m_plan.gpus.contains(memory.gpu)) || memory.mib.valueOr(littleMib) < littleMib
                    || verdict.verdict == Verdict::Infrastructure)
                    continue;
                Stays &stays = families[verdict.family.isEmpty() ? QString::number(process.pid.value) : verdict.family];
                if (!stays.first) {
                    stays.first = &process;
                    stays.why = verdict.evidence.value(0);
                }
                stays.pids.insert(process.pid.value);
                stays.gpus.insert(memory.gpu);
                if (stays.mib.isKnown())
                    stays.mib = memory.mib.isKnown() ? Quantity<qint64>(stays.mib.value() + memory.mib.value()) : memory.mib;
            }
        }
        for (const Stays &stays : std::as_const(families)) {
            const QString name = stays.first->command.isEmpty() ? stays.first->comm : stays.first->command.left(60);
            const QString others = stays.pids.size() == 1 ? QString() : u" and %1"_s.arg(counted(stays.pids.size() - 1, "other"_L1));
            say(Weight::Warning, u"PID %1 (%2)%3: not ended; holds %4 on %5."_s.arg(stays.first->pid.value).arg(name, others,
                    stays.mib.isKnown() ? QString::number(stays.mib.value()) + u" MiB"_s : u"an unknown amount"_s,
                    counted(stays.gpus.size(), "GPU"_L1)), stays.why);
        }
        for (const QString &line : std::as_const(m_plan.reclaim.left))
            say(Weight::Warning, u"A leftover is not touched: "_s + line);
    }

    void checkRoom(const RoomOutcome &room, const QString &modelPath)
    {
        const auto gib = [](qint64 kib) -> QString { return QString::number(double(kib) / (1024 * 1024), 'f', 1) + u" GiB"_s; };
        if (room.shmFreeKib && *room.shmFreeKib < littleShmKib)
            say(Weight::Warning, u"/dev/shm has only %1 left; several ranks on one host may fail to start."_s.arg(gib(*room.shmFreeKib)));
        if (room.rootFreeKib && *room.rootFreeKib < littleDiskKib)
            say(Weight::Warning, u"The root file system has only %1 left."_s.arg(gib(*room.rootFreeKib)));
        if (room.pathFreeKib && *room.pathFreeKib < littleDiskKib && room.pathFreeKib != room.rootFreeKib)
            say(Weight::Notice, u"The file system of %1 has only %2 left."_s.arg(modelPath, gib(*room.pathFreeKib)));
        if (room.pathThere == false)
            say(Weight::Blocks, u"The model's folder %1 is not there: a start would fail."_s.arg(modelPath), u"Is its file system mounted?"_s);
        const auto &system = m_snapshot.system;
        if (system.memoryAvailableKib.isKnown() && system.memoryTotalKib.isKnown()
            && double(system.memoryAvailableKib.value()) < littleMemory * double(system.memoryTotalKib.value()))
            say(Weight::Warning, u"The host has only %1 of memory available."_s.arg(gib(system.memoryAvailableKib.value())));
    }

    void checkText(const QList<UnitFinding> &findings)
    {
        qsizetype told = 0;
        for (const UnitFinding &finding : findings) {
            if (++told > mostFindings)
                break;
            const QString place = finding.line > 0 ? u"%1:%2: "_s.arg(finding.file).arg(finding.line) : QString();
            const QString instead = finding.suggestion.isEmpty() ? QString() : u"Instead: "_s + finding.suggestion;
            say(finding.severity == UnitFinding::Severity::Error ? Weight::Warning : Weight::Notice, place + finding.text, instead);
        }
        if (told > mostFindings)
            say(Weight::Notice, u"%1 more of the unit check."_s.arg(findings.size() - mostFindings), u"See pilothousectl unit TARGET U check."_s);
    }

    const Snapshot &m_snapshot;
    const Diagnosis &m_diagnosis;
    RestartPlan m_plan;
};

} // namespace

const RestartCheck *RestartPlan::blocker() const
{
    const auto at = std::ranges::find(checks, Weight::Blocks, &RestartCheck::weight);
    return at == checks.cend() ? nullptr : &*at;
}

QStringList RestartPlan::deeds() const
{
    const QString scope = options.userUnit ? u"user"_s : u"system"_s;
    QStringList lines{u"boot "_s + bootId};
    if (!options.drain.isEmpty())
        lines += u"drain: "_s + options.drain;
    if (stops)
        lines += u"stop %1 unit %2"_s.arg(scope, options.unit);
    lines += u"end what is left of %1 after that"_s.arg(options.unit);
    lines += reclaim.deeds().mid(1);
    lines += u"start %1 unit %2"_s.arg(scope, options.unit);
    if (!options.undrain.isEmpty())
        lines += u"undrain: "_s + options.undrain;
    if (options.belowMib)
        lines += u"start only below %1 MiB"_s.arg(*options.belowMib);
    return lines;
}

QString RestartPlan::id() const
{
    const QByteArray text = deeds().join(u'\n').toUtf8();
    return QString::fromLatin1(QCryptographicHash::hash(text, QCryptographicHash::Sha256).toHex().first(12));
}

Result<RestartPlan> makeRestartPlan(const Snapshot &snapshot, const Diagnosis &diagnosis, const RestartOptions &options, const RestartFacts &facts)
{
    if (!snapshot.gpus)
        return fail(ErrorCode::ToolMissing, u"The GPUs cannot be read, so nothing would show that memory came back."_s);
    if (!snapshot.processes || diagnosis.processes.size() != snapshot.processes->size())
        return fail(ErrorCode::ToolMissing, u"The host's processes cannot be read."_s);
    if (!snapshot.units)
        return fail(ErrorCode::ToolMissing, u"The host has no systemd that answers."_s);
    return Planner(snapshot, diagnosis, options).make(facts);
}

Result<Plan> planAfterStop(const RestartPlan &plan, const Snapshot &snapshot, const Diagnosis &diagnosis)
{
    QSet<ProcessIdentity> named(plan.ownProcesses.cbegin(), plan.ownProcesses.cend());
    for (const SignalTarget &target : plan.reclaim.targets())
        named.insert(target.identity);
    QSet<qint64> pids;
    for (const Process &process : snapshot.processes.value_or(QList<Process>())) {
        const auto identity = process.identity();
        if (identity && named.contains(*identity))
            pids.insert(process.pid.value);
    }
    PlanOptions wanted;
    wanted.grace = plan.options.grace;
    wanted.belowMib = plan.options.belowMib;
    wanted.cleanShm = true;
    wanted.concerns = [&](const Family &family) {
        return family.unit == plan.options.unit
            || std::ranges::any_of(family.members, [&](const Pid &pid) { return pids.contains(pid.value); });
    };
    auto after = makePlan(snapshot, diagnosis, wanted);
    if (after && snapshot.bootId != plan.bootId)
        return fail(ErrorCode::RefusedBySafety, u"The host has been booted anew since it was looked at."_s);
    return after;
}

QStringList unitLinesOf(const UnitText &text)
{
    QStringList lines;
    for (const UnitLine &line : text.lines)
        lines += withoutSecrets(QString(line.key + u'=' + line.value).toUtf8());
    return lines;
}

QString modelPathOf(const Snapshot &snapshot, const QString &unit)
{
    static const QStringList names{u"--model"_s, u"--model-path"_s, u"-m"_s, u"--model-id"_s, u"--tokenizer"_s};
    for (const Process &process : snapshot.processes.value_or(QList<Process>())) {
        if (process.owner.name != unit)
            continue;
        const QStringList &words = process.arguments;
        for (qsizetype at = 0; at < words.size(); ++at) {
            for (const QString &name : names) {
                QString value;
                if (words.at(at) == name)
                    value = words.value(at + 1);
                else if (words.at(at).startsWith(name + u'='))
                    value = words.at(at).mid(name.size() + 1);
                if (value.startsWith(u'/'))
                    return value;
            }
            if (words.at(at) == "serve"_L1 && words.value(at + 1).startsWith(u'/'))
                return words.at(at + 1);
        }
    }
    return {};
}

} // namespace pilothouse
