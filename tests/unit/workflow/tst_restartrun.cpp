// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// A guided restart on a host of figures with a clock of its own: every way that it can go.
#include "tests/support/testmain.h"
#include "tests/unit/workflow/restartworld.h"

#include <algorithm>

using namespace pilothouse;
using namespace pilothouse::test;

class TstRestartRun final : public QObject
{
    Q_OBJECT
private slots:
    void init();
    void serving_isStoppedStartedAndProved();
    void stopped_isOnlyStarted();
    void nothingLeft_nothingIsKilled();
    void requests_areCountedAndCut();
    void drain_waitsForRequestsThenStops();
    void drain_fails_nothingIsStopped();
    void drain_unreadableMetricsAreNotIdle();
    void undrain_afterProofOnly();
    void failedUnit_isResetFirst();
    void startFails_rootCauseOfItsLog();
    void restartsOfSystemd_areToldByTheCounter();
    void somebodyElseStartsIt_halts();
    void noProgress_givesUp();
    void answersButEngineIsGone_isNotServing();
    void memoryStays_isNotStarted();
    void cutAtEachStep_goesOnAndDoesNothingTwice_data();
    void cutAtEachStep_goesOnAndDoesNothingTwice();
    void cutAgainWhileItAsks_doesNothingTwice_data();
    void cutAgainWhileItAsks_doesNothingTwice();
    void below_waitsForEveryCardAndLeavesNeighbours();
    void killedAfterStart_goesOnWithoutASecondStart();
    void killedBeforeStart_startsIt();
    void bootedMeanwhile_isRefused();
    void anothersLock_nothingIsDone();
    void cancel_whileRequestsRun_nothingIsStopped();
    void pause_waitsBeforeTheNextStep();
    void record_comparesAFailedStart();

private:
    [[nodiscard]] RestartPlan plan() const
    {
        RestartOptions options;
        options.service = options.unit = u"vllm.service"_s;
        options.drain = m_drain;
        options.undrain = m_undrain;
        options.belowMib = m_below;
        options.drainLimit = std::chrono::seconds(20);
        Diagnosis diagnosis;
        const Snapshot seen = m_world.snapshot();
        for (const Process &process : *seen.processes)
            diagnosis.processes += ProcessVerdict{process.pid, process.identity(), {}, {}, Verdict::Serving, {}, {}, false, {}};
        return makeRestartPlan(seen, diagnosis, options).value();
    }
    /// Plays it to its end; -1: it never ended.
    int play(RestartSettings settings = {})
    {
        m_run = std::make_unique<RestartRun>(plan(), m_world, std::move(settings));
        m_world.run = m_run.get();
        m_world.onDiagnose = [](const Snapshot &seen) {
            Diagnosis diagnosis;
            for (const Process &process : *seen.processes)
                diagnosis.processes += ProcessVerdict{process.pid, process.identity(), {}, {}, Verdict::Serving, {}, {}, false, {}};
            return diagnosis;
        };
        QObject::connect(m_run.get(), &RestartRun::happened, m_run.get(), [this](const WorkflowEvent &event) { m_events += event; });
        QObject::connect(m_run.get(), &RestartRun::finished, m_run.get(), [this](int code) {
            m_exitCode = m_world.over ? -2 : code; // once
            m_world.over = true;
        });
        m_run->start();
        m_world.play();
        return m_exitCode;
    }
    [[nodiscard]] QString result() const { return m_events.isEmpty() ? QString() : m_events.last().text; }
    [[nodiscard]] QString story() const
    {
        QStringList lines;
        for (const WorkflowEvent &event : m_events)
            lines += event.step + u' ' + nameOf(event.state) + u": "_s + event.text;
        return lines.mid(std::max<qsizetype>(0, lines.size() - 12)).join(u'\n');
    }
    [[nodiscard]] bool has(const QString &step, WorkflowEvent::State state, const QString &words = {}) const
    {
        return std::ranges::any_of(m_events, [&](const WorkflowEvent &event) {
            return event.step == step && event.state == state && event.text.contains(words);
        });
    }
    [[nodiscard]] qsizetype indexOf(Kind kind) const
    {
        const auto at = std::ranges::find(m_world.requests, kind, &ActionRequest::kind);
        return at == m_world.requests.end() ? -1 : at - m_world.requests.begin();
    }

    using State = WorkflowEvent::State;

    RestartWorld m_world;
    QString m_drain;
    QString m_undrain;
    std::optional<qint64> m_below;
    std::unique_ptr<RestartRun> m_run;
    QList<WorkflowEvent> m_events;
    int m_exitCode = -1;
};

void TstRestartRun::init()
{
    m_world = RestartWorld();
    m_drain.clear();
    m_undrain.clear();
    m_below.reset();
    m_events.clear();
    m_exitCode = -1;
}

void TstRestartRun::serving_isStoppedStartedAndProved()
{
    QVERIFY2(play() == 0, qPrintable(story()));
    QCOMPARE(m_world.countOf(Kind::StopUnit), 1);
    QCOMPARE(m_world.countOf(Kind::StartUnit), 1);
    QCOMPARE(m_world.countOf(Kind::Kill) + m_world.countOf(Kind::Terminate), 0);
    QVERIFY(indexOf(Kind::StopUnit) < indexOf(Kind::StartUnit));
    for (const QString &step : {u"serve.pids"_s, u"serve.port"_s, u"serve.health"_s, u"serve.model"_s, u"serve.token"_s, u"serve.memory"_s})
        QVERIFY2(has(step, State::Done), qPrintable(step + u'\n' + story()));
    QVERIFY2(has(u"memory"_s, State::Done), qPrintable(story())); // before the start
    QCOMPARE(m_world.records.size(), 1);
    QCOMPARE(m_world.records.first().modelPath, u"/models/kimi"_s);
    QVERIFY(m_world.records.first().loadMs.first() >= 28'000);
    for (const ActionRequest &request : m_world.requests)
        QVERIFY(request.bootId == "b00t"_L1);
}

void TstRestartRun::stopped_isOnlyStarted()
{
    m_world.active = u"inactive"_s;
    QVERIFY2(play() == 0, qPrintable(story()));
    QCOMPARE(m_world.countOf(Kind::StopUnit), 0);
    QCOMPARE(m_world.countOf(Kind::StartUnit), 1);
}

void TstRestartRun::nothingLeft_nothingIsKilled()
{
    QVERIFY2(play() == 0, qPrintable(story()));
    QVERIFY2(has(u"look"_s, State::Done, u"nothing is ended"_s), qPrintable(story()));
}

void TstRestartRun::requests_areCountedAndCut()
{
    m_world.metrics = "vllm:num_requests_running 37\nvllm:num_requests_waiting 4\n";
    QVERIFY2(play() == 0, qPrintable(story()));
    QVERIFY2(has(u"requests"_s, State::Done, u"37 running, 4 waiting will be cut"_s), qPrintable(story()));
}

void TstRestartRun::drain_waitsForRequestsThenStops()
{
    m_drain = u"/opt/lb/drain gpu1"_s;
    m_world.metrics = "vllm:num_requests_running 3\nvllm:num_requests_waiting 0\n";
    m_world.onStep = [this] {
        if (m_world.now > 8'000)
            m_world.metrics = "vllm:num_requests_running 0\nvllm:num_requests_waiting 0\n";
    };
    QVERIFY2(play() == 0, qPrintable(story()));
    QVERIFY(indexOf(Kind::Command) < indexOf(Kind::StopUnit));
    QVERIFY2(has(u"requests"_s, State::Progress, u"3 running"_s), qPrintable(story()));
    QVERIFY2(has(u"requests"_s, State::Done, u"No request runs"_s), qPrintable(story()));
}

void TstRestartRun::drain_fails_nothingIsStopped()
{
    m_drain = u"/opt/lb/drain gpu1"_s;
    m_world.commandStatus = 3;
    QVERIFY2(play() == 1, qPrintable(story()));
    QCOMPARE(m_world.countOf(Kind::StopUnit), 0);
    QVERIFY2(result().contains("Nothing was stopped"_L1), qPrintable(result()));
}

void TstRestartRun::drain_unreadableMetricsAreNotIdle()
{
    m_drain = u"/opt/lb/drain gpu1"_s;
    m_world.metrics = "<html>";
    QVERIFY2(play() == 0, qPrintable(story()));
    QVERIFY2(has(u"requests"_s, State::Failed, u"cannot be read"_s), qPrintable(story()));
    const auto stop = std::ranges::find_if(m_events, [](const WorkflowEvent &event) { return event.step == "stop"_L1; });
    QVERIFY(stop != m_events.end());
    QVERIFY(std::ranges::count_if(m_world.asked, [](const HttpRequest &one) { return one.path.startsWith("/metrics"); }) > 10);
}

void TstRestartRun::undrain_afterProofOnly()
{
    m_drain = u"/opt/lb/drain gpu1"_s;
    m_undrain = u"/opt/lb/undrain gpu1"_s;
    QVERIFY2(play() == 0, qPrintable(story()));
    QCOMPARE(m_world.countOf(Kind::Command), 2);
    QCOMPARE(m_world.requests.at(m_world.requests.size() - 2).command, m_undrain);
    init();
    m_drain = u"/opt/lb/drain gpu1"_s;
    m_undrain = u"/opt/lb/undrain gpu1"_s;
    m_world.startsAs = u"failed"_s;
    QVERIFY2(play() == 1, qPrintable(story()));
    QCOMPARE(m_world.countOf(Kind::Command), 1); // what does not serve stays drained
}

void TstRestartRun::failedUnit_isResetFirst()
{
    m_world.active = u"failed"_s;
    QVERIFY2(play() == 0, qPrintable(story()));
    QVERIFY(indexOf(Kind::ResetFailedUnit) >= 0);
    QVERIFY(indexOf(Kind::ResetFailedUnit) < indexOf(Kind::StartUnit));
}

void TstRestartRun::startFails_rootCauseOfItsLog()
{
    m_world.startsAs = u"failed"_s;
    m_world.log = {u"INFO starting"_s, u"(Worker_TP1 pid=7) Traceback (most recent call last):"_s, u"(Worker_TP1 pid=7)   File \"a.py\", line 3"_s,
                   u"(Worker_TP1 pid=7) torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB"_s,
                   u"RuntimeError: Engine core initialization failed. See root cause above."_s};
    QVERIFY2(play() == 1, qPrintable(story()));
    QVERIFY2(has(u"root_cause"_s, State::Done, u"CUDA out of memory"_s), qPrintable(story()));
    QVERIFY2(result().contains("CUDA out of memory"_L1), qPrintable(result()));
    const auto log = std::ranges::find(m_world.requests, Kind::UnitLog, &ActionRequest::kind);
    QVERIFY(log != m_world.requests.end());
    QCOMPARE(log->invocation, u"1nv02"_s); // of that start alone
}

void TstRestartRun::restartsOfSystemd_areToldByTheCounter()
{
    m_world.loadMs = 3'600'000;
    m_world.onStep = [this] {
        if (*m_world.startedAt > 0)
            m_world.restarts = int((m_world.now - *m_world.startedAt) / 5'000);
    };
    QVERIFY2(play() == 1, qPrintable(story()));
    QVERIFY2(result().contains("restarted"_L1), qPrintable(result()));
}

void TstRestartRun::somebodyElseStartsIt_halts()
{
    m_world.loadMs = 600'000;
    bool done = false;
    m_world.onStep = [this, &done] {
        if (!done && *m_world.startedAt > 0 && m_world.now - *m_world.startedAt > 20'000) {
            done = true;
            m_world.invocation += 7;
        }
    };
    QVERIFY2(play() == 7, qPrintable(story()));
    QVERIFY2(result().contains("omebody else"_L1), qPrintable(result()));
}

void TstRestartRun::noProgress_givesUp()
{
    m_world.loadMs = 24 * 3'600'000;
    QVERIFY2(play() == 1, qPrintable(story()));
    QVERIFY2(result().contains("No progress"_L1), qPrintable(result()));
    QVERIFY(m_world.now >= 600'000);
}

void TstRestartRun::answersButEngineIsGone_isNotServing()
{
    m_world.onHttp = [this](const HttpRequest &request) -> std::optional<HttpAnswer> {
        if (request.body.isEmpty() || !m_world.isUp())
            return std::nullopt;
        HttpAnswer answer;
        answer.outcome = HttpAnswer::Outcome::Answered;
        answer.status = 500;
        answer.isWhole = true;
        answer.body = R"({"error":{"message":"EngineDeadError"}})";
        return answer;
    };
    QVERIFY2(play() == 1, qPrintable(story()));
    QVERIFY2(result().contains("does not serve"_L1), qPrintable(result()));
}

void TstRestartRun::memoryStays_isNotStarted()
{
    m_world.releaseMs = 24 * 3'600'000;
    QVERIFY2(play() == 1, qPrintable(story()));
    QCOMPARE(m_world.countOf(Kind::StartUnit), 0);
    QVERIFY2(result().contains("has not come back"_L1), qPrintable(result()));
}

void TstRestartRun::cutAtEachStep_goesOnAndDoesNothingTwice_data()
{
    QTest::addColumn<int>("kind");
    QTest::addColumn<bool>("arrives");
    QTest::newRow("drain arrives") << int(Kind::Command) << true;
    QTest::newRow("drain is lost") << int(Kind::Command) << false;
    QTest::newRow("stop arrives") << int(Kind::StopUnit) << true;
    QTest::newRow("stop is lost") << int(Kind::StopUnit) << false;
    QTest::newRow("start arrives") << int(Kind::StartUnit) << true;
    QTest::newRow("start is lost") << int(Kind::StartUnit) << false;
}

void TstRestartRun::cutAtEachStep_goesOnAndDoesNothingTwice()
{
    QFETCH(const int, kind);
    QFETCH(const bool, arrives);
    m_drain = u"/opt/lb/drain gpu1"_s;
    int performed = 0;
    m_world.onAction = [&, cut = false](const ActionRequest &request) mutable -> std::optional<ActionResult> {
        if (int(request.kind) != kind)
            return std::nullopt;
        if (std::exchange(cut, true)) {
            ++performed;
            return std::nullopt;
        }
        if (arrives) {
            ++performed;
            m_world.perform(request.kind);
            m_world.lastDeed = {u"what="_s + request.what};
        }
        m_world.away = true;
        m_world.onStep = [this] {
            m_world.onStep = {};
            m_world.now += 20'000;
            m_world.join();
        };
        return ActionResult{std::nullopt, Error{ErrorCode::ConnectionLost, u"Cut."_s, {}}, true, {}};
    };
    QVERIFY2(play() == 0, qPrintable(story()));
    QVERIFY2(performed == 1, qPrintable(story()));
    QCOMPARE(m_world.invocation, 2); // started once
}

void TstRestartRun::cutAgainWhileItAsks_doesNothingTwice_data()
{
    QTest::addColumn<int>("kind");
    QTest::addColumn<bool>("sent");
    for (const bool sent : {true, false}) {
        QTest::addRow("drain, the question %s", sent ? "was sent" : "was not sent") << int(Kind::Command) << sent;
        QTest::addRow("start, the question %s", sent ? "was sent" : "was not sent") << int(Kind::StartUnit) << sent;
        QTest::addRow("stop, the question %s", sent ? "was sent" : "was not sent") << int(Kind::StopUnit) << sent;
    }
}

/// It arrived, its answer was lost, and the link breaks once more while the host is asked whether it did.
void TstRestartRun::cutAgainWhileItAsks_doesNothingTwice()
{
    QFETCH(const int, kind);
    QFETCH(const bool, sent);
    m_drain = u"/opt/lb/drain gpu1"_s;
    int performed = 0;
    int cuts = 0;
    const auto cut = [&](bool wasSent) {
        ++cuts;
        m_world.away = true;
        m_world.onStep = [this] {
            m_world.onStep = {};
            m_world.now += 5'000;
            m_world.join();
        };
        return ActionResult{std::nullopt, Error{ErrorCode::ConnectionLost, u"Cut."_s, {}}, wasSent, {}};
    };
    m_world.onAction = [&](const ActionRequest &request) -> std::optional<ActionResult> {
        if (cuts == 1)
            return cut(sent); // whatever is asked
        if (int(request.kind) != kind)
            return std::nullopt;
        ++performed;
        if (cuts > 0)
            return std::nullopt;
        m_world.perform(request.kind);
        m_world.lastDeed = {u"what="_s + request.what};
        return cut(true);
    };
    QVERIFY2(play() == 0, qPrintable(story()));
    QCOMPARE(cuts, 2);
    QVERIFY2(performed == 1, qPrintable(story()));
}

void TstRestartRun::below_waitsForEveryCardAndLeavesNeighbours()
{
    m_below = 1000;
    m_world.neighbourMib = 500; // whose memory stays, and is below
    QVERIFY2(play() == 0, qPrintable(story()));
    QVERIFY2(has(u"memory"_s, State::Done), qPrintable(story()));
    init();
    m_below = 400;
    m_world.neighbourMib = 500;
    QVERIFY2(play() == 1, qPrintable(story()));
    QCOMPARE(m_world.countOf(Kind::StartUnit), 0);
    init();
    m_below = 1000;
    m_world.active = u"inactive"_s; // it holds nothing, and its card is not known
    m_world.neighbourMib = 500;
    QVERIFY2(play() == 0, qPrintable(story()));
    QVERIFY2(has(u"memory"_s, State::Done), qPrintable(story()));
}

void TstRestartRun::killedAfterStart_goesOnWithoutASecondStart()
{
    RestartSettings settings;
    settings.earlier = progressOf({WorkflowEvent{{}, u"start"_s, State::Started, {}, {{u"invocation_before"_s, u"1nv00"_s}}}});
    m_world.startedAt = m_world.now;
    QVERIFY2(play(settings) == 0, qPrintable(story()));
    QCOMPARE(m_world.countOf(Kind::StopUnit) + m_world.countOf(Kind::StartUnit), 0);
    QVERIFY2(has(u"start"_s, State::Skipped), qPrintable(story()));
}

void TstRestartRun::killedBeforeStart_startsIt()
{
    RestartSettings settings;
    settings.earlier.goesOn = settings.earlier.drained = true;
    m_drain = u"/opt/lb/drain gpu1"_s;
    m_world.active = u"inactive"_s;
    QVERIFY2(play(settings) == 0, qPrintable(story()));
    QCOMPARE(m_world.countOf(Kind::Command), 0); // it is drained already
    QCOMPARE(m_world.countOf(Kind::StartUnit), 1);
}

void TstRestartRun::bootedMeanwhile_isRefused()
{
    m_world.onAction = [&](const ActionRequest &request) -> std::optional<ActionResult> {
        if (request.kind != Kind::StopUnit)
            return std::nullopt;
        m_world.bootId = u"an0ther"_s;
        return ActionResult{std::nullopt, Error{ErrorCode::ConnectionLost, u"Cut."_s, {}}, true, {}};
    };
    QVERIFY2(play() == 7, qPrintable(story()));
    QCOMPARE(m_world.countOf(Kind::StartUnit), 0);
}

void TstRestartRun::anothersLock_nothingIsDone()
{
    m_world.onAction = [](const ActionRequest &) -> std::optional<ActionResult> {
        ActionAnswer answer;
        answer.lock = ActionAnswer::Lock::Busy;
        answer.lockHolder = u"ben@desk"_s;
        answer.lockAgeS = 3;
        return ActionResult{answer, std::nullopt, true, {}};
    };
    QVERIFY2(play() == 7, qPrintable(story()));
    QCOMPARE(m_world.requests.size(), 1U);
    QVERIFY(result().contains("ben@desk"_L1));
}

void TstRestartRun::cancel_whileRequestsRun_nothingIsStopped()
{
    m_drain = u"/opt/lb/drain gpu1"_s;
    m_world.metrics = "vllm:num_requests_running 3\nvllm:num_requests_waiting 0\n";
    m_world.onStep = [this] {
        if (m_world.now > 6'000)
            m_run->cancel();
    };
    QVERIFY2(play() == 130, qPrintable(story()));
    QCOMPARE(m_world.countOf(Kind::StopUnit), 0);
    QVERIFY2(result().contains("still drained"_L1) || result().contains("was not stopped"_L1), qPrintable(result()));
}

void TstRestartRun::pause_waitsBeforeTheNextStep()
{
    qint64 resumedAt = 0;
    m_world.onStep = [&] {
        if (m_world.countOf(Kind::StopUnit) > 0 && resumedAt == 0 && !m_run->isPaused())
            m_run->pause();
        if (m_run->isPaused() && m_world.now > 120'000) {
            resumedAt = m_world.now;
            QCOMPARE(m_world.countOf(Kind::StartUnit), 0);
            m_run->resume();
        }
    };
    QVERIFY2(play() == 0, qPrintable(story()));
    QVERIFY(resumedAt > 120'000);
    QVERIFY(m_world.countOf(Kind::LookAtUnit) > 20); // the lock was kept
}

void TstRestartRun::record_comparesAFailedStart()
{
    RestartSettings settings;
    ServiceRecord record;
    record.host = u"gpu1"_s;
    record.unit = u"vllm.service"_s;
    record.provedAt = QDateTime::currentDateTimeUtc();
    record.commandLine = u"vllm serve /models/kimi --port 8000"_s;
    settings.record = record;
    m_world.loadMs = 24 * 3'600'000;
    QVERIFY2(play(settings) == 1, qPrintable(story()));
    QVERIFY2(has(u"changed"_s, State::Progress, u"command line"_s), qPrintable(story()));
}

PILOTHOUSE_TEST_MAIN(TstRestartRun)
#include "tst_restartrun.moc"
