// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Runs a reclaim that a person agreed to on a live host: joins the state machine of core/workflow to the host's link,
// its clock, the disk and the diagnosis. Lives in the link's facade's thread; the disk is waited for beside it.

#include "core/base/background.h"
#include "core/diagnosis/lineage.h"
#include "core/fleet/hostlink.h"
#include "core/workflow/journal.h"
#include "core/workflow/reclaimrun.h"

#include <QElapsedTimer>
#include <QTimer>

namespace pilothouse {

class ReclaimJob final : public QObject, private ReclaimHost
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

    /// `link` outlives the job, and nobody else acts on it meanwhile.
    ReclaimJob(HostLink &link, Setup setup, QObject *parent = nullptr);
    ~ReclaimJob() override;

    void start();
    void killNow();
    void cancel();

signals:
    void happened(const pilothouse::WorkflowEvent &event);
    /// Once, after the event of step "result".
    void finished(int exitCode);

private:
    void act(const ActionRequest &request) override;
    void look(Depth depth) override;
    void wakeAfter(std::chrono::milliseconds time) override;
    [[nodiscard]] qint64 nowMs() const override;
    [[nodiscard]] Diagnosis diagnose(const Snapshot &snapshot) override;
    void keepEvidence(const QByteArray &text) override;

    void follow(const LinkState &state);
    void begin(const Result<std::shared_ptr<Journal>> &journal);
    void tell(const WorkflowEvent &event);
    void finish(int exitCode);

    HostLink &m_link;
    Setup m_setup;
    Background<Result<QString>> m_kept;
    Background<Result<std::shared_ptr<Journal>>> m_begun;
    Background<int> m_closed;           ///< its journal is gone: the exit code
    std::shared_ptr<Journal> m_journal; ///< null: it could not be begun
    bool m_over = false;
    QElapsedTimer m_clock;
    QTimer m_wake;
    QDateTime m_startedAt;
    std::optional<Depth> m_wanted; ///< a look that is waited for
    quint64 m_acting = 0;
    std::unique_ptr<ReclaimRun> m_run;
};

} // namespace pilothouse
