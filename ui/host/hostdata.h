// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// All that the window knows of one host. Kept by HostStore, in the GUI thread; everything else reads it.

#include "core/fleet/findings.h"
#include "core/fleet/hostlink.h"
#include "core/history/memoryhistory.h"

namespace pilothouse {

struct HostData
{
    HostSpec spec;
    LinkState state;
    SnapshotPtr snapshot;              ///< the last one, however old; null before the first
    FindingsPtr findings;              ///< of the last deep look, however old; null before the first
    bool findingsHold = false;         ///< as far as the last snapshot can tell
    std::optional<Error> lastFailure;  ///< of a request after the last snapshot
    std::chrono::milliseconds interval{0}; ///< in which the snapshot, or the next one, was asked for: the longer one
    MemoryHistory history;

    [[nodiscard]] bool isConnected() const { return state.phase == LinkState::Phase::Connected; }
    /// Of the last snapshot; -1 without one.
    [[nodiscard]] qint64 ageMs(const QDateTime &now) const;
    /// There is a snapshot, and it is older than the host's interval and the time for an answer explain, or the link is
    /// down.
    [[nodiscard]] bool isStale(const QDateTime &now) const;
};

} // namespace pilothouse
