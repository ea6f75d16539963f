// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// A reclaim that a person agreed to, on a live host. As WorkflowJob.

#include "core/fleet/workflowjob.h"

namespace pilothouse {

class ReclaimJob final : public WorkflowJob
{
    Q_OBJECT
public:
    struct Setup
    {
        Plan plan;
        HostSpec host;   ///< with the services that were found on it
        Actor actor;
        Lineage lineage; ///< what is remembered of the host
        ReclaimSettings settings = {};
    };

    ReclaimJob(HostLink &link, Setup setup, QObject *parent = nullptr);
    ~ReclaimJob() override;

private:
    [[nodiscard]] std::function<Result<std::unique_ptr<Journal>>()> journalBegin() const override;

    const Plan m_plan;
};

} // namespace pilothouse
