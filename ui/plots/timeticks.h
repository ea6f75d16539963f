// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Where the axes of the plot have their marks: round local times and round amounts of memory, as many as have room.
// Pure.

#include <QList>
#include <QString>

namespace pilothouse {

/// The smallest round step of which `most` cover `spanMs`: 1, 2, 5, 10, 15, 30 seconds or minutes, hours.
[[nodiscard]] qint64 timeStepMs(qint64 spanMs, int most);

/// Multiples of the step within [fromMs, toMs] (UTC, ms) as a clock that is `offsetMs` ahead of UTC shows them.
[[nodiscard]] QList<qint64> timeTicks(qint64 fromMs, qint64 toMs, qint64 stepMs, qint64 offsetMs);

/// "HH:mm", or "HH:mm:ss" where the step is shorter than a minute.
[[nodiscard]] QString timeTickFormat(qint64 stepMs);

/// A round step that gives about four lines up to `topGib`, GiB.
[[nodiscard]] double memoryStepGib(double topGib);

} // namespace pilothouse
