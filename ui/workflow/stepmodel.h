// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The steps of a plan as rows: before it runs the plan, while it runs the truth, afterwards the transcript. Told by the
// run's events. GUI thread.

#include "core/workflow/plansteps.h"
#include "core/workflow/workflowevent.h"

#include <QAbstractTableModel>

#include <vector>

namespace pilothouse {

class StepModel final : public QAbstractTableModel
{
    Q_OBJECT
public:
    enum class State { ToDo, Running, Done, Skipped, Failed, Refused };
    enum class Column { State, Name, Time, Proof, Count };

    using QAbstractTableModel::QAbstractTableModel;

    void setPlan(const Plan &plan);
    void take(const WorkflowEvent &event);
    /// The run is over: what was not reached is skipped.
    void finish(const QDateTime &at);
    /// For the time of the step that runs.
    void setNow(const QDateTime &now);
    [[nodiscard]] const PlanStep &stepAt(int row) const;
    [[nodiscard]] State stateAt(int row) const;
    /// The one that runs, or the last that has; -1 before the first.
    [[nodiscard]] int current() const;

    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    struct Row
    {
        PlanStep step;
        State state = State::ToDo;
        QDateTime from;
        QDateTime to;
        QString proof; ///< what it does before, what showed it afterwards
    };

    [[nodiscard]] QString timeText(const Row &row) const;
    void close(Row &row, State state, const QDateTime &at) const;

    std::vector<Row> m_rows;
    QDateTime m_now;
};

[[nodiscard]] QString textOf(StepModel::State state);

} // namespace pilothouse
