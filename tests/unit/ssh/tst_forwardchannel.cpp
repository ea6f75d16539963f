// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/testmain.h"
#include "tests/unit/ssh/corefixture.h"

#include <fcntl.h>

using namespace pilothouse;
using namespace pilothouse::test;
using namespace std::chrono_literals;
using namespace Qt::StringLiterals;

/// A way through a session, over a scripted libssh: who takes what when, and how it ends.
class TstForwardChannel final : public QObject
{
    Q_OBJECT
private slots:
    void init();
    void cleanup();
    void way_isOpenedAndCarriesBothWays();
    void refusal_isCalledByItsReason_data();
    void refusal_isCalledByItsReason();
    void noChannel_isSaid();
    void deadline_isSaidAndALateAnswerIsClosed();
    void abandoned_whileOpening_isClosedWhenItOpens();
    void fullPair_leavesTheRestWithLibssh();
    void fullWindow_stopsReadingThePair();
    void farEndClosed_closesTheChannel();
    void peerClosed_comesAfterTheLastBytes_data();
    void peerClosed_comesAfterTheLastBytes();
    void errorStream_isDropped();
    void sessionLost_isSaidBeforeTheEnd();
    void descriptor_withoutAReceiverIsClosed();

private:
    [[nodiscard]] ssh_channel channel() const { return m_fixture->api->made.at(0); }
    void open();
    void arrive(const QByteArray &bytes);
    [[nodiscard]] QByteArray received(qsizetype most = 1 << 20) const;

    std::unique_ptr<CoreFixture> m_fixture;
    std::shared_ptr<ForwardChannel> m_way;
    std::optional<OwnedDescriptor> m_far;
    std::optional<Error> m_error;
    std::optional<Error> m_lost;
    bool m_endAtLoss = false;
};

void TstForwardChannel::init()
{
    m_fixture = std::make_unique<CoreFixture>();
    QVERIFY(m_fixture->becomeReady());
    m_far.reset();
    m_error.reset();
    m_lost.reset();
}

void TstForwardChannel::cleanup()
{
    m_way.reset();
    m_fixture.reset();
}

void TstForwardChannel::open()
{
    m_way = m_fixture->core->openForward(
        WayTarget{u"10.0.0.9"_s, 2201, {}, 0}, OwnedDescriptor(),
        {.opened =
             [this](Result<OwnedDescriptor> result) {
                 QVERIFY(!m_far && !m_error);
                 if (result)
                     m_far = std::move(*result);
                 else
                     m_error = result.error();
             },
         .lost =
             [this](const Error &error) {
                 m_lost = error;
                 char byte = 0;
                 m_endAtLoss = m_far && ::recv(m_far->fd(), &byte, 1, MSG_DONTWAIT) == 0;
             }});
    QTRY_VERIFY(m_fixture->api->made.size() == 1);
}

/// From the host: into libssh's buffer.
void TstForwardChannel::arrive(const QByteArray &bytes)
{
    m_fixture->api->readable += bytes;
    m_fixture->api->data(channel(), bytes);
    m_fixture->poke();
}

QByteArray TstForwardChannel::received(qsizetype most) const
{
    QByteArray bytes(most, '\0');
    const ssize_t count = ::recv(m_far->fd(), bytes.data(), size_t(most), MSG_DONTWAIT);
    return bytes.left(qMax(ssize_t(0), count));
}

void TstForwardChannel::way_isOpenedAndCarriesBothWays()
{
    m_fixture->api->script("channelOpenForward", {SSH_AGAIN, SSH_OK});
    open();
    QTRY_COMPARE(m_fixture->api->count("channelOpenForward"), 1);
    QVERIFY(!m_far);
    m_fixture->poke();
    QTRY_VERIFY(m_far);
    QCOMPARE(m_fixture->api->forwardedTo, "10.0.0.9 2201");
    QVERIFY(::fcntl(m_far->fd(), F_GETFL) & O_NONBLOCK);
    QVERIFY(::fcntl(m_far->fd(), F_GETFD) & FD_CLOEXEC);

    QCOMPARE(::send(m_far->fd(), "up", 2, MSG_NOSIGNAL), 2);
    QTRY_COMPARE(m_fixture->api->written, "up");
    arrive("down");
    QByteArray got;
    QTRY_VERIFY((got += received()) == "down");
}

void TstForwardChannel::refusal_isCalledByItsReason_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<ErrorCode>("code");
    QTest::addColumn<QString>("words");
    const auto row = [](const char *name, const QByteArray &rest, ErrorCode code, const QString &words) {
        QTest::newRow(name) << QByteArray("Channel opening failure: channel 43 error " + rest) << code << words;
    };
    row("prohibited", "(1) open failed", ErrorCode::NoRights, u"does not allow"_s);
    row("refused", "(2) Connection refused", ErrorCode::ConnectRefused, u"(Connection refused)"_s);
    row("timed out", "(2) Connection timed out", ErrorCode::ConnectTimeout, u"(Connection timed out)"_s);
    row("no route", "(2) No route to host", ErrorCode::Unreachable, u"(No route to host)"_s);
    row("no name", "(2) Name or service not known", ErrorCode::NameNotResolved, u"not known"_s);
    row("no such host", "(2) unknown host (nosuch)", ErrorCode::NameNotResolved, u"unknown host"_s);
    row("not resolved", "(2) Could not resolve hostname", ErrorCode::NameNotResolved, u"resolve"_s);
    row("no words", "(2) ", ErrorCode::Unreachable, u"no reason given"_s);
    row("escape", "(2) \x1b[31mred\x1b[0m", ErrorCode::Unreachable, u"10.0.0.9 port 2201"_s);
    row("shortage", "(4) open failed", ErrorCode::ChannelRefused, u"opens no way"_s);
    QTest::newRow("other text") << QByteArray("Success (1) ") << ErrorCode::ChannelRefused << u"opens no way"_s;
    QTest::newRow("empty") << QByteArray() << ErrorCode::ChannelRefused << u"no reason given"_s;
}

void TstForwardChannel::refusal_isCalledByItsReason()
{
    QFETCH(QByteArray, text);
    QFETCH(ErrorCode, code);
    QFETCH(QString, words);
    m_fixture->api->error = text;
    m_fixture->api->script("channelOpenForward", {SSH_ERROR});
    open();
    QTRY_VERIFY(m_error);
    QCOMPARE(nameOf(m_error->code), nameOf(code));
    QVERIFY2(m_error->detail.contains(words), qPrintable(m_error->detail));
    QVERIFY(!m_error->detail.contains(u'\x1b') && m_error->detail.endsWith(u'.'));
    QTRY_VERIFY(m_fixture->api->channels.isEmpty());
    QVERIFY(!m_fixture->ended);
}

void TstForwardChannel::noChannel_isSaid()
{
    m_fixture->api->script("channelNew", {SSH_ERROR});
    const WayTarget target{u"a"_s, 1, {}, 0};
    m_way = m_fixture->core->openForward(
        target, OwnedDescriptor(),
        {.opened = [this](const Result<OwnedDescriptor> &result) { m_error = result.error(); }, .lost = {}});
    QTRY_VERIFY(m_error);
    QCOMPARE(m_error->code, ErrorCode::ChannelRefused);
}

void TstForwardChannel::deadline_isSaidAndALateAnswerIsClosed()
{
    m_fixture = std::make_unique<CoreFixture>();
    m_fixture->settings.connectTimeout = 100ms;
    QVERIFY(m_fixture->becomeReady());
    m_fixture->api->script("channelOpenForward", {SSH_AGAIN, SSH_AGAIN, SSH_AGAIN, SSH_OK});
    open();
    QTRY_VERIFY(m_error);
    QCOMPARE(m_error->code, ErrorCode::ConnectTimeout);
    QVERIFY2(m_error->detail.contains(u"10.0.0.9 port 2201"_s), qPrintable(m_error->detail));
    QTRY_VERIFY((m_fixture->poke(), m_fixture->api->channels.isEmpty()));
    QCOMPARE(m_fixture->api->count("channelClose"), 1);
}

void TstForwardChannel::abandoned_whileOpening_isClosedWhenItOpens()
{
    m_fixture->api->script("channelOpenForward", {SSH_AGAIN, SSH_AGAIN, SSH_OK});
    open();
    m_way->abandon();
    QTRY_COMPARE(m_fixture->api->count("channelOpenForward"), 2);
    QCOMPARE(m_fixture->api->count("channelClose"), 0);
    m_fixture->poke();
    QTRY_COMPARE(m_fixture->api->count("channelClose"), 1);
    QTRY_VERIFY(m_fixture->api->channels.isEmpty());
    QVERIFY(!m_far && !m_error);
}

void TstForwardChannel::fullPair_leavesTheRestWithLibssh()
{
    open();
    QTRY_VERIFY(m_far);
    QByteArray all;
    for (int i = 0; all.size() < 4'000'000; ++i)
        all += QByteArray::number(i) + ' ';
    arrive(all);
    // Nobody reads the far end: what does not fit stays where the peer's window counts it.
    qsizetype before = -1;
    QTRY_VERIFY(m_fixture->api->readable.size() == std::exchange(before, m_fixture->api->readable.size()));
    QVERIFY2(before > 2'000'000, qPrintable(QString::number(before)));
    const qsizetype reads = m_fixture->api->count("channelRead");
    QVERIFY(!QTest::qWaitFor([&] { return m_fixture->api->count("channelRead") > reads; }, 100)); // and nothing spins

    QByteArray got;
    QTRY_VERIFY_WITH_TIMEOUT((got += received()).size() == all.size(), 10'000);
    QVERIFY(got == all);
}

void TstForwardChannel::fullWindow_stopsReadingThePair()
{
    open();
    QTRY_VERIFY(m_far);
    bool full = true;
    m_fixture->api->onWrite = [&](const QByteArray &bytes) { return full ? 0 : int(qMin(bytes.size(), 1'000)); };
    QByteArray all(2'000'000, 'x');
    qsizetype sent = 0;
    const auto push = [&] {
        const ssize_t count = ::send(m_far->fd(), all.constData() + sent, size_t(all.size() - sent),
                                     MSG_NOSIGNAL | MSG_DONTWAIT);
        sent += qMax(ssize_t(0), count);
        return sent;
    };
    qsizetype before = -1;
    QTRY_VERIFY(push() == std::exchange(before, sent));
    QVERIFY2(sent < 1'000'000, qPrintable(QString::number(sent)));
    const qsizetype writes = m_fixture->api->count("channelWrite");
    QVERIFY(!QTest::qWaitFor([&] { return m_fixture->api->count("channelWrite") > writes; }, 100));
    full = false;
    m_fixture->poke(); // the window has opened
    QTRY_VERIFY_WITH_TIMEOUT((push(), m_fixture->api->written.size() == all.size()), 10'000);
}

void TstForwardChannel::farEndClosed_closesTheChannel()
{
    open();
    QTRY_VERIFY(m_far);
    QCOMPARE(::send(m_far->fd(), "bye", 3, MSG_NOSIGNAL), 3);
    m_far.reset();
    QTRY_VERIFY(m_fixture->api->channels.isEmpty());
    QCOMPARE(m_fixture->api->written, "bye");
    QCOMPARE(m_fixture->api->count("channelClose"), 1);
    QVERIFY(!m_lost && !m_fixture->ended);
}

void TstForwardChannel::peerClosed_comesAfterTheLastBytes_data()
{
    QTest::addColumn<bool>("byEof"); // some servers end what they send and wait for our close
    QTest::newRow("close") << false;
    QTest::newRow("end of file alone") << true;
}

void TstForwardChannel::peerClosed_comesAfterTheLastBytes()
{
    QFETCH(bool, byEof);
    open();
    QTRY_VERIFY(m_far);
    const QByteArray all(1'000'000, 'y');
    m_fixture->api->readable = all;
    m_fixture->api->data(channel(), all);
    if (byEof)
        m_fixture->api->eof(channel());
    else
        m_fixture->api->closed(channel());
    m_fixture->poke();
    QByteArray got;
    QTRY_VERIFY((got += received()).size() == all.size());
    char byte = 0;
    QTRY_COMPARE(::recv(m_far->fd(), &byte, 1, MSG_DONTWAIT), 0);
    QTRY_VERIFY(m_fixture->api->channels.isEmpty());
    QCOMPARE(m_fixture->api->count("channelClose"), 1);
}

void TstForwardChannel::errorStream_isDropped()
{
    open();
    QTRY_VERIFY(m_far);
    const ssh_channel_callbacks callbacks = m_fixture->api->channels.value(channel());
    QByteArray noise = "noise";
    // Taken, or the peer's window would never open again; and not handed on.
    QCOMPARE(callbacks->channel_data_function(nullptr, channel(), noise.data(), 5, 1, callbacks->userdata), 5);
    m_fixture->api->readable = "not for the pair";
    m_fixture->poke();
    QTest::qWait(20);
    QVERIFY(received().isEmpty());
}

void TstForwardChannel::sessionLost_isSaidBeforeTheEnd()
{
    open();
    QTRY_VERIFY(m_far);
    m_fixture->loseLink();
    QTRY_VERIFY(m_fixture->ended);
    QVERIFY(m_lost);
    QCOMPARE(m_lost->code, ErrorCode::ConnectionLost);
    QVERIFY(!m_endAtLoss);
    char byte = 0;
    QCOMPARE(::recv(m_far->fd(), &byte, 1, MSG_DONTWAIT), 0);
    QVERIFY(m_fixture->api->channels.isEmpty());
}

void TstForwardChannel::descriptor_withoutAReceiverIsClosed()
{
    const int fd = ::dup(0);
    {
        OwnedDescriptor owner(fd);
        OwnedDescriptor next(std::move(owner));
        QCOMPARE(next.fd(), fd);
        OwnedDescriptor last;
        last = std::move(next);
    }
    QCOMPARE(::fcntl(fd, F_GETFD), -1);
}

PILOTHOUSE_TEST_MAIN(TstForwardChannel)
#include "tst_forwardchannel.moc"
