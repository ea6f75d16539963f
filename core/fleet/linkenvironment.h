// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What a host's link is built from: how to make a session and a prober, the shared gate and threads, and its times.
// The seam at which tests put fakes. The environment is copied freely; sessions and probers live in a link's thread.

#include "core/actions/actionrunner.h"
#include "core/ssh/http/hosthttp.h"
#include "core/ssh/jump/handshakegate.h"
#include "core/fleet/linkthreads.h"
#include "core/fleet/networkwatch.h"
#include "core/host/snapshot.h"
#include "core/probe/probesettings.h"
#include "core/ssh/connectionsettings.h"
#include "core/ssh/question.h"

#include <QObject>

#include <chrono>
#include <functional>
#include <memory>

namespace pilothouse {

/// The part of SshSession that a link uses, with the same promises.
class LinkSession : public QObject
{
    Q_OBJECT
public:
    virtual void open() = 0;
    virtual void close() = 0;
    virtual void answer(const Answer &answer) = 0;
    [[nodiscard]] virtual QString peer() const = 0;
    [[nodiscard]] virtual bool neededPerson() const { return false; }
    [[nodiscard]] virtual bool endedOnTheWay() const { return false; }

signals:
    void progressed(const QString &words);
    void ready();
    void asked(const pilothouse::Question &question);
    void waitsForOthers(bool waits);
    void ended(const pilothouse::Error &error);
};

/// The part of Prober that a link uses, with the same promises.
class LinkProber : public QObject
{
    Q_OBJECT
public:
    virtual void start() = 0;
    virtual void requestSnapshot(Depth depth) = 0;
    virtual void answer(const Answer &) { }
    virtual void setSettings(const ProbeSettings &settings) = 0;

signals:
    void asked(const pilothouse::Question &question);
    void started();
    void snapshotTaken(const pilothouse::SnapshotPtr &snapshot);
    void requestFailed(const pilothouse::Error &error);
    void failed(const pilothouse::Error &error);
};

struct LinkBackend
{
    std::function<std::unique_ptr<LinkSession>(const ConnectionSettings &)> makeSession;
    std::function<std::unique_ptr<LinkProber>(LinkSession &, const ProbeSettings &)> makeProber;
    /// Empty: actions are refused.
    std::function<std::unique_ptr<ActionRunner>(LinkSession &)> makeActions;
    /// Empty: nothing is asked over HTTP.
    std::function<std::unique_ptr<HostHttp>(LinkSession &)> makeHttp;
};

struct LinkTimings
{
    using Time = std::chrono::milliseconds;
    Time firstRetry{1'000};
    Time lastRetry{60'000};
    Time healthyAfter{30'000};    ///< connected for so long: the next loss begins at firstRetry again
    Time slowTool{500};           ///< nvidia-smi slower than this doubles the cadence
    Time slowestCadence{60'000};
    Time deepAgain{60'000};       ///< between two deep looks at the same memory without a holder
    Time handshakePlace{2'000};   ///< longer, and the host is waiting, not working: the place goes to the next
    Time closing{1'000};          ///< for an orderly end of a session
    Time beyondDeadline{5'000};   ///< session and prober have deadlines of their own; after this they count as stuck
};

struct LinkEnvironment
{
    LinkBackend backend;
    LinkTimings timings;
    NetworkWatch::Settings network; ///< for a fleet of such links
    std::shared_ptr<HandshakeGate> gate;
    std::shared_ptr<LinkThreads> threads;
    std::function<double()> random; ///< 0 to 1, any thread
};

/// SshSession and Prober, 16 handshakes at once, jump hosts and what `ssh -G` said shared.
[[nodiscard]] LinkEnvironment standardLinkEnvironment();

} // namespace pilothouse
