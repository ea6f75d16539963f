// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What a workflow is doing, on disk while it runs: after a killed program the next one can say where it stood and go on from
// what is true on the host by then. A file a run under `stateFolder`/journal, 0600, locked by the program that writes it
// (the lock ends with the program) and removed when the run ends. Any thread but the GUI's (it waits for the disk).

#include "core/base/result.h"
#include "core/workflow/restartplan.h"
#include "core/workflow/workflowevent.h"

#include <QMutex>

#include <memory>

namespace pilothouse {

class Journal
{
public:
    /// Errors: LocalIo.
    [[nodiscard]] static Result<std::unique_ptr<Journal>> begin(const QString &stateFolder, const Plan &plan, const Actor &actor);
    [[nodiscard]] static Result<std::unique_ptr<Journal>> begin(const QString &stateFolder, const RestartPlan &plan, const Actor &actor);
    /// Not closed: it stays, as after a killed program.
    ~Journal();
    Q_DISABLE_COPY_MOVE(Journal)

    /// Errors: LocalIo.
    Result<void> note(const WorkflowEvent &event);
    /// The run has ended, whatever came of it; what is noted later is dropped.
    void close();

private:
    Journal(QString path, int fd);
    [[nodiscard]] static Result<std::unique_ptr<Journal>> open(const QString &stateFolder, const QJsonObject &head);

    const QString m_path;
    QMutex m_mutex;
    int m_fd; ///< holds the lock
    bool m_closed = false;
};

/// A run whose program has ended without it.
struct InterruptedRun
{
    enum class Recipe { Reclaim, Restart };
    Recipe recipe = Recipe::Reclaim;
    QString file;
    QString host;              ///< name in the inventory, or the target that was typed
    QString person;
    QString bootId;
    QString planId;
    QDateTime startedAt;       ///< UTC
    PlanOptions options;       ///< to plan the same anew: what was named explicitly, the limit, the clean-up
    RestartOptions restart;    ///< the same of a restart
    QList<WorkflowEvent> events; ///< in the order of their time
};

/// Those of `host`, or of all; oldest first. What cannot be read is passed over.
[[nodiscard]] QList<InterruptedRun> interruptedRuns(const QString &stateFolder, const QString &host = {});
/// A person knows, or its host is as it should be. One that was begun anew meanwhile stays.
void forgetRun(const InterruptedRun &run);

/// What a person should know of it, before a fresh look tells what is left. `bootId` is the host's now; empty: not known yet.
[[nodiscard]] QString wordsOf(const InterruptedRun &run, const QString &bootId = {});

} // namespace pilothouse
