// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ssh/agentprotocol.h"
#include "tests/support/testmain.h"
#include "tests/unit/ssh/corefixture.h"
#include "tests/unit/ssh/testkeys.h"

#include <QLocalServer>
#include <QLocalSocket>

using namespace pilothouse;
using namespace pilothouse::test;
using namespace Qt::StringLiterals;

/// Which keys of an agent are offered, how many, and what it signs for, over a scripted libssh.
class TstAgentOffer final : public QObject
{
    Q_OBJECT
private slots:
    void init();
    void cleanup() { m_fixture.reset(); }
    void agent_isOfferedFirstAndCutAtTheEnd();
    void agent_refusedKeysAreNotOfferedFromFiles();
    void agent_thatGivesNoSignature();
    void agent_socketIsNotTaken();
    void agent_unreadableKeyTypesAreNotShown();
    void agent_onlyConfiguredKeysFirst();
    void agent_fullOfKeysLeavesAPersonTheLastTry();
    void agent_signsForACertificateOfAFile();
    void secondKeyAfterAPartialSuccess();

private:
    [[nodiscard]] bool finish()
    {
        return QTest::qWaitFor(
            [&] { return m_fixture->ended || m_fixture->core->state() == SshSession::State::Ready; });
    }
    [[nodiscard]] bool isReady() const { return !m_fixture->ended; }
    void playAgent(const QList<AgentKey> &keys);
    static QByteArray key(const QByteArray &type, const QByteArray &rest)
    {
        QByteArray blob("\0\0\0", 3);
        blob += static_cast<char>(type.size());
        blob += type;
        blob += rest;
        return blob;
    }

    std::unique_ptr<CoreFixture> m_fixture;
    std::unique_ptr<QLocalServer> m_agent;
    QByteArrayList m_agentRequests;
};

void TstAgentOffer::init()
{
    m_fixture = std::make_unique<CoreFixture>();
    m_agent.reset();
    m_agentRequests.clear();
}

/// An agent that lists these keys and signs everything.
void TstAgentOffer::playAgent(const QList<AgentKey> &keys)
{
    m_agent = std::make_unique<QLocalServer>();
    const QString path = m_fixture->folder.filePath(u"agent"_s);
    QVERIFY(m_agent->listen(path));
    m_fixture->host.identityAgent = path;
    connect(m_agent.get(), &QLocalServer::newConnection, this, [this, keys] {
        QLocalSocket *client = m_agent->nextPendingConnection();
        connect(client, &QLocalSocket::readyRead, this, [this, client, keys] {
            const QByteArray request = client->readAll();
            m_agentRequests += request;
            client->write(request.at(4) == char(AgentMessage::RequestIdentities)
                              ? agentKeysFrame(keys)
                              : agentFrame(AgentMessage::SignResponse, "signature"));
        });
    });
}

namespace {

/// What libssh does with the socket that it was given: a request, and waiting for the answer.
QByteArray talk(int fd, const QByteArray &request)
{
    if (::send(fd, request.constData(), size_t(request.size()), MSG_NOSIGNAL) != request.size())
        return {};
    char bytes[4'096];
    const ssize_t count = ::recv(fd, bytes, sizeof bytes, 0);
    return count > 0 ? QByteArray(bytes, count) : QByteArray();
}

} // namespace

void TstAgentOffer::agent_isOfferedFirstAndCutAtTheEnd()
{
    const QByteArray blob = key("ssh-ed25519", "one");
    playAgent({{blob, u"me"_s}});
    QByteArray listed;
    QByteArray signedBytes;
    m_fixture->api->onAgent = [&](int fd) {
        listed = talk(fd, agentFrame(AgentMessage::RequestIdentities));
        QByteArray body("\0\0\0", 3);
        body += static_cast<char>(blob.size());
        body += blob;
        signedBytes = talk(fd, agentFrame(AgentMessage::SignRequest, body));
        ::close(fd);
        return int(SSH_AUTH_SUCCESS);
    };
    m_fixture->open();
    QVERIFY(finish() && isReady());
    QCOMPARE(listed, agentKeysFrame({{blob, u"me"_s}}));
    QCOMPARE(signedBytes, agentFrame(AgentMessage::SignResponse, "signature"));
    QVERIFY(m_fixture->words.contains(u"waiting for the agent (key me)"_s));
    QCOMPARE(m_fixture->api->count("authTryPublicKey"), 0);
}

void TstAgentOffer::agent_refusedKeysAreNotOfferedFromFiles()
{
    const QByteArray blob = key("ssh-ed25519", "one");
    playAgent({{blob, u"me"_s}});
    m_fixture->api->publicKeys.insert(QFile::encodeName(m_fixture->host.identityFiles.constFirst()), blob.toBase64());
    m_fixture->api->onAgent = [](int fd) {
        ::close(fd);
        return int(SSH_AUTH_DENIED);
    };
    m_fixture->open();
    QVERIFY(finish() && !isReady());
    QCOMPARE(m_fixture->ended->code, ErrorCode::SignInRefused);
    QCOMPARE(m_fixture->api->count("authTryPublicKey"), 0);
}

void TstAgentOffer::agent_thatGivesNoSignature()
{
    const QByteArray blob = key("ssh-ed25519", "one");
    playAgent({{blob, u"me"_s}});
    m_fixture->api->publicKeys.insert(QFile::encodeName(m_fixture->host.identityFiles.constFirst()), blob.toBase64());
    m_fixture->api->onAgent = [](int fd) {
        ::close(fd);
        return int(SSH_AUTH_ERROR);
    };
    m_fixture->open();
    // The same key from its file may still do: the server has not refused it.
    QVERIFY(finish() && isReady());
    QCOMPARE(m_fixture->api->count("authTryPublicKey"), 1);
}

void TstAgentOffer::agent_socketIsNotTaken()
{
    playAgent({{key("ssh-ed25519", "one"), u"me"_s}});
    m_fixture->api->script("setAgentSocket", {SSH_ERROR});
    m_fixture->open();
    QVERIFY(finish() && !isReady());
    QCOMPARE(m_fixture->ended->code, ErrorCode::Internal);
}

void TstAgentOffer::agent_unreadableKeyTypesAreNotShown()
{
    const AgentKey good{key("ecdsa-sha2-nistp256", "x"), u"good"_s};
    playAgent({{key("ssh-dss", "x"), u"old"_s}, {"\0", u"short"_s}, {QByteArray("\xff\xff\xff\xff", 4), u"lies"_s},
               {key("webauthn-sk@example", "x"), u"new"_s}, good});
    QByteArray listed;
    m_fixture->api->onAgent = [&](int fd) {
        listed = talk(fd, agentFrame(AgentMessage::RequestIdentities));
        ::close(fd);
        return int(SSH_AUTH_SUCCESS);
    };
    m_fixture->open();
    QVERIFY(finish() && isReady());
    QCOMPARE(listed, agentKeysFrame({good}));
}

void TstAgentOffer::agent_onlyConfiguredKeysFirst()
{
    const AgentKey one{key("ssh-ed25519", "one"), u"one"_s};
    const AgentKey two{key("ssh-ed25519", "two"), u"two"_s};
    for (const bool only : {false, true}) {
        m_fixture = std::make_unique<CoreFixture>();
        playAgent({one, two});
        m_fixture->host.identitiesOnly = only;
        m_fixture->api->publicKeys.insert(QFile::encodeName(m_fixture->host.identityFiles.constFirst()),
                                          two.blob.toBase64());
        QByteArrayList listed;
        m_fixture->api->onAgent = [&](int fd) {
            listed += talk(fd, agentFrame(AgentMessage::RequestIdentities));
            return int(SSH_AUTH_DENIED);
        };
        m_fixture->open();
        QVERIFY(finish() && !isReady());
        ::close(m_fixture->api->agentFd);
        QCOMPARE(listed, only ? QByteArrayList{agentKeysFrame({two})}
                              : (QByteArrayList{agentKeysFrame({two}), agentKeysFrame({one})}));
        QCOMPARE(m_fixture->api->count("setAgentSocket"), 1);
    }
}

void TstAgentOffer::agent_fullOfKeysLeavesAPersonTheLastTry()
{
    QList<AgentKey> keys;
    for (char i = 0; i < 9; ++i)
        keys += AgentKey{key("ssh-ed25519", QByteArray(1, i)), u"key %1"_s.arg(int(i))};
    for (const bool person : {true, false}) {
        m_fixture = std::make_unique<CoreFixture>();
        playAgent(keys);
        m_fixture->settings.askPerson = person;
        m_fixture->api->methods = SSH_AUTH_METHOD_PUBLICKEY | SSH_AUTH_METHOD_PASSWORD;
        m_fixture->api->script("authTryPublicKey", {SSH_AUTH_DENIED});
        int offered = 0;
        m_fixture->api->onAgent = [&](int) {
            ++offered;
            return int(SSH_AUTH_DENIED);
        };
        m_fixture->make();
        m_fixture->onQuestion = [&](const Question &) { m_fixture->answer({u"pw"_s}); };
        m_fixture->core->open();
        QVERIFY(finish());
        ::close(m_fixture->api->agentFd);
        QCOMPARE(offered, person ? 5 : 9); // alone there is nothing to save a try for: as ssh
        QCOMPARE(isReady(), person);
        if (person) {
            QCOMPARE(m_fixture->questions.size(), 1);
            const QString note = m_fixture->questions.constFirst().note;
            QVERIFY2(note.contains(u"5 keys were refused and 5 not offered"_s) && note.contains(u"IdentitiesOnly"_s),
                     qPrintable(note));
        } else {
            QCOMPARE(m_fixture->ended->code, ErrorCode::SignInNeedsPerson);
        }
    }
}

void TstAgentOffer::agent_signsForACertificateOfAFile()
{
    const QByteArray bare = key("ssh-ed25519", QByteArray("\0\0\0\1K", 5));
    const QByteArray certificate
        = key("ssh-ed25519-cert-v01@openssh.com", QByteArray("\0\0\0\1n\0\0\0\1K more", 15));
    m_fixture->writeFile(u"cert"_s, "not read");
    const QString file = m_fixture->folder.filePath(u"cert"_s);
    m_fixture->host.certificateFiles = {file};
    m_fixture->api->certificates.insert(QFile::encodeName(file), certificate.toBase64());
    playAgent({{bare, u"me"_s}});
    QByteArray listed;
    m_fixture->api->onAgent = [&](int fd) {
        listed = talk(fd, agentFrame(AgentMessage::RequestIdentities));
        (void)talk(fd, agentFrame(AgentMessage::SignRequest, wireString(certificate) + "data"));
        ::close(fd);
        return int(SSH_AUTH_SUCCESS);
    };
    m_fixture->open();
    QVERIFY(finish() && isReady());
    QCOMPARE(listed, agentKeysFrame({{certificate, file}}));
    QCOMPARE(m_agentRequests.constLast(), agentFrame(AgentMessage::SignRequest, wireString(bare) + "data"));
}

void TstAgentOffer::secondKeyAfterAPartialSuccess()
{
    const AgentKey one{key("ssh-ed25519", "one"), u"one"_s};
    const AgentKey two{key("ssh-ed25519", "two"), u"two"_s};
    playAgent({one, two});
    QByteArrayList listed;
    m_fixture->api->onAgent = [&](int fd) {
        listed += talk(fd, agentFrame(AgentMessage::RequestIdentities));
        return int(listed.size() == 1 ? SSH_AUTH_PARTIAL : SSH_AUTH_SUCCESS);
    };
    m_fixture->open();
    QVERIFY(finish() && isReady());
    ::close(m_fixture->api->agentFd);
    QCOMPARE(listed, (QByteArrayList{agentKeysFrame({one}), agentKeysFrame({two})}));
}

PILOTHOUSE_TEST_MAIN(TstAgentOffer)
#include "tst_agentoffer.moc"
