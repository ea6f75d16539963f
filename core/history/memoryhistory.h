// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Used memory of one host's GPUs over time, in memory and bounded: what the plot draws. A value that is missing is kept
// as a gap (NaN), so that nothing ever draws a line across it. Pure value, any thread; fed in time order.

#include "core/host/snapshot.h"

#include <deque>
#include <vector>

namespace pilothouse {

struct MemorySample
{
    qint64 atMs = 0; ///< UTC, milliseconds since the epoch, console's clock
    double mib = 0;  ///< NaN: no value from here on

    [[nodiscard]] bool isGap() const { return mib != mib; }
};

struct MemorySeries
{
    QString key;          ///< identity of the card: UUID, else bus id, else index
    int slot = 0;         ///< smallest free number when it was first seen; decides its colour and never changes
    int index = -1;       ///< the driver's index when last seen
    QString name;
    double totalMib = 0;  ///< 0 while unknown
    std::deque<MemorySample> samples;
};

/// Something that was done to the host, to be seen beside its memory.
struct MemoryMark
{
    qint64 atMs = 0;
    QString text; ///< one or two words

    friend bool operator==(const MemoryMark &, const MemoryMark &) = default;
};

struct HistoryLimits
{
    qint64 keepMs = 65 * 60 * 1000;
    std::size_t samples = 8192; ///< of one series
    std::size_t series = 64;
    std::size_t marks = 128;
    qint64 silenceMs = 25'000;  ///< a longer silence is a gap, unless the cadence was already that slow
};

class MemoryHistory final
{
public:
    explicit MemoryHistory(HistoryLimits limits = {});

    /// One sample for each GPU of the snapshot, a gap for each known GPU that it lacks or cannot read. A clock that
    /// was set back drops what lies in its new future. `interval`: in which it was asked for, where that is known.
    void add(const Snapshot &snapshot, std::chrono::milliseconds interval = {});
    /// Nothing is known from here on: the link was lost or a snapshot failed.
    void addGap(qint64 atMs);

    /// In the order in which they were made; old ones go with the samples of their time.
    void addMark(MemoryMark mark);
    [[nodiscard]] const std::deque<MemoryMark> &marks() const { return m_marks; }

    [[nodiscard]] const std::vector<MemorySeries> &series() const { return m_series; }
    /// Null when unknown.
    [[nodiscard]] const MemorySeries *find(const QString &key) const;
    /// The largest total of its cards, else the largest sample; 0 while nothing is known.
    [[nodiscard]] double ceilingMib() const;

private:
    MemorySeries &seriesFor(const QString &key);
    void append(MemorySeries &series, MemorySample sample);
    void dropFuture(qint64 atMs);
    [[nodiscard]] bool isSilence(qint64 atMs, std::chrono::milliseconds interval) const;

    HistoryLimits m_limits;
    std::vector<MemorySeries> m_series;
    std::deque<MemoryMark> m_marks;
    qint64 m_lastMs = 0;
    qint64 m_spacingMs = 0;
};

/// The key under which a card's samples are kept.
[[nodiscard]] QString seriesKeyOf(const Gpu &gpu);

/// What a plot of [fromMs, toMs] needs, with one sample before and one after: at most the smallest and the largest
/// value and one gap for each of `buckets` equal spans of time, in time order. `buckets` of at least 1.
[[nodiscard]] std::vector<MemorySample> decimated(const MemorySeries &series, qint64 fromMs, qint64 toMs,
                                                  int buckets);

/// The sample nearest to `atMs` on the line that runs there; no value inside a gap, before the first or after the last
/// by more than `reachMs`.
[[nodiscard]] std::optional<MemorySample> sampleAt(const MemorySeries &series, qint64 atMs, qint64 reachMs);

} // namespace pilothouse
