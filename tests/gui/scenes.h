// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Hosts made up for tests and pictures: snapshots composed by hand, with figures of real cards. Pure.

#include "core/fleet/findings.h"
#include "core/fleet/hostlink.h"

namespace pilothouse::test {

/// The present of all scenes.
[[nodiscard]] QDateTime sceneNow();

[[nodiscard]] HostSpec spec(const QString &name, const QString &unit = {});
[[nodiscard]] LinkState connected();
[[nodiscard]] LinkState connecting(const QString &words);
[[nodiscard]] LinkState retrying(const Error &error, int nextTryS);
[[nodiscard]] LinkState stopped(const Error &error);

[[nodiscard]] Gpu gpu(int index, qint64 usedMib, qint64 totalMib = 97887);
[[nodiscard]] Process worker(int index, qint64 pid, qint64 mib);

/// Snapshots to vary: `ageMs` before sceneNow().
[[nodiscard]] Snapshot bareSnapshot(const QString &host, qint64 ageMs = 800);
[[nodiscard]] Snapshot freeHost(const QString &host, qint64 ageMs = 800);
[[nodiscard]] Snapshot servingHost(const QString &host, qint64 ageMs = 800, int gpus = 8);
[[nodiscard]] Snapshot leftoverHost(const QString &host, qint64 ageMs = 800);
[[nodiscard]] Snapshot hungHost(const QString &host, qint64 ageMs = 800);
[[nodiscard]] Snapshot unifiedHost(const QString &host, qint64 ageMs = 800);
[[nodiscard]] Snapshot migHost(const QString &host, qint64 ageMs = 800);
[[nodiscard]] Snapshot hostileHost(const QString &host, qint64 ageMs = 800);
/// Hundreds of processes, each with a little memory.
[[nodiscard]] Snapshot crowdedHost(const QString &host, qint64 ageMs = 800);
[[nodiscard]] Snapshot faultHost(const QString &host, qint64 ageMs = 800);

[[nodiscard]] SnapshotPtr shared(Snapshot snapshot);

/// What a deep look at it comes to: nobody has connections elsewhere, parents are process 1.
[[nodiscard]] FindingsPtr findingsOf(Snapshot snapshot);

} // namespace pilothouse::test
