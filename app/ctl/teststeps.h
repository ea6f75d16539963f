// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The steps of `pilothousectl test`, what an error or a snapshot says about them, and how they are printed. Pure.

#include "app/ctl/output.h"
#include "core/base/error.h"
#include "core/host/snapshot.h"
#include "core/probe/probesettings.h"

#include <QJsonObject>
#include <QList>

#include <optional>

namespace pilothouse {

enum class TestStep { Resolve, Connect, HostKey, SignIn, Shell, Smi, Systemctl, Rights };

struct StepResult
{
    enum class State { Done, Failed, Skipped };
    TestStep step = TestStep::Resolve;
    State state = State::Done;
    QString text;                     ///< one line
    std::optional<double> durationMs; ///< without the time that a person took
    std::optional<ErrorCode> code;    ///< Failed only
};

/// The step that an error belongs to, while `current` is under way: never a later one.
[[nodiscard]] TestStep stepOf(ErrorCode code, TestStep current);

[[nodiscard]] StepResult judgeSmi(const Snapshot &snapshot);
[[nodiscard]] StepResult judgeSystemctl(const Snapshot &snapshot);
[[nodiscard]] StepResult judgeRights(const Snapshot &snapshot, SudoPolicy sudo);

[[nodiscard]] QString lineOf(const StepResult &result, const Output &output);
[[nodiscard]] QJsonObject toJson(const StepResult &result);
/// Of the first failing step; 0 without any.
[[nodiscard]] int exitCodeOf(const QList<StepResult> &results);

} // namespace pilothouse
