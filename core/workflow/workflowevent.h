// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What a workflow says while it runs: for the window, for the journal, and as the JSON lines of the outside contract. Plain
// values, any thread.

#include <QDateTime>
#include <QJsonObject>
#include <QString>

namespace pilothouse {

struct WorkflowEvent
{
    enum class State { Started, Progress, Done, Skipped, Failed, Refused };

    QDateTime at;  ///< UTC, console's clock
    QString step;  ///< "begin", "terminate" …; "result" is the last one
    State state = State::Started;
    QString text;  ///< one English sentence
    QJsonObject data;
};

[[nodiscard]] QString nameOf(WorkflowEvent::State state);
[[nodiscard]] QJsonObject toJson(const WorkflowEvent &event);

} // namespace pilothouse
