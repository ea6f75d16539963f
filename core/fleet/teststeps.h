// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The steps by which a host is reached, and what an error or a snapshot says about them. Pure, any thread.

#include "core/base/error.h"
#include "core/host/snapshot.h"
#include "core/probe/probesettings.h"

#include <QList>

#include <optional>

namespace pilothouse {

/// JumpHost as often as there are some on the way.
enum class TestStep { Resolve, JumpHost, Connect, HostKey, SignIn, Shell, Smi, Systemctl, Rights };

struct StepResult
{
    enum class State { Done, Failed, Skipped };
    TestStep step = TestStep::Resolve;
    State state = State::Done;
    QString text;                     ///< one line: what was found, or what failed and what to do
    std::optional<double> durationMs; ///< without the time that a person took
    std::optional<ErrorCode> code;    ///< Failed only
    QString jumpHost;                 ///< JumpHost only

    friend bool operator==(const StepResult &, const StepResult &) = default;
};

/// The outside contract's words: "host key", "done".
[[nodiscard]] QString nameOf(const StepResult &result);
[[nodiscard]] QString nameOf(StepResult::State state);

/// The step that an error belongs to, while `current` is under way: never a later one.
[[nodiscard]] TestStep stepOf(ErrorCode code, TestStep current);

[[nodiscard]] StepResult judgeSmi(const Snapshot &snapshot);
[[nodiscard]] StepResult judgeSystemctl(const Snapshot &snapshot);
[[nodiscard]] StepResult judgeRights(const Snapshot &snapshot, SudoPolicy sudo);

/// Of the first failing step; 0 without any.
[[nodiscard]] int exitCodeOf(const QList<StepResult> &results);

} // namespace pilothouse
