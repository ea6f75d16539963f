// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The time between the starts of two ticks of one host: what was wished for, doubled while reading is dear for the
// host. Lives in one thread.

#include "core/host/snapshot.h"

#include <chrono>
#include <optional>

namespace pilothouse {

class Cadence final
{
public:
    /// nvidia-smi that takes longer than `slowTool` is dear; doubling ends at `slowest`.
    Cadence(std::chrono::milliseconds slowTool, std::chrono::milliseconds slowest);

    /// Zero: only on request. Takes the doubling so far along.
    void setWish(std::chrono::milliseconds wish);
    /// Zero: only on request.
    [[nodiscard]] std::chrono::milliseconds current() const;
    /// Learns from an answer. Returns a problem to be shown while the cadence is slower than wished for.
    [[nodiscard]] std::optional<Problem> learn(const Snapshot &snapshot);

private:
    std::chrono::milliseconds m_slowTool;
    std::chrono::milliseconds m_slowest;
    std::chrono::milliseconds m_wish{0};
    int m_doublings = 0;
};

/// Persistence mode is off and nothing is on the GPUs: each reading wakes them. False while either is unknown.
[[nodiscard]] bool readingWakesGpus(const Snapshot &snapshot);

} // namespace pilothouse
