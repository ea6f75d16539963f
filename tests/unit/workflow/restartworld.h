// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// A host of figures with a clock of its own and one unit, on which a restart runs without waiting: the unit loads, listens and
// answers like a server. For tests only, one thread.

#include "core/workflow/restartrun.h"

#include <functional>
#include <vector>

namespace pilothouse::test {

using namespace Qt::StringLiterals;

using Kind = ActionRequest::Kind;

class RestartWorld final : public RestartHost
{
public:
    void act(const ActionRequest &request) override
    {
        requests.push_back(request);
        next = [this, request] { run->takeAction(answer(request)); };
    }
    void look(Depth) override
    {
        if (away)
            waiting = true;
        else
            next = [this] { run->takeSnapshot(snapshot()); };
    }
    void ask(const HttpRequest &request) override
    {
        asked += request;
        next = [this, request] { run->takeHttp(reply(request)); };
    }
    void wakeAfter(std::chrono::milliseconds time) override { wakeAt = now + time.count(); }
    [[nodiscard]] qint64 nowMs() const override { return now; }
    [[nodiscard]] Diagnosis diagnose(const Snapshot &seen) override { return onDiagnose ? onDiagnose(seen) : Diagnosis(); }
    void keepEvidence(const QByteArray &) override
    {
        next = [this] { run->takeEvidence(u"there"_s); };
    }
    void keepRecord(const ServiceRecord &record) override { records += record; }

    ActionResult answer(const ActionRequest &request)
    {
        if (onAction) {
            if (auto own = onAction(request))
                return *own;
        }
        ActionAnswer answer;
        answer.lock = ActionAnswer::Lock::Mine;
        if (request.kind == Kind::UnitLog) {
            answer.lock = ActionAnswer::Lock::NotNeeded;
            for (const QString &line : log)
                answer.log += JournalLine{{}, 6, {}, u"vllm"_s, line};
        }
        if (request.kind == Kind::Begin)
            answer.lastDeed = lastDeed;
        if (request.kind == Kind::Command)
            answer.command = {commandStatus, u"drained"_s};
        if (request.kind == Kind::StopUnit || request.kind == Kind::StartUnit || request.kind == Kind::ResetFailedUnit)
            answer.unit.jobStatus = 0;
        perform(request.kind);
        describe(answer.unit);
        return {answer, std::nullopt, true, {}};
    }
    void perform(Kind kind)
    {
        if (kind == Kind::StopUnit && active == "active"_L1)
            stoppedAt = now;
        if (kind == Kind::ResetFailedUnit)
            active = u"inactive"_s;
        if (kind == Kind::StartUnit && active != "active"_L1) {
            active = startsAs;
            startedAt = now;
            stoppedAt.reset();
            ++invocation;
            pid += 100;
        }
    }
    void describe(UnitOutcome &unit)
    {
        if (stoppedAt && now - *stoppedAt >= stopMs)
            active = u"inactive"_s;
        unit.load = u"loaded"_s;
        unit.active = stoppedAt && active == "active"_L1 ? u"deactivating"_s : active;
        unit.sub = unit.active == "active"_L1 ? u"running"_s : unit.active == "deactivating"_L1 ? u"stop-sigterm"_s : u"dead"_s;
        unit.result = active == "failed"_L1 ? u"exit-code"_s : u"success"_s;
        unit.jobPending = unit.active == "deactivating"_L1;
        unit.invocation = u"1nv0%1"_s.arg(invocation);
        unit.restarts = restarts;
        unit.type = u"exec"_s;
        unit.stopLimit = std::chrono::seconds(90);
        if (unit.jobPending)
            unit.members = {u"%1 vllm"_s.arg(pid)};
    }
    [[nodiscard]] bool runs() const { return active == "active"_L1; }
    [[nodiscard]] bool isUp() const { return runs() && startedAt && now - *startedAt >= loadMs && !stoppedAt; }

    [[nodiscard]] Snapshot snapshot() const
    {
        Snapshot snapshot;
        snapshot.host = u"gpu1"_s;
        snapshot.bootId = bootId;
        snapshot.depth = Depth::Deep;
        Gpu gpu;
        gpu.index = 0;
        gpu.uuid = u"GPU-0"_s;
        gpu.memoryTotalMib = 97'887;
        const bool held = runs() || (stoppedAt && now - *stoppedAt < stopMs + releaseMs);
        gpu.memoryUsedMib = (held ? 90'004 : 4) + neighbourMib;
        gpu.attributedMib = (runs() ? 90'000 : 0) + neighbourMib;
        gpu.unattributedMib = gpu.memoryUsedMib.value() - gpu.attributedMib.value();
        snapshot.gpus = QList<Gpu>{gpu};
        snapshot.gpuSource.status = GpuSource::Status::Ok;
        snapshot.processes = QList<Process>();
        snapshot.listening = QList<ListeningPort>();
        snapshot.units = QList<Unit>{unitNow()};
        if (neighbourMib > 0) {
            Process other;
            other.pid = Pid{77};
            other.startTicks = 7;
            other.state = u'S';
            other.command = u"python train.py"_s;
            other.gpuMemory = {ProcessGpuMemory{0, gpu.uuid, neighbourMib}};
            *snapshot.processes += other;
        }
        if (runs()) {
            Process process;
            process.pid = Pid{pid};
            process.startTicks = quint64(pid) * 10;
            process.state = u'S';
            process.owner = {Owner::Kind::Unit, u"vllm.service"_s};
            process.command = u"vllm serve /models/kimi --served-model-name kimi --port 8000"_s;
            process.arguments = process.command.split(u' ');
            process.gpuMemory = {ProcessGpuMemory{0, gpu.uuid, qint64(90'000)}};
            *snapshot.processes += process;
            if (isUp())
                *snapshot.listening += ListeningPort{u"0.0.0.0"_s, 8000, Quantity<qint64>(pid)};
        }
        return snapshot;
    }
    [[nodiscard]] Unit unitNow() const
    {
        Unit unit;
        unit.name = u"vllm.service"_s;
        unit.load = u"loaded"_s;
        unit.active = active;
        unit.sub = runs() ? u"running"_s : u"dead"_s;
        return unit;
    }
    [[nodiscard]] HttpAnswer reply(const HttpRequest &request) const
    {
        if (onHttp) {
            if (const auto own = onHttp(request))
                return *own;
        }
        HttpAnswer answer;
        answer.outcome = isUp() ? HttpAnswer::Outcome::Answered : HttpAnswer::Outcome::NothingListens;
        answer.words = u"Nobody listens there."_s;
        answer.isWhole = true;
        if (!isUp())
            return answer;
        answer.status = 200;
        if (request.path.startsWith("/v1/models"))
            answer.body = R"({"object":"list","data":[{"id":"kimi"}]})";
        else if (request.path.startsWith("/metrics"))
            answer.body = metrics;
        else if (!request.body.isEmpty())
            answer.body = R"({"choices":[{"text":"a","message":{"content":"a"}}],"usage":{"completion_tokens":1}})";
        return answer;
    }

    /// Until the run is over, at most six hours of its own time.
    void play()
    {
        for (int steps = 0; !over && now < 6 * 3'600'000 && steps < 100'000; ++steps) {
            if (onStep)
                onStep();
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
        }
    }
    void join()
    {
        away = false;
        if (std::exchange(waiting, false))
            next = [this] { run->takeSnapshot(snapshot()); };
    }
    [[nodiscard]] qsizetype countOf(Kind kind) const
    {
        return std::count_if(requests.cbegin(), requests.cend(), [&](const ActionRequest &one) { return one.kind == kind; });
    }

    RestartRun *run = nullptr;
    qint64 now = 1'000;
    QString bootId = u"b00t"_s;
    QString active = u"active"_s;
    QString startsAs = u"active"_s;
    qint64 stopMs = 3'000;
    qint64 releaseMs = 1'000;
    qint64 loadMs = 30'000;
    int invocation = 1;
    int restarts = 0;
    qint64 pid = 500;
    qint64 neighbourMib = 0; ///< of somebody else on its card, who stays
    std::optional<int> commandStatus = 0;
    QStringList lastDeed;
    QStringList log;
    QByteArray metrics = "vllm:num_requests_running 0\nvllm:num_requests_waiting 0\n";
    std::optional<qint64> stoppedAt;
    std::optional<qint64> startedAt = -1'000'000;
    QList<ServiceRecord> records;
    QList<HttpRequest> asked;
    std::vector<ActionRequest> requests;
    std::function<void()> next;
    std::optional<qint64> wakeAt;
    bool away = false;
    bool waiting = false;
    bool over = false;
    std::function<std::optional<ActionResult>(const ActionRequest &)> onAction;
    std::function<std::optional<HttpAnswer>(const HttpRequest &)> onHttp;
    std::function<Diagnosis(const Snapshot &)> onDiagnose;
    std::function<void()> onStep;
};

} // namespace pilothouse::test
