// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// From systemd's start of a server to the proof that it serves: the unit, the load and the proof of core/serving as one, that
// says what it wants to be told next and what has happened. Pure, any thread. Times of any steady clock.

#include "core/serving/servingproof.h"
#include "core/workflow/loadwatch.h"
#include "core/workflow/restartplan.h"
#include "core/workflow/servicerecord.h"
#include "core/workflow/unitwatch.h"
#include "core/workflow/workflowevent.h"

namespace pilothouse {

struct StartLimits
{
    ServingLimits serving{.pace = std::chrono::milliseconds(500), .look = std::chrono::milliseconds(1'000)};
    std::chrono::milliseconds noProgress{600'000}; ///< a load without any progress for that long has failed
    std::chrono::milliseconds slowLoad{900'000};   ///< said then, where nothing is learned
    std::chrono::milliseconds lastWords{15'000};   ///< for a unit that goes down, until systemd says why
    std::chrono::milliseconds logPace{5'000};
    std::chrono::milliseconds tellPace{5'000};
};

class StartWatch final
{
public:
    struct Need
    {
        enum class Kind {
            Unit,     ///< takeUnit()
            Snapshot, ///< a deep one: takeSnapshot()
            Http,     ///< takeHttp()
            Log,      ///< the last lines of its invocation: takeLog()
            Wait,
            Proved,   ///< words() say what, record() is to be kept
            Failed,   ///< words() say why
        };
        Kind kind = Kind::Wait;
        HttpRequest request;
        std::chrono::milliseconds wait{0};
    };

    /// `before`: the unit before systemd was asked to start it. `record`: of the last time that it served.
    StartWatch(const RestartPlan &plan, const UnitOutcome &before, const std::optional<ServiceRecord> &record, StartLimits limits = {});

    void begin(qint64 nowMs);
    [[nodiscard]] Need next(qint64 nowMs);
    void takeUnit(const UnitOutcome &unit, qint64 nowMs);
    void takeSnapshot(const Snapshot &snapshot, qint64 nowMs);
    void takeHttp(const HttpAnswer &answer, qint64 nowMs);
    void takeLog(const QList<JournalLine> &lines, qint64 nowMs);
    void miss(qint64 nowMs);

    /// What is to be told since the last call: a step each, and how the load gets on.
    [[nodiscard]] QList<WorkflowEvent> takeEvents(qint64 nowMs);
    [[nodiscard]] QString words() const;
    [[nodiscard]] ErrorCode code() const { return m_code; }
    [[nodiscard]] QString introduction() const;
    [[nodiscard]] ServiceRecord record() const;
    /// Against the last time that it served; empty where nothing is remembered.
    [[nodiscard]] QStringList changes() const;
    [[nodiscard]] const QString &invocation() const { return m_invocation; }

private:
    [[nodiscard]] static ServingSetup setupFor(const RestartPlan &plan, const UnitOutcome &before, const std::optional<ServiceRecord> &record,
                                               const StartLimits &limits);
    void fail(const QString &words, ErrorCode code);

    const RestartPlan m_plan;
    const std::optional<ServiceRecord> m_before;
    const StartLimits m_limits;
    UnitWatch m_unit;
    LoadWatch m_load;
    ServingProof m_proof;
    SnapshotPtr m_snapshot;      ///< the latest
    QString m_invocation;
    QString m_unitWords;
    QList<ServingStep> m_told;
    QStringList m_logSeen;       ///< the last lines that were taken
    std::optional<qint64> m_upAt;
    std::optional<qint64> m_overAt; ///< the proof has failed
    qint64 m_unitAt = 0;
    qint64 m_start = 0;
    qint64 m_logAt = 0;
    qint64 m_toldAt = 0;
    QString m_lastProgress;
    bool m_lateTold = false;
    QString m_failure;           ///< not empty: it has failed
    ErrorCode m_code = ErrorCode::DriverFault;
};

} // namespace pilothouse
