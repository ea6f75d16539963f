// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workflow/memorywatch.h"

#include <algorithm>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 trifleMib = 64;     ///< a figure wavers that much by itself
constexpr qint64 fallMib = 16;
constexpr qint64 stillFallsMs = 5'000;

} // namespace

MemoryWatch::MemoryWatch(QList<PlanGpu> gpus, const QList<SignalTarget> &targets, qint64 pinnedKib, std::optional<qint64> belowMib)
    : m_gpus(std::move(gpus))
    , m_below(belowMib)
    , m_expectedMs(10'000 + qint64(150.0 * double(pinnedKib) / (1024.0 * 1024.0)))
{
    for (const SignalTarget &target : targets) {
        m_identities.insert(target.identity);
        m_pids.insert(target.identity.pid.value);
    }
}

void MemoryWatch::begin(qint64 nowMs)
{
    m_start = m_fell = nowMs;
}

MemoryWatch::Reading MemoryWatch::read(const PlanGpu &planned, const Snapshot &snapshot) const
{
    Reading reading;
    reading.outstanding = Quantity<qint64>::unknown(UnknownReason::Failed);
    reading.used = reading.outstanding;
    if (!snapshot.gpus || !snapshot.processes)
        return reading;
    const auto at = std::ranges::find_if(*snapshot.gpus, [&](const Gpu &gpu) {
        return planned.uuid.isEmpty() ? gpu.index == planned.gpu : gpu.uuid == planned.uuid;
    });
    if (at == snapshot.gpus->cend() || !at->fault.isEmpty())
        return reading;
    reading.used = at->memoryUsedMib;

    // What the driver still books on them; a dead one's number may stand there while the kernel gives its memory back.
    Quantity<qint64> booked(0);
    bool listed = false;
    for (const Process &process : *snapshot.processes) {
        const auto identity = process.identity();
        if (identity ? !m_identities.contains(*identity) : !m_pids.contains(process.pid.value))
            continue;
        for (const ProcessGpuMemory &memory : process.gpuMemory) {
            if (memory.gpu != at->index && (at->uuid.isEmpty() || memory.gpuUuid != at->uuid))
                continue;
            listed = true;
            if (booked.isKnown())
                booked = memory.mib.isKnown() ? Quantity<qint64>(booked.value() + memory.mib.value()) : memory.mib;
        }
    }
    // And what is booked on nobody since.
    Quantity<qint64> nobodys = Quantity<qint64>::unknown(UnknownReason::Failed);
    if (at->unattributedMib.isKnown() && planned.unattributedMib.isKnown())
        nobodys = std::max<qint64>(0, at->unattributedMib.value() - planned.unattributedMib.value());
    else if (at->memoryUsedMib.isKnown() && planned.usedMib.isKnown() && planned.heldMib.isKnown())
        nobodys = std::max<qint64>(0, at->memoryUsedMib.value() - (planned.usedMib.value() - planned.heldMib.value()) - booked.valueOr(0));
    if (nobodys.isKnown() && booked.isKnown())
        reading.outstanding = booked.value() + nobodys.value();
    reading.back = !listed && nobodys.isKnown() && nobodys.value() <= trifleMib && at->memoryUsedMib.isKnown()
        && (!m_below || at->memoryUsedMib.value() < *m_below);
    return reading;
}

MemoryWatch::State MemoryWatch::take(const Snapshot &snapshot, qint64 nowMs)
{
    const Quantity<qint64> before = m_outstanding;
    m_missing.clear();
    m_used.clear();
    m_outstanding = 0;
    for (const PlanGpu &planned : std::as_const(m_gpus)) {
        const Reading reading = read(planned, snapshot);
        m_used += reading.used;
        if (!reading.back)
            m_missing += planned.gpu;
        if (m_outstanding.isKnown()) {
            m_outstanding = reading.outstanding.isKnown() ? Quantity<qint64>(m_outstanding.value() + reading.outstanding.value())
                                                          : reading.outstanding;
        }
    }
    m_steady = m_missing.isEmpty() ? m_steady + 1 : 0;
    if (m_steady >= steadyReadings)
        return State::Back;
    if (before.isKnown() && m_outstanding.isKnown() && before.value() - m_outstanding.value() >= fallMib)
        m_fell = nowMs;
    const bool late = nowMs - m_start > 3 * m_expectedMs;
    return late && nowMs - m_fell > stillFallsMs && m_steady == 0 ? State::GivenUp : State::Waiting;
}

QString MemoryWatch::words() const
{
    if (m_missing.isEmpty())
        return u"all that they held is back"_s;
    QStringList names;
    for (const int gpu : m_missing)
        names += QString::number(gpu);
    QString amount = u"how much cannot be read"_s;
    if (m_outstanding.isKnown())
        amount = u"%1 MiB to come"_s.arg(m_outstanding.value());
    return u"GPU %1 not yet; %2"_s.arg(names.join(u", "_s), amount);
}

} // namespace pilothouse
