// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diagnosis/figures.h"

#include "core/diagnosis/evidence.h"

#include <algorithm>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 unlearnedIdleMib = 500; ///< where no idle value is learned, less than this is taken for one

/// A sum that becomes unknown with its first unknown part.
void addTo(Quantity<qint64> &sum, const Quantity<qint64> &part)
{
    if (!sum.isKnown())
        return;
    if (part.isKnown())
        sum = sum.value() + part.value();
    else
        sum = part;
}

Quantity<qint64> beyondIdle(const Gpu &gpu, const Lineage &lineage)
{
    if (!gpu.unattributedMib.isKnown())
        return gpu.unattributedMib;
    const auto idle = lineage.idleMib.constFind(gpu.uuid);
    const bool learned = idle != lineage.idleMib.cend() && !gpu.uuid.isEmpty();
    const qint64 beyond = gpu.unattributedMib.value() - (learned ? *idle : 0);
    return beyond > (learned ? holderMib : unlearnedIdleMib) ? beyond : 0;
}

bool fallsSince(const Ground &ground, const GpuHolding &holding)
{
    if (ground.minute.isEmpty() || !holding.unattributedMib.isKnown())
        return false;
    const auto before = ground.minute.last().unattributedMib.constFind(holding.uuid);
    return before != ground.minute.last().unattributedMib.cend() && *before - holding.unattributedMib.value() > holderMib;
}

class HostJudge
{
public:
    HostJudge(const Ground &ground, const Diagnosis &diagnosis, const QList<JudgedFamily> &families)
        : m_ground(ground)
        , m_diagnosis(diagnosis)
        , m_families(families)
        , m_snapshot(ground.input.snapshot)
    {
    }

    HostVerdict run()
    {
        m_host.heldMib = m_host.reclaimableMib = Quantity<qint64>(0);
        for (const GpuHolding &holding : m_diagnosis.gpus) {
            addTo(m_host.heldMib, holding.heldMib);
            addTo(m_host.reclaimableMib, holding.reclaimableMib);
        }
        findCauses();
        m_host.state = state();
        if (!m_snapshot.gpus)
            m_host.heldMib = m_host.reclaimableMib = Quantity<qint64>::unknown(UnknownReason::Failed);
        m_host.since = since();
        m_host.text = text();
        return m_host;
    }

private:
    bool any(Verdict verdict, bool holding) const
    {
        for (qsizetype at = 0; at < m_diagnosis.processes.size(); ++at) {
            if (m_diagnosis.processes.at(at).verdict == verdict && (!holding || m_ground.table.row(at).holds))
                return true;
        }
        return false;
    }
    bool anyFamily(Verdict verdict) const
    {
        return std::ranges::any_of(m_families, [&](const JudgedFamily &family) { return family.verdict == verdict; });
    }
    bool unattributed() const
    {
        return std::ranges::any_of(m_diagnosis.gpus, [](const GpuHolding &g) { return g.unattributedMib.valueOr(0) > 0; });
    }
    bool falls() const
    {
        return std::ranges::any_of(m_diagnosis.gpus, [&](const GpuHolding &holding) { return fallsSince(m_ground, holding); });
    }

    void findCauses()
    {
        const auto &rows = m_ground.table.rows();
        const auto add = [&](bool applies, const QString &cause) {
            if (applies)
                m_host.causes += cause;
        };
        add(std::ranges::any_of(rows, [](const TableRow &row) { return row.present && row.process->state == u'Z'
                && row.process->threads.valueOr(1) <= 1; }), u"C5"_s);
        add(unattributed() && falls(), u"C8"_s);
        add(std::ranges::any_of(rows, [](const TableRow &row) { return row.roleClass == RoleClass::Mps && row.holds; }), u"C10"_s);
        add(m_snapshot.gpuSource.status == GpuSource::Status::Hung, u"C14"_s);
    }

    HostState state() const
    {
        if (!m_snapshot.gpus)
            return HostState::Unknown;
        if (any(Verdict::Stuck, true))
            return HostState::Stuck;
        if (any(Verdict::Leftover, true))
            return HostState::Leftover;
        if (any(Verdict::Exiting, true) || (unattributed() && falls()))
            return HostState::Releasing;
        if (anyFamily(Verdict::Starting))
            return HostState::Starting;
        if (anyFamily(Verdict::Serving))
            return HostState::Serving;
        if (std::ranges::any_of(m_ground.table.rows(), [](const TableRow &row) { return row.listed; }) || unattributed())
            return HostState::Busy;
        bool known = m_snapshot.processes.has_value();
        for (const Gpu &gpu : *m_snapshot.gpus) {
            if (gpu.memoryUsedMib.valueOr(0) >= m_ground.input.thresholdMib)
                return HostState::Busy;
            known = known && (gpu.memoryUsedMib.isKnown() || (gpu.unifiedMemory && gpu.fault.isEmpty()));
        }
        return known ? HostState::Free : HostState::Unknown;
    }

    QDateTime since() const
    {
        QDateTime first;
        const auto earlier = [&](const QDateTime &at) {
            if (at.isValid() && (!first.isValid() || at < first))
                first = at;
        };
        const Verdict verdict = m_host.state == HostState::Leftover ? Verdict::Leftover
            : m_host.state == HostState::Starting ? Verdict::Starting
                                                  : Verdict::Serving;
        if (m_host.state == HostState::Stuck) {
            for (const QDateTime &at : m_ground.input.lineage.killPendingSince)
                earlier(at);
        } else if (m_host.state == HostState::Leftover || m_host.state == HostState::Starting
            || m_host.state == HostState::Serving) {
            for (const JudgedFamily &family : m_families) {
                if (family.verdict == verdict)
                    earlier(sinceOf(family));
            }
        }
        return first;
    }

    QDateTime sinceOf(const JudgedFamily &family) const
    {
        if (family.verdict != Verdict::Leftover) {
            const qsizetype at = family.kin.head >= 0 ? family.kin.head : family.kin.rows.first();
            const Quantity<double> &age = m_ground.table.row(at).process->elapsedS;
            return age.isKnown() ? m_snapshot.takenAt.addMSecs(-qint64(age.value() * 1000)) : QDateTime();
        }
        const Unit *unit = family.facts.unit;
        if (unit && (unit->active == "failed"_L1 || unit->active == "inactive"_L1) && unit->hostSince.isValid())
            return unit->hostSince;
        return family.kin.remembered ? family.kin.remembered->healthyAt : QDateTime();
    }

    QString held() const
    {
        if (!m_host.heldMib.isKnown())
            return u"An unknown amount"_s;
        return u"%1 GiB"_s.arg(QString::number(double(m_host.heldMib.value()) / 1024, 'f', 1));
    }

    QString namesOf(Verdict verdict) const
    {
        QStringList names;
        for (const JudgedFamily &family : m_families) {
            const TableRow &row = m_ground.table.row(family.kin.first >= 0 ? family.kin.first : family.kin.rows.first());
            const QString name = row.isDependent() || row.isHead() ? row.engine() : row.role;
            if (family.verdict == verdict && !names.contains(name))
                names += name;
        }
        return names.join(u", "_s);
    }

    QString text() const
    {
        switch (m_host.state) {
        case HostState::Stuck:
            return u"%1 is held by a process that is stuck inside the kernel; only a reboot frees it."_s.arg(held());
        case HostState::Leftover: {
            const QString back = m_host.reclaimableMib.isKnown() && m_host.reclaimableMib.value() == 0
                ? u" Nothing of it is freed by default."_s : QString();
            return u"%1 is held by what a server left behind (%2)."_s.arg(held(), namesOf(Verdict::Leftover)) + back;
        }
        case HostState::Releasing: return u"The kernel is giving memory back."_s;
        case HostState::Starting: return u"A server is starting (%1)."_s.arg(namesOf(Verdict::Starting));
        case HostState::Serving: return u"It serves (%1)."_s.arg(namesOf(Verdict::Serving));
        case HostState::Busy:
            if (unattributed())
                return u"%1 is held by nobody who can be seen from here: a forked heir, a closing driver, an importer, "
                       "a container or another account."_s.arg(held());
            return u"Its memory is in use."_s;
        case HostState::Free: return u"Its memory is free."_s;
        case HostState::Unknown: break;
        }
        if (m_snapshot.gpuSource.status == GpuSource::Status::Hung)
            return u"nvidia-smi is stuck in the driver, so nobody knows who holds what; where it stays so, only a reboot helps."_s;
        return u"Who holds what cannot be told: the GPUs' figures could not be read."_s;
    }

    const Ground &m_ground;
    const Diagnosis &m_diagnosis;
    const QList<JudgedFamily> &m_families;
    const Snapshot &m_snapshot;
    HostVerdict m_host;
};

} // namespace

QList<GpuHolding> holdingsOf(const Ground &ground, const QList<ProcessVerdict> &processes)
{
    QList<GpuHolding> holdings;
    for (const Gpu &gpu : ground.input.snapshot.gpus.value_or(QList<Gpu>())) {
        GpuHolding holding;
        holding.gpu = gpu.index;
        holding.uuid = gpu.uuid;
        holding.heldMib = holding.reclaimableMib = Quantity<qint64>(0);
        holding.unattributedMib = beyondIdle(gpu, ground.input.lineage);
        for (qsizetype at = 0; at < processes.size(); ++at) {
            const ProcessVerdict &judged = processes.at(at);
            const Process &process = *ground.table.row(at).process;
            for (const ProcessGpuMemory &memory : process.gpuMemory) {
                if (memory.gpu != gpu.index && (memory.gpuUuid.isEmpty() || memory.gpuUuid != gpu.uuid))
                    continue;
                if (judged.verdict == Verdict::Gone)
                    addTo(holding.unattributedMib, memory.mib); // booked on nobody
                if (judged.verdict == Verdict::Leftover || judged.verdict == Verdict::Stuck)
                    addTo(holding.heldMib, memory.mib);
                if (judged.preselected)
                    addTo(holding.reclaimableMib, memory.mib);
            }
        }
        addTo(holding.heldMib, holding.unattributedMib);
        holdings += holding;
    }
    return holdings;
}

HostVerdict hostVerdictOf(const Ground &ground, const Diagnosis &diagnosis, const QList<JudgedFamily> &families)
{
    return HostJudge(ground, diagnosis, families).run();
}

} // namespace pilothouse
