// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Follows a unit after systemd was asked for a job: is it done, has it failed, or what is waited for? Asked with one look
// after the other; a systemctl that ended with 0 proves nothing. Pure, any thread. Times of any steady clock. Facts:
// a start of Type=simple ends with 0 even when the program does not exist; a failed ExecStartPre leaves the main status 0;
// a crash loop shows only in the restart counter.

#include "core/actions/action.h"

namespace pilothouse {

class UnitWatch final
{
public:
    enum class Verb { Start, Stop, Restart };
    enum class State { Waiting, Done, Failed };

    /// `before`: how it was when the job was asked for. `settle`: so long it has to stay active with one invocation.
    /// `patience`: for a stop where the unit itself names no limit.
    UnitWatch(Verb verb, UnitOutcome before, std::chrono::milliseconds settle,
              std::chrono::milliseconds patience = std::chrono::minutes(5));

    State take(const UnitOutcome &now, qint64 nowMs);
    /// One sentence: what is waited for, what was reached, or why it failed.
    [[nodiscard]] const QString &words() const { return m_words; }
    /// Where it failed: by whose fault.
    [[nodiscard]] ErrorCode code() const { return m_code; }
    /// Somebody else's start came in between: neither ours nor systemd's own.
    [[nodiscard]] bool isSomebodyElses() const { return m_code == ErrorCode::RefusedBySafety; }

private:
    State takeStop(const UnitOutcome &now, qint64 nowMs);
    State takeStart(const UnitOutcome &now, qint64 nowMs);
    State fail(const QString &words, ErrorCode code = ErrorCode::DriverFault);
    State wait(const QString &words);
    [[nodiscard]] QString failureOf(const UnitOutcome &now) const;

    const Verb m_verb;
    const UnitOutcome m_before;
    const std::chrono::milliseconds m_settle;
    const std::chrono::milliseconds m_patience;
    std::optional<qint64> m_began;
    std::optional<qint64> m_activeSince;
    QString m_invocation;       ///< of our start
    std::optional<int> m_restarts; ///< counter when it was first seen started
    QString m_words;
    ErrorCode m_code = ErrorCode::Internal;
};

} // namespace pilothouse
