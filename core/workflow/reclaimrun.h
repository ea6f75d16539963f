// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// One reclaim while it runs. As WorkflowRun.

#include "core/workflow/memorywatch.h"
#include "core/workflow/workflowrun.h"

#include <memory>

namespace pilothouse {

/// What a run needs of the world. Calls return at once.
class ReclaimHost
{
public:
    virtual ~ReclaimHost() = default;
    virtual void act(const ActionRequest &request) = 0;  ///< takeAction() follows
    virtual void look(Depth depth) = 0;                  ///< takeSnapshot() or takeMiss() follows, once there is a connection
    virtual void wakeAfter(std::chrono::milliseconds time) = 0; ///< takeWake() follows; a newer call replaces an older one
    [[nodiscard]] virtual qint64 nowMs() const = 0;
    [[nodiscard]] virtual Diagnosis diagnose(const Snapshot &snapshot) = 0;
    virtual void keepEvidence(const QByteArray &text) = 0; ///< takeEvidence() follows
};

struct ReclaimSettings
{
    bool evidence = true; ///< kept before anything ends
    bool within = false;  ///< part of a longer run, which has the host's lock, knows who else is here and keeps both
    std::chrono::milliseconds poll{500};       ///< between two looks
    std::chrono::milliseconds steadyPoll{250}; ///< the same once memory is back: it has to stay so
    std::chrono::milliseconds beat{4'000};     ///< the host's lock is renewed at least so often
    std::chrono::milliseconds killPatience{15'000}; ///< still there so long after SIGKILL: stuck
    std::chrono::milliseconds unitPatience{90'000}; ///< where the unit itself names no limit
    std::chrono::milliseconds awayPatience{120'000}; ///< for a connection that broke
};

class ReclaimRun final : public WorkflowRun
{
    Q_OBJECT
public:
    /// `host` outlives the run. The plan is what a person consented to.
    ReclaimRun(Plan plan, ReclaimHost &host, ReclaimSettings settings = {}, QObject *parent = nullptr);
    ~ReclaimRun() override;

    void start() override;
    void takeAction(const ActionResult &result) override;
    void takeSnapshot(const Snapshot &snapshot) override;
    void takeMiss(const Error &error) override;
    void takeWake() override;
    void takeEvidence(const Result<QString> &kept) override;
    void takeAway(const Error &error, bool final) override;
    void killNow() override;
    void cancel() override;

private:
    class Private;
    std::unique_ptr<Private> d;
};

} // namespace pilothouse
