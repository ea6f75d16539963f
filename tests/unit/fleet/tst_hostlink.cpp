// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/fleet/hostlink.h"
#include "core/fleet/linkworker.h"
#include "tests/support/testmain.h"
#include "tests/unit/fleet/fakelink.h"

#include <QElapsedTimer>
#include <QSignalSpy>

using namespace pilothouse;
using namespace pilothouse::test;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;
using Phase = LinkState::Phase;

class TstHostLink final : public QObject
{
    Q_OBJECT
private slots:
    void init();
    void cleanup();
    void open_connectsAndTakesASnapshot();
    void cadenceOfZero_takesNothingUnasked();
    void failure_stopsOrIsTriedAgain_data();
    void failure_stopsOrIsTriedAgain();
    void retries_waitLongerEachTime();
    void healthyConnection_beginsTheWaitsAgain();
    void briefConnection_doesNot();
    void retryNow_skipsTheWait();
    void stopped_goesOnOnlyWhenAsked();
    void question_isForwardedAndAnswered();
    void question_declined_stops();
    void answerToAnOlderQuestion_isIgnored();
    void personWhoThinks_blocksNobody();
    void silentHandshake_givesItsPlaceAway();
    void ticks_lookDeepWhereMemoryHasNoHolder();
    void ticks_stayLightUnlessToldWhatCounts();
    void ticks_haveTheCadencesDepth();
    void ticks_keepToStartTimes();
    void slowAnswers_neverOverlap();
    void slowTool_doublesTheCadenceAndSaysWhy();
    void fasterCadence_takesEffectAtOnce();
    void requestWhileAway_isServedOnConnecting();
    void requestWhileBusy_followsWithTheGreaterDepth();
    void failedRequest_isReportedAndTicksGoOn();
    void probeThatFails_isTriedAgain();
    void probeThatHangs_isTriedAgain();
    void answerThatNeverComes_isTriedAgain();
    void close_dropsWhatWasUnderWay();
    void reopened_worksAgain();
    void linkDestroyedByItsReceiver_isFine();
    void destruction_inEachStateIsQuickAndLeavesNothing_data();
    void destruction_inEachStateIsQuickAndLeavesNothing();

private:
    void make(const LinkEnvironment &environment);
    [[nodiscard]] Phase phase() const { return m_link->state().phase; }
    /// The first retry among the states seen so far; phases may be brief.
    [[nodiscard]] std::optional<LinkState> retry() const
    {
        const auto at = std::find_if(m_states.cbegin(), m_states.cend(),
                                     [](const LinkState &state) { return state.phase == Phase::Retrying; });
        return at == m_states.cend() ? std::nullopt : std::optional(*at);
    }

    std::shared_ptr<FakeHost> m_host;
    LinkEnvironment m_environment;
    std::unique_ptr<HostLink> m_link;
    QList<LinkState> m_states;
    QList<SnapshotPtr> m_snapshots;
    QList<Question> m_questions;
    QList<Error> m_failures;
};

void TstHostLink::init()
{
    m_host = std::make_shared<FakeHost>();
    m_environment = fakeEnvironment(m_host);
    make(m_environment);
}

void TstHostLink::make(const LinkEnvironment &environment)
{
    m_states.clear();
    m_snapshots.clear();
    m_questions.clear();
    m_failures.clear();
    HostSpec spec;
    spec.name = u"gpu1"_s;
    ConnectionSettings connection;
    ProbeSettings probe;
    probe.host = spec.name;
    probe.snapshotTimeout = 100ms;
    connection.connectTimeout = 50ms;
    m_link = std::make_unique<HostLink>(spec, connection, probe, environment);
    connect(m_link.get(), &HostLink::stateChanged, this, [this](const LinkState &state) { m_states += state; });
    connect(m_link.get(), &HostLink::snapshotArrived, this, [this](const SnapshotPtr &s) { m_snapshots += s; });
    connect(m_link.get(), &HostLink::questionAsked, this, [this](const Question &q) { m_questions += q; });
    connect(m_link.get(), &HostLink::snapshotFailed, this, [this](const Error &e) { m_failures += e; });
}

void TstHostLink::cleanup()
{
    m_link.reset();
    QVERIFY(m_environment.threads->waitForEnd(5s));
    QCOMPARE(m_host->sessionsLive.load(), 0);
    QCOMPARE(m_host->probersLive.load(), 0);
    QCOMPARE(m_host->overlaps.load(), 0);
}

void TstHostLink::open_connectsAndTakesASnapshot()
{
    QCOMPARE(phase(), Phase::Idle);
    m_link->setCadence(10s);
    m_link->open();
    QTRY_COMPARE(m_snapshots.size(), 1);
    QCOMPARE(phase(), Phase::Connected);
    QCOMPARE(m_link->state().peer, u"root@10.0.0.5:22"_s);
    QCOMPARE(m_snapshots.first()->target, u"root@10.0.0.5:22"_s);
    QCOMPARE(m_link->latest(), m_snapshots.first());
    QCOMPARE(m_states.first().phase, Phase::Connecting);
    QVERIFY(m_link->state().since.isValid());
    QVERIFY(!m_link->state().nextTry.isValid());
    QStringList words;
    for (const LinkState &state : std::as_const(m_states))
        words += state.words;
    QCOMPARE(words, (QStringList{u"waiting for its turn"_s, u"connecting"_s, u"starting the probe"_s, u"connected"_s}));
}

void TstHostLink::cadenceOfZero_takesNothingUnasked()
{
    m_link->open();
    QTRY_COMPARE(phase(), Phase::Connected);
    m_link->requestSnapshot(Depth::Deep);
    QTRY_COMPARE(m_snapshots.size(), 1);
    QCOMPARE(m_host->requests(), QList<Depth>{Depth::Deep});
}

void TstHostLink::failure_stopsOrIsTriedAgain_data()
{
    QTest::addColumn<int>("code");
    QTest::addColumn<bool>("stops");
    using enum ErrorCode;
    const QSet<ErrorCode> stopping{Usage, Cancelled, LocalIo, InventoryInvalid, SshConfigInvalid, SshConfigRefused,
                                   HostKeyUnknown, HostKeyChanged, HostKeyRevoked, SignInRefused, SignInNeedsPerson,
                                   SudoRefused};
    for (int code = int(Usage); code <= int(RefusedBySafety); ++code)
        QTest::newRow(qPrintable(nameOf(ErrorCode(code)))) << code << stopping.contains(ErrorCode(code));
}

void TstHostLink::failure_stopsOrIsTriedAgain()
{
    QFETCH(const int, code);
    QFETCH(const bool, stops);
    QCOMPARE(needsPerson(ErrorCode(code)), stops);
    m_host->tell(FakeHost::ends(ErrorCode(code)));
    m_link->open();
    QTRY_COMPARE(phase(), stops ? Phase::Stopped : Phase::Connected);
    QCOMPARE(m_host->sessionsOpened.load(), stops ? 1 : 2);
    const auto failed = std::find_if(m_states.cbegin(), m_states.cend(), [](const LinkState &s) { return s.error; });
    QVERIFY(failed != m_states.cend());
    QCOMPARE(failed->phase, stops ? Phase::Stopped : Phase::Retrying);
    QCOMPARE(int(failed->error->code), code);
    QCOMPARE(failed->nextTry.isValid(), !stops);
}

void TstHostLink::retries_waitLongerEachTime()
{
    for (int i = 0; i < 6; ++i)
        m_host->tell(FakeHost::ends(ErrorCode::ConnectRefused));
    m_link->open();
    QTRY_COMPARE(phase(), Phase::Connected);
    QList<qint64> waits;
    for (const LinkState &state : std::as_const(m_states)) {
        if (state.phase == Phase::Retrying)
            waits += qRound64(double(state.since.msecsTo(state.nextTry)) / 20) * 20;
    }
    QCOMPARE(waits, (QList<qint64>{20, 40, 80, 160, 160, 160}));
}

void TstHostLink::healthyConnection_beginsTheWaitsAgain()
{
    for (int i = 0; i < 4; ++i)
        m_host->tell(FakeHost::ends(ErrorCode::ConnectRefused));
    m_link->open();
    m_link->setCadence(50ms);
    QTRY_COMPARE(phase(), Phase::Connected);
    QTRY_VERIFY(m_snapshots.size() >= 8); // beyond healthyAfter
    m_states.clear();
    m_host->drop(Error{ErrorCode::ConnectionLost, {}, {}});
    QTRY_VERIFY(retry());
    QVERIFY(retry()->since.msecsTo(retry()->nextTry) < 60);
    QTRY_COMPARE(phase(), Phase::Connected);
}

void TstHostLink::briefConnection_doesNot()
{
    for (int i = 0; i < 4; ++i)
        m_host->tell(FakeHost::ends(ErrorCode::ConnectRefused));
    m_link->open();
    QTRY_COMPARE(phase(), Phase::Connected);
    m_states.clear();
    m_host->drop(Error{ErrorCode::ConnectionLost, {}, {}});
    QTRY_VERIFY(retry());
    QVERIFY(retry()->since.msecsTo(retry()->nextTry) > 100);
    QTRY_COMPARE(phase(), Phase::Connected);
}

void TstHostLink::retryNow_skipsTheWait()
{
    LinkEnvironment slow = m_environment;
    slow.timings.firstRetry = slow.timings.lastRetry = 60s;
    make(slow);
    m_host->tell(FakeHost::ends(ErrorCode::Unreachable));
    m_link->open();
    QTRY_COMPARE(phase(), Phase::Retrying);
    m_link->retryNow();
    QTRY_COMPARE(phase(), Phase::Connected);
    m_link->retryNow(); // changes nothing now
    m_link->requestSnapshot(Depth::Light);
    QTRY_COMPARE(m_snapshots.size(), 1);
    QCOMPARE(m_host->sessionsOpened.load(), 2);
}

void TstHostLink::stopped_goesOnOnlyWhenAsked()
{
    m_host->tell(FakeHost::ends(ErrorCode::SignInRefused));
    m_link->open();
    QTRY_COMPARE(phase(), Phase::Stopped);
    m_link->open();
    m_link->requestSnapshot(Depth::Light);
    m_link->setCadence(10ms);
    QTest::qWait(250); // longer than the longest retry
    QCOMPARE(m_host->sessionsOpened.load(), 1);
    m_link->retryNow();
    QTRY_COMPARE(phase(), Phase::Connected);
}

void TstHostLink::question_isForwardedAndAnswered()
{
    m_host->tell(FakeHost::asks(7));
    m_link->open();
    QTRY_COMPARE(m_questions.size(), 1);
    QCOMPARE(phase(), Phase::Waiting);
    QCOMPARE(m_questions.first().fingerprint, u"SHA256:abc"_s);
    Answer answer;
    answer.questionId = m_questions.first().id;
    answer.accepted = true;
    m_link->answer(answer);
    m_link->answer(answer); // a second one is too late
    QTRY_COMPARE(phase(), Phase::Connected);
    QCOMPARE(m_host->answersSeen.load(), 1);
}

void TstHostLink::question_declined_stops()
{
    m_host->tell(FakeHost::asks(7));
    m_link->open();
    QTRY_COMPARE(m_questions.size(), 1);
    m_link->answer(Answer{m_questions.first().id, false, false, {}});
    QTRY_COMPARE(phase(), Phase::Stopped);
    QCOMPARE(m_link->state().error->code, ErrorCode::Cancelled);
}

void TstHostLink::answerToAnOlderQuestion_isIgnored()
{
    m_host->tell(FakeHost::asks(1));
    m_host->tell(FakeHost::asks(1)); // the next session counts anew
    m_link->open();
    QTRY_COMPARE(m_questions.size(), 1);
    m_host->drop(Error{ErrorCode::ConnectionLost, {}, {}});
    QTRY_COMPARE(m_questions.size(), 2);
    QVERIFY(m_questions.at(0).id != m_questions.at(1).id);
    m_link->answer(Answer{m_questions.at(0).id, true, true, {}});
    QTest::qWait(50);
    QCOMPARE(phase(), Phase::Waiting);
    QCOMPARE(m_host->answersSeen.load(), 0);
    m_link->answer(Answer{m_questions.at(1).id, true, true, {}});
    QTRY_COMPARE(phase(), Phase::Connected);
}

void TstHostLink::personWhoThinks_blocksNobody()
{
    m_environment = fakeEnvironment(m_host, 1);
    make(m_environment);
    m_host->tell(FakeHost::asks(1));
    m_link->open();
    QTRY_COMPARE(phase(), Phase::Waiting);
    HostLink other(HostSpec{}, {}, {}, m_environment);
    other.open();
    QTRY_COMPARE(other.state().phase, Phase::Connected);
    QTest::qWait(500); // neither a guard nor the handshake's place ends the question
    QCOMPARE(phase(), Phase::Waiting);
}

void TstHostLink::silentHandshake_givesItsPlaceAway()
{
    m_environment = fakeEnvironment(m_host, 1);
    m_environment.timings.handshakePlace = 50ms;
    make(m_environment);
    m_host->tell(FakeHost::hangs());
    m_link->open();
    QTRY_COMPARE(m_host->sessionsOpened.load(), 1);
    HostLink other(HostSpec{}, {}, {}, m_environment);
    other.open();
    QTRY_COMPARE(other.state().phase, Phase::Connected);
    QCOMPARE(phase(), Phase::Connecting);
}

void TstHostLink::ticks_lookDeepWhereMemoryHasNoHolder()
{
    Snapshot answer;
    Gpu gpu;
    gpu.index = 0;
    gpu.uuid = u"GPU-0"_s;
    gpu.unattributedMib = 96'615;
    answer.gpus = QList<Gpu>{gpu};
    answer.problems = {{u"gpu.xid"_s, Problem::Severity::Warning, 0, u"Xid 31."_s, {}}};
    m_host->setAnswer(answer);
    m_link->setDeepThreshold(1000);
    m_link->setCadence(20ms);
    m_link->open();
    QTRY_VERIFY(m_snapshots.size() >= 8);
    const QList<Depth> asked = m_host->requests();
    QCOMPARE(asked.mid(0, 4), (QList<Depth>{Depth::Light, Depth::Light, Depth::Deep, Depth::Light}));
    QCOMPARE(asked.count(Depth::Deep), 1); // once, in place of a light one
    const auto counts = [this](int i) { return m_snapshots.at(i)->problems.size(); };
    QCOMPARE(counts(2), 1);
    QCOMPARE(counts(4), 2); // the fake's own and the one that is kept
}

void TstHostLink::ticks_stayLightUnlessToldWhatCounts()
{
    Snapshot answer;
    Gpu gpu;
    gpu.uuid = u"GPU-0"_s;
    gpu.unattributedMib = 96'615;
    answer.gpus = QList<Gpu>{gpu};
    m_host->setAnswer(answer);
    m_link->setCadence(20ms);
    m_link->open();
    QTRY_VERIFY(m_snapshots.size() >= 5);
    QCOMPARE(m_host->requests().count(Depth::Deep), 0);
}

void TstHostLink::ticks_haveTheCadencesDepth()
{
    m_link->setCadence(20ms, Depth::Deep);
    m_link->open();
    QTRY_VERIFY(m_snapshots.size() >= 3);
    m_link->requestSnapshot(Depth::Light); // does not make less of it
    QTRY_VERIFY(m_snapshots.size() >= 5);
    QCOMPARE(m_host->requests().count(Depth::Light), 0);
}

void TstHostLink::ticks_keepToStartTimes()
{
    m_host->replyMs = 30;
    m_link->setCadence(100ms);
    m_link->open();
    QTRY_VERIFY(m_snapshots.size() >= 6);
    const QList<qint64> times = m_host->requestTimes();
    const double mean = double(times.at(5) - times.at(0)) / 5;
    QVERIFY2(mean > 95 && mean < 125, qPrintable(QString::number(mean)));
}

void TstHostLink::slowAnswers_neverOverlap()
{
    m_host->replyMs = 70;
    m_link->setCadence(50ms);
    m_link->open();
    QTRY_VERIFY(m_snapshots.size() >= 4);
    QCOMPARE(m_host->overlaps.load(), 0);
    const QList<qint64> times = m_host->requestTimes();
    QVERIFY(times.at(1) - times.at(0) >= 95); // the start that was missed is skipped
}

void TstHostLink::slowTool_doublesTheCadenceAndSaysWhy()
{
    Snapshot slow;
    slow.gpuSource.durationMs = 900.0;
    m_host->setAnswer(slow);
    m_link->setCadence(50ms);
    m_link->open();
    QTRY_COMPARE_WITH_TIMEOUT(m_snapshots.size(), 4, 5000);
    const QList<qint64> times = m_host->requestTimes();
    QVERIFY(times.at(1) - times.at(0) >= 95);
    QVERIFY(times.at(2) - times.at(1) >= 195);
    QVERIFY(times.at(3) - times.at(2) >= 395);
    QCOMPARE(m_snapshots.last()->problems.size(), 1);
    QCOMPARE(m_snapshots.last()->problems.first().code, u"poll.slowed"_s);
    QTRY_VERIFY(m_link->state().interval >= 400ms);
    QCOMPARE(m_states.last().interval, m_link->state().interval); // said as it changes
    QCOMPARE(m_states.last().phase, Phase::Connected);
    m_host->setAnswer(Snapshot{});
    QTRY_VERIFY(m_snapshots.size() >= 8);
    QVERIFY(m_snapshots.last()->problems.isEmpty());
    const QList<qint64> later = m_host->requestTimes();
    QVERIFY(later.last() - later.at(later.size() - 2) < 95);
    QCOMPARE(m_link->state().interval, 50ms);
}

void TstHostLink::fasterCadence_takesEffectAtOnce()
{
    m_link->setCadence(60s);
    m_link->open();
    QTRY_COMPARE(m_snapshots.size(), 1);
    m_link->setCadence(20ms);
    QTRY_VERIFY(m_snapshots.size() >= 4);
    m_link->setCadence(0ms);
    QTest::qWait(60);
    const qsizetype settled = m_snapshots.size();
    QTest::qWait(100);
    QCOMPARE(m_snapshots.size(), settled);
}

void TstHostLink::requestWhileAway_isServedOnConnecting()
{
    m_link->requestSnapshot(Depth::Deep);
    m_link->requestSnapshot(Depth::Light);
    m_host->tell(FakeHost::ends(ErrorCode::Unreachable));
    m_link->open();
    QTRY_COMPARE(m_snapshots.size(), 1);
    QCOMPARE(m_snapshots.first()->depth, Depth::Deep);
    QCOMPARE(m_host->requests().size(), 1);
}

void TstHostLink::requestWhileBusy_followsWithTheGreaterDepth()
{
    m_host->replyMs = 150;
    m_link->open();
    m_link->requestSnapshot(Depth::Light);
    QTRY_COMPARE(m_host->requests().size(), 1);
    m_link->requestSnapshot(Depth::Light);
    m_link->requestSnapshot(Depth::Deep);
    m_link->requestSnapshot(Depth::Light);
    QTRY_COMPARE(m_snapshots.size(), 2);
    QCOMPARE(m_host->requests(), (QList<Depth>{Depth::Light, Depth::Deep}));
}

void TstHostLink::failedRequest_isReportedAndTicksGoOn()
{
    m_host->reply = FakeHost::Reply::Failure;
    m_link->setCadence(30ms);
    m_link->open();
    QTRY_VERIFY(m_failures.size() >= 2);
    QCOMPARE(m_failures.first().code, ErrorCode::Timeout);
    QCOMPARE(phase(), Phase::Connected);
    m_host->reply = FakeHost::Reply::Snapshot;
    QTRY_VERIFY(!m_snapshots.isEmpty());
    QCOMPARE(m_host->sessionsOpened.load(), 1);
}

void TstHostLink::probeThatFails_isTriedAgain()
{
    m_host->probe = FakeHost::Probe::Fails;
    m_link->open();
    QTRY_VERIFY(retry());
    QCOMPARE(retry()->error->code, ErrorCode::ShellUnusable);
    m_host->probe = FakeHost::Probe::Starts;
    QTRY_COMPARE(phase(), Phase::Connected);
}

void TstHostLink::probeThatHangs_isTriedAgain()
{
    m_host->probe = FakeHost::Probe::Hangs;
    m_link->open();
    QTRY_VERIFY(retry());
    QCOMPARE(retry()->error->code, ErrorCode::Timeout);
    m_host->probe = FakeHost::Probe::Starts;
    QTRY_COMPARE(phase(), Phase::Connected);
}

void TstHostLink::answerThatNeverComes_isTriedAgain()
{
    m_host->reply = FakeHost::Reply::Nothing;
    m_link->setCadence(50ms);
    m_link->open();
    QTRY_VERIFY(retry());
    m_host->reply = FakeHost::Reply::Snapshot;
    QTRY_VERIFY(!m_snapshots.isEmpty());
}

void TstHostLink::close_dropsWhatWasUnderWay()
{
    m_host->replyMs = 50;
    m_link->setCadence(10ms);
    m_link->open();
    QTRY_VERIFY(!m_host->requests().isEmpty());
    m_link->close();
    const qsizetype states = m_states.size();
    QTRY_COMPARE(phase(), Phase::Idle);
    QTRY_COMPARE(m_host->sessionsLive.load(), 0);
    QTest::qWait(100);
    QCOMPARE(m_snapshots.size(), 0);
    QCOMPARE(m_states.size(), states + 1);
}

void TstHostLink::reopened_worksAgain()
{
    m_link->setCadence(1s);
    m_link->open();
    QTRY_COMPARE(m_snapshots.size(), 1);
    m_link->close();
    QTRY_COMPARE(phase(), Phase::Idle);
    m_link->open();
    QTRY_COMPARE(m_snapshots.size(), 2);
    QCOMPARE(m_host->sessionsOpened.load(), 2);
}

void TstHostLink::linkDestroyedByItsReceiver_isFine()
{
    connect(m_link.get(), &HostLink::snapshotArrived, this, [this] { m_link.reset(); });
    m_link->setCadence(1ms);
    m_link->open();
    QTRY_VERIFY(!m_link);
}

void TstHostLink::destruction_inEachStateIsQuickAndLeavesNothing_data()
{
    QTest::addColumn<QString>("when");
    for (const char *when : {"idle", "queued", "connecting", "asked", "probing", "connected", "ticking", "retrying",
                             "stopped", "at once"})
        QTest::newRow(when) << QString::fromLatin1(when);
}

void TstHostLink::destruction_inEachStateIsQuickAndLeavesNothing()
{
    QFETCH(const QString, when);
    std::unique_ptr<HandshakeGate::Ticket> place;
    m_environment.timings.beyondDeadline = 60s;
    m_environment.timings.firstRetry = m_environment.timings.lastRetry = 60s;
    if (when == u"queued") {
        m_environment.gate = std::make_shared<HandshakeGate>(1);
        place = m_environment.gate->enter([] {});
    }
    make(m_environment);
    if (when == u"connecting")
        m_host->tell(FakeHost::hangs());
    if (when == u"asked")
        m_host->tell(FakeHost::asks(1));
    if (when == u"probing")
        m_host->probe = FakeHost::Probe::Hangs;
    if (when == u"ticking")
        m_host->reply = FakeHost::Reply::Nothing;
    if (when == u"retrying")
        m_host->tell(FakeHost::ends(ErrorCode::Unreachable));
    if (when == u"stopped")
        m_host->tell(FakeHost::ends(ErrorCode::HostKeyChanged));
    if (when == u"ticking")
        m_link->setCadence(1s);
    if (when != u"idle")
        m_link->open();
    static const QHash<QString, Phase> phases{
        {u"idle"_s, Phase::Idle},           {u"queued"_s, Phase::Connecting},   {u"connecting"_s, Phase::Connecting},
        {u"asked"_s, Phase::Waiting},       {u"probing"_s, Phase::Connecting},  {u"connected"_s, Phase::Connected},
        {u"ticking"_s, Phase::Connected},   {u"retrying"_s, Phase::Retrying},   {u"stopped"_s, Phase::Stopped}};
    if (phases.contains(when))
        QTRY_COMPARE(phase(), phases.value(when));
    if (when == u"connecting")
        QTRY_COMPARE(m_host->sessionsOpened.load(), 1);
    if (when == u"probing")
        QTRY_COMPARE(m_host->probersLive.load(), 1);
    QElapsedTimer timer;
    timer.start();
    m_link.reset();
    QVERIFY(timer.elapsed() < 1'000);
    QVERIFY(m_environment.threads->waitForEnd(5s));
    QVERIFY(timer.elapsed() < 5'000);
}

PILOTHOUSE_TEST_MAIN(TstHostLink)
#include "tst_hostlink.moc"
