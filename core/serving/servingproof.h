// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Does a service really serve after a start? Says what has to be asked next, takes the answers, and proves step by
// step; asks nothing itself. Pure, any thread. Times of any steady clock.
//
//   proof.begin(now);
//   for (;;) { const ServingNeed need = proof.next(now);   // asked as it says, then take…() or miss()
//              … }                                          // until need.kind is Over: verdict(), words(), steps()

#include "core/serving/endpoint.h"

#include <QJsonObject>
#include <QSet>

#include <chrono>
#include <optional>

namespace pilothouse {

/// The unit as systemd tells it now. What it does not tell is empty.
struct ServingUnit
{
    QString active;     ///< ActiveState
    QString sub;
    QString result;
    QString invocation; ///< InvocationID
    std::optional<int> restarts; ///< NRestarts
};

/// A GPU of the service, and what serving holds there.
struct ServingGpu
{
    int index = -1;
    QString uuid;
    Quantity<qint64> servingMib; ///< of the unit's processes when it last served; unknown: nobody remembers

    friend bool operator==(const ServingGpu &, const ServingGpu &) = default;
};

struct ServingLimits
{
    using Time = std::chrono::milliseconds;
    Time active{10'000}; ///< that long with one invocation
    Time ready{0};       ///< from the start until health answers; zero: the caller gives up, with giveUp()
    Time model{30'000};  ///< from health until the expected model is listed
    Time token{120'000};
    Time memory{60'000}; ///< from the token until all of it is there
    Time pace{1'000};    ///< between two tries of what is not yet so
    Time look{2'000};    ///< between two looks at unit or host
};

struct ServingSetup
{
    ServiceWish wish;
    QString invocationBefore;              ///< the start must have made a new one; empty: not known
    QSet<ProcessIdentity> processesBefore; ///< of the unit, before the start
    std::optional<int> restarts;           ///< right after the start; no value: as the first look says
    QList<ServingGpu> gpus;                ///< the service's; empty: those that its processes hold memory on
    std::optional<QStringList> xidsBefore; ///< xidsOf() before the start; no value: as the first snapshot says
    QByteArray key;                        ///< API key; a secret
    qint64 weightsMib = 1000;              ///< where no level is remembered: less is not a loaded model
    ServingLimits limits;
};

struct ServingNeed
{
    enum class Kind {
        Unit,     ///< systemctl show of the unit: takeUnit()
        Snapshot, ///< a deep one: takeSnapshot()
        Http,     ///< `request`: takeAnswer()
        Wait,     ///< ask again after `wait`
        Over,     ///< there is a verdict
    };
    Kind kind = Kind::Wait;
    HttpRequest request;
    std::chrono::milliseconds wait{0};
};

struct ServingStep
{
    enum class Name { Unit, Pids, Port, Health, Model, Token, Memory, Xid, Restarts };
    enum class State {
        Pending,
        Running,
        Done,
        Unproved, ///< cannot be proved here; `words` say why
        Failed,
    };
    Name name = Name::Unit;
    State state = State::Pending;
    QString words;     ///< for people, cleaned
    QJsonObject data;
    qint64 sinceMs = 0; ///< when it began to run
    qint64 tookMs = 0;  ///< until it was decided
};

[[nodiscard]] QString nameOf(ServingStep::Name name);   ///< "token"
[[nodiscard]] QString nameOf(ServingStep::State state); ///< "unproved"

class ServingProof final
{
public:
    enum class Verdict {
        Open,       ///< not decided
        Serves,     ///< health, and a token really generated
        Alive,      ///< answers; no token could be asked for (it would trigger a load, or it generates none)
        KeyNeeded,  ///< alive, key needed
        EngineGone, ///< answers, but no engine is behind it
        NotServing,
    };

    explicit ServingProof(ServingSetup setup);

    void begin(qint64 nowMs);
    /// The same until it is answered.
    [[nodiscard]] ServingNeed next(qint64 nowMs) const;

    void takeUnit(const ServingUnit &unit, qint64 nowMs);
    /// Welcome at any time, whoever asked for it; what a light one leaves out stays open.
    void takeSnapshot(const Snapshot &snapshot, qint64 nowMs);
    void takeAnswer(const HttpAnswer &answer, qint64 nowMs);
    /// What was asked for could not be had (no connection, an error): it is asked for again.
    void miss(qint64 nowMs);
    /// It has lasted too long: what is open fails with these words, and a verdict follows from what is known.
    void giveUp(const QString &why, qint64 nowMs);

    [[nodiscard]] Verdict verdict() const { return m_verdict; }
    /// One sentence: the verdict's, or what is waited for.
    [[nodiscard]] QString words() const;
    [[nodiscard]] const QList<ServingStep> &steps() const { return m_steps; }
    [[nodiscard]] const ServingStep &step(ServingStep::Name name) const { return m_steps.at(int(name)); }
    /// As it was found; not known before the first snapshot.
    [[nodiscard]] const Endpoint &endpoint() const { return m_endpoint; }
    /// The first that is listed, or the expected one; empty before.
    [[nodiscard]] const QString &model() const { return m_model; }
    /// Health has answered: it has come up.
    [[nodiscard]] bool isUp() const { return step(ServingStep::Name::Health).state >= ServingStep::State::Done; }

private:
    using Name = ServingStep::Name;
    using State = ServingStep::State;
    enum class Stage { Port, Health, Model, Available, Token, Autopsy, Memory, Close };

    [[nodiscard]] bool isOpen(Name name) const { return step(name).state < State::Done; }
    [[nodiscard]] qint64 runningFor(Name name, qint64 nowMs) const;
    void set(Name name, State state, const QString &words, qint64 nowMs, QJsonObject data = {});
    void fail(Name name, const QString &words, qint64 nowMs, Verdict verdict = Verdict::NotServing);
    [[nodiscard]] HttpRequest requestOf(Stage stage, qint64 nowMs) const;
    void takeHealth(const HttpAnswer &answer, qint64 nowMs);
    void takeModels(const HttpAnswer &answer, qint64 nowMs);
    void takeAvailable(const HttpAnswer &answer, qint64 nowMs);
    void takeToken(const HttpAnswer &answer, qint64 nowMs);
    void tokenFailed(const QString &words, qint64 nowMs);
    void enterToken(qint64 nowMs);
    void lookAtProcesses(const Snapshot &snapshot, qint64 nowMs);
    void lookAtPort(const Snapshot &snapshot, qint64 nowMs);
    void lookForEngine(const Snapshot &snapshot, qint64 nowMs);
    void lookAtMemory(const Snapshot &snapshot, qint64 nowMs);
    void lookForXids(const Snapshot &snapshot, qint64 nowMs);
    void settle(qint64 nowMs);

    ServingSetup m_setup;
    QList<ServingStep> m_steps;
    Endpoint m_endpoint;
    Stage m_stage = Stage::Port;
    Verdict m_verdict = Verdict::Open;
    QString m_verdictWords;
    qint64 m_start = 0;
    std::optional<qint64> m_unitAt;     // of the last look
    std::optional<qint64> m_snapshotAt; // of the last deep one
    std::optional<qint64> m_askedAt;    // of the last HTTP answer
    std::optional<qint64> m_activeSince;
    QString m_invocation;
    bool m_invocationTold = false;
    std::optional<QStringList> m_xidsBefore;
    std::optional<qint64> m_strangerSince; // who listens is not of the unit
    int m_withoutMemory = 0;   // looks in a row that saw none of the unit on any GPU
    bool m_memorySeen = false;
    int m_unfinished = 0;      // answers of health in a row that began and did not end
    bool m_otherScheme = false;
    bool m_keyNeeded = false;
    bool m_answers = false;    // something answered over HTTP
    QString m_model;
    qsizetype m_generation = 0; // which of generationsOf()
    QString m_tokenWords;      // why the last try was none
};

[[nodiscard]] QString nameOf(ServingProof::Verdict verdict); ///< "engine_gone"

/// What the unit's processes hold now, by GPU: to be remembered once serving is proved.
[[nodiscard]] QList<ServingGpu> servingLevelOf(const Snapshot &snapshot, const ServiceWish &wish);
/// Xid and NVSwitch messages of a snapshot's kernel log. No value: it could not be read, or was not asked for.
[[nodiscard]] std::optional<QStringList> xidsOf(const Snapshot &snapshot);

} // namespace pilothouse
