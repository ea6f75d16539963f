// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/agentprocess.h"
#include "tests/support/slowagent.h"
#include "tests/support/sshdserver.h"
#include "tests/support/testmain.h"
#include "tests/unit/ssh/sshd/sessionwatch.h"

#include <QFile>
#include <QSignalSpy>

using namespace pilothouse;
using namespace pilothouse::test;
using namespace std::chrono_literals;
using namespace Qt::StringLiterals;

namespace {
const QString touchWords = agentAsksWords.toString();
}

/// An agent with a person behind it, and one that fails in every way, against a real server.
class TstSshAgentWaits final : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase();
    void init();
    void touch_stopsTheClock();
    void touch_withoutAPersonEndsInTime();
    void touch_isNotSaidOfAnAgentThatSignsAtOnce();
    void touch_closeEndsAtOnce();
    void refused_goesOnWithTheNextKey();
    void refused_sameKeyFromItsFileMayDo();
    void gone_inTheMiddleGoesOnWithTheFile();
    void gone_isSaidWhenNothingElseIsLeft();
    void garbage_inPlaceOfASignature();
    void garbage_inPlaceOfTheKeys();
    void locked_isSaid();

private:
    [[nodiscard]] ConnectionSettings settingsWith(const QStringList &more = {}, const QString &identity = u"nothing"_s)
    {
        const bool written = m_server.writeClientConfig(more + QStringList{u"IdentityAgent "_s + m_path}, identity);
        Q_ASSERT(written);
        return m_server.settings();
    }
    [[nodiscard]] bool finish(SessionWatch &watch)
    {
        watch.session->open();
        return QTest::qWaitFor([&] { return watch.isReady() || watch.ended; }, 15'000);
    }

    SshdServer m_server;
    AgentProcess m_real;
    std::unique_ptr<SlowAgent> m_agent;
    QString m_path;
    int m_sockets = 0;
};

void TstSshAgentWaits::initTestCase()
{
    QVERIFY2(m_server.start(), qPrintable(m_server.error()));
    QVERIFY(m_real.start(m_server.path(u"real"_s)));
    QVERIFY(m_real.add(m_server.path(u"id"_s)));
}

void TstSshAgentWaits::init()
{
    m_path = m_server.path(u"slow%1"_s.arg(++m_sockets));
    m_agent = std::make_unique<SlowAgent>();
    QVERIFY(m_agent->start(m_path, m_real.socketPath()));
}

void TstSshAgentWaits::touch_stopsTheClock()
{
    m_agent->setMood(SlowAgent::Mood::Hold);
    ConnectionSettings settings = settingsWith();
    settings.askPerson = true;
    settings.signInTimeout = 1500ms;
    SessionWatch watch(settings);
    const QSignalSpy waits(watch.session.get(), &SshSession::waitsForOthers);
    watch.session->open();
    QTRY_VERIFY(watch.words.contains(touchWords));
    QCOMPARE(waits.size(), 1);
    QVERIFY(waits.at(0).at(0).toBool());
    QTest::qWait(2000); // beyond the limit for a sign-in without a person
    QVERIFY2(!watch.ended, qPrintable(watch.endText()));
    m_agent->touch();
    QTRY_VERIFY(watch.isReady() || watch.ended);
    QVERIFY2(watch.isReady(), qPrintable(watch.endText()));
    QCOMPARE(waits.size(), 2);
    QVERIFY(!waits.at(1).at(0).toBool());
    QVERIFY(watch.session->neededPerson());
    QVERIFY(watch.questions.isEmpty());
}

void TstSshAgentWaits::touch_withoutAPersonEndsInTime()
{
    m_agent->setMood(SlowAgent::Mood::Hold);
    ConnectionSettings settings = settingsWith();
    settings.signInTimeout = 2s;
    SessionWatch watch(settings);
    const QSignalSpy waits(watch.session.get(), &SshSession::waitsForOthers);
    QVERIFY(finish(watch));
    QVERIFY(watch.ended);
    QCOMPARE(watch.ended->code, ErrorCode::SignInTimeout);
    QVERIFY2(watch.ended->detail.contains(touchWords), qPrintable(watch.endText()));
    QVERIFY(waits.isEmpty());
}

void TstSshAgentWaits::touch_isNotSaidOfAnAgentThatSignsAtOnce()
{
    ConnectionSettings settings = settingsWith();
    settings.askPerson = true;
    SessionWatch watch(settings);
    QVERIFY(finish(watch));
    QVERIFY2(watch.isReady(), qPrintable(watch.endText()));
    QVERIFY(!watch.words.contains(touchWords));
    QVERIFY(!watch.session->neededPerson());
}

void TstSshAgentWaits::touch_closeEndsAtOnce()
{
    m_agent->setMood(SlowAgent::Mood::Hold);
    ConnectionSettings settings = settingsWith();
    settings.askPerson = true;
    settings.signInTimeout = 60s;
    SessionWatch watch(settings);
    watch.session->open();
    QTRY_VERIFY(watch.words.contains(touchWords));
    watch.session->close();
    QTRY_VERIFY(watch.ended);
    QCOMPARE(watch.ended->code, ErrorCode::Cancelled);
}

void TstSshAgentWaits::refused_goesOnWithTheNextKey()
{
    m_agent->setMood(SlowAgent::Mood::Refuse);
    QVERIFY(makeKey(m_server.path(u"spare"_s)));
    QVERIFY(writeFile(m_server.path(u"authorized_keys"_s),
                      readFile(m_server.path(u"id.pub"_s)) + readFile(m_server.path(u"spare.pub"_s))));
    SessionWatch watch(settingsWith({}, u"spare"_s));
    QVERIFY(finish(watch));
    QVERIFY2(watch.isReady(), qPrintable(watch.endText()));
    QCOMPARE(m_agent->signaturesAsked(), 1);
}

void TstSshAgentWaits::refused_sameKeyFromItsFileMayDo()
{
    m_agent->setMood(SlowAgent::Mood::Refuse);
    SessionWatch watch(settingsWith({}, u"id"_s));
    QVERIFY(finish(watch));
    QVERIFY2(watch.isReady(), qPrintable(watch.endText()));
}

void TstSshAgentWaits::gone_inTheMiddleGoesOnWithTheFile()
{
    m_agent->setMood(SlowAgent::Mood::Die);
    SessionWatch watch(settingsWith({}, u"id"_s));
    QVERIFY(finish(watch));
    QVERIFY2(watch.isReady(), qPrintable(watch.endText()));
}

void TstSshAgentWaits::gone_isSaidWhenNothingElseIsLeft()
{
    m_agent->setMood(SlowAgent::Mood::Die);
    SessionWatch watch(settingsWith());
    QVERIFY(finish(watch));
    QVERIFY(watch.ended);
    QCOMPARE(watch.ended->code, ErrorCode::SignInRefused);
    QVERIFY2(watch.ended->detail.contains(u"test (the agent went away)"_s), qPrintable(watch.endText()));
}

void TstSshAgentWaits::garbage_inPlaceOfASignature()
{
    m_agent->setMood(SlowAgent::Mood::Garbage);
    SessionWatch watch(settingsWith());
    QVERIFY(finish(watch));
    QVERIFY(watch.ended);
    QCOMPARE(watch.ended->code, ErrorCode::SignInRefused);
    QVERIFY2(watch.ended->detail.contains(u"test (the agent went away)"_s), qPrintable(watch.endText()));
}

void TstSshAgentWaits::garbage_inPlaceOfTheKeys()
{
    m_agent->setSpoilsList(true);
    SessionWatch watch(settingsWith());
    QVERIFY(finish(watch));
    QVERIFY(watch.ended);
    QCOMPARE(watch.ended->code, ErrorCode::SignInRefused);
    QVERIFY2(watch.ended->detail.contains(u"The agent gives no list of its keys"_s), qPrintable(watch.endText()));
}

void TstSshAgentWaits::locked_isSaid()
{
    AgentProcess locked;
    QVERIFY(locked.start(m_server.path(u"locked"_s)));
    QVERIFY(locked.add(m_server.path(u"id"_s)));
    QVERIFY(locked.lock());
    m_path = locked.socketPath();
    SessionWatch watch(settingsWith());
    QVERIFY(finish(watch));
    QVERIFY(watch.ended);
    QCOMPARE(watch.ended->code, ErrorCode::SignInRefused);
    QVERIFY2(watch.ended->detail.contains(u"it has no keys, or is locked"_s), qPrintable(watch.endText()));
}

PILOTHOUSE_TEST_MAIN(TstSshAgentWaits)
#include "tst_sshagentwaits.moc"
