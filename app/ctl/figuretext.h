// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Figures of a host as a terminal shows them; an unknown one is a word, never a number. Pure.

#include "app/ctl/output.h"
#include "core/host/snapshot.h"

namespace pilothouse {

[[nodiscard]] QString wordFor(UnknownReason reason);

template <class T, class Format>
[[nodiscard]] QString shown(const Quantity<T> &quantity, const Format &format)
{
    return quantity.isKnown() ? format(quantity.value()) : wordFor(quantity.reason());
}

[[nodiscard]] QString shown(const Quantity<qint64> &quantity);
[[nodiscard]] QString rounded(const Quantity<double> &quantity, const QString &unit);
/// "1h 5m".
[[nodiscard]] QString duration(double seconds);
[[nodiscard]] QString gib(const Quantity<qint64> &kib);

/// Host, target, time, uptime, load, memory, driver.
[[nodiscard]] QString headLine(const Snapshot &snapshot, const Output &output);
/// "0: 96615, 1: 96615".
[[nodiscard]] QString gpuMemoryOf(const Process &process);

} // namespace pilothouse
