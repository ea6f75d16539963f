// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Small files of /proc and /sys about the whole host. Pure, any thread.

#include "core/base/quantity.h"

#include <QByteArrayView>
#include <QStringList>

namespace pilothouse {

struct HostMemory
{
    Quantity<qint64> totalKib;
    Quantity<qint64> availableKib; ///< absent before Linux 3.14
};

[[nodiscard]] HostMemory parseMeminfo(QByteArrayView meminfo);
[[nodiscard]] Quantity<double> parseLoad1(QByteArrayView loadavg);
/// /proc/vmstat's oom_kill; absent before Linux 4.13.
[[nodiscard]] Quantity<qint64> parseOomKills(QByteArrayView vmstat);
/// Normalised bus ids of NVIDIA's display controllers, from lines "0000:01:00.0 0x10de 0x030200"; sorted, each once.
[[nodiscard]] QStringList parsePciGpus(QByteArrayView pci);

} // namespace pilothouse
