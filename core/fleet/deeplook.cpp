// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/fleet/deeplook.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

/// Codes that only a deep snapshot can have.
bool isOfDeepLooks(const Problem &problem)
{
    static constexpr std::array codes{u"gpu.xid",        u"gpu.sxid",          u"gpu.off_the_bus",
                                      u"host.oom_kill",  u"host.hung_task",    u"host.not_root",
                                      u"section.shm",    u"section.listening", u"section.kernel_log"};
    return std::ranges::any_of(codes, [&](const char16_t *code) { return problem.code == QStringView(code); });
}

} // namespace

QSet<QString> memoryWithoutHolder(const Snapshot &snapshot, int thresholdMib)
{
    QSet<QString> names;
    const SystemFacts &system = snapshot.system;
    if (system.container || (system.hidepid && !system.root))
        return names; // no look from here finds a process that this view does not have
    for (const Gpu &gpu : snapshot.gpus.value_or(QList<Gpu>())) {
        if (gpu.unattributedMib.valueOr(0) >= thresholdMib)
            names += gpu.uuid.isEmpty() ? gpu.busId : gpu.uuid;
    }
    for (const Process &process : snapshot.processes.value_or(QList<Process>())) {
        const auto holds = [&](const ProcessGpuMemory &part) {
            return part.mib.valueOr(0) >= thresholdMib;
        };
        if (!process.state && !process.rowsUnreadable
            && std::ranges::any_of(process.gpuMemory, holds))
            names += u"pid "_s + QString::number(process.pid.value);
    }
    return names;
}

DeepLook::DeepLook(std::chrono::milliseconds again) : m_again(again) { }

void DeepLook::setThreshold(int mib)
{
    m_thresholdMib = mib;
}

void DeepLook::learn(const Snapshot &snapshot)
{
    if (m_thresholdMib <= 0)
        return;
    m_before = std::exchange(m_now, memoryWithoutHolder(snapshot, m_thresholdMib));
    m_looked.intersect(m_now); // what came back to its holder and is lost again is a new picture
    if (m_now.isEmpty() || snapshot.depth == Depth::Deep)
        m_kept.clear();
    if (!m_now.isEmpty() && snapshot.depth == Depth::Deep)
        std::ranges::copy_if(snapshot.problems, std::back_inserter(m_kept), isOfDeepLooks);
}

bool DeepLook::isDue(qint64 nowMs) const
{
    if (m_thresholdMib <= 0)
        return false;
    const QSet<QString> steady = QSet<QString>(m_now).intersect(m_before);
    if (steady.isEmpty())
        return false;
    return !m_looked.contains(steady) || !m_lastMs || nowMs - *m_lastMs >= m_again.count();
}

void DeepLook::begin(qint64 nowMs)
{
    m_lastMs = nowMs;
    m_looked = m_now;
}

} // namespace pilothouse
