// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/rudelistener.h"
#include "tests/support/sshdserver.h"
#include "tests/support/skip.h"
#include "tests/support/testmain.h"
#include "tests/unit/ssh/sshd/sessionwatch.h"

#include <QElapsedTimer>

#include <csignal>

using namespace pilothouse;
using namespace pilothouse::test;
using namespace std::chrono_literals;
using namespace Qt::StringLiterals;

/// From the name to the host key: what can go wrong on the way, and what is said then.
class TstSshConnecting final : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase();
    void nameWithUnderscore_connectsByItsHostName();
    void address6_connects();
    void addressFamily_isHonoured();
    void unknownName_isSaid();
    void closedPort_isRefused();
    void fullBacklog_isATimeout();
    void silentListener_isATimeout();
    void garbage_isNoSshServer_data();
    void garbage_isNoSshServer();
    void linesWithoutEnd_endBeforeTheDeadline();
    void hangUpAtOnce_isALoss();
    void bannerAndNoMore_isATimeout();
    void brokenKeyExchange_isSaid();
    void noCommonAlgorithm_isSaid();
    void unsupportedAlgorithms_areRefusedBeforeConnecting();
    void refusedKeyword_isSaidBeforeConnecting();
    void brokenConfiguration_isSaid();
    void userNameThatLibsshRefuses_isSaid();
    void close_whileConnecting();
    void destroyed_inEveryState_data();
    void destroyed_inEveryState();
    void frozenServer_isATimeout();
    void frozenServer_isNoticedOnALiveConnection();
    void killedServer_isNoticedAtOnce();
    void keepalive_holdsAQuietConnection();

private:
    [[nodiscard]] ConnectionSettings settingsFor(quint16 port, const QStringList &lines = {});
    SshdServer m_server;
};

void TstSshConnecting::initTestCase()
{
    QVERIFY2(m_server.start(), qPrintable(m_server.error()));
}

ConnectionSettings TstSshConnecting::settingsFor(quint16 port, const QStringList &lines)
{
    const bool written = m_server.writeClientConfig(lines + QStringList{u"Port %1"_s.arg(port)});
    Q_ASSERT(written);
    ConnectionSettings settings = m_server.settings();
    settings.connectTimeout = 800ms;
    return settings;
}

#define TRY_END(watch) QTRY_VERIFY2((watch).ended || (watch).isReady(), qPrintable((watch).words.join(u" / "_s)))

void TstSshConnecting::nameWithUnderscore_connectsByItsHostName()
{
    SessionWatch watch(settingsFor(m_server.port()));
    watch.session->open();
    TRY_END(watch);
    QVERIFY2(watch.isReady(), qPrintable(watch.endText()));
    QVERIFY2(watch.words.contains(u"connecting to 127.0.0.1"_s), qPrintable(watch.words.join(u'\n')));
}

void TstSshConnecting::address6_connects()
{
    SshdServer server({}, u"::1"_s);
    if (!server.start())
        PILOTHOUSE_SKIP("no IPv6 on loopback here");
    SessionWatch watch(server.settings());
    watch.session->open();
    TRY_END(watch);
    QVERIFY2(watch.isReady(), qPrintable(watch.endText()));
    QCOMPARE(watch.session->peer(), u"%1@[::1]:%2"_s.arg(server.user()).arg(server.port()));
}

void TstSshConnecting::addressFamily_isHonoured()
{
    SessionWatch watch(settingsFor(m_server.port(), {u"AddressFamily inet6"_s}));
    watch.session->open();
    TRY_END(watch);
    QVERIFY(watch.ended);
    QCOMPARE(watch.ended->code, ErrorCode::NameNotResolved);
    QVERIFY2(watch.ended->detail.contains(u"AddressFamily"_s), qPrintable(watch.ended->detail));
}

void TstSshConnecting::unknownName_isSaid()
{
    ConnectionSettings settings = settingsFor(22, {u"HostName no..such-host"_s});
    settings.connectTimeout = 4s;
    SessionWatch watch(settings);
    watch.session->open();
    TRY_END(watch);
    QVERIFY(watch.ended);
    QCOMPARE(watch.ended->code, ErrorCode::NameNotResolved);
    QVERIFY2(watch.ended->detail.contains(u"no..such-host"_s), qPrintable(watch.ended->detail));
    QVERIFY(watch.words.contains(u"looking up no..such-host"_s));
}

void TstSshConnecting::closedPort_isRefused()
{
    const quint16 port = freePort();
    SessionWatch watch(settingsFor(port));
    watch.session->open();
    TRY_END(watch);
    QVERIFY(watch.ended);
    QCOMPARE(watch.ended->code, ErrorCode::ConnectRefused);
    QCOMPARE(watch.ended->detail, u"Port %1, 127.0.0.1: connection refused."_s.arg(port));
}

void TstSshConnecting::fullBacklog_isATimeout()
{
    // A listener that never accepts, with its queue full: packets are dropped, as behind a firewall.
    QTcpServer server;
    server.setListenBacklogSize(1);
    QVERIFY(server.listen(QHostAddress::LocalHost));
    server.pauseAccepting();
    std::vector<std::unique_ptr<QTcpSocket>> crowd;
    for (int i = 0; i < 8; ++i) {
        crowd.push_back(std::make_unique<QTcpSocket>());
        crowd.back()->connectToHost(QHostAddress::LocalHost, server.serverPort());
    }
    QTest::qWait(100); // the crowd must be first
    SessionWatch watch(settingsFor(server.serverPort()));
    QElapsedTimer timer;
    timer.start();
    watch.session->open();
    TRY_END(watch);
    QVERIFY(watch.ended);
    QCOMPARE(watch.ended->code, ErrorCode::ConnectTimeout);
    QVERIFY2(watch.ended->detail.contains(u"no answer within 0.8 s"_s), qPrintable(watch.ended->detail));
    QVERIFY(timer.elapsed() < 2'500);
}

void TstSshConnecting::silentListener_isATimeout()
{
    RudeListener listener;
    SessionWatch watch(settingsFor(listener.port()));
    QElapsedTimer timer;
    timer.start();
    watch.session->open();
    TRY_END(watch);
    QVERIFY(watch.ended);
    QCOMPARE(watch.ended->code, ErrorCode::ConnectTimeout);
    QVERIFY2(watch.ended->detail.contains(u"said nothing within 0.8 s"_s), qPrintable(watch.ended->detail));
    QVERIFY(timer.elapsed() < 2'500);
    QCOMPARE(listener.visitors(), 1);
}

void TstSshConnecting::garbage_isNoSshServer_data()
{
    QTest::addColumn<QByteArray>("greeting");
    QTest::addColumn<bool>("hangUp");
    QTest::addColumn<QString>("shown");
    QTest::newRow("http, hangs up")
        << QByteArray("HTTP/1.1 400 Bad Request\r\n\r\n") << true << u"HTTP/1.1 400 Bad Request"_s;
    QTest::newRow("smtp, waits") << QByteArray("220 mail.example ESMTP\r\n") << false << u"220 mail.example ESMTP"_s;
    QTest::newRow("no line feed") << QByteArray(100, 'x') << false << u"xxxx"_s;
    QTest::newRow("one endless line") << QByteArray(100'000, 'y') << false << u"yyyy"_s;
    QTest::newRow("many lines") << QByteArray("zzz\n").repeated(50'000) << false << u"zzz"_s;
    QTest::newRow("binary") << QByteArray("\x00\xff\x1b[31m\x07\n", 9).repeated(200) << true << u"[31m"_s;
    QTest::newRow("ssh 1") << QByteArray("SSH-1.5-old\r\n") << false << u"SSH-1.5"_s;
}

void TstSshConnecting::garbage_isNoSshServer()
{
    QFETCH(QByteArray, greeting);
    QFETCH(bool, hangUp);
    QFETCH(QString, shown);
    RudeListener listener(greeting, hangUp);
    SessionWatch watch(settingsFor(listener.port()));
    QElapsedTimer timer;
    timer.start();
    watch.session->open();
    TRY_END(watch);
    QVERIFY(watch.ended);
    QVERIFY(timer.elapsed() < 2'500);
    if (greeting.startsWith("SSH-"))
        QCOMPARE(watch.ended->code, ErrorCode::HandshakeFailed);
    else
        QCOMPARE(watch.ended->code, ErrorCode::NotSsh);
    QVERIFY2(watch.ended->detail.contains(shown), qPrintable(watch.ended->detail));
    QVERIFY2(!watch.ended->detail.contains(u'\x1b') && !watch.ended->detail.contains(u'\n'),
             qPrintable(watch.ended->detail));
}

void TstSshConnecting::linesWithoutEnd_endBeforeTheDeadline()
{
    RudeListener listener(QByteArray("welcome to the grid\r\n").repeated(1000));
    listener.repeat();
    ConnectionSettings settings = settingsFor(listener.port());
    settings.connectTimeout = 20s;
    SessionWatch watch(settings);
    QElapsedTimer timer;
    timer.start();
    watch.session->open();
    QTRY_VERIFY_WITH_TIMEOUT(watch.ended, 25'000);
    QVERIFY2(timer.elapsed() < 5'000, QByteArray::number(timer.elapsed()).constData());
    QCOMPARE(exitCodeOf(watch.ended->code), 3);
    QCOMPARE(watch.ended->detail,
             u"root@127.0.0.1:%1 sent more than 128 KiB without an SSH version; it began with “welcome to the grid”."_s
                 .arg(listener.port()));
}

void TstSshConnecting::hangUpAtOnce_isALoss()
{
    RudeListener listener({}, true);
    SessionWatch watch(settingsFor(listener.port()));
    watch.session->open();
    TRY_END(watch);
    QVERIFY(watch.ended);
    QCOMPARE(watch.ended->code, ErrorCode::ConnectionLost);
    QVERIFY2(watch.ended->detail.contains(u"before it said anything"_s), qPrintable(watch.ended->detail));
}

void TstSshConnecting::bannerAndNoMore_isATimeout()
{
    RudeListener listener("SSH-2.0-OpenSSH_9.2\r\n");
    SessionWatch watch(settingsFor(listener.port()));
    watch.session->open();
    TRY_END(watch);
    QVERIFY(watch.ended);
    QCOMPARE(watch.ended->code, ErrorCode::ConnectTimeout);
    QVERIFY2(watch.ended->detail.contains(u"key exchange"_s), qPrintable(watch.ended->detail));
}

void TstSshConnecting::brokenKeyExchange_isSaid()
{
    RudeListener listener("SSH-2.0-Evil\r\n" + QByteArray(4'000, '\xff'));
    SessionWatch watch(settingsFor(listener.port()));
    watch.session->open();
    TRY_END(watch);
    QVERIFY(watch.ended);
    QCOMPARE(watch.ended->code, ErrorCode::HandshakeFailed);
}

void TstSshConnecting::noCommonAlgorithm_isSaid()
{
    SessionWatch watch(settingsFor(m_server.port(), {u"HostKeyAlgorithms ecdsa-sha2-nistp256"_s}));
    watch.session->open();
    TRY_END(watch);
    QVERIFY(watch.ended);
    QCOMPARE(watch.ended->code, ErrorCode::HandshakeFailed);
    QVERIFY2(watch.ended->detail.contains(u"ecdsa-sha2-nistp256"_s), qPrintable(watch.ended->detail));
}

void TstSshConnecting::unsupportedAlgorithms_areRefusedBeforeConnecting()
{
    SessionWatch watch(settingsFor(m_server.port(), {u"KexAlgorithms sntrup761x25519-sha512@openssh.com"_s}));
    watch.session->open();
    TRY_END(watch);
    QVERIFY(watch.ended);
    QCOMPARE(watch.ended->code, ErrorCode::SshConfigRefused);
    QVERIFY2(watch.ended->detail.contains(u"KexAlgorithms"_s), qPrintable(watch.ended->detail));
}

void TstSshConnecting::refusedKeyword_isSaidBeforeConnecting()
{
    const QString line = u"KnownHostsCommand /bin/true"_s;
    RudeListener listener;
    SessionWatch watch(settingsFor(listener.port(), {line}));
    watch.session->open();
    TRY_END(watch);
    QVERIFY(watch.ended);
    QCOMPARE(watch.ended->code, ErrorCode::SshConfigRefused);
    QVERIFY2(watch.ended->detail.contains(line.section(u' ', 0, 0), Qt::CaseInsensitive),
             qPrintable(watch.ended->detail));
    QCOMPARE(watch.states, (QList<SshSession::State>{SshSession::State::Resolving, SshSession::State::Ended}));
    QCoreApplication::processEvents();
    QCOMPARE(listener.visitors(), 0);
}

void TstSshConnecting::brokenConfiguration_isSaid()
{
    SessionWatch watch(settingsFor(m_server.port(), {u"NoSuchKeyword yes"_s}));
    watch.session->open();
    TRY_END(watch);
    QVERIFY(watch.ended);
    QCOMPARE(watch.ended->code, ErrorCode::SshConfigInvalid);
    QVERIFY2(watch.ended->detail.contains(u"nosuchkeyword"_s), qPrintable(watch.ended->detail));
}

void TstSshConnecting::userNameThatLibsshRefuses_isSaid()
{
    SessionWatch watch(settingsFor(m_server.port(), {u"User DOM\\user"_s}));
    watch.session->open();
    TRY_END(watch);
    QVERIFY(watch.ended);
    QVERIFY2(watch.ended->code == ErrorCode::SshConfigRefused || watch.ended->code == ErrorCode::SshConfigInvalid,
             qPrintable(watch.endText()));
}

void TstSshConnecting::close_whileConnecting()
{
    RudeListener listener;
    SessionWatch watch(settingsFor(listener.port()));
    watch.session->open();
    QTRY_COMPARE(watch.session->state(), SshSession::State::KeyExchange);
    watch.session->close();
    watch.session->close();
    QTRY_VERIFY(watch.ended);
    QCOMPARE(watch.ended->code, ErrorCode::Cancelled);
    QVERIFY(!watch.late);

    SessionWatch idle(settingsFor(listener.port()));
    idle.session->close();
    QTRY_VERIFY(idle.ended);
    QCOMPARE(idle.ended->code, ErrorCode::Cancelled);
    idle.session->open();
    QCOMPARE(idle.session->state(), SshSession::State::Ended);
}

void TstSshConnecting::destroyed_inEveryState_data()
{
    QTest::addColumn<SshSession::State>("state");
    using State = SshSession::State;
    QTest::newRow("idle") << State::Idle;
    QTest::newRow("resolving") << State::Resolving;
    QTest::newRow("connecting") << State::Connecting;
    QTest::newRow("key exchange") << State::KeyExchange;
    QTest::newRow("host key") << State::CheckingHostKey;
    QTest::newRow("signing in") << State::SigningIn;
    QTest::newRow("ready") << State::Ready;
    QTest::newRow("closing") << State::Closing;
    QTest::newRow("ended") << State::Ended;
}

void TstSshConnecting::destroyed_inEveryState()
{
    QFETCH(SshSession::State, state);
    // Once from inside the signal, once after it.
    for (const bool inside : {true, false}) {
        SessionWatch watch(settingsFor(m_server.port()));
        bool reached = state == SshSession::State::Idle;
        connect(watch.session.get(), &SshSession::stateChanged, this, [&](SshSession::State now) {
            if (now == SshSession::State::Ready && state > SshSession::State::Ready)
                watch.session->close();
            if (now != state)
                return;
            reached = true;
            if (inside)
                watch.session.reset();
        });
        if (state != SshSession::State::Idle)
            watch.session->open();
        QTRY_VERIFY(reached);
        QElapsedTimer timer;
        timer.start();
        watch.session.reset();
        QVERIFY(timer.elapsed() < 3'000);
        QCoreApplication::processEvents();
    }
}

void TstSshConnecting::frozenServer_isATimeout()
{
    SshdServer server;
    QVERIFY2(server.start(), qPrintable(server.error()));
    ::kill(server.pid(), SIGSTOP);
    ConnectionSettings settings = server.settings();
    settings.connectTimeout = 800ms;
    SessionWatch watch(settings);
    watch.session->open();
    TRY_END(watch);
    ::kill(server.pid(), SIGCONT);
    QVERIFY(watch.ended);
    QCOMPARE(watch.ended->code, ErrorCode::ConnectTimeout);
}

void TstSshConnecting::frozenServer_isNoticedOnALiveConnection()
{
    ConnectionSettings settings = settingsFor(m_server.port());
    settings.connectTimeout = 5s;
    settings.keepaliveInterval = 200ms;
    settings.deadAfter = 900ms;
    SessionWatch watch(settings);
    watch.session->open();
    TRY_END(watch);
    QVERIFY2(watch.isReady(), qPrintable(watch.endText()));
    ShellWatch shell(watch.session->openShell());
    QTRY_COMPARE(shell.opened, 1);
    QVERIFY(!m_server.connectionProcesses().isEmpty());
    for (const pid_t child : m_server.connectionProcesses())
        ::kill(child, SIGSTOP);
    QElapsedTimer timer;
    timer.start();
    QTRY_VERIFY(watch.ended);
    QVERIFY(timer.elapsed() < 2'500);
    QCOMPARE(watch.ended->code, ErrorCode::ConnectionLost);
    QVERIFY2(watch.ended->detail.contains(u"Nothing came"_s), qPrintable(watch.ended->detail));
    QCOMPARE(shell.closed, 1);
    QCOMPARE(shell.error->code, ErrorCode::ConnectionLost);
    for (const pid_t child : m_server.connectionProcesses())
        ::kill(child, SIGKILL);
}

void TstSshConnecting::killedServer_isNoticedAtOnce()
{
    ConnectionSettings settings = settingsFor(m_server.port());
    settings.connectTimeout = 5s;
    SessionWatch watch(settings);
    watch.session->open();
    TRY_END(watch);
    QVERIFY2(watch.isReady(), qPrintable(watch.endText()));
    ShellWatch shell(watch.session->openShell());
    shell.shell->write("echo here\n");
    QTRY_COMPARE(shell.output, "here\n");
    for (const pid_t child : m_server.connectionProcesses())
        ::kill(child, SIGKILL);
    QTRY_VERIFY(watch.ended);
    QCOMPARE(watch.ended->code, ErrorCode::ConnectionLost);
    QCOMPARE(shell.closed, 1);
    QVERIFY(shell.error);
    QVERIFY(!watch.late);
}

void TstSshConnecting::keepalive_holdsAQuietConnection()
{
    ConnectionSettings settings = settingsFor(m_server.port());
    settings.connectTimeout = 5s;
    settings.keepaliveInterval = 100ms;
    settings.deadAfter = 500ms;
    SessionWatch watch(settings);
    watch.session->open();
    TRY_END(watch);
    QVERIFY2(watch.isReady(), qPrintable(watch.endText()));
    ShellWatch shell(watch.session->openShell());
    QTRY_COMPARE(shell.opened, 1);
    // Three times as long as the link may be silent.
    QVERIFY(!QTest::qWaitFor([&] { return watch.ended.has_value(); }, 1'500));
    shell.shell->write("echo alive\n");
    QTRY_COMPARE(shell.output, "alive\n");
}

PILOTHOUSE_TEST_MAIN(TstSshConnecting)
#include "tst_sshconnecting.moc"
