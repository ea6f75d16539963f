// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/fleet/hostlink.h"
#include "tests/support/testmain.h"
#include "tests/unit/fleet/fakelink.h"

using namespace pilothouse;
using namespace pilothouse::test;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;
using Phase = LinkState::Phase;

/// What a link does where a person has a part: it asks, waits, and begins nothing again that needs one.
class TstLinkPerson final : public QObject
{
    Q_OBJECT
private slots:
    void init();
    void cleanup();
    void personsSignIn_isNotRepeatedByItself_data();
    void personsSignIn_isNotRepeatedByItself();
    void retryByItself_asksNobody();
    void jumpHostWithoutAPerson_isSaidAndResumed();
    void resume_doesNothingElsewhere();
    void renew_beginsAnew();
    void probeThatAsks_waitsForTheAnswer();

private:
    [[nodiscard]] Phase phase() const { return m_link->state().phase; }

    std::shared_ptr<FakeHost> m_host;
    LinkEnvironment m_environment;
    std::unique_ptr<HostLink> m_link;
    QList<SnapshotPtr> m_snapshots;
    QList<Question> m_questions;
};

void TstLinkPerson::init()
{
    m_snapshots.clear();
    m_questions.clear();
    m_host = std::make_shared<FakeHost>();
    m_environment = fakeEnvironment(m_host);
    HostSpec spec;
    spec.name = u"gpu1"_s;
    ConnectionSettings connection;
    connection.connectTimeout = 50ms;
    ProbeSettings probe;
    probe.host = spec.name;
    probe.snapshotTimeout = 100ms;
    probe.askPerson = true;
    m_link = std::make_unique<HostLink>(spec, connection, probe, m_environment);
    connect(m_link.get(), &HostLink::snapshotArrived, this, [this](const SnapshotPtr &s) { m_snapshots += s; });
    connect(m_link.get(), &HostLink::questionAsked, this, [this](const Question &q) { m_questions += q; });
}

void TstLinkPerson::cleanup()
{
    m_link.reset();
    QVERIFY(m_environment.threads->waitForEnd(5s));
    QCOMPARE(m_host->sessionsLive.load(), 0);
    QCOMPARE(m_host->probersLive.load(), 0);
}

void TstLinkPerson::personsSignIn_isNotRepeatedByItself_data()
{
    QTest::addColumn<int>("code");
    QTest::newRow("lost") << int(ErrorCode::ConnectionLost);
    QTest::newRow("not there any more") << int(ErrorCode::Unreachable);
    QTest::newRow("silent") << int(ErrorCode::Timeout);
}

void TstLinkPerson::personsSignIn_isNotRepeatedByItself()
{
    QFETCH(int, code);
    m_host->tell(FakeHost::signedInByAPerson());
    m_link->open();
    QTRY_COMPARE(phase(), Phase::Connected);
    QVERIFY(!m_link->state().signInAgain);
    m_host->drop(Error{ErrorCode(code), u"Told to."_s, {}});
    QTRY_COMPARE(phase(), Phase::Stopped);
    QVERIFY(m_link->state().signInAgain);
    QVERIFY(!m_link->state().waitsForJumpHost);
    QCOMPARE(m_link->state().error->code, ErrorCode(code)); // what happened stays what it was
    QVERIFY2(m_link->state().error->advice.contains(u"Sign in again"_s), qPrintable(m_link->state().error->advice));
    QTest::qWait(250); // longer than the longest retry
    QCOMPARE(m_host->sessionsOpened.load(), 1);
    m_link->retryNow();
    QTRY_COMPARE(phase(), Phase::Connected);
    QVERIFY(!m_link->state().signInAgain);
    // This time nobody was needed: the next loss is repaired without one.
    m_host->drop(Error{ErrorCode::ConnectionLost, {}, {}});
    QTRY_COMPARE(m_host->sessionsOpened.load(), 3);
    QTRY_COMPARE(phase(), Phase::Connected);
}

void TstLinkPerson::retryByItself_asksNobody()
{
    m_link->open();
    QTRY_COMPARE(phase(), Phase::Connected);
    QVERIFY(m_host->askedPerson);
    m_host->drop(Error{ErrorCode::ConnectionLost, {}, {}});
    QTRY_COMPARE(m_host->sessionsOpened.load(), 2);
    QTRY_COMPARE(phase(), Phase::Connected);
    QVERIFY(!m_host->askedPerson);
    QVERIFY(!m_host->probeAskedPerson);
}

void TstLinkPerson::jumpHostWithoutAPerson_isSaidAndResumed()
{
    m_host->tell(FakeHost::jumpHostNeedsAPerson());
    m_host->tell(FakeHost::jumpHostNeedsAPerson());
    m_link->open();
    QTRY_COMPARE(phase(), Phase::Stopped);
    QVERIFY(m_link->state().signInAgain && m_link->state().waitsForJumpHost);
    m_link->resume(); // too early
    QTRY_COMPARE(m_host->sessionsOpened.load(), 2);
    QTRY_COMPARE(phase(), Phase::Stopped);
    QVERIFY(!m_host->askedPerson);
    m_link->resume();
    QTRY_COMPARE(phase(), Phase::Connected);
    QVERIFY(!m_link->state().waitsForJumpHost);
}

void TstLinkPerson::resume_doesNothingElsewhere()
{
    m_host->tell(FakeHost::ends(ErrorCode::SignInNeedsPerson)); // this host's own
    m_link->open();
    QTRY_COMPARE(phase(), Phase::Stopped);
    QVERIFY(m_link->state().signInAgain && !m_link->state().waitsForJumpHost);
    m_link->resume();
    m_link->renew();
    QTest::qWait(100);
    QCOMPARE(m_host->sessionsOpened.load(), 1);
    m_link->retryNow();
    QTRY_COMPARE(phase(), Phase::Connected);
}

void TstLinkPerson::renew_beginsAnew()
{
    m_link->open();
    QTRY_COMPARE(phase(), Phase::Connected);
    m_link->renew();
    QTRY_COMPARE(m_host->sessionsOpened.load(), 2);
    QTRY_COMPARE(phase(), Phase::Connected);
    QVERIFY(m_host->askedPerson); // a person wanted it
    QTRY_COMPARE(m_host->sessionsLive.load(), 1);
}

void TstLinkPerson::probeThatAsks_waitsForTheAnswer()
{
    m_host->probeAsks = true;
    m_link->open();
    QTRY_COMPARE(m_questions.size(), 1);
    QCOMPARE(m_questions.constFirst().kind, Question::Kind::SudoPassword);
    QCOMPARE(phase(), Phase::Waiting);
    QTest::qWait(500); // no guard ends the question
    QCOMPARE(phase(), Phase::Waiting);
    m_link->answer(Answer{m_questions.constFirst().id, true, false, {u"pw"_s}});
    QTRY_COMPARE(phase(), Phase::Connected);
    QCOMPARE(m_host->sudoAnswersSeen.load(), 1);
    QCOMPARE(m_host->answersSeen.load(), 0);
    m_link->requestSnapshot(Depth::Light);
    QTRY_COMPARE(m_snapshots.size(), 1);
}

PILOTHOUSE_TEST_MAIN(TstLinkPerson)
#include "tst_linkperson.moc"
