// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ssh/agentrelay.h"
#include "core/ssh/lentcall.h"
#include "tests/support/testmain.h"

#include <QElapsedTimer>
#include <QLocalServer>
#include <QSignalSpy>
#include <QTemporaryDir>

#include <optional>

#include <sys/socket.h>
#include <unistd.h>

using namespace pilothouse;
using namespace std::chrono_literals;
using namespace Qt::StringLiterals;

/// The relay between an agent (played here) and libssh's end (a plain socket), and the helper thread.
class TstAgentRelay final : public QObject
{
    Q_OBJECT
private slots:
    void init();
    void cleanup() { m_server.reset(); }
    void open_listsTheKeys();
    void open_withoutAnAgent();
    void open_silentAgentEndsAtItsLimit();
    void open_agentThatHangsUp();
    void open_agentThatSpeaksNonsense_data();
    void open_agentThatSpeaksNonsense();
    void end_isShownTheChosenKeysOnly();
    void end_signatureIsAskedOfTheAgent();
    void end_signatureFailsWhenTheAgentGoes();
    void end_otherRequestsFail();
    void end_nonsenseEndsIt();
    void cut_endsWhoWaits();
    void lentCall_givesItsResultOnce();
    void lentCall_isWaitedForWhenDestroyed();

private:
    using Keys = Result<QList<AgentKey>>;
    /// Answers each request of a client with the next frame; none left: silence.
    void answerWith(const QByteArrayList &frames);
    [[nodiscard]] QByteArray readFrame(int fd) const;

    QTemporaryDir m_folder;
    std::unique_ptr<QLocalServer> m_server;
    QString m_path;
    QByteArrayList m_answers;
    QByteArrayList m_requests;
    QList<QLocalSocket *> m_clients;
};

namespace {

const QList<AgentKey> twoKeys{{"first", u"one"_s}, {"second", u"two"_s}};

QByteArray signRequest(const QByteArray &blob)
{
    QByteArray body("\0\0\0", 3);
    body += static_cast<char>(blob.size());
    body += blob;
    body += QByteArray("\0\0\0\1x\0\0\0\0", 9);
    return agentFrame(AgentMessage::SignRequest, body);
}

} // namespace

void TstAgentRelay::init()
{
    m_server = std::make_unique<QLocalServer>();
    m_path = m_folder.filePath(u"agent"_s);
    QLocalServer::removeServer(m_path);
    QVERIFY(m_server->listen(m_path));
    m_answers.clear();
    m_requests.clear();
    m_clients.clear();
    connect(m_server.get(), &QLocalServer::newConnection, this, [this] {
        QLocalSocket *client = m_server->nextPendingConnection();
        m_clients += client;
        connect(client, &QLocalSocket::readyRead, this, [this, client] {
            m_requests += client->readAll();
            if (!m_answers.isEmpty())
                client->write(m_answers.takeFirst());
        });
    });
}

void TstAgentRelay::answerWith(const QByteArrayList &frames)
{
    m_answers = frames;
}

QByteArray TstAgentRelay::readFrame(int fd) const
{
    QByteArray bytes;
    (void)QTest::qWaitFor([&] {
        char part[4'096];
        const ssize_t count = ::recv(fd, part, sizeof part, MSG_DONTWAIT);
        if (count > 0)
            bytes.append(part, count);
        return count == 0 || bytes.size() >= 5;
    });
    return bytes;
}

void TstAgentRelay::open_listsTheKeys()
{
    answerWith({agentKeysFrame(twoKeys)});
    AgentRelay relay;
    std::optional<Keys> listed;
    relay.open(m_path, 2s, [&](Keys keys) { listed = std::move(keys); });
    QVERIFY(!listed);
    QTRY_VERIFY(listed);
    QVERIFY(*listed);
    QCOMPARE(**listed, twoKeys);
    QCOMPARE(m_requests, QByteArrayList{agentFrame(AgentMessage::RequestIdentities)});
}

void TstAgentRelay::open_withoutAnAgent()
{
    AgentRelay relay;
    std::optional<Keys> listed;
    relay.open(m_folder.filePath(u"nobody"_s), 2s, [&](Keys keys) { listed = std::move(keys); });
    QVERIFY(!listed); // never from inside
    QTRY_VERIFY(listed);
    QVERIFY(!*listed);
    QCOMPARE(listed->error().code, ErrorCode::LocalIo);
}

void TstAgentRelay::open_silentAgentEndsAtItsLimit()
{
    AgentRelay relay;
    std::optional<Keys> listed;
    QElapsedTimer timer;
    timer.start();
    relay.open(m_path, 150ms, [&](Keys keys) { listed = std::move(keys); });
    QTRY_VERIFY(listed);
    QVERIFY(timer.elapsed() >= 140);
    QVERIFY(!*listed);
    QCOMPARE(listed->error().code, ErrorCode::Timeout);
}

void TstAgentRelay::open_agentThatHangsUp()
{
    AgentRelay relay;
    std::optional<Keys> listed;
    relay.open(m_path, 5s, [&](Keys keys) { listed = std::move(keys); });
    QTRY_COMPARE(m_clients.size(), 1);
    m_clients.constFirst()->abort();
    QTRY_VERIFY(listed);
    QVERIFY(!*listed);
    QCOMPARE(listed->error().code, ErrorCode::LocalIo);
}

void TstAgentRelay::open_agentThatSpeaksNonsense_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::newRow("failure") << agentFrame(AgentMessage::Failure);
    QTest::newRow("impossible length") << QByteArray("\xff\xff\xff\xff\xff", 5);
    QTest::newRow("malformed list") << agentFrame(AgentMessage::IdentitiesAnswer, "\1\2");
}

void TstAgentRelay::open_agentThatSpeaksNonsense()
{
    QFETCH(QByteArray, bytes);
    answerWith({bytes});
    AgentRelay relay;
    std::optional<Keys> listed;
    relay.open(m_path, 5s, [&](Keys keys) { listed = std::move(keys); });
    QTRY_VERIFY(listed);
    QVERIFY(!*listed);
    QCOMPARE(listed->error().code, ErrorCode::LocalIo);
}

void TstAgentRelay::end_isShownTheChosenKeysOnly()
{
    answerWith({agentKeysFrame(twoKeys)});
    AgentRelay relay;
    std::optional<Keys> listed;
    relay.open(m_path, 2s, [&](Keys keys) { listed = std::move(keys); });
    QTRY_VERIFY(listed);
    const Result<int> end = relay.makeEnd({twoKeys.at(1)});
    QVERIFY(end);
    const QByteArray request = agentFrame(AgentMessage::RequestIdentities);
    QCOMPARE(::send(*end, request.constData(), size_t(request.size()), 0), request.size());
    QCOMPARE(readFrame(*end), agentKeysFrame({twoKeys.at(1)}));
    QCOMPARE(m_requests.size(), 1); // the agent was not asked again
    ::close(*end);
}

void TstAgentRelay::end_signatureIsAskedOfTheAgent()
{
    const QByteArray signature = agentFrame(AgentMessage::SignResponse, "signature");
    answerWith({agentKeysFrame(twoKeys), signature});
    AgentRelay relay;
    QSignalSpy asked(&relay, &AgentRelay::signatureAsked);
    std::optional<Keys> listed;
    relay.open(m_path, 2s, [&](Keys keys) { listed = std::move(keys); });
    QTRY_VERIFY(listed);
    const Result<int> end = relay.makeEnd(twoKeys);
    QVERIFY(end);
    const QByteArray request = signRequest("second");
    QCOMPARE(::send(*end, request.constData(), size_t(request.size()), 0), request.size());
    QCOMPARE(readFrame(*end), signature);
    QVERIFY(!relay.isWaiting());
    QCOMPARE(m_requests.constLast(), request);
    QCOMPARE(asked.size(), 1);
    QCOMPARE(asked.constFirst().constFirst().toString(), u"two"_s);
    ::close(*end);
}

void TstAgentRelay::end_signatureFailsWhenTheAgentGoes()
{
    answerWith({agentKeysFrame(twoKeys)});
    AgentRelay relay;
    std::optional<Keys> listed;
    relay.open(m_path, 2s, [&](Keys keys) { listed = std::move(keys); });
    QTRY_VERIFY(listed);
    const Result<int> end = relay.makeEnd(twoKeys);
    QVERIFY(end);
    const QByteArray request = signRequest("first");
    for (int i = 0; i < 2; ++i) { // while it is asked, and when it is gone already
        QCOMPARE(::send(*end, request.constData(), size_t(request.size()), 0), request.size());
        if (i == 0) {
            QTRY_VERIFY(relay.isWaiting());
            m_clients.constFirst()->abort();
        }
        QCOMPARE(readFrame(*end), agentFrame(AgentMessage::Failure));
    }
    ::close(*end);
}

void TstAgentRelay::end_otherRequestsFail()
{
    AgentRelay relay;
    const Result<int> end = relay.makeEnd(twoKeys);
    QVERIFY(end);
    const QByteArray request = agentFrame(static_cast<AgentMessage>(25), "lock");
    QCOMPARE(::send(*end, request.constData(), size_t(request.size()), 0), request.size());
    QCOMPARE(readFrame(*end), agentFrame(AgentMessage::Failure));
    ::close(*end);
    QCoreApplication::processEvents();
}

void TstAgentRelay::end_nonsenseEndsIt()
{
    AgentRelay relay;
    const Result<int> end = relay.makeEnd(twoKeys);
    QVERIFY(end);
    QCOMPARE(::send(*end, "\xff\xff\xff\xff", 4, 0), 4);
    QCOMPARE(readFrame(*end), QByteArray());
    char byte = 0;
    QCOMPARE(::recv(*end, &byte, 1, MSG_DONTWAIT), 0);
    ::close(*end);
}

void TstAgentRelay::cut_endsWhoWaits()
{
    AgentRelay relay;
    const Result<int> end = relay.makeEnd(twoKeys);
    QVERIFY(end);
    int calledBack = 0;
    LentCall lent([&] { ++calledBack; });
    QVERIFY(lent.start([fd = *end] {
        char byte = 0;
        return static_cast<int>(::recv(fd, &byte, 1, 0)); // as libssh waits
    }));
    QVERIFY(lent.isOut());
    QElapsedTimer timer;
    timer.start();
    relay.cut();
    lent.wait();
    QVERIFY(timer.elapsed() < 1'000);
    QTRY_COMPARE(calledBack, 1);
    QCOMPARE(lent.take(), 0);
    ::close(*end);
}

void TstAgentRelay::lentCall_givesItsResultOnce()
{
    int calledBack = 0;
    LentCall lent([&] { ++calledBack; });
    for (int i = 1; i < 10; ++i) {
        QVERIFY(lent.start([i] { return i * 3; }));
        QTRY_COMPARE(calledBack, i);
        QVERIFY(!lent.isOut());
        QCOMPARE(lent.take(), i * 3);
        QVERIFY(!lent.take());
    }
}

void TstAgentRelay::lentCall_isWaitedForWhenDestroyed()
{
    std::atomic<bool> done = false;
    {
        LentCall lent([] { QFAIL("nobody is here"); });
        QVERIFY(lent.start([&] {
            QThread::msleep(50);
            done = true;
            return 0;
        }));
    }
    QVERIFY(done);
    QCoreApplication::processEvents();
}

PILOTHOUSE_TEST_MAIN(TstAgentRelay)
#include "tst_agentrelay.moc"
