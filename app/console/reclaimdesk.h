// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Frees memory for a person: a fresh look, the plan, consent, another look, the run. One at a time a host. GUI thread;
// owned by Console, gone before the fleet.

#include "app/console/fleetbinding.h"
#include "core/audit/auditturn.h"
#include "core/base/background.h"
#include "core/fleet/reclaimjob.h"
#include "core/workflow/plan.h"

#include <QPointer>

#include <map>

namespace pilothouse {

class MainWindow;
class ReclaimDialog;
class Theme;

class ReclaimDesk final : public QObject
{
    Q_OBJECT
public:
    /// The command line of ssh to a host, for what a person copies.
    using SshLine = std::function<Result<QStringList>(const QString &name)>;

    ReclaimDesk(const Theme &theme, MainWindow &window, Fleet &fleet, FleetBinding &binding, QString stateDir,
                SshLine sshLine, QObject *parent = nullptr);
    ~ReclaimDesk() override;

    /// Looks, and shows the plan for it; brings back what is open or runs.
    void begin(const QString &name, const PlanOptions &options);

signals:
    /// What a person wanted freed is over, whatever came of it, or nothing was to be done. Not after a single process.
    void settled(const QString &name);

private:
    /// One host's, from the first look until its dialog is closed.
    struct Case
    {
        QPointer<ReclaimDialog> dialog;
        PlanOptions options;
        std::optional<Plan> agreed; ///< by the person; compared with a fresh one before it runs
        QDateTime askedAt;          ///< an older look does not count
        Actor actor;                ///< without a console: not known yet
        std::unique_ptr<ReclaimJob> job;
    };
    struct ActorAnswer
    {
        QString name;
        Result<Actor> actor;
        std::shared_ptr<AuditTurn> turn;
    };

    void look(const QString &name);
    void take(const QString &name, const FindingsPtr &findings);
    void propose(const QString &name, Case &open, const Findings &findings, const QStringList &changes);
    void run(const QString &name, Case &open, const Plan &plan);
    void follow(const QString &name, const LinkState &state);
    void happened(const QString &name, const WorkflowEvent &event);
    void finished(const QString &name, int exitCode);
    void closed(const QString &name);
    void refresh(const QString &name);
    [[nodiscard]] QString shellFor(const QString &name, const ActionRequest &request) const;
    [[nodiscard]] Case *find(const QString &name);

    const Theme &m_theme;
    MainWindow &m_window;
    Fleet &m_fleet;
    FleetBinding &m_binding;
    const QString m_stateDir;
    const SshLine m_sshLine;
    [[nodiscard]] static ActorAnswer makeActor(const QString &name, const QString &folder);

    std::shared_ptr<AuditTurn> m_turn; ///< from the first that was begun
    Background<ActorAnswer> m_actors;
    std::map<QString, Case> m_cases;
};

} // namespace pilothouse
