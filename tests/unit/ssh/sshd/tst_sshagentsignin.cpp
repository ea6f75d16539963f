// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/agentprocess.h"
#include "tests/support/sshdserver.h"
#include "tests/support/testmain.h"
#include "tests/unit/ssh/sshd/sessionwatch.h"

#include <QElapsedTimer>
#include <QFile>

using namespace pilothouse;
using namespace pilothouse::test;
using namespace Qt::StringLiterals;

/// Sign-in by the agent against a real server and a real agent.
class TstSshAgentSignIn final : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase();
    void agent_signsIn();
    void agent_signsInWithEveryKeyType_data();
    void agent_signsInWithEveryKeyType();
    void agent_ofTheEnvironmentIsUsed();
    void agent_withoutTheKeyIsRefusedOnce();
    void agent_stoppedIsLeftForTheKeyFile();
    void agent_stoppedIsATimeoutWhenItAloneCouldSign();
    void agent_thatIsGoneIsLeftForTheKeyFile();
    void agent_stoppedWhileSigningEndsInTime();
    void session_isDestroyedAtOnceWhileTheAgentIsStopped();
    void identitiesOnly_offersOnlyConfiguredKeys();
    void identityOption_leavesTheAgentOut();
    void tooManyKeys_isARefusedSignIn();

private:
    [[nodiscard]] QString newSocket() { return m_server.path(u"agent%1"_s.arg(++m_sockets)); }
    [[nodiscard]] bool authorize(const QString &publicKeyFile);
    [[nodiscard]] ConnectionSettings settingsWith(const QString &socket, const QStringList &more = {});

    SshdServer m_server{{u"MaxAuthTries 4"_s}};
    int m_sockets = 0;
};

void TstSshAgentSignIn::initTestCase()
{
    QVERIFY2(m_server.start(), qPrintable(m_server.error()));
    for (int i = 0; i < 6; ++i)
        QVERIFY(makeKey(m_server.path(u"other%1"_s.arg(i))));
}

bool TstSshAgentSignIn::authorize(const QString &publicKeyFile)
{
    return writeFile(m_server.path(u"authorized_keys"_s), readFile(publicKeyFile));
}

ConnectionSettings TstSshAgentSignIn::settingsWith(const QString &socket, const QStringList &more)
{
    // No key file unless a test names one: the configured one is not there.
    const bool written = m_server.writeClientConfig(more + QStringList{u"IdentityAgent "_s + socket}, u"nothing"_s);
    Q_ASSERT(written);
    return m_server.settings();
}

void TstSshAgentSignIn::agent_signsIn()
{
    AgentProcess agent;
    QVERIFY(agent.start(newSocket()));
    QVERIFY(agent.add(m_server.path(u"other0"_s)));
    QVERIFY(agent.add(m_server.path(u"id"_s)));
    QVERIFY(authorize(m_server.path(u"id.pub"_s)));

    SessionWatch watch(settingsWith(agent.socketPath()));
    watch.session->open();
    QTRY_VERIFY2(watch.isReady() || watch.ended, qPrintable(watch.endText()));
    QVERIFY2(watch.isReady(), qPrintable(watch.endText()));
    QVERIFY(watch.words.contains(u"waiting for the agent (key test)"_s));
}

void TstSshAgentSignIn::agent_signsInWithEveryKeyType_data()
{
    QTest::addColumn<QString>("type");
    QTest::addColumn<QStringList>("more");
    QTest::newRow("ed25519") << u"ed25519"_s << QStringList();
    QTest::newRow("rsa") << u"rsa"_s << QStringList{u"-b"_s, u"2048"_s};
    QTest::newRow("ecdsa256") << u"ecdsa"_s << QStringList{u"-b"_s, u"256"_s};
    QTest::newRow("ecdsa521") << u"ecdsa"_s << QStringList{u"-b"_s, u"521"_s};
}

void TstSshAgentSignIn::agent_signsInWithEveryKeyType()
{
    QFETCH(QString, type);
    QFETCH(QStringList, more);
    const QString key = m_server.path(QString::fromLatin1(QTest::currentDataTag()) + u".agent"_s);
    QVERIFY(makeKey(key, {}, type, more));
    QVERIFY(authorize(key + u".pub"_s));
    AgentProcess agent;
    QVERIFY(agent.start(newSocket()));
    QVERIFY(agent.add(key));

    SessionWatch watch(settingsWith(agent.socketPath()));
    watch.session->open();
    QTRY_VERIFY(watch.isReady() || watch.ended);
    QVERIFY2(watch.isReady(), qPrintable(watch.endText()));
}

void TstSshAgentSignIn::agent_ofTheEnvironmentIsUsed()
{
    AgentProcess agent;
    QVERIFY(agent.start(newSocket()));
    QVERIFY(agent.add(m_server.path(u"id"_s)));
    QVERIFY(authorize(m_server.path(u"id.pub"_s)));
    qputenv("SSH_AUTH_SOCK", QFile::encodeName(agent.socketPath()));
    SessionWatch watch(settingsWith(u"SSH_AUTH_SOCK"_s));
    watch.session->open();
    QTRY_VERIFY(watch.isReady() || watch.ended);
    qunsetenv("SSH_AUTH_SOCK");
    QVERIFY2(watch.isReady(), qPrintable(watch.endText()));
}

void TstSshAgentSignIn::agent_withoutTheKeyIsRefusedOnce()
{
    AgentProcess agent;
    QVERIFY(agent.start(newSocket()));
    QVERIFY(agent.add(m_server.path(u"other0"_s)));
    QVERIFY(authorize(m_server.path(u"id.pub"_s)));
    SessionWatch watch(settingsWith(agent.socketPath()));
    watch.session->open();
    QTRY_VERIFY(watch.ended);
    QCOMPARE(watch.ended->code, ErrorCode::SignInRefused);
    QVERIFY2(watch.ended->detail.contains(u"the agent's key"_s), qPrintable(watch.ended->detail));
    QVERIFY2(watch.ended->detail.contains(u"takes publickey"_s), qPrintable(watch.ended->detail));
    QVERIFY(!watch.late);
}

void TstSshAgentSignIn::agent_stoppedIsLeftForTheKeyFile()
{
    AgentProcess agent;
    QVERIFY(agent.start(newSocket()));
    QVERIFY(agent.add(m_server.path(u"id"_s)));
    QVERIFY(authorize(m_server.path(u"id.pub"_s)));
    agent.setStopped(true);
    ConnectionSettings settings = settingsWith(agent.socketPath(), {u"IdentityFile "_s + m_server.path(u"id"_s)});
    settings.signInTimeout = std::chrono::seconds(2);
    SessionWatch watch(settings);
    watch.session->open();
    QTRY_VERIFY(watch.words.contains(u"waiting for the agent"_s));
    QTRY_VERIFY(watch.isReady() || watch.ended);
    QVERIFY2(watch.isReady(), qPrintable(watch.endText()));
}

void TstSshAgentSignIn::agent_stoppedIsATimeoutWhenItAloneCouldSign()
{
    AgentProcess agent;
    QVERIFY(agent.start(newSocket()));
    agent.setStopped(true);
    ConnectionSettings settings = settingsWith(agent.socketPath());
    settings.signInTimeout = std::chrono::seconds(1);
    SessionWatch watch(settings);
    watch.session->open();
    QTRY_VERIFY(watch.ended);
    QCOMPARE(watch.ended->code, ErrorCode::SignInRefused);
    QVERIFY2(watch.ended->detail.contains(u"The agent does not answer"_s), qPrintable(watch.ended->detail));
}

void TstSshAgentSignIn::agent_thatIsGoneIsLeftForTheKeyFile()
{
    QVERIFY(authorize(m_server.path(u"id.pub"_s)));
    SessionWatch watch(settingsWith(newSocket(), {u"IdentityFile "_s + m_server.path(u"id"_s)}));
    watch.session->open();
    QTRY_VERIFY(watch.isReady() || watch.ended);
    QVERIFY2(watch.isReady(), qPrintable(watch.endText()));
}

void TstSshAgentSignIn::agent_stoppedWhileSigningEndsInTime()
{
    AgentProcess agent;
    QVERIFY(agent.start(newSocket()));
    QVERIFY(agent.add(m_server.path(u"id"_s)));
    QVERIFY(authorize(m_server.path(u"id.pub"_s)));
    ConnectionSettings settings = settingsWith(agent.socketPath());
    settings.signInTimeout = std::chrono::seconds(2);
    SessionWatch watch(settings);
    // The list is there: from now on the agent does nothing.
    connect(watch.session.get(), &SshSession::stateChanged, this, [&](SshSession::State, const QString &words) {
        if (words == u"signing in with the agent's keys"_s)
            agent.setStopped(true);
    });
    QElapsedTimer timer;
    timer.start();
    watch.session->open();
    QTRY_VERIFY(watch.ended);
    QCOMPARE(watch.ended->code, ErrorCode::SignInTimeout);
    QVERIFY2(watch.ended->detail.contains(u"waiting for the agent: touch your key"_s), qPrintable(watch.ended->detail));
    QVERIFY(timer.elapsed() < 4'000);
}

void TstSshAgentSignIn::session_isDestroyedAtOnceWhileTheAgentIsStopped()
{
    AgentProcess agent;
    QVERIFY(agent.start(newSocket()));
    QVERIFY(agent.add(m_server.path(u"id"_s)));
    QVERIFY(authorize(m_server.path(u"id.pub"_s)));
    SessionWatch watch(settingsWith(agent.socketPath()));
    connect(watch.session.get(), &SshSession::stateChanged, this, [&](SshSession::State, const QString &words) {
        if (words == u"signing in with the agent's keys"_s)
            agent.setStopped(true);
    });
    watch.session->open();
    QTRY_VERIFY(watch.words.contains(u"waiting for the agent (key test)"_s));
    QElapsedTimer timer;
    timer.start();
    watch.session.reset();
    QVERIFY2(timer.elapsed() < 3'000, qPrintable(QString::number(timer.elapsed())));
    QVERIFY(!watch.ended);
}

void TstSshAgentSignIn::identitiesOnly_offersOnlyConfiguredKeys()
{
    AgentProcess agent;
    QVERIFY(agent.start(newSocket()));
    for (int i = 0; i < 6; ++i)
        QVERIFY(agent.add(m_server.path(u"other%1"_s.arg(i))));
    QVERIFY(agent.add(m_server.path(u"id"_s)));
    QVERIFY(authorize(m_server.path(u"id.pub"_s)));
    // Only the public half is on this machine.
    QVERIFY(QFile::copy(m_server.path(u"id.pub"_s), m_server.path(u"token.pub"_s)));
    SessionWatch watch(settingsWith(agent.socketPath(),
                                    {u"IdentitiesOnly yes"_s, u"IdentityFile "_s + m_server.path(u"token"_s)}));
    watch.session->open();
    QTRY_VERIFY(watch.isReady() || watch.ended);
    QVERIFY2(watch.isReady(), qPrintable(watch.endText()));
}

void TstSshAgentSignIn::identityOption_leavesTheAgentOut()
{
    AgentProcess agent;
    QVERIFY(agent.start(newSocket()));
    QVERIFY(agent.add(m_server.path(u"id"_s)));
    QVERIFY(authorize(m_server.path(u"id.pub"_s)));
    ConnectionSettings settings
        = settingsWith(agent.socketPath(), {u"IdentityFile "_s + m_server.path(u"id"_s)});
    settings.identityFile = m_server.path(u"other0"_s);
    SessionWatch watch(settings);
    watch.session->open();
    QTRY_VERIFY(watch.ended);
    QCOMPARE(watch.ended->code, ErrorCode::SignInRefused);
    QVERIFY2(watch.ended->detail.contains(u"other0 (refused)"_s), qPrintable(watch.ended->detail));
    QVERIFY2(!watch.ended->detail.contains(u"the agent"_s), qPrintable(watch.ended->detail));
}

void TstSshAgentSignIn::tooManyKeys_isARefusedSignIn()
{
    AgentProcess agent;
    QVERIFY(agent.start(newSocket()));
    for (int i = 0; i < 6; ++i)
        QVERIFY(agent.add(m_server.path(u"other%1"_s.arg(i))));
    QVERIFY(agent.add(m_server.path(u"id"_s)));
    QVERIFY(authorize(m_server.path(u"id.pub"_s)));
    SessionWatch watch(settingsWith(agent.socketPath()));
    watch.session->open();
    QTRY_VERIFY(watch.ended);
    QCOMPARE(watch.ended->code, ErrorCode::SignInRefused);
    QVERIFY2(watch.ended->advice.contains(u"IdentitiesOnly"_s), qPrintable(watch.ended->advice));
}

PILOTHOUSE_TEST_MAIN(TstSshAgentSignIn)
#include "tst_sshagentsignin.moc"
