// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// `pilothousectl reclaim`: looks, plans, asks, looks again, and runs the plan that was agreed to. Without consent nothing
// leaves for the host but questions.

#include "app/ctl/command.h"
#include "app/ctl/hostvisit.h"
#include "core/audit/auditturn.h"
#include "core/fleet/reclaimjob.h"

#include <QTimer>

namespace pilothouse {

class ReclaimCommand final : public Command
{
    Q_OBJECT
public:
    explicit ReclaimCommand(const CommandContext &context);
    ~ReclaimCommand() override;
    void start() override;

private:
    enum class Phase { Looking, Watching, Asking, Again, Running };

    [[nodiscard]] Result<void> prepare();
    void away(const Error &error, bool final);
    void consider(const Snapshot &snapshot, const Diagnosis &diagnosis);
    [[nodiscard]] Result<Plan> planOf(const Snapshot &snapshot, const Diagnosis &diagnosis) const;
    void tellInterrupted(const Snapshot &snapshot);
    void forgetInterrupted();
    void propose(const Plan &plan, const Diagnosis &diagnosis);
    void nothingToDo(const Plan &plan, const Diagnosis &diagnosis);
    void show(const Plan &plan);
    void ask(const Plan &plan);
    void compare(const Plan &plan);
    void run(const Plan &plan);
    void print(const WorkflowEvent &event);
    void result(WorkflowEvent::State state, const QString &text, int exitCode);
    void stop(const Error &error);
    void finish(int exitCode);

    HostVisit m_visit;
    Terminal m_terminal;
    std::unique_ptr<AuditTurn> m_auditTurn;
    Actor m_actor;
    Phase m_phase = Phase::Looking;
    std::optional<Plan> m_agreed;
    std::unique_ptr<ReclaimJob> m_job;
    QList<InterruptedRun> m_interrupted; ///< of this host, by programs that were killed
    QTimer m_again; ///< a second look at what may be young
    bool m_watched = false;
    bool m_over = false;
};

} // namespace pilothouse
