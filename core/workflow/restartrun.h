// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// One guided restart while it runs: a state machine like ReclaimRun, which it uses as its ladder. It asks its host for one
// thing at a time, never waits itself, and reads each step's condition anew from the host. Any thread, one.

#include "core/base/http.h"
#include "core/workflow/reclaimrun.h"
#include "core/workflow/restartsteps.h"
#include "core/workflow/startwatch.h"

namespace pilothouse {

/// What a run needs of the world beside what a reclaim needs. Calls return at once.
class RestartHost : public ReclaimHost
{
public:
    virtual void ask(const HttpRequest &request) = 0; ///< takeHttp() follows
    /// Proved to serve: what is to be compared with when it does not one day, and how long the load took.
    virtual void keepRecord(const ServiceRecord &record) = 0;
};

/// What an earlier run of the same plan had done, when its program was killed. The host decides what of it is true.
struct RestartProgress
{
    bool goesOn = false;        ///< there was one
    bool drained = false;       ///< its drain command was begun
    bool started = false;       ///< systemd was asked to start it
    QString invocationBefore;   ///< of the unit, before that
    std::optional<int> restartsBefore;
};

/// What a run that was cut off has told of itself.
[[nodiscard]] RestartProgress progressOf(const QList<WorkflowEvent> &events);

struct RestartSettings
{
    ReclaimSettings reclaim;
    std::chrono::milliseconds poll{500};
    std::chrono::milliseconds beat{4'000};            ///< the host's lock is renewed at least so often
    StartLimits limits;
    std::chrono::milliseconds survivors{15'000};      ///< what is left of the unit may be on its way out
    RestartProgress earlier;
    std::optional<ServiceRecord> record;              ///< of the last time that it was proved to serve
};

class RestartMachine;

class RestartRun final : public WorkflowRun
{
    Q_OBJECT
public:
    /// `host` outlives the run. The plan is what a person consented to.
    RestartRun(RestartPlan plan, RestartHost &host, RestartSettings settings = {}, QObject *parent = nullptr);
    ~RestartRun() override;

    void start() override;
    void takeAction(const ActionResult &result) override;
    void takeSnapshot(const Snapshot &snapshot) override;
    void takeMiss(const Error &error) override;
    void takeWake() override;
    void takeEvidence(const Result<QString> &kept) override;
    void takeHttp(const HttpAnswer &answer) override;
    void takeAway(const Error &error, bool final) override;
    void killNow() override;
    void cancel() override;
    /// No longer waits for the requests that run; no other step may be left out.
    void skip();
    [[nodiscard]] bool canSkip() const;
    /// Before the next step it waits for resume(); the host's lock is kept.
    void pause();
    void resume();
    [[nodiscard]] bool isPaused() const;

signals:
    void pausedChanged(bool paused);

private:
    std::unique_ptr<RestartMachine> d;
};

} // namespace pilothouse
