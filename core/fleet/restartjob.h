// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// A guided restart that a person agreed to, on a live host. As WorkflowJob.

#include "core/fleet/workflowjob.h"

namespace pilothouse {

class RestartJob final : public WorkflowJob
{
    Q_OBJECT
public:
    struct Setup
    {
        RestartPlan plan;
        HostSpec host;   ///< with the services that were found on it
        Actor actor;
        Lineage lineage; ///< what is remembered of the host
        RestartSettings settings = {};
    };

    RestartJob(HostLink &link, Setup setup, QObject *parent = nullptr);
    ~RestartJob() override;
    /// What a person may do while it runs.
    [[nodiscard]] RestartRun &run() { return *m_run; }

private:
    [[nodiscard]] std::function<Result<std::unique_ptr<Journal>>()> journalBegin() const override;

    const RestartPlan m_plan;
    RestartRun *m_run;
};

} // namespace pilothouse
