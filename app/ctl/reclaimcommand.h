// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// `pilothousectl reclaim`: what WorkflowCommand does, with the plan that frees what leftovers hold.

#include "app/ctl/workflowcommand.h"

namespace pilothouse {

class ReclaimCommand final : public WorkflowCommand
{
    Q_OBJECT
public:
    explicit ReclaimCommand(const CommandContext &context);
    ~ReclaimCommand() override;

private:
    void consider(const SnapshotPtr &snapshot, const Diagnosis &diagnosis) override;
    [[nodiscard]] std::unique_ptr<WorkflowJob> makeJob() override;
    [[nodiscard]] Result<Plan> planOf(const Snapshot &snapshot, const Diagnosis &diagnosis) const;
    void nothingToDo(const Diagnosis &diagnosis);

    Plan m_plan; ///< the latest
};

} // namespace pilothouse
