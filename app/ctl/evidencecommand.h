// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// `pilothousectl evidence`: what a post-mortem needs of a host, in one file. Changes nothing on the host.

#include "app/ctl/command.h"
#include "app/ctl/hostvisit.h"
#include "core/workflow/incident.h"

namespace pilothouse {

class EvidenceCommand final : public Command
{
    Q_OBJECT
public:
    explicit EvidenceCommand(const CommandContext &context);
    void start() override;

private:
    void gather(const SnapshotPtr &snapshot, const Diagnosis &diagnosis);
    void take(quint64 number, const ActionResult &result);
    void stop(const Error &error);
    void finish(int exitCode);

    HostVisit m_visit;
    Incident m_incident;
    quint64 m_gathering = 0;
    bool m_over = false;
};

} // namespace pilothouse
