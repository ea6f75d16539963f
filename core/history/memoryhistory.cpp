// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/history/memoryhistory.h"

#include <QSet>

#include <algorithm>
#include <limits>

namespace pilothouse {

namespace {

constexpr double noValue = std::numeric_limits<double>::quiet_NaN();
constexpr qint64 slowestCadenceMs = 60'000;

auto firstAtOrAfter(const std::deque<MemorySample> &samples, qint64 atMs)
{
    return std::ranges::lower_bound(samples, atMs, {}, &MemorySample::atMs);
}

/// Smallest, largest and the last gap of one bucket, written out in the order in which they came.
class Bucket final
{
public:
    void take(const MemorySample &sample)
    {
        if (sample.isGap()) {
            m_gap = sample;
            return;
        }
        if (!m_low || sample.mib < m_low->mib)
            m_low = sample;
        if (!m_high || sample.mib > m_high->mib)
            m_high = sample;
    }
    void flush(std::vector<MemorySample> &out)
    {
        const std::size_t start = out.size();
        if (m_low)
            out.push_back(*m_low);
        if (m_high && m_high->atMs != m_low->atMs)
            out.push_back(*m_high);
        if (m_gap)
            out.push_back(*m_gap);
        std::sort(out.begin() + static_cast<std::ptrdiff_t>(start), out.end(),
                  [](const MemorySample &a, const MemorySample &b) { return a.atMs < b.atMs; });
        *this = {};
    }

private:
    std::optional<MemorySample> m_low;
    std::optional<MemorySample> m_high;
    std::optional<MemorySample> m_gap;
};

} // namespace

QString seriesKeyOf(const Gpu &gpu)
{
    if (!gpu.uuid.isEmpty())
        return gpu.uuid;
    if (!gpu.busId.isEmpty())
        return gpu.busId;
    return QStringLiteral("#%1").arg(gpu.index);
}

MemoryHistory::MemoryHistory(HistoryLimits limits)
    : m_limits(limits)
{
}

void MemoryHistory::add(const Snapshot &snapshot, std::chrono::milliseconds interval)
{
    const qint64 atMs = snapshot.takenAt.toMSecsSinceEpoch();
    dropFuture(atMs);
    if (isSilence(atMs, interval))
        addGap(m_lastMs + 1);
    QSet<QString> seen;
    if (snapshot.gpus) {
        for (const Gpu &gpu : *snapshot.gpus) {
            const QString key = seriesKeyOf(gpu);
            if (seen.contains(key))
                continue;
            seen.insert(key);
            MemorySeries &series = seriesFor(key);
            series.index = gpu.index;
            series.name = gpu.name;
            series.totalMib = static_cast<double>(gpu.memoryTotalMib.valueOr(0));
            const bool known = gpu.memoryUsedMib.isKnown() && gpu.fault.isEmpty();
            append(series, {atMs, known ? static_cast<double>(gpu.memoryUsedMib.value()) : noValue});
        }
    }
    for (MemorySeries &series : m_series) {
        if (!seen.contains(series.key))
            append(series, {atMs, noValue});
    }
    if (m_lastMs > 0)
        m_spacingMs = std::min(atMs - m_lastMs, slowestCadenceMs);
    m_lastMs = atMs;
}

void MemoryHistory::addMark(MemoryMark mark)
{
    m_marks.push_back(std::move(mark));
    while (m_marks.size() > m_limits.marks
           || (!m_marks.empty() && m_marks.front().atMs < m_lastMs - m_limits.keepMs))
        m_marks.pop_front();
}

void MemoryHistory::addGap(qint64 atMs)
{
    for (MemorySeries &series : m_series) {
        const qint64 last = series.samples.empty() ? atMs : series.samples.back().atMs;
        append(series, {std::max(atMs, last + 1), noValue});
    }
}

const MemorySeries *MemoryHistory::find(const QString &key) const
{
    const auto it = std::ranges::find(m_series, key, &MemorySeries::key);
    return it == m_series.end() ? nullptr : &*it;
}

double MemoryHistory::ceilingMib() const
{
    double total = 0;
    double used = 0;
    for (const MemorySeries &series : m_series) {
        total = std::max(total, series.totalMib);
        for (const MemorySample &sample : series.samples) {
            if (!sample.isGap())
                used = std::max(used, sample.mib);
        }
    }
    return std::max(total, used);
}

MemorySeries &MemoryHistory::seriesFor(const QString &key)
{
    const auto found = std::ranges::find(m_series, key, &MemorySeries::key);
    if (found != m_series.end())
        return *found;
    if (m_series.size() >= m_limits.series) {
        // A host that invents new cards all the time must not grow us: the one unseen for longest goes.
        const auto lastKnown = [](const MemorySeries &series) {
            const auto it = std::find_if(series.samples.rbegin(), series.samples.rend(),
                                         [](const MemorySample &sample) { return !sample.isGap(); });
            return it == series.samples.rend() ? qint64{0} : it->atMs;
        };
        m_series.erase(std::ranges::min_element(m_series, {}, lastKnown));
    }
    int slot = 0;
    while (std::ranges::find(m_series, slot, &MemorySeries::slot) != m_series.end())
        ++slot;
    MemorySeries series;
    series.key = key;
    series.slot = slot;
    const auto place = std::ranges::upper_bound(m_series, slot, {}, &MemorySeries::slot);
    return *m_series.insert(place, std::move(series));
}

void MemoryHistory::append(MemorySeries &series, MemorySample sample)
{
    std::deque<MemorySample> &samples = series.samples;
    if (sample.isGap() && (samples.empty() || samples.back().isGap()))
        return; // one mark is a gap; a longer one needs no more
    samples.push_back(sample);
    while (samples.size() > m_limits.samples || samples.front().atMs < sample.atMs - m_limits.keepMs)
        samples.pop_front();
}

void MemoryHistory::dropFuture(qint64 atMs)
{
    if (atMs >= m_lastMs)
        return;
    for (MemorySeries &series : m_series)
        series.samples.erase(firstAtOrAfter(series.samples, atMs), series.samples.end());
    m_lastMs = 0;
    for (const MemorySeries &series : m_series) {
        if (!series.samples.empty())
            m_lastMs = std::max(m_lastMs, series.samples.back().atMs);
    }
}

bool MemoryHistory::isSilence(qint64 atMs, std::chrono::milliseconds interval) const
{
    // The worker doubles its cadence step by step, so that three times the last spacing is not yet a silence.
    return m_lastMs > 0
           && atMs - m_lastMs > std::max<qint64>({m_limits.silenceMs, 3 * m_spacingMs, 2 * interval.count()});
}

std::vector<MemorySample> decimated(const MemorySeries &series, qint64 fromMs, qint64 toMs, int buckets)
{
    const std::deque<MemorySample> &samples = series.samples;
    auto begin = firstAtOrAfter(samples, fromMs);
    auto end = std::ranges::upper_bound(samples, toMs, {}, &MemorySample::atMs);
    if (begin != samples.begin())
        --begin;
    if (end != samples.end())
        ++end;
    if (begin >= end)
        return {};
    const auto wanted = static_cast<std::ptrdiff_t>(std::max(buckets, 1));
    if (end - begin <= 2 * wanted)
        return {begin, end};
    std::vector<MemorySample> out;
    out.reserve(static_cast<std::size_t>(3 * wanted + 2));
    const double width = static_cast<double>(std::max<qint64>(toMs - fromMs, 1)) / static_cast<double>(wanted);
    const auto bucketOf = [&](qint64 atMs) {
        return std::clamp<qint64>(static_cast<qint64>(static_cast<double>(atMs - fromMs) / width), -1, wanted);
    };
    Bucket bucket;
    qint64 current = bucketOf(begin->atMs);
    for (auto it = begin; it != end; ++it) {
        const qint64 number = bucketOf(it->atMs);
        if (number != current) {
            bucket.flush(out);
            current = number;
        }
        bucket.take(*it);
    }
    bucket.flush(out);
    return out;
}

std::optional<MemorySample> sampleAt(const MemorySeries &series, qint64 atMs, qint64 reachMs)
{
    const std::deque<MemorySample> &samples = series.samples;
    const auto after = firstAtOrAfter(samples, atMs);
    const bool hasAfter = after != samples.end();
    if (after == samples.begin()) {
        if (hasAfter && !after->isGap() && after->atMs - atMs <= reachMs)
            return *after;
        return std::nullopt;
    }
    const MemorySample &before = *std::prev(after);
    if (hasAfter && after->atMs == atMs && !after->isGap())
        return *after;
    if (before.isGap())
        return std::nullopt;
    if (!hasAfter)
        return atMs - before.atMs <= reachMs ? std::optional(before) : std::nullopt;
    if (after->isGap() || atMs - before.atMs <= after->atMs - atMs)
        return before;
    return *after;
}

} // namespace pilothouse
