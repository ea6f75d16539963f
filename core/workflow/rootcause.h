// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Why a start failed: the first line of its log that says so, which is seldom the last one, with what to do where the kind is
// known. Pure, any thread.

#include <QString>
#include <QStringList>

#include <optional>

namespace pilothouse {

struct RootCause
{
    QString line;    ///< as the log has it, without the prefix of its rank
    QString rank;    ///< "EngineCore_DP0", "Worker_TP3"; empty: none is named
    QString advice;  ///< empty: the kind is not known
    qsizetype at = 0; ///< index of the line
    int others = 0;  ///< ranks or processes that failed with another exception afterwards
};

/// `lines` of one invocation, oldest first, cleaned. No value: none of them tells of a failure.
[[nodiscard]] std::optional<RootCause> rootCauseOf(const QStringList &lines);

/// What a load is at, by the engine's own words: "loads weights, 45 %"; empty: the line tells nothing of it.
[[nodiscard]] QString loadPhaseOf(const QString &line);

} // namespace pilothouse
