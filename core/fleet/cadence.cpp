// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/fleet/cadence.h"

#include <algorithm>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

QString seconds(double milliseconds)
{
    const double s = milliseconds / 1000;
    return QString::number(s, 'f', s == double(qRound64(s)) ? 0 : 1) + u" s"_s;
}

} // namespace

bool readingWakesGpus(const Snapshot &snapshot)
{
    if (!snapshot.gpus || !snapshot.processes || snapshot.gpus->isEmpty())
        return false;
    const auto off = [](const Gpu &gpu) { return gpu.persistence.isKnown() && !gpu.persistence.value(); };
    const auto used = [](const Process &process) { return !process.gpuMemory.isEmpty(); };
    return std::ranges::any_of(*snapshot.gpus, off) && std::ranges::none_of(*snapshot.processes, used);
}

Cadence::Cadence(std::chrono::milliseconds slowTool, std::chrono::milliseconds slowest)
    : m_slowTool(slowTool)
    , m_slowest(slowest)
{
}

void Cadence::setWish(std::chrono::milliseconds wish)
{
    m_wish = std::max(wish, std::chrono::milliseconds(0));
}

std::chrono::milliseconds Cadence::current() const
{
    std::chrono::milliseconds cadence = m_wish;
    for (int i = 0; i < m_doublings && cadence < m_slowest; ++i)
        cadence = std::min(cadence * 2, m_slowest);
    return std::max(cadence, m_wish);
}

std::optional<Problem> Cadence::learn(const Snapshot &snapshot)
{
    const double toolMs = snapshot.gpuSource.durationMs.valueOr(0);
    const bool slow = toolMs > double(m_slowTool.count());
    const bool wakes = readingWakesGpus(snapshot);
    if (!slow && !wakes) {
        m_doublings = 0;
        return std::nullopt;
    }
    if (current() < m_slowest)
        ++m_doublings;
    // The snapshot may say it already, with the reason.
    const bool said = wakes && std::ranges::any_of(snapshot.problems, [](const Problem &problem) {
        return problem.code == u"gpu.polling_wakes";
    });
    if (current() <= m_wish || m_wish.count() == 0 || said)
        return std::nullopt;
    Problem problem;
    problem.code = u"poll.slowed"_s;
    const QString why = wakes ? u"persistence mode is off and nothing is on the GPUs, so that each reading wakes them"_s
                              : u"nvidia-smi took "_s + seconds(toolMs);
    problem.text = u"Read every %1 instead of every %2: %3."_s.arg(seconds(double(current().count())),
                                                                  seconds(double(m_wish.count())), why);
    if (wakes)
        problem.advice = u"Switch persistence mode on (nvidia-persistenced, or nvidia-smi -pm 1)."_s;
    return problem;
}

} // namespace pilothouse
