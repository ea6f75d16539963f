// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Strong ids: a PID is not an index is not a start time. Values, any thread.

#include <QHashFunctions>
#include <QMetaType>

#include <compare>

namespace pilothouse {

template <class Tag, class Value>
struct StrongId
{
    Value value{};

    friend auto operator<=>(const StrongId &, const StrongId &) = default;
    friend size_t qHash(const StrongId &id, size_t seed = 0) { return ::qHash(id.value, seed); }
};

using Pid = StrongId<struct PidTag, qint64>;
using StartTicks = StrongId<struct StartTicksTag, quint64>; ///< clock ticks since boot, /proc/PID/stat field 22

/// Who a process is, on one boot of one host. The boot id stands in the snapshot.
struct ProcessIdentity
{
    Pid pid;
    StartTicks start;

    friend auto operator<=>(const ProcessIdentity &, const ProcessIdentity &) = default;
    friend size_t qHash(const ProcessIdentity &id, size_t seed = 0)
    {
        return qHashMulti(seed, id.pid.value, id.start.value);
    }
};

} // namespace pilothouse
