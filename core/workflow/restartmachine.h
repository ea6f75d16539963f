// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The inside of a RestartRun: its steps (restartstages.cpp), and how it takes answers, cuts and its end (restartrun.cpp).
// For these two files only.

#include "core/workflow/memorywatch.h"
#include "core/workflow/reclaimwords.h"
#include "core/workflow/restartrun.h"

namespace pilothouse {

class RestartMachine
{
public:
    using Kind = ActionRequest::Kind;
    using EventState = WorkflowEvent::State;
    using Step = RestartStep;

    RestartMachine(RestartRun &run, RestartPlan consented, RestartHost &world, RestartSettings given)
        : q(run)
        , plan(std::move(consented))
        , host(world)
        , settings(std::move(given))
        , drained(settings.earlier.drained)
    {
    }

    void say(EventState state, const QString &text, QJsonObject data = {});
    void act(Kind kind, const QString &what = {}) { act(requestOf(plan, kind, what)); }

    void act(const ActionRequest &request);

    // ---- steps
    void enter(Step next);
    void command(const QString &text, const QString &what);
    void begun(const ActionAnswer &answer);
    /// Where it begins: at once after the start, when an earlier run of it came so far and the unit says so too.
    void beginWith(const UnitOutcome &now);
    void commandDone(const CommandOutcome &outcome);

    // ---- requests that run
    void askRequests();
    void requestsAnswered(const HttpAnswer &answer);

    // ---- stop
    void stopAnswered(const UnitOutcome &now);

    // ---- what is left
    void lookedAfterStop(const Snapshot &snapshot);
    /// Nothing is to be ended. Those of its own that are still there may be on their way out.
    void nothingLeft(const Snapshot &snapshot, const Plan &after);
    void reclaimed(int code);
    [[nodiscard]] bool needsMemory() const { return !plan.holds.isEmpty(); }

    QList<SignalTarget> ownTargets() const;
    void memoryRead(const Snapshot &snapshot);

    // ---- start
    [[nodiscard]] Step startStep() const { return lastUnit.active == QLatin1StringView("failed") ? Step::Reset : Step::Start; }

    /// For the journal: what a later run needs to see that it was done.
    [[nodiscard]] QJsonObject startData() const;
    void startAnswered(const UnitOutcome &now);
    void started();

    // ---- serves
    void serveOn();
    ActionRequest logRequest(int lines) const;
    void whyAnswered(const ActionAnswer &answer);

    // ---- answers
    void take(const ActionResult &answer);
    void actionFailed(const Error &error, bool wasSent);
    void wentAway();
    /// From the host's truth: what may have been done is looked at before it is done again.
    void cameBack(const Snapshot &snapshot);
    /// Did systemd get the start before the link broke? Its invocation says so.
    void startLookedAt(const UnitOutcome &now);
    /// Was the command begun before the link broke? The host's state file says so.
    void commandLookedAt(const ActionAnswer &answer);
    void take(const Snapshot &snapshot);
    void miss(const Error &error);
    void http(const HttpAnswer &answer);
    void wake();
    void keepLock();

    // ---- the end
    void interrupted() { giveUp(ErrorCode::Cancelled, QStringLiteral("Interrupted; %1.").arg(stood())); }

    void giveUp(ErrorCode code, const QString &text, std::optional<int> exitCode = {});
    void endOrOver();
    void over();

    // ---- small things
    void progress(const QString &text);
    [[nodiscard]] const QString &unit() const { return plan.options.unit; }
    [[nodiscard]] QString stood() const { return whereItStood(step, plan, drained); }
    [[nodiscard]] QString drainWords() const { return QStringLiteral("drain of restart %1").arg(plan.id()); }
    [[nodiscard]] QString undrainWords() const { return QStringLiteral("undrain of restart %1").arg(plan.id()); }

    enum class Looking { No, BeforeAll, Command, Start };

    struct Result
    {
        EventState state = EventState::Failed;
        QString text;
        int exitCode = 1;
    };

    RestartRun &q;
    const RestartPlan plan;
    RestartHost &host;
    const RestartSettings settings;
    Step step = Step::Idle;
    Result result;
    UnitOutcome lastUnit;
    std::unique_ptr<UnitWatch> stopWatch;
    std::unique_ptr<StartWatch> serves;
    std::unique_ptr<ReclaimRun> reclaim;
    std::unique_ptr<MemoryWatch> memory;
    std::optional<Kind> acting;
    std::optional<qint64> awaySince;
    std::optional<Step> waiting; ///< paused before it
    Looking looking = Looking::No;
    QString reclaimWords;
    QString lastProgress;
    qint64 stepStart = 0;
    qint64 lastBeat = 0;
    bool sent = false;         ///< the last thing sent may have been done
    bool asking = false;
    bool stopIsUnsure = false; ///< whether systemd got it
    bool resumed = false;      ///< an earlier run has started it
    bool drained = false;
    bool commandBegun = false; ///< its drain command, by an earlier run
    bool undrainBegun = false;
    bool paused = false;
    bool hurry = false;
    bool cancelled = false;
    bool connected = true;
    bool away = false;

};

} // namespace pilothouse
