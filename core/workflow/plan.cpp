// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workflow/plan.h"

#include "core/diagnosis/rules.h"

#include <QCryptographicHash>

#include <algorithm>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr std::chrono::milliseconds serverGrace{15'000}; ///< for a head that can clean up
constexpr std::chrono::milliseconds orphanGrace{5'000};

void addTo(Quantity<qint64> &sum, const Quantity<qint64> &part)
{
    if (sum.isKnown())
        sum = part.isKnown() ? Quantity<qint64>(sum.value() + part.value()) : part;
}

/// Nothing can be done to it, or need be.
bool needsNothing(Verdict verdict)
{
    return verdict == Verdict::Helper || verdict == Verdict::Exiting || verdict == Verdict::Gone;
}

QString nameOf(const Process &process)
{
    const QString &text = process.command.isEmpty() ? process.comm : process.command;
    return text.size() > 120 ? QString(text.left(119) + u'…') : text;
}

class Planner
{
public:
    Planner(const Snapshot &snapshot, const Diagnosis &diagnosis, const PlanOptions &options)
        : m_snapshot(snapshot)
        , m_diagnosis(diagnosis)
        , m_options(options)
    {
    }

    Result<Plan> make()
    {
        if (!m_snapshot.gpus)
            return fail(ErrorCode::ToolMissing, u"The GPUs cannot be read, so nothing would show that memory came back."_s);
        if (!m_snapshot.processes || m_diagnosis.processes.size() != m_snapshot.processes->size())
            return fail(ErrorCode::ToolMissing, u"The host's processes cannot be read."_s);
        m_plan.host = m_snapshot.host;
        m_plan.bootId = m_snapshot.bootId;
        m_plan.asRoot = m_snapshot.system.root;
        m_plan.belowMib = m_options.belowMib;
        for (const ProcessIdentity &identity : m_options.include) {
            if (const auto named = include(identity); !named)
                return fail(named.error());
        }
        if (m_options.only) {
            if (const auto named = include(*m_options.only); !named)
                return fail(named.error());
        }
        for (const Family &family : m_diagnosis.families)
            consider(family);
        std::ranges::sort(m_plan.families, {}, &PlanFamily::id);
        findGpus();
        std::ranges::sort(m_plan.gpus, {}, &PlanGpu::gpu);
        if (m_options.cleanShm)
            findShm();
        return m_plan;
    }

private:
    struct Member
    {
        const Process *process = nullptr;
        const ProcessVerdict *verdict = nullptr;
    };

    /// A person names one process; its family comes with it.
    Result<void> include(const ProcessIdentity &identity)
    {
        const QString name = u"PID %1 (start %2)"_s.arg(identity.pid.value).arg(identity.start.value);
        const auto at = std::ranges::find_if(m_diagnosis.processes, [&](const ProcessVerdict &one) { return one.identity == identity; });
        if (at == m_diagnosis.processes.cend()) {
            return fail(ErrorCode::RefusedBySafety, u"%1 is not there as named: it is gone, or another process has its number now."_s.arg(name),
                        u"See pilothousectl holders for what is there."_s);
        }
        if (at->verdict == Verdict::Infrastructure || at->family.isEmpty())
            return fail(ErrorCode::RefusedBySafety, u"%1 is never touched: %2"_s.arg(name, at->evidence.value(0)));
        if (!mayBeNamed(*at))
            return fail(ErrorCode::RefusedBySafety, u"%1 is not to be signalled: %2"_s.arg(name, at->evidence.value(0)));
        m_included += at->family;
        return {};
    }

    QList<Member> membersOf(const Family &family) const
    {
        QList<Member> members;
        for (qsizetype at = 0; at < m_diagnosis.processes.size(); ++at) {
            if (m_diagnosis.processes.at(at).family == family.id)
                members += Member{&m_snapshot.processes->at(at), &m_diagnosis.processes.at(at)};
        }
        // Siblings start within one tick, and a snapshot lists them in any order: the plan does not.
        std::ranges::sort(members, {}, [](const Member &member) {
            return std::pair(member.process->startTicks.valueOr(0), member.process->pid.value);
        });
        return members;
    }

    /// Why a leftover is left all the same; empty: it is not.
    QString vetoOf(const Family &family, const QList<Member> &members)
    {
        if (family.verdict != Verdict::Leftover)
            return u"it is no leftover"_s;
        for (const Member &member : members) {
            if (needsNothing(member.verdict->verdict))
                continue;
            if (!member.verdict->preselected)
                return u"%1 is not ended by default: %2"_s.arg(nameOf(*member.process), member.verdict->evidence.value(0));
        }
        for (const Member &member : members) {
            if (!needsNothing(member.verdict->verdict) && !member.process->deep.peers) {
                m_plan.leftBySafety = true;
                return u"nobody looked whether it has connections to other hosts"_s;
            }
        }
        return {};
    }

    void consider(const Family &family)
    {
        const bool included = m_included.contains(family.id);
        if (!included && m_options.only)
            return;
        if (!included) {
            const bool onCards = m_options.gpus.isEmpty()
                || std::ranges::any_of(family.gpus, [&](int gpu) { return m_options.gpus.contains(gpu); });
            if (!onCards || (m_options.concerns && !m_options.concerns(family)))
                return;
        }
        const QList<Member> members = membersOf(family);
        const QString veto = included ? QString() : vetoOf(family, members);
        if (!veto.isEmpty()) {
            if (family.verdict == Verdict::Leftover)
                m_plan.left += u"Family %1: %2"_s.arg(family.id, veto);
            return;
        }
        PlanFamily planned;
        planned.id = family.id;
        planned.verdict = family.verdict;
        planned.included = included;
        planned.gpus = family.gpus;
        planned.unit = family.unit;
        bool headCleansUp = false;
        for (const Member &member : members) {
            if (needsNothing(member.verdict->verdict)) {
                if (member.verdict->verdict == Verdict::Helper)
                    planned.spared += u"%1 %2"_s.arg(member.process->pid.value).arg(nameOf(*member.process));
                continue;
            }
            if (!member.verdict->identity) { // whole or not at all
                m_plan.left += u"Family %1: PID %2 has no identity."_s.arg(family.id).arg(member.process->pid.value);
                return;
            }
            const bool first = family.head ? member.process->pid == *family.head : true;
            const RoleRule *role = Rules::builtIn().roleOf(*member.process);
            headCleansUp = headCleansUp || (first && role && role->roleClass == RoleClass::Server);
            if (first || planned.why.isEmpty())
                planned.why = member.verdict->evidence.value(0);
            if (member.verdict->action == ProposedAction::StopUnit) {
                planned.stopUnit = family.unit;
                planned.userUnit = member.process->owner.kind == Owner::Kind::UserUnit;
            }
            planned.targets += targetOf(member, first);
        }
        if (m_options.only) {
            planned.targets.removeIf([&](const PlanTarget &one) { return one.process.identity != *m_options.only; });
            m_plan.left += u"Family %1: only one of its processes was named."_s.arg(family.id);
        }
        if (planned.targets.isEmpty())
            return;
        // Of a family whose head is on its way out the others are asked.
        if (std::ranges::none_of(planned.targets, &PlanTarget::first)) {
            for (PlanTarget &target : planned.targets)
                target.first = true;
        }
        planned.grace = m_options.grace.value_or(headCleansUp ? serverGrace : orphanGrace);
        m_plan.families += planned;
    }

    static PlanTarget targetOf(const Member &member, bool first)
    {
        PlanTarget target;
        target.process.identity = *member.verdict->identity;
        target.process.uid = member.process->uid.optional();
        target.process.cgroup = member.process->cgroup;
        target.process.name = nameOf(*member.process);
        target.role = member.verdict->role;
        target.first = first;
        // Locked memory where it is told; the whole resident memory is the most that it can be.
        target.pinnedKib = std::max<qint64>(0, member.process->deep.lockedKib.value_or(member.process->rssKib.valueOr(0)));
        return target;
    }

    void findGpus()
    {
        for (const Gpu &gpu : *m_snapshot.gpus) {
            PlanGpu planned{gpu.index, gpu.uuid, gpu.memoryUsedMib, Quantity<qint64>(0), gpu.unattributedMib};
            bool concerned = false;
            for (const Process &process : *m_snapshot.processes) {
                const auto identity = process.identity();
                if (!identity || !isTarget(*identity))
                    continue;
                for (const ProcessGpuMemory &memory : process.gpuMemory) {
                    if (memory.gpu != gpu.index && (gpu.uuid.isEmpty() || memory.gpuUuid != gpu.uuid))
                        continue;
                    concerned = true;
                    addTo(planned.heldMib, memory.mib);
                }
            }
            if (concerned)
                m_plan.gpus += planned;
        }
    }

    /// Files whose users are all of the plan. While a server starts, a rank may just be about to open one.
    void findShm()
    {
        const bool starting = std::ranges::any_of(m_diagnosis.families, [&](const Family &family) {
            return family.verdict == Verdict::Starting && std::ranges::find(m_plan.families, family.id, &PlanFamily::id) == m_plan.families.end();
        });
        for (const ShmFile &file : m_snapshot.shm.value_or(QList<ShmFile>())) {
            const QString name = file.path.startsWith("/dev/shm/"_L1) ? file.path.mid(9) : QString();
            const bool ours = file.mappedBy && !file.mappedBy->isEmpty()
                && std::ranges::all_of(*file.mappedBy, [&](qint64 pid) { return isTargetPid(pid); });
            if (ours && isShmName(name) && file.inode > 0 && file.uid >= 0 && !starting)
                m_plan.shm += ShmTarget{name, file.device, file.inode, file.uid};
        }
        std::ranges::sort(m_plan.shm, {}, &ShmTarget::name);
    }

    bool isTargetPid(qint64 pid) const
    {
        const QList<SignalTarget> all = m_plan.targets();
        return std::ranges::any_of(all, [&](const SignalTarget &target) { return target.identity.pid.value == pid; });
    }

    bool isTarget(const ProcessIdentity &identity) const
    {
        return std::ranges::any_of(m_plan.families, [&](const PlanFamily &family) {
            return std::ranges::any_of(family.targets, [&](const PlanTarget &one) { return one.process.identity == identity; });
        });
    }

    const Snapshot &m_snapshot;
    const Diagnosis &m_diagnosis;
    const PlanOptions &m_options;
    QStringList m_included; ///< ids of families
    Plan m_plan;
};

} // namespace

QList<SignalTarget> Plan::targets() const
{
    QList<SignalTarget> all;
    for (const PlanFamily &family : families) {
        for (const PlanTarget &target : family.targets)
            all += target.process;
    }
    return all;
}

QList<SignalTarget> Plan::heads() const
{
    QList<SignalTarget> first;
    for (const PlanFamily &family : families) {
        for (const PlanTarget &target : family.targets) {
            if (target.first)
                first += target.process;
        }
    }
    return first;
}

qint64 Plan::pinnedKib() const
{
    qint64 most = 0; // they are given back side by side
    for (const PlanFamily &family : families) {
        for (const PlanTarget &target : family.targets)
            most = std::max(most, target.pinnedKib);
    }
    return most;
}

QStringList Plan::deeds() const
{
    QStringList lines{u"boot "_s + bootId};
    for (const PlanFamily &family : families) {
        if (!family.stopUnit.isEmpty())
            lines += u"stop %1 unit %2"_s.arg(family.userUnit ? u"user"_s : u"system"_s, family.stopUnit);
        for (const PlanTarget &target : family.targets) {
            lines += u"%1 %2:%3 of family %4, SIGKILL after %5 ms"_s.arg(target.first ? u"SIGTERM"_s : u"follow"_s)
                         .arg(target.process.identity.pid.value).arg(target.process.identity.start.value)
                         .arg(family.id).arg(family.grace.count());
        }
    }
    for (const PlanGpu &gpu : gpus)
        lines += u"wait for GPU %1 %2"_s.arg(gpu.gpu).arg(gpu.uuid);
    for (const ShmTarget &file : shm)
        lines += u"remove /dev/shm/%1 (device %2, inode %3) if nobody uses it"_s.arg(file.name).arg(file.device).arg(file.inode);
    if (belowMib)
        lines += u"until below %1 MiB"_s.arg(*belowMib);
    return lines;
}

QString Plan::id() const
{
    const QByteArray text = deeds().join(u'\n').toUtf8();
    return QString::fromLatin1(QCryptographicHash::hash(text, QCryptographicHash::Sha256).toHex().first(12));
}

Result<Plan> makePlan(const Snapshot &snapshot, const Diagnosis &diagnosis, const PlanOptions &options)
{
    return Planner(snapshot, diagnosis, options).make();
}

bool mayBeNamed(const ProcessVerdict &verdict)
{
    return verdict.identity && !verdict.family.isEmpty() && verdict.verdict != Verdict::Infrastructure
        && verdict.verdict != Verdict::Stuck && !needsNothing(verdict.verdict);
}

QStringList differenceOf(const QStringList &before, const QStringList &after)
{
    QStringList lines;
    for (const QString &line : before) {
        if (!after.contains(line))
            lines += u"- "_s + line;
    }
    for (const QString &line : after) {
        if (!before.contains(line))
            lines += u"+ "_s + line;
    }
    return lines;
}

} // namespace pilothouse
