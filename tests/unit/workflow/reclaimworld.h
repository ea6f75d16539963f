// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// A host of figures with a clock of its own, on which a reclaim runs without waiting. For tests only, one thread.

#include "core/workflow/reclaimrun.h"

#include <QMap>

#include <functional>
#include <vector>

namespace pilothouse::test {

using namespace Qt::StringLiterals;

using Kind = ActionRequest::Kind;
using Lock = ActionAnswer::Lock;
using What = ProcessOutcome::What;

struct Fake
{
    quint64 start = 7;
    bool ignoresTerm = false;
    bool stuck = false;          ///< SIGKILL does not end it
    std::optional<qint64> diedAt;
};

/// One card a worker; memory comes back `releaseMs` after a death.
class World final : public ReclaimHost
{
public:
    void act(const ActionRequest &request) override
    {
        requests.push_back(request);
        isLook = false;
        next = [this, request] { run->takeAction(answer(request)); };
    }
    void look(Depth) override
    {
        isLook = true;
        if (away)
            waiting = true;
        else
            next = [this] { run->takeSnapshot(snapshot()); };
    }
    void wakeAfter(std::chrono::milliseconds time) override { wakeAt = now + time.count(); }
    [[nodiscard]] qint64 nowMs() const override { return now; }
    [[nodiscard]] Diagnosis diagnose(const Snapshot &) override { return {}; }
    void keepEvidence(const QByteArray &text) override
    {
        evidence += text;
        isLook = false;
        next = [this] {
            run->takeEvidence(diskFull ? Result<QString>(fail(ErrorCode::LocalIo, u"The disk is full."_s))
                                       : Result<QString>(u"there"_s));
        };
    }

    ActionResult answer(const ActionRequest &request)
    {
        if (onAction) {
            if (auto own = onAction(request))
                return *own;
        }
        ActionAnswer answer;
        answer.lock = Lock::Mine;
        if (request.kind == Kind::Evidence) {
            answer.lock = Lock::NotNeeded;
            answer.evidence = "how they stood";
            return {answer, std::nullopt, true, {}};
        }
        for (const SignalTarget &target : request.targets)
            answer.processes += ProcessOutcome{target.identity, deliver(request.kind, target)};
        if (request.kind == Kind::StopUnit) {
            answer.unit.jobStatus = 0;
            answer.unit.active = u"deactivating"_s;
            answer.unit.jobPending = true;
        } else if (request.kind == Kind::LookAtUnit) {
            answer.unit.active = u"inactive"_s;
        }
        return {answer, std::nullopt, true, {}};
    }
    What deliver(Kind kind, const SignalTarget &target)
    {
        const auto at = processes.find(target.identity.pid.value);
        if (at == processes.end() || at->diedAt)
            return What::Gone;
        if (at->start != target.identity.start.value)
            return What::Other;
        if (kind == Kind::Look)
            return What::Alive;
        if ((kind == Kind::Terminate && !at->ignoresTerm) || (kind == Kind::Kill && !at->stuck))
            at->diedAt = now;
        return What::Signalled;
    }

    [[nodiscard]] Snapshot snapshot() const
    {
        Snapshot snapshot;
        snapshot.bootId = bootId;
        QList<Gpu> gpus;
        QList<Process> list;
        for (auto at = processes.cbegin(); at != processes.cend(); ++at) {
            const int index = int(gpus.size());
            const bool holds = !at->diedAt || now - *at->diedAt < releaseMs;
            Gpu gpu;
            gpu.index = index;
            gpu.uuid = u"GPU-%1"_s.arg(index);
            gpu.attributedMib = at->diedAt ? 0 : 1000;
            gpu.memoryUsedMib = holds ? 1004 : 4;
            gpu.unattributedMib = gpu.memoryUsedMib.value() - gpu.attributedMib.value();
            gpus += gpu;
            if (at->diedAt)
                continue;
            Process process;
            process.pid = Pid{at.key()};
            process.startTicks = at->start;
            process.state = u'S';
            process.gpuMemory = {ProcessGpuMemory{index, gpu.uuid, qint64(1000)}};
            list += process;
        }
        snapshot.gpus = gpus;
        snapshot.processes = list;
        return snapshot;
    }

    /// Until the run is over, at most an hour of its own time.
    void play()
    {
        if (onStep)
            onStep();
        for (int steps = 0; !over && now < 3'600'000 && steps < 100'000; ++steps) {
            if (next) {
                now += 20;
                std::exchange(next, {})();
            } else if (wakeAt) {
                now = std::max(now, *wakeAt);
                wakeAt.reset();
                run->takeWake();
            } else {
                break;
            }
            if (onStep)
                onStep();
        }
    }
    void cut()
    {
        away = true;
        run->takeAway({ErrorCode::ConnectionLost, u"The cable."_s, {}}, false);
    }
    void join()
    {
        away = false;
        if (std::exchange(waiting, false))
            next = [this] { run->takeSnapshot(snapshot()); };
    }
    [[nodiscard]] QList<Kind> kinds() const
    {
        QList<Kind> all;
        for (const ActionRequest &request : requests) {
            if (request.kind != Kind::Look && request.kind != Kind::LookAtUnit && request.kind != Kind::Evidence)
                all += request.kind;
        }
        return all;
    }
    [[nodiscard]] qsizetype countOf(Kind kind) const { return kinds().count(kind); }

    ReclaimRun *run = nullptr;
    qint64 now = 1'000;
    qint64 releaseMs = 2'000;
    QString bootId = u"b00t"_s;
    QMap<qint64, Fake> processes;
    std::vector<ActionRequest> requests;
    std::function<void()> next;
    std::optional<qint64> wakeAt;
    QByteArray evidence;
    bool diskFull = false;
    bool away = false;
    bool waiting = false;
    bool isLook = false; ///< what is to be answered next
    bool over = false;
    std::function<std::optional<ActionResult>(const ActionRequest &)> onAction;
    std::function<void()> onStep;
};

} // namespace pilothouse::test
