// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/testmain.h"
#include "tests/unit/ssh/corefixture.h"

using namespace pilothouse;
using namespace pilothouse::test;
using namespace std::chrono_literals;
using namespace Qt::StringLiterals;

/// The states of a session and every way they end, over a scripted libssh.
class TstSessionCore final : public QObject
{
    Q_OBJECT
private slots:
    void init() { QTest::failOnWarning(QRegularExpression(u".*"_s)); }
    void states_goForwardToReady();
    void options_readNoFileAndKeepOurNames();
    void options_refused_data();
    void options_refused();
    void algorithms_ofTheConfigurationArePassed();
    void resolve_fails();
    void connect_fails();
    void sessionNew_fails();
    void keyExchange_again_waits();
    void keyExchange_againWhileDisconnected_isNoLoop();
    void keyExchange_fails_data();
    void keyExchange_fails();
    void keyExchange_deadline();
    void event_fails_data();
    void event_fails();
    void hostKey_unreadable_data();
    void hostKey_unreadable();
    void lossInEachState_isSaid();
    void deadLink_isSaidAndAsked();
    void close_inEachState();
    void signInDeadline_namesWhatWasWaitedFor();
    void waitingQuestion_noticesTheLoss();
    void answer_fromInsideTheQuestion();
    void writePending_armsTheWriteNotifier();
    void descriptor_isClosedOnce();
    void everythingIsGivenBack();
};

using State = SshSession::State;

void TstSessionCore::states_goForwardToReady()
{
    CoreFixture fixture;
    QVERIFY2(fixture.becomeReady(), qPrintable(fixture.endText()));
    QCOMPARE(fixture.states,
             (QList<State>{State::Resolving, State::Connecting, State::KeyExchange,
                           State::CheckingHostKey, State::SigningIn, State::Ready}));
    QVERIFY(fixture.words.contains(u"connecting to 10.0.0.5"_s));
    QCOMPARE(fixture.core->peer(), u"root@10.0.0.5:22"_s);
    QCOMPARE(fixture.destination.deadline, 5'000ms);
    QCOMPARE(fixture.api->count("nonblocking"), 1);
    fixture.core->open(); // a second time does nothing
    QCOMPARE(fixture.core->state(), State::Ready);
}

void TstSessionCore::options_readNoFileAndKeepOurNames()
{
    CoreFixture fixture;
    fixture.host.hostName = u"gpu_01"_s;
    fixture.writeFile(u"known_hosts"_s, "gpu_01 ssh-ed25519 " + testKey + '\n');
    QVERIFY2(fixture.becomeReady(), qPrintable(fixture.endText()));
    QCOMPARE(fixture.api->options.value(SSH_OPTIONS_HOST), "remote");
    QCOMPARE(fixture.api->options.value(SSH_OPTIONS_USER), "root");
    QCOMPARE(fixture.api->options.value(SSH_OPTIONS_KNOWNHOSTS), "/dev/null");
    QCOMPARE(fixture.api->options.value(SSH_OPTIONS_GLOBAL_KNOWNHOSTS), "/dev/null");
    QCOMPARE(fixture.api->options.value(SSH_OPTIONS_SSH_DIR), "/dev/null");
    QCOMPARE(fixture.api->count("option" + QByteArray::number(SSH_OPTIONS_PROCESS_CONFIG)), 1);
    QCOMPARE(fixture.api->count("option" + QByteArray::number(SSH_OPTIONS_FD)), 1);
}

void TstSessionCore::options_refused_data()
{
    QTest::addColumn<int>("option");
    QTest::addColumn<ErrorCode>("code");
    QTest::newRow("process config") << int(SSH_OPTIONS_PROCESS_CONFIG) << ErrorCode::Internal;
    QTest::newRow("fd") << int(SSH_OPTIONS_FD) << ErrorCode::Internal;
    QTest::newRow("user") << int(SSH_OPTIONS_USER) << ErrorCode::SshConfigRefused;
    QTest::newRow("kex") << int(SSH_OPTIONS_KEY_EXCHANGE) << ErrorCode::SshConfigRefused;
    QTest::newRow("host keys") << int(SSH_OPTIONS_HOSTKEYS) << ErrorCode::SshConfigRefused;
    QTest::newRow("ciphers") << int(SSH_OPTIONS_CIPHERS_S_C) << ErrorCode::SshConfigRefused;
    QTest::newRow("macs") << int(SSH_OPTIONS_HMAC_C_S) << ErrorCode::SshConfigRefused;
    QTest::newRow("rekey") << int(SSH_OPTIONS_REKEY_TIME) << ErrorCode::SshConfigRefused;
    QTest::newRow("rsa size") << int(SSH_OPTIONS_RSA_MIN_SIZE) << ErrorCode::SshConfigRefused;
}

void TstSessionCore::options_refused()
{
    QFETCH(int, option);
    QFETCH(ErrorCode, code);
    CoreFixture fixture;
    fixture.host.kexAlgorithms = fixture.host.ciphers = fixture.host.macs = u"something"_s;
    fixture.host.hostKeyAlgorithms = u"ssh-ed25519"_s;
    fixture.host.rekeyLimit = u"0 60"_s;
    fixture.host.requiredRsaSize = 2048;
    fixture.api->script("option" + QByteArray::number(option), {SSH_ERROR});
    QVERIFY(!fixture.becomeReady());
    QCOMPARE(fixture.ended->code, code);
    QCOMPARE(fixture.api->count("connect"), 0);
    QVERIFY(fixture.api->allGivenBack());
}

void TstSessionCore::algorithms_ofTheConfigurationArePassed()
{
    CoreFixture fixture;
    fixture.host.hostKeyAlgorithms = u"rsa-sha2-512,ssh-ed25519-cert-v01@openssh.com,ssh-ed25519"_s;
    fixture.host.kexAlgorithms = u"curve25519-sha256"_s;
    fixture.host.ciphers = u"aes256-ctr"_s;
    fixture.host.macs = u"hmac-sha2-256"_s;
    fixture.host.pubkeyAcceptedAlgorithms = u"ssh-ed25519"_s;
    QVERIFY2(fixture.becomeReady(), qPrintable(fixture.endText()));
    // The known type first, certificates left out.
    QCOMPARE(fixture.api->options.value(SSH_OPTIONS_HOSTKEYS), "ssh-ed25519,rsa-sha2-512");
    QCOMPARE(fixture.api->options.value(SSH_OPTIONS_KEY_EXCHANGE), "curve25519-sha256");
    QCOMPARE(fixture.api->options.value(SSH_OPTIONS_CIPHERS_C_S), "aes256-ctr");
    QCOMPARE(fixture.api->options.value(SSH_OPTIONS_CIPHERS_S_C), "aes256-ctr");
    QCOMPARE(fixture.api->options.value(SSH_OPTIONS_HMAC_S_C), "hmac-sha2-256");
    QCOMPARE(fixture.api->options.value(SSH_OPTIONS_PUBLICKEY_ACCEPTED_TYPES), "ssh-ed25519");
}

void TstSessionCore::resolve_fails()
{
    CoreFixture fixture;
    fixture.resolveError = Error{ErrorCode::SshConfigRefused, u"ProxyJump."_s, {}};
    QVERIFY(!fixture.becomeReady());
    QCOMPARE(*fixture.ended, *fixture.resolveError);
    QCOMPARE(fixture.states, (QList<State>{State::Resolving, State::Ended}));
    QCOMPARE(fixture.destination.hostName, QString()); // nobody was called
}

void TstSessionCore::connect_fails()
{
    CoreFixture fixture;
    fixture.connectError = Error{ErrorCode::ConnectRefused, u"Port 22."_s, {}};
    QVERIFY(!fixture.becomeReady());
    QCOMPARE(*fixture.ended, *fixture.connectError);
    QCOMPARE(fixture.api->count("sessionNew"), 0);
}

void TstSessionCore::sessionNew_fails()
{
    CoreFixture fixture;
    fixture.api->script("sessionNew", {SSH_ERROR});
    QVERIFY(!fixture.becomeReady());
    QCOMPARE(fixture.ended->code, ErrorCode::Internal);
}

void TstSessionCore::keyExchange_again_waits()
{
    CoreFixture fixture;
    fixture.api->script("connect", {SSH_AGAIN, SSH_AGAIN, SSH_OK});
    fixture.open();
    QTRY_COMPARE(fixture.api->count("connect"), 1);
    QCoreApplication::processEvents();
    QCOMPARE(fixture.api->count("connect"), 1); // no spinning
    fixture.poke();
    QTRY_COMPARE(fixture.api->count("connect"), 2);
    fixture.poke();
    QTRY_COMPARE(fixture.core->state(), State::Ready);
}

void TstSessionCore::keyExchange_againWhileDisconnected_isNoLoop()
{
    CoreFixture fixture;
    fixture.api->script("connect", {SSH_AGAIN, SSH_AGAIN});
    fixture.open();
    QTRY_COMPARE(fixture.api->count("connect"), 1);
    fixture.loseLink();
    QTRY_VERIFY(fixture.ended);
    QCOMPARE(fixture.ended->code, ErrorCode::HandshakeFailed);
}

void TstSessionCore::keyExchange_fails_data()
{
    QTest::addColumn<QByteArray>("banner");
    QTest::addColumn<QByteArray>("first");
    QTest::addColumn<ErrorCode>("code");
    QTest::newRow("after its banner")
        << QByteArray("SSH-2.0-x") << QByteArray("SSH-2.0-x") << ErrorCode::HandshakeFailed;
    QTest::newRow("no banner, but bytes") << QByteArray() << QByteArray("hello\x1b") << ErrorCode::NotSsh;
    QTest::newRow("nothing") << QByteArray() << QByteArray() << ErrorCode::ConnectionLost;
}

void TstSessionCore::keyExchange_fails()
{
    QFETCH(QByteArray, banner);
    QFETCH(QByteArray, first);
    QFETCH(ErrorCode, code);
    CoreFixture fixture;
    fixture.api->banner = banner.isEmpty() ? nullptr : banner.constData();
    fixture.api->error = "Success"; // what libssh says then: never shown as the reason by itself
    fixture.api->script("connect", {SSH_ERROR});
    fixture.make();
    fixture.onState = [&](State state, const QString &) {
        if (state == State::KeyExchange && !first.isEmpty())
            QCOMPARE(::send(fixture.peerEnd, first.constData(), size_t(first.size()), MSG_NOSIGNAL), first.size());
    };
    fixture.core->open();
    QTRY_VERIFY(fixture.ended);
    QCOMPARE(fixture.ended->code, code);
    if (code == ErrorCode::NotSsh)
        QVERIFY2(fixture.ended->detail.contains(u"hello␛"_s), qPrintable(fixture.ended->detail));
}

void TstSessionCore::keyExchange_deadline()
{
    for (const bool withBanner : {true, false}) {
        CoreFixture fixture;
        fixture.settings.connectTimeout = 80ms;
        if (!withBanner)
            fixture.api->banner = nullptr;
        fixture.api->script("connect", {SSH_AGAIN});
        fixture.open();
        QTRY_VERIFY(fixture.ended);
        QCOMPARE(fixture.ended->code, ErrorCode::ConnectTimeout);
        QCOMPARE(fixture.ended->detail.contains(u"key exchange"_s), withBanner);
    }
}

void TstSessionCore::event_fails_data()
{
    QTest::addColumn<QByteArray>("call");
    QTest::newRow("new") << QByteArray("eventNew");
    QTest::newRow("add") << QByteArray("eventAddSession");
}

void TstSessionCore::event_fails()
{
    QFETCH(QByteArray, call);
    CoreFixture fixture;
    fixture.api->script(call, {SSH_ERROR});
    QVERIFY(!fixture.becomeReady());
    QCOMPARE(fixture.ended->code, ErrorCode::Internal);
    QVERIFY(fixture.api->allGivenBack());
}

void TstSessionCore::hostKey_unreadable_data()
{
    QTest::addColumn<QByteArray>("call");
    QTest::newRow("none") << QByteArray("serverPublicKey");
    QTest::newRow("no export") << QByteArray("exportPublicKey");
}

void TstSessionCore::hostKey_unreadable()
{
    QFETCH(QByteArray, call);
    CoreFixture fixture;
    fixture.settings.acceptNewHostKey = true;
    fixture.api->script(call, {SSH_ERROR});
    QVERIFY(!fixture.becomeReady());
    QCOMPARE(fixture.ended->code, ErrorCode::HandshakeFailed);
    QCOMPARE(fixture.api->count("authNone"), 0);
    QVERIFY(fixture.api->allGivenBack());
}

void TstSessionCore::lossInEachState_isSaid()
{
    {
        CoreFixture fixture;
        fixture.settings.askPerson = true;
        fixture.writeFile(u"known_hosts"_s, {});
        fixture.open();
        QTRY_COMPARE(fixture.questions.size(), 1);
        fixture.loseLink();
        QTRY_VERIFY(fixture.ended);
        QCOMPARE(fixture.ended->code, ErrorCode::ConnectionLost);
    }
    {
        CoreFixture fixture;
        fixture.api->script("authNone", {SSH_AUTH_AGAIN, SSH_AUTH_AGAIN});
        fixture.open();
        QTRY_COMPARE(fixture.core->state(), State::SigningIn);
        fixture.loseLink();
        QTRY_VERIFY(fixture.ended);
        QCOMPARE(fixture.ended->code, ErrorCode::ConnectionLost);
    }
    {
        CoreFixture fixture;
        QVERIFY(fixture.becomeReady());
        fixture.loseLink();
        QTRY_VERIFY(fixture.ended);
        QCOMPARE(fixture.ended->code, ErrorCode::ConnectionLost);
        QVERIFY2(fixture.ended->detail.contains(u"root@10.0.0.5:22"_s), qPrintable(fixture.ended->detail));
    }
}

void TstSessionCore::deadLink_isSaidAndAsked()
{
    CoreFixture fixture;
    fixture.settings.keepaliveInterval = 40ms;
    fixture.settings.deadAfter = 200ms;
    QVERIFY(fixture.becomeReady());
    QTRY_VERIFY(fixture.ended);
    QCOMPARE(fixture.ended->code, ErrorCode::ConnectionLost);
    QVERIFY2(fixture.ended->detail.contains(u"for 0.2 s"_s), qPrintable(fixture.ended->detail));
    // Twice each time: the first call only clears an answered request.
    QVERIFY(fixture.api->count("sendKeepalive") >= 4);
    QCOMPARE(fixture.api->count("sendKeepalive") % 2, 0);
}

void TstSessionCore::close_inEachState()
{
    for (const State at : {State::Resolving, State::Connecting, State::KeyExchange, State::CheckingHostKey,
                           State::SigningIn, State::Ready}) {
        CoreFixture fixture;
        fixture.make();
        fixture.onState = [&](State state, const QString &) {
            if (state == at)
                fixture.core->close();
        };
        fixture.core->open();
        QTRY_VERIFY(fixture.ended);
        QCOMPARE(fixture.ended->code, ErrorCode::Cancelled);
        QCOMPARE(fixture.states.mid(fixture.states.size() - 3), (QList<State>{at, State::Closing, State::Ended}));
        QTest::qWait(5);
        QVERIFY(!fixture.late);
        QVERIFY(fixture.api->allGivenBack());
    }
}

void TstSessionCore::signInDeadline_namesWhatWasWaitedFor()
{
    CoreFixture fixture;
    fixture.settings.signInTimeout = 60ms;
    fixture.api->script("authTryPublicKey", {SSH_AUTH_AGAIN});
    fixture.open();
    QTRY_VERIFY(fixture.ended);
    QCOMPARE(fixture.ended->code, ErrorCode::SignInTimeout);
    QVERIFY2(fixture.ended->detail.contains(u"signing in with "_s + fixture.host.identityFiles.constFirst()),
             qPrintable(fixture.ended->detail));
}

void TstSessionCore::waitingQuestion_noticesTheLoss()
{
    CoreFixture fixture;
    fixture.settings.askPerson = true;
    fixture.api->passphrase = "open sesame";
    fixture.open();
    QTRY_COMPARE(fixture.questions.size(), 1);
    QCOMPARE(fixture.questions.constFirst().kind, Question::Kind::KeyPassphrase);
    fixture.loseLink();
    QTRY_VERIFY(fixture.ended);
    QCOMPARE(fixture.ended->code, ErrorCode::ConnectionLost);
}

void TstSessionCore::answer_fromInsideTheQuestion()
{
    CoreFixture fixture;
    fixture.settings.askPerson = true;
    fixture.api->passphrase = "open sesame";
    fixture.writeFile(u"known_hosts"_s, {});
    fixture.make();
    fixture.onQuestion = [&](const Question &question) {
        fixture.answer(question.kind == Question::Kind::KeyPassphrase ? QStringList{u"open sesame"_s} : QStringList());
    };
    fixture.core->open();
    QTRY_COMPARE(fixture.core->state(), State::Ready);
    QCOMPARE(fixture.questions.size(), 2);
    QCOMPARE(fixture.readFile(u"known_hosts"_s), "gpu1 ssh-ed25519 " + testKey + '\n');
}

void TstSessionCore::writePending_armsTheWriteNotifier()
{
    CoreFixture fixture;
    QVERIFY(fixture.becomeReady());
    QCoreApplication::processEvents();
    const qsizetype quiet = fixture.api->count("eventPoll");
    QTest::qWait(20);
    QCOMPARE(fixture.api->count("eventPoll"), quiet); // nothing to do, nothing done
    fixture.api->onPoll = [api = fixture.api.get(), quiet] { // called once more when the fixture goes
        if (api->count("eventPoll") > quiet + 5)
            api->flags = SSH_READ_PENDING;
    };
    fixture.api->flags = SSH_READ_PENDING | SSH_WRITE_PENDING;
    fixture.poke();
    QTRY_VERIFY(fixture.api->count("eventPoll") > quiet + 5); // writable all the time: called until it is done
    QTest::qWait(20);
    const qsizetype done = fixture.api->count("eventPoll");
    QTest::qWait(20);
    QCOMPARE(fixture.api->count("eventPoll"), done);
}

void TstSessionCore::descriptor_isClosedOnce()
{
    CoreFixture fixture;
    QVERIFY(fixture.becomeReady());
    fixture.core->close();
    QTRY_VERIFY(fixture.ended);
    char byte = 0;
    QCOMPARE(::recv(fixture.peerEnd, &byte, 1, 0), 0); // end of file: our end is closed
}

void TstSessionCore::everythingIsGivenBack()
{
    CoreFixture fixture;
    QVERIFY(fixture.becomeReady());
    auto shell = fixture.core->openShell();
    QTRY_COMPARE(fixture.api->made.size(), 1);
    QCOMPARE(fixture.api->sessions, 1);
    fixture.core->abandon();
    QVERIFY(fixture.api->allGivenBack());
    QCOMPARE(fixture.api->count("disconnect"), 1);
    QVERIFY(!fixture.ended); // nobody is told
    shell->write("x");
    shell.reset();
    QCoreApplication::processEvents();
}

PILOTHOUSE_TEST_MAIN(TstSessionCore)
#include "tst_sessioncore.moc"
