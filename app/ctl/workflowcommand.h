// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What `reclaim` and `restart` share: looks, plans, asks, looks again, and runs the plan that was agreed to. Without consent
// nothing leaves for the host but questions. Main thread.

#include "app/ctl/command.h"
#include "app/ctl/hostvisit.h"
#include "core/audit/auditturn.h"
#include "core/fleet/workflowjob.h"

#include <QTimer>

namespace pilothouse {

/// A plan as a person is asked about it.
struct Proposal
{
    QString id;
    QStringList deeds;
    QString question;         ///< "End 9 processes on gpu3?"
    QString text;             ///< the whole, for people
    QJsonObject json;
    Result<QString> scripts;  ///< as they go to the host
};

class WorkflowCommand : public Command
{
    Q_OBJECT
public:
    ~WorkflowCommand() override;
    void start() override;

protected:
    enum class Phase { Looking, Watching, Asking, Again, Running };

    WorkflowCommand(const CommandContext &context, InterruptedRun::Recipe recipe);

    /// Units to watch. Errors: Usage and others, before anything is opened.
    [[nodiscard]] virtual Result<QStringList> wantedUnits() { return options().units; }
    /// The host has been opened; examine() or something before it follows.
    virtual void opened() { examine(); }
    virtual void consider(const SnapshotPtr &snapshot, const Diagnosis &diagnosis) = 0;
    /// What was proposed was agreed to.
    [[nodiscard]] virtual std::unique_ptr<WorkflowJob> makeJob() = 0;

    void examine() { m_visit.examine(); }
    /// `nothing`: there is nothing to be asked about, and this says so.
    void propose(const Proposal &proposal, const std::function<void()> &nothing = {});
    /// An orphan that is so young that it may be loading: looked at once more after a while. False: that was done already.
    [[nodiscard]] bool watchesYoung(const Diagnosis &diagnosis);
    void tellInterrupted(const Snapshot &snapshot);
    void forgetInterrupted();
    void print(const WorkflowEvent &event);
    void result(WorkflowEvent::State state, const QString &text, int exitCode);
    void stop(const Error &error);

    [[nodiscard]] HostVisit &visit() { return m_visit; }
    [[nodiscard]] const HostVisit &visit() const { return m_visit; }
    [[nodiscard]] const Actor &actor() const { return m_actor; }
    [[nodiscard]] const QList<InterruptedRun> &interrupted() const { return m_interrupted; }
    [[nodiscard]] Phase phase() const { return m_phase; }

private:
    [[nodiscard]] Result<void> prepare();
    void away(const Error &error, bool final);
    void show(const Proposal &proposal);
    void ask(const Proposal &proposal);
    void compare(const Proposal &proposal);
    void run();
    void finish(int exitCode);

    const InterruptedRun::Recipe m_recipe;
    HostVisit m_visit;
    Terminal m_terminal;
    std::unique_ptr<AuditTurn> m_auditTurn;
    Actor m_actor;
    Phase m_phase = Phase::Looking;
    std::optional<Proposal> m_agreed;
    std::unique_ptr<WorkflowJob> m_job;
    QList<InterruptedRun> m_interrupted; ///< of this host, by programs that were killed
    QTimer m_again; ///< a second look at what may be young
    bool m_watched = false;
    bool m_over = false;
};

} // namespace pilothouse
