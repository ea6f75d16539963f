// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/testmain.h"
#include "tests/unit/ssh/corefixture.h"
#include "tests/unit/ssh/sshd/sessionwatch.h"

using namespace pilothouse;
using namespace pilothouse::test;
using namespace std::chrono_literals;
using namespace Qt::StringLiterals;

/// Shells over a scripted libssh: what the peer does in which order.
class TstSshChannel final : public QObject
{
    Q_OBJECT
private slots:
    void init();
    void cleanup() { m_fixture.reset(); }
    void opening_takesSeveralSteps();
    void refusedChannel_isSaid();
    void refusedExec_isSaidAndTheChannelClosed();
    void noChannel_isSaid();
    void openDeadline_isSaidAndALateAnswerIsClosed();
    void exitStatus_comesBeforeOrAfterTheLastData();
    void exitSignal_isCleaned();
    void closeWithoutStatus();
    void closeBeforeExec_isUnusable();
    void dataOfBothStreams_keepsItsOrder();
    void dataReadForAnotherChannel_isDelivered();
    void confirmationReadForAnotherChannel_isSeen();
    void zeroWindow_isTriedAgain();
    void partialWrites_loseNothing();
    void write_isToldToTheSocketInTheSameTurn();
    void writeError_waitsForTheEnd();
    void longWrites_letOthersIn();
    void inputIsClosed_afterAllIsWritten();
    void close_isRepeatedUntilTheServerCanKnow();
    void destroyed_whileOpening_isClosedWhenItOpens();
    void sessionLost_afterAnOrderlyEnd();

private:
    [[nodiscard]] ssh_channel channel(qsizetype index = 0) const { return m_fixture->api->made.at(index); }
    std::unique_ptr<CoreFixture> m_fixture;
};

void TstSshChannel::init()
{
    m_fixture = std::make_unique<CoreFixture>();
    QVERIFY(m_fixture->becomeReady());
}

void TstSshChannel::opening_takesSeveralSteps()
{
    m_fixture->api->script("channelOpenSession", {SSH_AGAIN, SSH_AGAIN, SSH_OK});
    m_fixture->api->script("channelExec", {SSH_AGAIN, SSH_OK});
    ShellWatch shell(m_fixture->core->openShell());
    shell.shell->write("hello\n");
    QCOMPARE(shell.shell->pendingBytes(), 6);
    for (int i = 0; i < 3; ++i) {
        QTRY_COMPARE(m_fixture->api->count("channelOpenSession"), i + 1);
        QCOMPARE(shell.opened, 0);
        m_fixture->poke();
    }
    QTRY_COMPARE(shell.opened, 1);
    QCOMPARE(m_fixture->api->executed, "exec /bin/sh");
    QCOMPARE(m_fixture->api->written, "hello\n");
    QCOMPARE(shell.shell->pendingBytes(), 0);
}

void TstSshChannel::refusedChannel_isSaid()
{
    m_fixture->api->script("channelOpenSession", {SSH_ERROR});
    ShellWatch shell(m_fixture->core->openShell());
    QTRY_COMPARE(shell.closed, 1);
    QCOMPARE(shell.opened, 0);
    QCOMPARE(shell.error->code, ErrorCode::ChannelRefused);
    QVERIFY(m_fixture->api->channels.isEmpty());
    QVERIFY(!m_fixture->ended);
}

void TstSshChannel::refusedExec_isSaidAndTheChannelClosed()
{
    m_fixture->api->script("channelExec", {SSH_ERROR});
    ShellWatch shell(m_fixture->core->openShell());
    QTRY_COMPARE(shell.closed, 1);
    QCOMPARE(shell.error->code, ErrorCode::ShellUnusable);
    QTRY_VERIFY(m_fixture->api->channels.isEmpty());
    QCOMPARE(m_fixture->api->count("channelClose"), 1);
}

void TstSshChannel::noChannel_isSaid()
{
    m_fixture->api->script("channelNew", {SSH_ERROR});
    ShellWatch shell(m_fixture->core->openShell());
    QTRY_COMPARE(shell.closed, 1);
    QCOMPARE(shell.error->code, ErrorCode::ChannelRefused);
}

void TstSshChannel::openDeadline_isSaidAndALateAnswerIsClosed()
{
    m_fixture = std::make_unique<CoreFixture>();
    m_fixture->settings.connectTimeout = 150ms;
    QVERIFY(m_fixture->becomeReady());
    m_fixture->api->script("channelOpenSession", {SSH_AGAIN, SSH_AGAIN, SSH_AGAIN, SSH_AGAIN});
    ShellWatch shell(m_fixture->core->openShell());
    QTRY_COMPARE(shell.closed, 1);
    QCOMPARE(shell.error->code, ErrorCode::Timeout);
    QCOMPARE(m_fixture->api->channels.size(), 1); // the server may still open it
    for (int i = 0; i < 5 && !m_fixture->api->channels.isEmpty(); ++i) {
        m_fixture->poke();
        QTest::qWait(5);
    }
    QTRY_VERIFY(m_fixture->api->channels.isEmpty());
    QCOMPARE(m_fixture->api->count("channelClose"), 1);
    QCOMPARE(shell.closed, 1);
    QCOMPARE(shell.opened, 0);
}

void TstSshChannel::exitStatus_comesBeforeOrAfterTheLastData()
{
    for (const bool before : {true, false}) {
        ShellWatch shell(m_fixture->core->openShell());
        QTRY_COMPARE(shell.opened, 1);
        m_fixture->api->onPoll = [&] {
            const ssh_channel at = m_fixture->api->made.constLast();
            if (before)
                m_fixture->api->exitStatus(at, 3);
            m_fixture->api->data(at, "last");
            if (!before)
                m_fixture->api->exitStatus(at, 3);
            m_fixture->api->closed(at);
            m_fixture->api->onPoll = {};
        };
        m_fixture->poke();
        QTRY_COMPARE(shell.closed, 1);
        QCOMPARE(shell.output, "last");
        QCOMPARE(shell.status, 3);
        QVERIFY(!shell.error);
        QVERIFY(!shell.late);
        QTRY_VERIFY(m_fixture->api->channels.isEmpty());
    }
}

void TstSshChannel::exitSignal_isCleaned()
{
    ShellWatch shell(m_fixture->core->openShell());
    QTRY_COMPARE(shell.opened, 1);
    m_fixture->api->exitSignal(channel(), "KILL\x1b[2J\n");
    m_fixture->api->closed(channel());
    m_fixture->poke();
    QTRY_COMPARE(shell.closed, 1);
    QVERIFY(shell.signal.startsWith(u"KILL"_s));
    QVERIFY(!shell.signal.contains(u'\x1b') && !shell.signal.contains(u'\n'));
    QCOMPARE(shell.status, -1);
}

void TstSshChannel::closeWithoutStatus()
{
    ShellWatch shell(m_fixture->core->openShell());
    QTRY_COMPARE(shell.opened, 1);
    m_fixture->api->closed(channel());
    m_fixture->poke();
    QTRY_COMPARE(shell.closed, 1);
    QCOMPARE(shell.status, -1);
    QVERIFY(!shell.error);
}

void TstSshChannel::closeBeforeExec_isUnusable()
{
    m_fixture->api->script("channelExec", {SSH_AGAIN, SSH_AGAIN, SSH_AGAIN});
    ShellWatch shell(m_fixture->core->openShell());
    QTRY_COMPARE(m_fixture->api->count("channelExec"), 1);
    m_fixture->api->closed(channel());
    m_fixture->poke();
    QTRY_COMPARE(shell.closed, 1);
    QCOMPARE(shell.error->code, ErrorCode::ShellUnusable);
}

void TstSshChannel::dataOfBothStreams_keepsItsOrder()
{
    auto shell = m_fixture->core->openShell();
    QByteArray seen;
    connect(shell.get(), &RemoteShell::received, this, [&](RemoteShell::Stream stream, const QByteArray &bytes) {
        seen += (stream == RemoteShell::Stream::Error ? "E:" : "O:") + bytes + ' ';
    });
    QTRY_COMPARE(m_fixture->api->made.size(), 1);
    m_fixture->api->data(channel(), "a");
    m_fixture->api->data(channel(), "b");
    m_fixture->api->data(channel(), "c", true);
    m_fixture->api->data(channel(), "d");
    m_fixture->poke();
    QTRY_COMPARE(seen, "O:ab E:c O:d ");
}

void TstSshChannel::dataReadForAnotherChannel_isDelivered()
{
    // The trap: a call for the second channel reads a packet of the first, and the socket stays quiet from then on.
    ShellWatch one(m_fixture->core->openShell());
    QTRY_COMPARE(one.opened, 1);
    ShellWatch two(m_fixture->core->openShell());
    QTRY_COMPARE(two.opened, 1);
    m_fixture->api->onWrite = [&](const QByteArray &bytes) {
        m_fixture->api->data(channel(0), "for one");
        m_fixture->api->onWrite = {};
        return static_cast<int>(bytes.size());
    };
    two.shell->write("x");
    QTRY_COMPARE(one.output, "for one");
}

void TstSshChannel::confirmationReadForAnotherChannel_isSeen()
{
    // The same trap while opening: the second channel's call reads what the first one waits for.
    m_fixture->api->script("channelOpenSession", {SSH_AGAIN});
    m_fixture->api->onWrite = [&](const QByteArray &bytes) {
        m_fixture->api->counter->in_bytes += 20;
        return static_cast<int>(bytes.size());
    };
    ShellWatch one(m_fixture->core->openShell());
    ShellWatch two(m_fixture->core->openShell());
    two.shell->write("x");
    QTRY_COMPARE(two.opened, 1);
    QTRY_COMPARE_WITH_TIMEOUT(one.opened, 1, 1'000); // not by the deadline's timer
}

void TstSshChannel::zeroWindow_isTriedAgain()
{
    ShellWatch shell(m_fixture->core->openShell());
    QTRY_COMPARE(shell.opened, 1);
    int tries = 0;
    m_fixture->api->onWrite = [&](const QByteArray &bytes) { return ++tries < 3 ? 0 : static_cast<int>(bytes.size()); };
    shell.shell->write("hello");
    QTRY_COMPARE(tries, 1);
    QCoreApplication::processEvents();
    QCOMPARE(tries, 1); // no spinning on a full window
    QCOMPARE(shell.shell->pendingBytes(), 5);
    m_fixture->poke();
    QTRY_COMPARE(tries, 2);
    m_fixture->poke();
    QTRY_COMPARE(m_fixture->api->written, "hello");
}

void TstSshChannel::partialWrites_loseNothing()
{
    ShellWatch shell(m_fixture->core->openShell());
    QTRY_COMPARE(shell.opened, 1);
    m_fixture->api->onWrite = [](const QByteArray &bytes) {
        return static_cast<int>(std::min<qsizetype>(bytes.size(), 1'000));
    };
    QByteArray sent;
    for (int i = 0; i < 100'000; ++i)
        sent += static_cast<char>(i * 7 % 251);
    shell.shell->write(sent.left(50'000));
    shell.shell->write(sent.mid(50'000));
    QTRY_COMPARE(m_fixture->api->written.size(), sent.size());
    QVERIFY(m_fixture->api->written == sent);
}

void TstSshChannel::write_isToldToTheSocketInTheSameTurn()
{
    ShellWatch shell(m_fixture->core->openShell());
    QTRY_COMPARE(shell.opened, 1);
    FakeLibssh &api = *m_fixture->api;
    qsizetype pollsBefore = 0;
    std::optional<qsizetype> pollsOfTheTurn;
    std::optional<bool> stillWants;
    api.onWrite = [&](const QByteArray &bytes) {
        api.flags |= SSH_WRITE_PENDING; // until it has looked at the socket
        api.onPoll = [&api] { api.flags &= ~SSH_WRITE_PENDING; };
        pollsBefore = api.count("eventPoll");
        QMetaObject::invokeMethod(this, [&] {
            pollsOfTheTurn = api.count("eventPoll") - pollsBefore;
            stillWants = (api.flags & SSH_WRITE_PENDING) != 0;
        }, Qt::QueuedConnection);
        return int(bytes.size());
    };
    shell.shell->write("hello\n");
    QTRY_VERIFY(pollsOfTheTurn);
    QCOMPARE(*pollsOfTheTurn, 1);
    QCOMPARE(*stillWants, false);
    // Nothing waits for the socket any more: no turn of the event loop is spent on it.
    const qsizetype polls = api.count("eventPoll");
    QTest::qWait(30);
    QCOMPARE(api.count("eventPoll"), polls);
    api.onWrite = {};
    api.onPoll = {};
}

void TstSshChannel::writeError_waitsForTheEnd()
{
    ShellWatch shell(m_fixture->core->openShell());
    QTRY_COMPARE(shell.opened, 1);
    m_fixture->api->onWrite = [](const QByteArray &) { return SSH_ERROR; };
    shell.shell->write("x");
    QTRY_COMPARE(m_fixture->api->count("channelWrite"), 1);
    QCOMPARE(shell.closed, 0);
    m_fixture->loseLink();
    QTRY_COMPARE(shell.closed, 1);
    QCOMPARE(shell.error->code, ErrorCode::ConnectionLost);
}

void TstSshChannel::longWrites_letOthersIn()
{
    ShellWatch one(m_fixture->core->openShell());
    ShellWatch two(m_fixture->core->openShell());
    QTRY_COMPARE(two.opened, 1);
    one.shell->write(QByteArray(SshChannel::writeStep * 4, 'x'));
    two.shell->write("y");
    QTRY_COMPARE(m_fixture->api->written.size(), SshChannel::writeStep * 4 + 1);
    QVERIFY(m_fixture->api->written.indexOf('y') <= SshChannel::writeStep);
}

void TstSshChannel::inputIsClosed_afterAllIsWritten()
{
    ShellWatch shell(m_fixture->core->openShell());
    QTRY_COMPARE(shell.opened, 1);
    bool full = true;
    m_fixture->api->onWrite = [&](const QByteArray &bytes) { return full ? 0 : static_cast<int>(bytes.size()); };
    shell.shell->write("x");
    shell.shell->closeInput();
    shell.shell->write("dropped");
    QTRY_COMPARE(m_fixture->api->count("channelWrite"), 1);
    QCOMPARE(m_fixture->api->count("channelSendEof"), 0);
    full = false;
    m_fixture->poke();
    QTRY_COMPARE(m_fixture->api->count("channelSendEof"), 1);
    QCOMPARE(m_fixture->api->written, "x");
    m_fixture->poke();
    QTest::qWait(5);
    QCOMPARE(m_fixture->api->count("channelSendEof"), 1);
}

void TstSshChannel::close_isRepeatedUntilTheServerCanKnow()
{
    // libssh sends no close at all when its buffer was full at the first call.
    m_fixture->api->script("channelClose", {SSH_AGAIN, SSH_OK});
    ShellWatch shell(m_fixture->core->openShell());
    QTRY_COMPARE(shell.opened, 1);
    shell.shell->close();
    QTRY_COMPARE(shell.closed, 1);
    QCOMPARE(m_fixture->api->channels.size(), 1);
    m_fixture->poke();
    QTRY_VERIFY(m_fixture->api->channels.isEmpty());
    QCOMPARE(m_fixture->api->count("channelClose"), 2);
}

void TstSshChannel::destroyed_whileOpening_isClosedWhenItOpens()
{
    m_fixture->api->script("channelOpenSession", {SSH_AGAIN, SSH_AGAIN, SSH_OK});
    auto shell = m_fixture->core->openShell();
    QTRY_COMPARE(m_fixture->api->count("channelOpenSession"), 1);
    shell.reset();
    QTRY_COMPARE(m_fixture->api->count("channelOpenSession"), 2);
    QCOMPARE(m_fixture->api->count("channelClose"), 0);
    m_fixture->poke();
    QTRY_VERIFY(m_fixture->api->channels.isEmpty());
    QCOMPARE(m_fixture->api->count("channelClose"), 1);
}

void TstSshChannel::sessionLost_afterAnOrderlyEnd()
{
    ShellWatch shell(m_fixture->core->openShell());
    ShellWatch other(m_fixture->core->openShell());
    QTRY_COMPARE(other.opened, 1);
    m_fixture->api->onPoll = [&] {
        m_fixture->api->data(channel(0), "bye");
        m_fixture->api->exitStatus(channel(0), 0);
        m_fixture->api->closed(channel(0));
        m_fixture->api->connected = false;
        m_fixture->api->onPoll = {};
    };
    m_fixture->poke();
    QTRY_VERIFY(m_fixture->ended);
    QCOMPARE(shell.output, "bye");
    QCOMPARE(shell.status, 0);
    QVERIFY(!shell.error);
    QCOMPARE(other.error->code, ErrorCode::ConnectionLost);
    QVERIFY(m_fixture->api->allGivenBack());
}

PILOTHOUSE_TEST_MAIN(TstSshChannel)
#include "tst_sshchannel.moc"
