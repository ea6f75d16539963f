// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/rudelistener.h"
#include "tests/support/testmain.h"
#include "tests/unit/ssh/sshd/jumplab.h"

#include <csignal>

using namespace pilothouse;
using namespace pilothouse::test;
using namespace std::chrono_literals;
using namespace Qt::StringLiterals;

/// What is said, and by whose name, when a way through a jump host breaks; and what is then not done again.
class TstSshJumpFailure final : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase();
    void init();
    void circle_isSaid_data();
    void circle_isSaid();
    void failingJumpHost_isNamed_data();
    void failingJumpHost_isNamed();
    void forwardingRefused_isNamed();
    void hostBehind_isNamedWhenItCannotBeReached();
    void noSessionsAllowed_isEnough();
    void swappedHost_isCaughtByItsKey();
    void lostJumpHost_isTheReason();
    void frozenJumpHost_isNoticed();
    void frozenHostBehind_isNoticed();
    void refusedSignIn_isNotRepeatedUnasked();

private:
    JumpLab m_lab{{u"MaxStartups 100"_s}};
};

void TstSshJumpFailure::initTestCase()
{
    QVERIFY2(m_lab.start(), qPrintable(m_lab.bastion.error() + m_lab.gpu.error()));
}

void TstSshJumpFailure::init()
{
    QVERIFY(m_lab.writeConfig());
    m_lab.share();
}

void TstSshJumpFailure::circle_isSaid_data()
{
    QTest::addColumn<QByteArray>("gpuLines");
    QTest::addColumn<QByteArray>("bastionLines");
    QTest::addColumn<QByteArray>("more");
    QTest::addColumn<QString>("words");
    // The HostName differs from the alias, so that ssh itself does not notice.
    QTest::newRow("itself") << QByteArray("ProxyJump bastion") << QByteArray("ProxyJump bastion") << QByteArray()
                            << u"circle"_s;
    QTest::newRow("two") << QByteArray("ProxyJump bastion") << QByteArray("ProxyJump other")
                         << QByteArray("Host other\n  HostName 127.0.0.1\n  ProxyJump bastion\n") << u"circle"_s;
    QTest::newRow("ever longer") << QByteArray("ProxyJump bastion") << QByteArray("ProxyJump x.%n")
                                 << QByteArray("Host x.*\n  HostName 127.0.0.1\n  ProxyJump x.%n\n")
                                 << u"More than 16"_s;
}

void TstSshJumpFailure::circle_isSaid()
{
    QFETCH(QByteArray, gpuLines);
    QFETCH(QByteArray, bastionLines);
    QFETCH(QByteArray, more);
    QFETCH(QString, words);
    QVERIFY(m_lab.writeConfig(gpuLines, bastionLines, more));
    SessionWatch first(m_lab.settings(u"gpu1"_s));
    SessionWatch second(m_lab.settings(u"gpu2"_s));
    first.session->open();
    second.session->open();
    TRY_END(first);
    TRY_END(second);
    for (const auto *watch : {&first, &second}) {
        QVERIFY(watch->ended);
        QCOMPARE(watch->ended->code, ErrorCode::SshConfigInvalid);
        QVERIFY2(watch->ended->detail.contains(words), qPrintable(watch->endText()));
    }
}

void TstSshJumpFailure::failingJumpHost_isNamed_data()
{
    QTest::addColumn<QByteArray>("lines");
    QTest::addColumn<ErrorCode>("code");
    QTest::addColumn<int>("exitCode");
    QTest::newRow("down") << QByteArray("Port %closed%") << ErrorCode::ConnectRefused << 3;
    QTest::newRow("silent") << QByteArray("Port %silent%") << ErrorCode::ConnectTimeout << 3;
    QTest::newRow("no SSH server") << QByteArray("Port %web%") << ErrorCode::NotSsh << 3;
    QTest::newRow("hangs up") << QByteArray("Port %rude%") << ErrorCode::ConnectionLost << 3;
    QTest::newRow("unknown name") << QByteArray("HostName no..such-host") << ErrorCode::NameNotResolved << 3;
    QTest::newRow("unknown key") << QByteArray("UserKnownHostsFile /dev/null") << ErrorCode::HostKeyUnknown << 5;
    QTest::newRow("changed key") << QByteArray("UserKnownHostsFile %changed%") << ErrorCode::HostKeyChanged << 5;
    QTest::newRow("refused") << QByteArray("IdentitiesOnly yes\nIdentityFile %gpu%") << ErrorCode::SignInRefused << 4;
    QTest::newRow("refused keyword") << QByteArray("RevokedHostKeys /revoked") << ErrorCode::SshConfigRefused << 3;
}

void TstSshJumpFailure::failingJumpHost_isNamed()
{
    QFETCH(QByteArray, lines);
    QFETCH(ErrorCode, code);
    QFETCH(int, exitCode);
    RudeListener silent;
    RudeListener web("HTTP/1.1 400 Bad Request\r\n\r\n");
    RudeListener rude({}, true);
    QVERIFY(makeKey(m_lab.bastion.path(u"stranger"_s) + QString::fromLatin1(QTest::currentDataTag())));
    const QByteArray stranger
        = readFile(m_lab.bastion.path(u"stranger"_s) + QString::fromLatin1(QTest::currentDataTag()) + u".pub"_s);
    QVERIFY(writeFile(m_lab.bastion.path(u"changed"_s),
                      "[127.0.0.1]:" + QByteArray::number(m_lab.bastion.port()) + ' ' + stranger));
    lines.replace("%closed%", QByteArray::number(freePort()));
    lines.replace("%silent%", QByteArray::number(silent.port()));
    lines.replace("%web%", QByteArray::number(web.port()));
    lines.replace("%rude%", QByteArray::number(rude.port()));
    lines.replace("%changed%", m_lab.bastion.path(u"changed"_s).toUtf8());
    lines.replace("%gpu%", m_lab.gpu.path(u"id"_s).toUtf8());
    if (lines.startsWith("Ident"))
        QVERIFY(m_lab.writeConfig("ProxyJump other", {},
                                  "Host other\n  HostName 127.0.0.1\n  Port " + QByteArray::number(m_lab.bastion.port())
                                      + '\n' + lines + "\n  IdentityAgent none\n  UserKnownHostsFile "
                                      + m_lab.bastion.path(u"known_hosts"_s).toUtf8() + '\n'));
    else
        QVERIFY(m_lab.writeConfig("ProxyJump bastion", lines));
    const qsizetype before = m_lab.visits(m_lab.gpu);
    ConnectionSettings settings = m_lab.settings();
    settings.connectTimeout = 1s;
    SessionWatch watch(settings);
    watch.session->open();
    TRY_END(watch);
    QVERIFY(watch.ended);
    QCOMPARE(nameOf(watch.ended->code), nameOf(code));
    QCOMPARE(exitCodeOf(watch.ended->code), exitCode);
    const QString name = lines.startsWith("Ident") ? u"other"_s : u"bastion"_s;
    QVERIFY2(watch.ended->detail.startsWith(u"at the jump host %1: "_s.arg(name)), qPrintable(watch.endText()));
    QVERIFY(watch.ended->detail.endsWith(u'.'));
    QCOMPARE(m_lab.visits(m_lab.gpu), before);
}

void TstSshJumpFailure::forwardingRefused_isNamed()
{
    JumpLab lab({u"AllowTcpForwarding no"_s});
    QVERIFY(lab.start());
    SessionWatch watch(lab.settings());
    watch.session->open();
    TRY_END(watch);
    QVERIFY(watch.ended);
    QCOMPARE(watch.ended->code, ErrorCode::NoRights);
    QCOMPARE(exitCodeOf(watch.ended->code), 6);
    QVERIFY2(watch.ended->detail.startsWith(u"at the jump host bastion: it does not allow"_s),
             qPrintable(watch.endText()));
    QVERIFY2(watch.ended->advice.contains(u"AllowTcpForwarding"_s), qPrintable(watch.ended->advice));
}

void TstSshJumpFailure::hostBehind_isNamedWhenItCannotBeReached()
{
    QVERIFY(m_lab.writeConfig("ProxyJump bastion\nPort " + QByteArray::number(freePort())));
    SessionWatch watch(m_lab.settings());
    watch.session->open();
    TRY_END(watch);
    QVERIFY(watch.ended);
    QCOMPARE(watch.ended->code, ErrorCode::ConnectRefused);
    QVERIFY2(watch.ended->detail.startsWith(
                 u"the jump host bastion answered that nothing listens at 127.0.0.1 port "_s),
             qPrintable(watch.endText()));
    QVERIFY(!watch.session->endedOnTheWay()); // the jump host is well

    // The name is the jump host's to resolve.
    QVERIFY(m_lab.writeConfig("ProxyJump bastion\nHostName no..such-host"));
    SessionWatch unknown(m_lab.settings());
    unknown.session->open();
    TRY_END(unknown);
    QVERIFY(unknown.ended);
    QCOMPARE(exitCodeOf(unknown.ended->code), 3);
    QVERIFY2(unknown.ended->detail.startsWith(u"the jump host bastion "_s), qPrintable(unknown.endText()));
    QVERIFY2(unknown.ended->detail.contains(u"no..such-host"_s), qPrintable(unknown.endText()));

    // A jump host behind another one that is well: it is the second that fails.
    QVERIFY(m_lab.writeConfig("ProxyJump bastion,second", {},
                              "Host second\n  HostName 127.0.0.1\n  Port " + QByteArray::number(freePort()) + '\n'));
    SessionWatch second(m_lab.settings());
    second.session->open();
    TRY_END(second);
    QVERIFY(second.ended);
    QCOMPARE(second.ended->code, ErrorCode::ConnectRefused);
    QVERIFY2(second.ended->detail.startsWith(
                 u"at the jump host second: the jump host bastion answered that nothing listens at "_s),
             qPrintable(second.endText()));
    QVERIFY(second.session->endedOnTheWay());
}

void TstSshJumpFailure::noSessionsAllowed_isEnough()
{
    JumpLab lab({u"MaxSessions 0"_s});
    QVERIFY(lab.start());
    SessionWatch watch(lab.settings());
    watch.session->open();
    TRY_END(watch);
    QVERIFY2(watch.isReady(), qPrintable(watch.endText()));
}

void TstSshJumpFailure::swappedHost_isCaughtByItsKey()
{
    // The bastion leads to another server than the one that was asked for: itself.
    QVERIFY(m_lab.writeConfig("ProxyJump bastion\nHostKeyAlias the-gpu\nPort "
                              + QByteArray::number(m_lab.bastion.port()) + "\nUserKnownHostsFile "
                              + m_lab.gpu.path(u"swapped"_s).toUtf8()));
    QVERIFY(writeFile(m_lab.gpu.path(u"swapped"_s), "the-gpu " + m_lab.gpu.hostKeyLine() + '\n'));
    SessionWatch watch(m_lab.settings());
    watch.session->open();
    TRY_END(watch);
    QVERIFY(watch.ended);
    QCOMPARE(watch.ended->code, ErrorCode::HostKeyChanged);
    QVERIFY2(!watch.ended->detail.contains(u"jump host"_s), qPrintable(watch.endText()));
}

void TstSshJumpFailure::lostJumpHost_isTheReason()
{
    SessionWatch first(m_lab.settings(u"gpu1"_s));
    SessionWatch second(m_lab.settings(u"gpu2"_s));
    first.session->open();
    second.session->open();
    TRY_END(first);
    TRY_END(second);
    QVERIFY2(first.isReady() && second.isReady(), qPrintable(first.endText() + second.endText()));
    for (const pid_t child : m_lab.bastion.connectionProcesses())
        ::kill(child, SIGKILL);
    QTRY_VERIFY(first.ended && second.ended);
    for (const auto *watch : {&first, &second}) {
        QCOMPARE(watch->ended->code, ErrorCode::ConnectionLost);
        QVERIFY2(watch->ended->detail.startsWith(u"at the jump host bastion: "_s), qPrintable(watch->endText()));
        QVERIFY(!watch->late);
    }
}

void TstSshJumpFailure::frozenJumpHost_isNoticed()
{
    ConnectionSettings settings = m_lab.settings();
    settings.keepaliveInterval = 200ms;
    settings.deadAfter = 900ms;
    SessionWatch watch(settings);
    watch.session->open();
    TRY_END(watch);
    QVERIFY2(watch.isReady(), qPrintable(watch.endText()));
    for (const pid_t child : m_lab.bastion.connectionProcesses())
        ::kill(child, SIGSTOP);
    QTRY_VERIFY(watch.ended);
    for (const pid_t child : m_lab.bastion.connectionProcesses())
        ::kill(child, SIGKILL);
    // Either of the two sessions may be the first to notice.
    QCOMPARE(watch.ended->code, ErrorCode::ConnectionLost);
}

void TstSshJumpFailure::frozenHostBehind_isNoticed()
{
    SessionWatch healthy(m_lab.settings(u"gpu1"_s));
    healthy.session->open();
    TRY_END(healthy);
    const QList<pid_t> others = m_lab.gpu.connectionProcesses();
    ConnectionSettings settings = m_lab.settings(u"gpu2"_s);
    settings.keepaliveInterval = 200ms;
    settings.deadAfter = 900ms;
    SessionWatch watch(settings);
    watch.session->open();
    TRY_END(watch);
    QVERIFY2(watch.isReady() && healthy.isReady(), qPrintable(watch.endText()));
    QList<pid_t> frozen;
    for (const pid_t child : m_lab.gpu.connectionProcesses()) {
        if (!others.contains(child))
            frozen += child;
    }
    QVERIFY(!frozen.isEmpty());
    for (const pid_t child : frozen)
        ::kill(child, SIGSTOP);
    QTRY_VERIFY(watch.ended);
    QCOMPARE(watch.ended->code, ErrorCode::ConnectionLost);
    QVERIFY2(watch.ended->detail.contains(u"Nothing came"_s), qPrintable(watch.endText()));
    QCOMPARE(answerOf(healthy, "echo well"), "well\n");
    for (const pid_t child : frozen)
        ::kill(child, SIGKILL);
}

void TstSshJumpFailure::refusedSignIn_isNotRepeatedUnasked()
{
    QVERIFY(m_lab.writeConfig("ProxyJump other", {},
                              "Host other\n  HostName 127.0.0.1\n  Port " + QByteArray::number(m_lab.bastion.port())
                                  + "\nIdentitiesOnly yes\nIdentityFile " + m_lab.gpu.path(u"id"_s).toUtf8()
                                  + "\n  IdentityAgent none\n  UserKnownHostsFile "
                                  + m_lab.bastion.path(u"known_hosts"_s).toUtf8() + '\n'));
    const qsizetype before = m_lab.visits(m_lab.bastion);
    for (const bool byItself : {false, true, true, false}) {
        ConnectionSettings settings = m_lab.settings();
        settings.byItself = byItself;
        SessionWatch watch(settings);
        watch.session->open();
        TRY_END(watch);
        QVERIFY(watch.ended);
        QCOMPARE(watch.ended->code, ErrorCode::SignInRefused);
    }
    QCOMPARE(m_lab.visits(m_lab.bastion), before + 2);
}

PILOTHOUSE_TEST_MAIN(TstSshJumpFailure)
#include "tst_sshjumpfailure.moc"
