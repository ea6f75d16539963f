// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ssh/agentprotocol.h"
#include "tests/support/testmain.h"

#include <QRandomGenerator>

using namespace pilothouse;
using namespace Qt::StringLiterals;

class TstAgentProtocol final : public QObject
{
    Q_OBJECT
private slots:
    void frame_hasLengthAndType();
    void frames_areCutFromAnyPieces();
    void frames_refuseAnImpossibleLength_data();
    void frames_refuseAnImpossibleLength();
    void keys_goRoundTrip();
    void keys_malformed_data();
    void keys_malformed();
    void keys_commentIsCleaned();
    void signKey_isTheFirstString();
    void signFrame_changesTheKeyAlone();
    void anyBytes_areSurvived();

private:
    static QByteArray message(const QByteArray &frame) { return frame.mid(4); }
};

void TstAgentProtocol::frame_hasLengthAndType()
{
    QCOMPARE(agentFrame(AgentMessage::RequestIdentities), QByteArray("\0\0\0\1\x0b", 5));
    QCOMPARE(agentFrame(AgentMessage::SignResponse, "ab"), QByteArray("\0\0\0\3\x0e"
                                                                     "ab", 7));
}

void TstAgentProtocol::frames_areCutFromAnyPieces()
{
    const QByteArray stream = agentFrame(AgentMessage::Failure)
                              + agentFrame(AgentMessage::SignResponse, QByteArray(1'000, 'x'))
                              + agentFrame(AgentMessage::RequestIdentities);
    for (qsizetype piece : {1, 3, 7, 500, 5'000}) {
        AgentFrames frames;
        QByteArrayList got;
        for (qsizetype at = 0; at < stream.size(); at += piece) {
            frames.add(stream.mid(at, piece));
            while (const auto next = frames.take())
                got += *next;
        }
        QCOMPARE(got.size(), 3);
        QCOMPARE(got.at(0), "\5");
        QCOMPARE(got.at(1).size(), 1'001);
        QCOMPARE(agentMessageType(got.at(2)), AgentMessage::RequestIdentities);
        QVERIFY(!frames.isBroken());
    }
}

void TstAgentProtocol::frames_refuseAnImpossibleLength_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::newRow("zero") << QByteArray("\0\0\0\0\0", 5);
    QTest::newRow("over the limit") << QByteArray("\0\4\0\1\0", 5);
    QTest::newRow("all ones") << QByteArray("\xff\xff\xff\xff\xff", 5);
}

void TstAgentProtocol::frames_refuseAnImpossibleLength()
{
    QFETCH(QByteArray, bytes);
    AgentFrames frames;
    frames.add(bytes);
    QVERIFY(!frames.take());
    QVERIFY(frames.isBroken());
    frames.add(agentFrame(AgentMessage::Failure));
    QVERIFY(!frames.take());
}

void TstAgentProtocol::keys_goRoundTrip()
{
    const QList<AgentKey> keys{{"blob one", u"me@desk"_s}, {QByteArray("\0\1\2", 3), QString()}};
    const auto read = agentKeys(message(agentKeysFrame(keys)));
    QVERIFY(read);
    QCOMPARE(*read, keys);
    QCOMPARE(agentKeys(message(agentKeysFrame({}))), QList<AgentKey>());
}

void TstAgentProtocol::keys_malformed_data()
{
    QTest::addColumn<QByteArray>("bytes");
    const QByteArray good = message(agentKeysFrame({{"blob", u"comment"_s}}));
    QTest::newRow("empty") << QByteArray();
    QTest::newRow("another message") << QByteArray("\5");
    QTest::newRow("no count") << QByteArray("\x0c\0\0", 3);
    QTest::newRow("more than it has") << QByteArray("\x0c\0\0\0\2", 5) + good.mid(5);
    QTest::newRow("too many") << QByteArray("\x0c\0\0\4\1", 5);
    QTest::newRow("a length that lies") << QByteArray("\x0c\0\0\0\1\xff\xff\xff\xff", 9) + "blob";
    for (qsizetype i = 5; i < good.size(); ++i)
        QTest::addRow("cut at %d", int(i)) << good.left(i);
}

void TstAgentProtocol::keys_malformed()
{
    QFETCH(QByteArray, bytes);
    QVERIFY(!agentKeys(bytes));
}

void TstAgentProtocol::keys_commentIsCleaned()
{
    QByteArray body("\0\0\0\1\0\0\0\1b\0\0\0\6a\x1b[\nb\xff", 19);
    const auto keys = agentKeys(message(agentFrame(AgentMessage::IdentitiesAnswer, body)));
    QVERIFY(keys);
    QVERIFY(!keys->constFirst().comment.contains(u'\x1b') && !keys->constFirst().comment.contains(u'\n'));
}

void TstAgentProtocol::signKey_isTheFirstString()
{
    const QByteArray body("\0\0\0\4blob\0\0\0\4data\0\0\0\0", 20);
    QCOMPARE(agentSignKey(message(agentFrame(AgentMessage::SignRequest, body))), "blob");
    QCOMPARE(agentSignKey(message(agentFrame(AgentMessage::Failure, body))), QByteArray());
    QCOMPARE(agentSignKey(message(agentFrame(AgentMessage::SignRequest, body.left(6)))), QByteArray());
}

void TstAgentProtocol::signFrame_changesTheKeyAlone()
{
    const QByteArray rest("\0\0\0\2xy\0\0\0\4", 10); // what is signed, and flags
    const QByteArray request = message(agentFrame(AgentMessage::SignRequest, QByteArray("\0\0\0\4cert", 8) + rest));
    QCOMPARE(agentSignFrame(request, "key"),
             agentFrame(AgentMessage::SignRequest, QByteArray("\0\0\0\3key", 7) + rest));
    QCOMPARE(agentSignFrame(message(agentFrame(AgentMessage::Failure)), "key"), QByteArray());
    QCOMPARE(agentSignFrame(request.left(6), "key"), QByteArray());
    QCOMPARE(agentSignFrame({}, "key"), QByteArray());
}

void TstAgentProtocol::anyBytes_areSurvived()
{
    QRandomGenerator random(7);
    for (int i = 0; i < 2'000; ++i) {
        QByteArray bytes(random.bounded(60), '\0');
        for (char &byte : bytes)
            byte = static_cast<char>(random.bounded(4) ? random.bounded(16) : random.bounded(256));
        AgentFrames frames;
        frames.add(bytes);
        while (const auto next = frames.take()) {
            (void)agentKeys(*next);
            (void)agentSignKey(*next);
        }
        bytes.prepend('\x0c');
        (void)agentKeys(bytes);
    }
}

PILOTHOUSE_TEST_MAIN(TstAgentProtocol)
#include "tst_agentprotocol.moc"
