// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Small words of a running reclaim. Pure, any thread.

#include "core/base/counted.h"
#include "core/actions/action.h"
#include "core/base/quantity.h"

#include <QJsonArray>
#include <QJsonObject>

namespace pilothouse {

enum class ReclaimStep { Idle, Begin, Evidence, StopUnit, Terminate, Grace, Kill, Dying, Memory, SecondLook, CleanShm, End, Over };

/// For events: "who_else", "terminate" …
[[nodiscard]] QString nameOf(ReclaimStep step);
/// How far it came, for a run that ends there. `unknown`: what was sent last may have been done.
[[nodiscard]] QString inWords(ReclaimStep step, bool unknown, bool killSent, qsizetype left);

/// Of an action that broke off: the connection, or a host that did not answer in time.
[[nodiscard]] bool isLinkTrouble(ErrorCode code);

/// Why nothing was done where the host's lock is not ours; no value: it is, or none is needed.
[[nodiscard]] std::optional<Error> lockTrouble(const ActionAnswer &answer);

/// Who else is on the host, when the lock is ours.
[[nodiscard]] QString othersInWords(const ActionAnswer &answer);
[[nodiscard]] QJsonArray figuresOf(const QList<Quantity<qint64>> &figures);

/// "1 process", "9 processes".
[[nodiscard]] QString processesInWords(qsizetype count);
/// "1.5 s".
[[nodiscard]] QString secondsOf(std::chrono::milliseconds time);
/// "PID 7 (a) is", "PID 7 (a), PID 8 (b) are".
[[nodiscard]] QString namesOf(const QList<SignalTarget> &targets);
[[nodiscard]] QJsonObject pidsOf(const QList<SignalTarget> &targets);

} // namespace pilothouse
