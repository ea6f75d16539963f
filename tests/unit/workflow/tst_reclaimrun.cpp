// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// A reclaim on a host of figures with a clock of its own: every way that it can go.
#include "tests/support/testmain.h"
#include "tests/unit/workflow/reclaimworld.h"

#include <algorithm>

using namespace pilothouse;
using namespace pilothouse::test;

class TstReclaimRun final : public QObject
{
    Q_OBJECT
private slots:
    void init();
    void foundingCase_termGraceKillMemory();
    void allLeaveByThemselves_noKill();
    void reusedNumber_isNeverKilled();
    void killNow_endsTheGrace();
    void supervisor_isStoppedFirst();
    void supervisorRefuses_nothingIsSignalled();
    void anothersLock_nothingIsDone();
    void lockLostInBetween_stops();
    void noRights_stopsAndSaysSo();
    void changedProcess_wantsAFreshDiagnosis();
    void auditCannotBeWritten_endsWith8();
    void stuck_noSecondSignal();
    void memoryNeverComes_endsWith1();
    void cutBetweenTermAndKill_goesOn();
    void cutWhileTermIsOut_isNotSentTwice();
    void cutBeforeTermLeft_isSentAgain();
    void cutWhileKillIsOut_asksBeforeKillingAgain();
    void bootedMeanwhile_isRefused();
    void neverComesBack_saysWhereItStood();
    void signInRefused_ends();
    void cancel_sendsNoMoreSignals_data();
    void cancel_sendsNoMoreSignals();
    void lock_isRenewedWhileWaiting();
    void readingsThatFail_areNoProof();
    void evidence_isKeptBeforeAnythingEnds();
    void sharedMemory_isCleanedLast();
    void evidence_isNoCondition_data();
    void evidence_isNoCondition();

private:
    [[nodiscard]] Plan plan() const
    {
        Plan plan;
        plan.host = u"gpu1"_s;
        plan.bootId = u"b00t"_s;
        PlanFamily family;
        family.id = u"40-7"_s;
        family.verdict = Verdict::Leftover;
        family.stopUnit = m_unit;
        for (auto at = m_world.processes.cbegin(); at != m_world.processes.cend(); ++at) {
            PlanTarget target;
            target.process.identity = {Pid{at.key()}, StartTicks{at->start}};
            target.first = family.targets.isEmpty();
            family.targets += target;
            const int index = int(plan.gpus.size());
            plan.gpus += PlanGpu{index, u"GPU-%1"_s.arg(index), qint64(1004), qint64(1000), qint64(4)};
        }
        plan.families = {family};
        plan.shm = m_shm;
        return plan;
    }
    /// Plays it to its end; -1: it never ended.
    int play(const ReclaimSettings &settings = {})
    {
        m_run = std::make_unique<ReclaimRun>(plan(), m_world, settings);
        m_world.run = m_run.get();
        QObject::connect(m_run.get(), &ReclaimRun::happened, m_run.get(), [this](const WorkflowEvent &event) { m_events += event; });
        QObject::connect(m_run.get(), &ReclaimRun::finished, m_run.get(), [this](int code) {
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
        return lines.join(u'\n');
    }
    /// The first answer to a request of that kind is this error.
    void failOnce(Kind kind, ErrorCode code, bool sent, bool arrives)
    {
        m_world.onAction = [=, this, done = false](const ActionRequest &request) mutable -> std::optional<ActionResult> {
            if (request.kind != kind || std::exchange(done, true))
                return std::nullopt;
            if (arrives) {
                for (const SignalTarget &target : request.targets)
                    (void)m_world.deliver(request.kind, target);
            }
            m_world.away = true;
            m_world.onStep = [this] {
                m_world.onStep = {};
                m_world.now += 3'000;
                m_world.join();
            };
            return ActionResult{std::nullopt, Error{code, u"Cut."_s, {}}, sent, {}};
        };
    }

    World m_world;
    QString m_unit;
    QList<ShmTarget> m_shm;
    std::unique_ptr<ReclaimRun> m_run;
    QList<WorkflowEvent> m_events;
    int m_exitCode = -1;
};

void TstReclaimRun::init()
{
    m_world = World();
    m_world.processes = {{40, {}}, {42, {7, true, false, {}}}, {43, {7, true, false, {}}}};
    m_unit.clear();
    m_shm.clear();
    m_events.clear();
    m_exitCode = -1;
}

void TstReclaimRun::foundingCase_termGraceKillMemory()
{
    m_world.releaseMs = 12'000;
    QVERIFY2(play() == 0, qPrintable(story()));
    QCOMPARE(m_world.kinds(), (QList<Kind>{Kind::Begin, Kind::Terminate, Kind::Kill, Kind::End}));
    const auto term = std::ranges::find(m_world.requests, Kind::Terminate, &ActionRequest::kind);
    QCOMPARE(term->targets.size(), 1); // the head alone
    QCOMPARE(term->targets.first().identity.pid.value, 40);
    const auto kill = std::ranges::find(m_world.requests, Kind::Kill, &ActionRequest::kind);
    QCOMPARE(kill->targets.size(), 2); // those that are left
    for (const ActionRequest &request : m_world.requests)
        QCOMPARE(request.bootId, u"b00t"_s);
    QCOMPARE(m_events.last().step, u"result"_s);
    QCOMPARE(m_events.last().state, WorkflowEvent::State::Done);
    // Grace, then the release, then three readings.
    const qint64 free = std::max(*m_world.processes[42].diedAt, *m_world.processes[43].diedAt) + 12'000;
    QVERIFY2(m_world.now - free < 3'000, qPrintable(QString::number(m_world.now - free)));
}

void TstReclaimRun::allLeaveByThemselves_noKill()
{
    m_world.processes[42].ignoresTerm = m_world.processes[43].ignoresTerm = false;
    m_world.onStep = [this] {
        const bool time = m_world.processes[40].diedAt && m_world.now - *m_world.processes[40].diedAt > 1'500;
        if (time && !m_world.processes[42].diedAt)
            m_world.processes[42].diedAt = m_world.processes[43].diedAt = m_world.now;
    };
    QVERIFY2(play() == 0, qPrintable(story()));
    QCOMPARE(m_world.countOf(Kind::Kill), 0);
}

void TstReclaimRun::reusedNumber_isNeverKilled()
{
    m_world.onStep = [this] {
        if (m_world.processes[40].diedAt && m_world.processes[42].start == 7)
            m_world.processes[42] = Fake{99, true, false, {}}; // it left, and its number went to somebody else
    };
    (void)play();
    QVERIFY(!m_world.processes[42].diedAt);
    for (const ActionRequest &request : m_world.requests) {
        if (request.kind == Kind::Kill)
            QCOMPARE(request.targets.size(), 1);
    }
}

void TstReclaimRun::killNow_endsTheGrace()
{
    m_world.onStep = [this] {
        if (m_world.countOf(Kind::Terminate) == 1)
            m_run->killNow();
    };
    QVERIFY2(play() == 0, qPrintable(story()));
    QVERIFY(*m_world.processes[42].diedAt - *m_world.processes[40].diedAt < 1'000);
}

void TstReclaimRun::supervisor_isStoppedFirst()
{
    m_unit = u"vllm.service"_s;
    QVERIFY2(play() == 0, qPrintable(story()));
    QCOMPARE(m_world.kinds(), (QList<Kind>{Kind::Begin, Kind::StopUnit, Kind::Terminate, Kind::Kill, Kind::End}));
    QCOMPARE(std::ranges::find(m_world.requests, Kind::StopUnit, &ActionRequest::kind)->unit, u"vllm.service"_s);
}

void TstReclaimRun::supervisorRefuses_nothingIsSignalled()
{
    m_unit = u"vllm.service"_s;
    m_world.onAction = [](const ActionRequest &request) -> std::optional<ActionResult> {
        if (request.kind != Kind::StopUnit)
            return std::nullopt;
        ActionAnswer answer;
        answer.lock = Lock::Mine;
        answer.unit.jobStatus = 4;
        answer.unit.jobWords = u"Access denied"_s;
        return ActionResult{answer, std::nullopt, true, {}};
    };
    QCOMPARE(play(), 6);
    QCOMPARE(m_world.kinds(), (QList<Kind>{Kind::Begin, Kind::StopUnit, Kind::End}));
    QVERIFY2(result().contains(u"Access denied"_s), qPrintable(story()));
}

void TstReclaimRun::anothersLock_nothingIsDone()
{
    m_world.onAction = [](const ActionRequest &) {
        ActionAnswer answer;
        answer.lock = Lock::Busy;
        answer.lockHolder = u"bob@lap"_s;
        answer.lockAgeS = 3;
        return std::optional(ActionResult{answer, std::nullopt, true, {}});
    };
    QCOMPARE(play(), 7);
    QCOMPARE(m_world.kinds(), QList<Kind>{Kind::Begin}); // the lock is not ours to give back
    QVERIFY2(result().contains(u"bob@lap"_s), qPrintable(story()));
    QCOMPARE(m_events.last().state, WorkflowEvent::State::Refused);
}

void TstReclaimRun::lockLostInBetween_stops()
{
    m_world.onAction = [](const ActionRequest &request) -> std::optional<ActionResult> {
        if (request.kind != Kind::Kill)
            return std::nullopt;
        ActionAnswer answer;
        answer.lock = Lock::Mine;
        for (const SignalTarget &target : request.targets)
            answer.processes += ProcessOutcome{target.identity, What::Unlocked};
        return ActionResult{answer, std::nullopt, true, {}};
    };
    QCOMPARE(play(), 7);
    QVERIFY(!m_world.processes[42].diedAt);
}

void TstReclaimRun::noRights_stopsAndSaysSo()
{
    m_world.onAction = [](const ActionRequest &request) -> std::optional<ActionResult> {
        if (request.kind != Kind::Terminate)
            return std::nullopt;
        ActionAnswer answer;
        answer.lock = Lock::Mine;
        answer.processes += ProcessOutcome{request.targets.first().identity, What::Denied};
        return ActionResult{answer, std::nullopt, true, {}};
    };
    QCOMPARE(play(), 6);
    QCOMPARE(m_world.countOf(Kind::Kill), 0);
}

void TstReclaimRun::changedProcess_wantsAFreshDiagnosis()
{
    m_world.onAction = [](const ActionRequest &request) -> std::optional<ActionResult> {
        if (request.kind != Kind::Look || request.targets.isEmpty())
            return std::nullopt;
        ActionAnswer answer;
        answer.lock = Lock::Mine;
        answer.processes += ProcessOutcome{request.targets.first().identity, What::Changed};
        return ActionResult{answer, std::nullopt, true, {}};
    };
    QCOMPARE(play(), 7);
    QCOMPARE(m_world.countOf(Kind::Kill), 0);
}

void TstReclaimRun::auditCannotBeWritten_endsWith8()
{
    m_world.onAction = [](const ActionRequest &request) -> std::optional<ActionResult> {
        if (request.kind != Kind::Terminate)
            return std::nullopt;
        return ActionResult{std::nullopt, Error{ErrorCode::LocalIo, u"The disk is full."_s, {}}, false, {}};
    };
    QCOMPARE(play(), 8);
    QCOMPARE(m_world.countOf(Kind::Kill), 0);
    QCOMPARE(m_world.countOf(Kind::End), 1);
}

void TstReclaimRun::stuck_noSecondSignal()
{
    m_world.processes[43].stuck = true;
    QCOMPARE(play(), 1);
    QCOMPARE(m_world.countOf(Kind::Kill), 1);
    QVERIFY2(result().contains(u"reboot"_s) && result().contains(u"PID 43"_s), qPrintable(story()));
}

void TstReclaimRun::memoryNeverComes_endsWith1()
{
    m_world.releaseMs = 10'000'000;
    QCOMPARE(play(), 1);
    QVERIFY2(result().contains(u"memory has not come back"_s), qPrintable(story()));
    QCOMPARE(m_world.countOf(Kind::Kill), 1);
    QCOMPARE(m_world.countOf(Kind::End), 1);
}

void TstReclaimRun::cutBetweenTermAndKill_goesOn()
{
    m_world.onStep = [this] {
        if (m_world.countOf(Kind::Terminate) != 1 || m_world.next || m_world.away)
            return;
        m_world.onStep = [this] { // one wake later the cable is joined
            m_world.onStep = {};
            m_world.now += 7'000;
            m_world.join();
        };
        m_world.cut();
        m_world.wakeAt = m_world.now;
    };
    QVERIFY2(play() == 0, qPrintable(story()));
    QCOMPARE(m_world.countOf(Kind::Terminate), 1);
    QCOMPARE(m_world.countOf(Kind::Kill), 1);
    QVERIFY2(story().contains(u"goes on from what is there"_s), qPrintable(story()));
}

void TstReclaimRun::cutWhileTermIsOut_isNotSentTwice()
{
    failOnce(Kind::Terminate, ErrorCode::ConnectionLost, true, true);
    QVERIFY2(play() == 0, qPrintable(story()));
    QCOMPARE(m_world.countOf(Kind::Terminate), 1);
}

void TstReclaimRun::cutBeforeTermLeft_isSentAgain()
{
    failOnce(Kind::Terminate, ErrorCode::ChannelRefused, false, false);
    QVERIFY2(play() == 0, qPrintable(story()));
    QCOMPARE(m_world.countOf(Kind::Terminate), 2);
}

void TstReclaimRun::cutWhileKillIsOut_asksBeforeKillingAgain()
{
    failOnce(Kind::Kill, ErrorCode::Timeout, true, true);
    QVERIFY2(play() == 0, qPrintable(story()));
    QCOMPARE(m_world.countOf(Kind::Kill), 1); // it had arrived
    init();
    failOnce(Kind::Kill, ErrorCode::Timeout, true, false);
    QVERIFY2(play() == 0, qPrintable(story()));
    QCOMPARE(m_world.countOf(Kind::Kill), 2); // it had not
}

void TstReclaimRun::bootedMeanwhile_isRefused()
{
    failOnce(Kind::Terminate, ErrorCode::ConnectionLost, true, true);
    m_world.bootId = u"0ther"_s;
    QCOMPARE(play(), 7);
    QCOMPARE(m_world.countOf(Kind::Kill), 0);
}

void TstReclaimRun::neverComesBack_saysWhereItStood()
{
    m_world.onStep = [this] {
        if (m_world.countOf(Kind::Terminate) == 1 && !m_world.next && !m_world.away)
            m_world.cut();
    };
    QCOMPARE(play(), 3);
    QVERIFY2(result().contains(u"SIGTERM was sent, SIGKILL was not; 2 processes were left"_s), qPrintable(story()));
    QCOMPARE(m_world.countOf(Kind::Kill), 0);
}

void TstReclaimRun::signInRefused_ends()
{
    m_world.onStep = [this] {
        if (m_world.countOf(Kind::Terminate) == 1 && !m_world.next)
            m_run->takeAway({ErrorCode::SignInRefused, {}, {}}, true);
    };
    QCOMPARE(play(), 4);
}

void TstReclaimRun::cancel_sendsNoMoreSignals_data()
{
    QTest::addColumn<int>("when");
    QTest::newRow("before SIGTERM") << int(Kind::Begin);
    QTest::newRow("in the grace") << int(Kind::Terminate);
    QTest::newRow("after SIGKILL") << int(Kind::Kill);
}

void TstReclaimRun::cancel_sendsNoMoreSignals()
{
    QFETCH(const int, when);
    m_world.onStep = [this, when] {
        if (m_world.requests.back().kind == Kind(when))
            m_run->cancel();
    };
    QCOMPARE(play(), 130);
    QCOMPARE(m_world.countOf(Kind::Terminate), when == int(Kind::Begin) ? 0 : 1);
    QCOMPARE(m_world.countOf(Kind::Kill), when == int(Kind::Kill) ? 1 : 0);
    QVERIFY2(result().startsWith(u"Interrupted"_s), qPrintable(story()));
}

void TstReclaimRun::lock_isRenewedWhileWaiting()
{
    m_world.releaseMs = 25'000;
    std::vector<qint64> times;
    m_world.onStep = [&, seen = size_t(0)]() mutable {
        if (m_world.requests.size() > seen)
            times.push_back(m_world.now);
        seen = m_world.requests.size();
    };
    QVERIFY2(play() == 0, qPrintable(story()));
    for (size_t i = 1; i < times.size(); ++i)
        QVERIFY2(times[i] - times[i - 1] < 10'000, qPrintable(QString::number(times[i] - times[i - 1])));
}

void TstReclaimRun::readingsThatFail_areNoProof()
{
    int misses = 0;
    m_world.onStep = [&] {
        const bool reading = m_world.next && m_world.isLook && m_world.countOf(Kind::Kill) == 1;
        if (reading && misses < 10 && m_world.processes[42].diedAt && m_world.now - *m_world.processes[42].diedAt > 500) {
            ++misses;
            m_world.next = [this] { m_run->takeMiss({ErrorCode::Timeout, u"Late."_s, {}}); };
        }
    };
    QVERIFY2(play() == 0, qPrintable(story()));
    QVERIFY(misses > 0);
}

void TstReclaimRun::evidence_isKeptBeforeAnythingEnds()
{
    QVERIFY2(play() == 0, qPrintable(story()));
    QCOMPARE(m_world.evidence, QByteArray("how they stood"));
    QCOMPARE(m_world.requests.at(1).kind, Kind::Evidence);
    QCOMPARE(m_world.requests.at(1).targets.size(), 3);
    init();
    ReclaimSettings none;
    none.evidence = false;
    QVERIFY2(play(none) == 0, qPrintable(story()));
    QVERIFY(m_world.evidence.isEmpty());
    QVERIFY2(story().contains(u"evidence skipped"_s), qPrintable(story()));
}

void TstReclaimRun::sharedMemory_isCleanedLast()
{
    m_shm = {ShmTarget{u"psm_1"_s, 1, 2, 0}};
    QVERIFY2(play() == 0, qPrintable(story()));
    QCOMPARE(m_world.kinds(), (QList<Kind>{Kind::Begin, Kind::Terminate, Kind::Kill, Kind::CleanShm, Kind::End}));
    QCOMPARE(std::ranges::find(m_world.requests, Kind::CleanShm, &ActionRequest::kind)->files, m_shm);
}

void TstReclaimRun::evidence_isNoCondition_data()
{
    QTest::addColumn<int>("code");
    QTest::newRow("the console's disk is full") << -1;
    QTest::newRow("it took too long") << int(ErrorCode::Timeout);
    QTest::newRow("an answer too large") << int(ErrorCode::AnswerTruncated);
}

void TstReclaimRun::evidence_isNoCondition()
{
    QFETCH(const int, code);
    if (code < 0) {
        m_world.diskFull = true;
    } else {
        m_world.onAction = [code](const ActionRequest &request) -> std::optional<ActionResult> {
            if (request.kind != Kind::Evidence)
                return std::nullopt;
            return ActionResult{std::nullopt, Error{ErrorCode(code), u"No."_s, {}}, true, {}};
        };
    }
    QVERIFY2(play() == 0, qPrintable(story()));
    QVERIFY2(story().contains(u"evidence failed"_s), qPrintable(story()));
    QCOMPARE(m_world.countOf(Kind::Kill), 1);
}

PILOTHOUSE_TEST_MAIN(TstReclaimRun)
#include "tst_reclaimrun.moc"
