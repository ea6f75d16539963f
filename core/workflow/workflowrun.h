// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// A workflow while it runs: a state machine that asks its host for one thing at a time and never waits itself. It knows no
// connection and no clock: what it asks for is answered by its take… functions. Any thread, one.

#include "core/actions/action.h"
#include "core/base/http.h"
#include "core/base/result.h"
#include "core/host/snapshot.h"
#include "core/workflow/workflowevent.h"

#include <QObject>

namespace pilothouse {

class WorkflowRun : public QObject
{
    Q_OBJECT
public:
    using QObject::QObject;

    virtual void start() = 0;
    virtual void takeAction(const ActionResult &result) = 0;
    virtual void takeSnapshot(const Snapshot &snapshot) = 0;
    virtual void takeMiss(const Error &error) = 0;
    virtual void takeWake() = 0;
    /// Where it is kept. Errors: LocalIo.
    virtual void takeEvidence(const Result<QString> &kept) = 0;
    virtual void takeHttp(const HttpAnswer &) { }
    /// There is no connection. `final`: and none will come.
    virtual void takeAway(const Error &error, bool final) = 0;
    /// Ends the grace of SIGTERM now.
    virtual void killNow() = 0;
    /// At the next safe moment: nothing more is sent to the host but the lock's return.
    virtual void cancel() = 0;

signals:
    void happened(const pilothouse::WorkflowEvent &event);
    /// Once, after the event of step "result".
    void finished(int exitCode);
};

} // namespace pilothouse
