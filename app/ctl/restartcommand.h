// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// `pilothousectl restart`: what WorkflowCommand does, with the guided restart of one unit; --continue goes on with one that
// was cut off with its program.

#include "app/ctl/workflowcommand.h"
#include "core/workflow/restartplan.h"
#include "core/workflow/restartrun.h"

namespace pilothouse {

class RestartCommand final : public WorkflowCommand
{
    Q_OBJECT
public:
    explicit RestartCommand(const CommandContext &context);
    ~RestartCommand() override;

    void start() override;

private:
    [[nodiscard]] Result<QStringList> wantedUnits() override;
    void opened() override;
    void consider(const SnapshotPtr &snapshot, const Diagnosis &diagnosis) override;
    [[nodiscard]] std::unique_ptr<WorkflowJob> makeJob() override;
    void askRoom();
    void askUnit();
    void takeUnit(const UnitReading &reading);
    void plan();
    void refuse(const RestartCheck &why);
    [[nodiscard]] RestartOptions wanted() const;

    QString m_unit;
    std::optional<InterruptedRun> m_goesOn; ///< --continue: what is gone on with
    SnapshotPtr m_snapshot;
    Diagnosis m_diagnosis;
    RestartFacts m_facts;
    bool m_asked = false;   ///< m_facts are whole
    quint64 m_asking = 0;
    bool m_askingUnit = false;
    RestartPlan m_plan; ///< the latest
};

} // namespace pilothouse
