// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// One host, live: connects, takes snapshots on schedule, reconnects. A facade in the thread that made it (the GUI's or
// the command's); session and prober live in a thread of their own and values cross through core/base Handoff.

#include "core/base/error.h"
#include "core/base/http.h"
#include "core/fleet/hostspec.h"
#include "core/host/snapshot.h"
#include "core/ssh/connectionsettings.h"
#include "core/ssh/question.h"

#include <QDateTime>
#include <QObject>

#include <chrono>
#include <memory>
#include <optional>

namespace pilothouse {

struct LinkState
{
    enum class Phase {
        Idle,        ///< not asked to connect
        Connecting,  ///< `words` say how far
        Waiting,     ///< for a person's answer
        Connected,   ///< snapshots come
        Retrying,    ///< `error` says why, `nextTry` when
        Stopped,     ///< `error` says why; only retryNow() goes on (refused sign-in, host key, configuration)
    };
    Phase phase = Phase::Idle;
    QString words;
    std::optional<Error> error;
    QDateTime since;   ///< UTC, when the phase began
    QDateTime nextTry; ///< UTC, Retrying only
    QString peer;      ///< user@address:port once known
    bool signInAgain = false; ///< Stopped because the sign-in needs a person
    bool waitsForJumpHost = false; ///< and it is that of a jump host
    bool onTheWay = false;    ///< Retrying or Stopped: the jump host was to blame
    bool held = false;        ///< Retrying, but not before release(): this side's network is away
    std::chrono::milliseconds interval{0}; ///< between the starts of two ticks as they are now; zero: only on request
};

struct ActionRequest;
struct ActionResult;
struct Actor;
struct LinkEnvironment;

class HostLink final : public QObject
{
    Q_OBJECT
public:
    HostLink(HostSpec spec, ConnectionSettings settings, ProbeSettings probe, QObject *parent = nullptr);
    /// With sessions, probers and times of the caller's choice (core/fleet/linkenvironment.h).
    HostLink(HostSpec spec, ConnectionSettings settings, ProbeSettings probe, LinkEnvironment environment,
             QObject *parent = nullptr);
    /// Ends the connection and its thread; never blocks for more than the time to post a request (the thread
    /// finishes by itself).
    ~HostLink() override;

    [[nodiscard]] const HostSpec &spec() const;
    [[nodiscard]] const LinkState &state() const;
    [[nodiscard]] SnapshotPtr latest() const; ///< null before the first

    /// Only while Idle.
    void open();
    void close();
    /// Only while Retrying or Stopped.
    void retryNow();
    /// Only while Connected: a new connection in place of it, as to be asked for sudo's password again.
    void renew();
    /// The jump host may be signed in to again: nothing, unless the link waits for one.
    void resume();
    /// Retrying, or about to: no further try until release(), which begins anew with the first of the waits.
    void hold();
    void release(std::chrono::milliseconds wait);
    /// To questionAsked(), by its id; an answer to an older question is ignored.
    void answer(const Answer &answer);
    /// Time between the starts of two ticks; zero: only on request. Doubled up to 60 s by the worker while nvidia-smi
    /// takes over 500 ms, or persistence is off and nothing is on the GPUs (a problem in the snapshot says so).
    /// `depth` is that of the ticks.
    void setCadence(std::chrono::milliseconds cadence, Depth depth = Depth::Light);
    /// A tick looks deep by itself where a GPU has that much memory in use and no process answers for it: at once when
    /// it is new, then once a minute. Zero, as it begins: never.
    void setDeepThreshold(int mib);
    /// What differs in the host's description while its connection stays: from the next snapshot on, `probe`'s units
    /// and expected GPUs are asked for. The name stays.
    void setSpec(const HostSpec &spec, const ProbeSettings &probe);
    /// The units of these are asked for too, from the next snapshot on, until setSpec().
    void watchToo(const QList<ServiceSpec> &services);
    void requestSnapshot(Depth depth);
    /// Once, on the connection that stands; acted() follows with the number that this returns. Never repeated by
    /// itself: a connection that breaks meanwhile makes its outcome unknown.
    quint64 act(const ActionRequest &request, const Actor &actor);
    /// A service of the host, as seen from there, on the connection that stands; answered() follows with the number
    /// that this returns, at the latest some seconds after the request's limit. Several at once; never repeated by
    /// itself.
    quint64 ask(const HttpRequest &request);

signals:
    // In the facade's thread.
    void stateChanged(const pilothouse::LinkState &state);
    void questionAsked(const pilothouse::Question &question);
    void snapshotArrived(const pilothouse::SnapshotPtr &snapshot);
    void snapshotFailed(const pilothouse::Error &error);
    void acted(quint64 id, const pilothouse::ActionResult &result);
    void answered(quint64 id, const pilothouse::HttpAnswer &answer);

private:
    class Private;
    std::unique_ptr<Private> d;
};

} // namespace pilothouse
