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

    void killNow() override { m_run->killNow(); }
    void cancel() override { m_run->cancel(); }

private:
    void startRun() override { m_run->start(); }
    void takeAction(const ActionResult &result) override { m_run->takeAction(result); }
    void takeSnapshot(const Snapshot &snapshot) override { m_run->takeSnapshot(snapshot); }
    void takeMiss(const Error &error) override { m_run->takeMiss(error); }
    void takeWake() override { m_run->takeWake(); }
    void takeEvidence(const Result<QString> &kept) override { m_run->takeEvidence(kept); }
    void takeHttp(const HttpAnswer &) override { }
    void takeAway(const Error &error, bool final) override { m_run->takeAway(error, final); }
    [[nodiscard]] std::function<Result<std::unique_ptr<Journal>>()> journalBegin() const override;

    const Plan m_plan;
    std::unique_ptr<ReclaimRun> m_run;
};

} // namespace pilothouse
