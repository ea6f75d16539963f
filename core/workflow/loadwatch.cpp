// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workflow/loadwatch.h"

#include "core/workflow/rootcause.h"

namespace pilothouse {

using namespace Qt::StringLiterals;
using std::chrono::milliseconds;

namespace {

constexpr qint64 growthMib = 32;  ///< less may be somebody's jitter
constexpr double workS = 2;       ///< of processor time: a rank that compiles works, one that waits does not

} // namespace

QString spanInWords(milliseconds time)
{
    const qint64 seconds = (time.count() + 500) / 1000;
    if (seconds < 120)
        return u"%1 s"_s.arg(seconds);
    if (seconds < 7200)
        return seconds % 60 == 0 ? u"%1 min"_s.arg(seconds / 60) : u"%1 min %2 s"_s.arg(seconds / 60).arg(seconds % 60);
    return u"%1 h %2 min"_s.arg(seconds / 3600).arg(seconds % 3600 / 60);
}

LoadWatch::LoadWatch(QList<int> gpus, std::optional<qint64> expectedMib, std::optional<milliseconds> usual)
    : m_gpus(std::move(gpus))
    , m_expectedMib(expectedMib)
    , m_usual(usual)
{
}

void LoadWatch::begin(qint64 nowMs)
{
    m_start = m_progress = nowMs;
}

void LoadWatch::take(const Snapshot &snapshot, const QSet<qint64> &unitPids, qint64 nowMs)
{
    qint64 used = 0;
    bool known = snapshot.gpus.has_value();
    for (const Gpu &gpu : snapshot.gpus.value_or(QList<Gpu>())) {
        if (!m_gpus.isEmpty() && !m_gpus.contains(gpu.index))
            continue;
        known = known && gpu.memoryUsedMib.isKnown();
        used += gpu.memoryUsedMib.valueOr(0);
    }
    if (known) {
        if (m_usedMib && used >= m_mostMib + growthMib)
            m_progress = nowMs;
        m_mostMib = m_usedMib ? std::max(m_mostMib, used) : used;
        m_usedMib = used;
    }
    double cpuS = 0;
    for (const Process &process : snapshot.processes.value_or(QList<Process>())) {
        if (unitPids.contains(process.pid.value))
            cpuS += process.cpuS.valueOr(0);
    }
    if (cpuS >= m_mostCpuS + workS) {
        m_mostCpuS = cpuS;
        m_progress = nowMs;
    }
}

void LoadWatch::takeLog(const QStringList &lines, qint64 nowMs)
{
    for (const QString &line : lines) {
        if (const QString phase = loadPhaseOf(line); !phase.isEmpty()) {
            if (phase != m_phase)
                m_progress = nowMs;
            m_phase = phase;
        }
    }
}

bool LoadWatch::isLate(qint64 nowMs, milliseconds slow) const
{
    const qint64 limit = m_usual ? m_usual->count() * 3 / 2 : slow.count();
    return nowMs - m_start > limit;
}

QString LoadWatch::words(qint64 nowMs) const
{
    const auto gib = [](qint64 mib) { return QString::number(double(mib) / 1024, 'f', mib < 10 * 1024 ? 1 : 0); };
    QStringList parts;
    if (!m_phase.isEmpty())
        parts += m_phase;
    if (m_usedMib && m_expectedMib)
        parts += u"%1 of %2 GiB on its GPUs"_s.arg(gib(*m_usedMib), gib(*m_expectedMib));
    else if (m_usedMib)
        parts += u"%1 GiB on its GPUs"_s.arg(gib(*m_usedMib));
    const QString spent = spanInWords(milliseconds(nowMs - m_start));
    parts += m_usual ? u"%1 of usually %2"_s.arg(spent, spanInWords(*m_usual)) : spent;
    return parts.join(u"; "_s);
}

} // namespace pilothouse
