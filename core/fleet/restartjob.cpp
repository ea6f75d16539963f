// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/fleet/restartjob.h"

namespace pilothouse {

RestartJob::RestartJob(HostLink &link, Setup setup, QObject *parent)
    : WorkflowJob(link, std::move(setup.host), std::move(setup.actor), std::move(setup.lineage), parent)
    , m_plan(std::move(setup.plan))
{
    auto run = std::make_unique<RestartRun>(m_plan, static_cast<RestartHost &>(*this), std::move(setup.settings));
    m_run = run.get();
    setRun(std::move(run));
}

RestartJob::~RestartJob() = default;

std::function<Result<std::unique_ptr<Journal>>()> RestartJob::journalBegin() const
{
    return [plan = m_plan, actor = actor()] { return Journal::begin(actor.auditFolder, plan, actor); };
}

} // namespace pilothouse
