// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Runs a workflow that a person agreed to on a live host: joins a state machine of core/workflow to the host's link,
// its clock, the disk and the diagnosis. Lives in the link's facade's thread; the disk is waited for beside it.
// ReclaimJob and RestartJob are what programs make.

#include "core/base/background.h"
#include "core/diagnosis/lineage.h"
#include "core/fleet/hostlink.h"
#include "core/workflow/journal.h"
#include "core/workflow/restartrun.h"

#include <QElapsedTimer>
#include <QTimer>

namespace pilothouse {

class WorkflowJob : public QObject, protected RestartHost
{
    Q_OBJECT
public:
    ~WorkflowJob() override;

    /// Once.
    void start();
    void killNow() { m_run->killNow(); }
    void cancel() { m_run->cancel(); }

signals:
    void happened(const pilothouse::WorkflowEvent &event);
    /// Once, after the event of step "result".
    void finished(int exitCode);

protected:
    /// `link` outlives the job, and nobody else acts on it meanwhile. `lineage`: what is remembered of the host.
    WorkflowJob(HostLink &link, HostSpec host, Actor actor, Lineage lineage, QObject *parent);

    /// Once, by the constructor of the job.
    void setRun(std::unique_ptr<WorkflowRun> run);
    /// Called beside the job's thread.
    [[nodiscard]] virtual std::function<Result<std::unique_ptr<Journal>>()> journalBegin() const = 0;
    [[nodiscard]] const Actor &actor() const { return m_actor; }

private:
    void act(const ActionRequest &request) override;
    void look(Depth depth) override;
    void wakeAfter(std::chrono::milliseconds time) override;
    [[nodiscard]] qint64 nowMs() const override;
    [[nodiscard]] Diagnosis diagnose(const Snapshot &snapshot) override;
    void keepEvidence(const QByteArray &text) override;
    void ask(const HttpRequest &request) override;
    void keepRecord(const ServiceRecord &record) override;

    void follow(const LinkState &state);
    void begin(const Result<std::shared_ptr<Journal>> &journal);
    void tell(const WorkflowEvent &event);
    void finish(int exitCode);

    HostLink &m_link;
    const HostSpec m_host;
    const Actor m_actor;
    Lineage m_lineage;
    Background<Result<QString>> m_kept;
    Background<Result<void>> m_recorded;
    Background<Result<std::shared_ptr<Journal>>> m_begun;
    Background<int> m_closed;           ///< its journal is gone: the exit code
    std::shared_ptr<Journal> m_journal; ///< null: it could not be begun
    bool m_over = false;
    QElapsedTimer m_clock;
    QTimer m_wake;
    QDateTime m_startedAt;
    std::optional<Depth> m_wanted; ///< a look that is waited for
    quint64 m_acting = 0;
    quint64 m_asking = 0;
    std::unique_ptr<WorkflowRun> m_run;
};

} // namespace pilothouse
