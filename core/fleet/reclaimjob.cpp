// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/fleet/reclaimjob.h"

namespace pilothouse {

ReclaimJob::ReclaimJob(HostLink &link, Setup setup, QObject *parent)
    : WorkflowJob(link, std::move(setup.host), std::move(setup.actor), std::move(setup.lineage), parent)
    , m_plan(std::move(setup.plan))
{
    setRun(std::make_unique<ReclaimRun>(m_plan, static_cast<ReclaimHost &>(*this), setup.settings));
}

ReclaimJob::~ReclaimJob() = default;

std::function<Result<std::unique_ptr<Journal>>()> ReclaimJob::journalBegin() const
{
    return [plan = m_plan, actor = actor()] { return Journal::begin(actor.auditFolder, plan, actor); };
}

} // namespace pilothouse
