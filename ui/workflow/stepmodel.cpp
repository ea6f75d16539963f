// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/workflow/stepmodel.h"

#include "ui/text/formatter.h"
#include "ui/theme/plain.h"
#include "ui/theme/roles.h"
#include "ui/theme/severity.h"

#include <algorithm>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

using State = StepModel::State;
using EventState = WorkflowEvent::State;

Severity severityOf(State state)
{
    switch (state) {
    case State::Done: return Severity::Ok;
    case State::Running: return Severity::Notice;
    case State::Failed:
    case State::Refused: return Severity::Critical;
    case State::ToDo:
    case State::Skipped: break;
    }
    return Severity::Quiet;
}

} // namespace

QString textOf(StepModel::State state)
{
    switch (state) {
    case State::ToDo: return StepModel::tr("to do");
    case State::Running: return StepModel::tr("running");
    case State::Done: return StepModel::tr("done");
    case State::Skipped: return StepModel::tr("skipped");
    case State::Failed: return StepModel::tr("failed");
    case State::Refused: return StepModel::tr("refused");
    }
    return {};
}

void StepModel::setPlan(const Plan &plan)
{
    beginResetModel(); // another plan, not a tick
    m_rows.clear();
    for (const PlanStep &step : stepsOf(plan))
        m_rows.push_back({step, State::ToDo, {}, {}, step.text});
    endResetModel();
}

void StepModel::close(Row &row, State state, const QDateTime &at) const
{
    row.state = state;
    row.to = at;
    if (!row.from.isValid())
        row.proof = tr("Not needed.");
}

void StepModel::take(const WorkflowEvent &event)
{
    const auto at = std::ranges::find_if(m_rows, [&](const Row &row) { return row.step.events.contains(event.step); });
    if (at == m_rows.end())
        return;
    for (auto before = m_rows.begin(); before != at; ++before) {
        if (before->state == State::Running)
            close(*before, State::Done, event.at);
        else if (before->state == State::ToDo)
            close(*before, State::Skipped, event.at);
    }
    if (!at->from.isValid())
        at->from = event.at;
    at->proof = event.text;
    at->state = State::Running;
    switch (event.state) {
    case EventState::Started:
    case EventState::Progress: break;
    case EventState::Done:
        // SIGTERM has been sent; its step goes on with the grace.
        if (at->step.events.last() == event.step)
            close(*at, State::Done, event.at);
        break;
    case EventState::Skipped: close(*at, State::Skipped, event.at); break;
    case EventState::Failed: close(*at, State::Failed, event.at); break;
    case EventState::Refused: close(*at, State::Refused, event.at); break;
    }
    m_now = std::max(m_now, event.at);
    emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
}

void StepModel::finish(const QDateTime &at)
{
    const bool locked = !m_rows.empty() && m_rows.front().state == State::Done;
    for (Row &row : m_rows) {
        if (locked && row.state == State::ToDo && row.step.events.contains("lock"_L1)) {
            row.from = at;
            row.proof = tr("Given back; without a connection it ends with its lease.");
            close(row, State::Done, at);
        } else if (row.state == State::Running)
            close(row, State::Done, at);
        else if (row.state == State::ToDo)
            close(row, State::Skipped, at);
        if (row.state == State::Skipped && row.proof == tr("Not needed."))
            row.proof = tr("Not reached, or not needed.");
    }
    if (!m_rows.empty())
        emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
}

void StepModel::setNow(const QDateTime &now)
{
    m_now = now;
    const int row = current();
    if (row >= 0 && stateAt(row) == State::Running) {
        const int time = static_cast<int>(Column::Time);
        emit dataChanged(index(row, time), index(row, time));
    }
}

const PlanStep &StepModel::stepAt(int row) const
{
    return m_rows[static_cast<std::size_t>(row)].step;
}

StepModel::State StepModel::stateAt(int row) const
{
    return m_rows[static_cast<std::size_t>(row)].state;
}

int StepModel::current() const
{
    int last = -1;
    for (int row = 0; row < rowCount(); ++row) {
        if (stateAt(row) == State::Running)
            return row;
        if (m_rows[static_cast<std::size_t>(row)].from.isValid())
            last = row;
    }
    return last;
}

int StepModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int StepModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(Column::Count);
}

QString StepModel::timeText(const Row &row) const
{
    if (!row.from.isValid())
        return {};
    const QDateTime to = row.to.isValid() ? row.to : std::max(m_now, row.from);
    return format::duration(row.from.msecsTo(to));
}

QVariant StepModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const Row &row = m_rows[static_cast<std::size_t>(index.row())];
    const auto column = static_cast<Column>(index.column());
    switch (role) {
    case Qt::DisplayRole:
    case Qt::AccessibleTextRole:
        switch (column) {
        case Column::State: return textOf(row.state);
        case Column::Name: return row.step.name;
        case Column::Time: return timeText(row);
        case Column::Proof: return row.proof;
        case Column::Count: break;
        }
        return {};
    case Qt::ToolTipRole: {
        QStringList lines{row.step.text};
        if (row.proof != row.step.text)
            lines << row.proof;
        if (row.from.isValid())
            lines << tr("Began %1").arg(row.from.toUTC().toString(u"yyyy-MM-dd HH:mm:ss 'UTC'"_s));
        return plainToolTip(lines.join(u'\n'));
    }
    case Qt::TextAlignmentRole:
        return int((column == Column::Time ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    case SeverityRole:
        if (column == Column::State)
            return static_cast<int>(severityOf(row.state));
        return row.state == State::ToDo || row.state == State::Skipped ? static_cast<int>(Severity::Quiet) : QVariant();
    case KeyRole: return row.step.events.first();
    default: return {};
    }
}

QVariant StepModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    switch (static_cast<Column>(section)) {
    case Column::State: return tr("State");
    case Column::Name: return tr("Step");
    case Column::Time: return tr("Time");
    case Column::Proof: return tr("Proof");
    case Column::Count: break;
    }
    return {};
}

} // namespace pilothouse
