// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ssh/keyoffers.h"
#include "tests/support/testmain.h"
#include "tests/unit/ssh/fakelibssh.h"
#include "tests/unit/ssh/testkeys.h"

#include <QFile>
#include <QTemporaryDir>

using namespace pilothouse;
using namespace pilothouse::test;
using namespace Qt::StringLiterals;

namespace {

QByteArray bareKey(char fill, const QByteArray &type = "ssh-ed25519")
{
    return wireString(type) + wireString(QByteArray(32, fill));
}

QByteArray certificateOf(char fill, const QByteArray &type = "ssh-ed25519")
{
    return wireString(type + "-cert-v01@openssh.com") + wireString("nonce") + wireString(QByteArray(32, fill))
        + "serial and all that";
}

} // namespace

/// Which keys are offered and in which order; "ssh -v" of OpenSSH 9.2 is the model.
class TstKeyOffers final : public QObject
{
    Q_OBJECT
private slots:
    void init();
    void order_isThatOfSsh();
    void identitiesOnly_leavesTheRestOut();
    void identityFile_replacesAll();
    void certificate_ofAFileIsSignedByTheAgent();
    void certificate_withoutAPrivateKeyIsLeftOut();
    void certificate_besideTheKeyOnlyWhereNoneIsNamed();
    void certificate_ofTheAgentCountsAsConfigured();
    void publicHalfAlone_isEnoughForTheAgent();
    void encryptedWithoutPublicHalf_comesLast();
    void algorithms_areFiltered_data();
    void algorithms_areFiltered();
    void unreadable_typesAreLeftOut();
    void blobs_thatLie_data();
    void blobs_thatLie();

private:
    QString file(const QString &name, const QByteArray &publicBlob, bool isPrivate = true);
    QString certificate(const QString &name, const QByteArray &blob);
    /// Each offer as "what it is by what signs".
    [[nodiscard]] QStringList offers()
    {
        QStringList texts;
        for (const KeyOffer &offer : keyOffers(*m_api, m_host, m_settings, m_agent)) {
            const QString by = offer.agentKey.isEmpty()
                                   ? offer.keyFile.section(u'/', -1)
                                   : QString(u"agent:"_s + QString::fromLatin1(offer.agentKey.right(1)));
            texts += offer.name.section(u'/', -1) + u" by "_s + by;
        }
        return texts;
    }

    std::unique_ptr<FakeLibssh> m_api;
    std::unique_ptr<QTemporaryDir> m_folder;
    ResolvedHost m_host;
    ConnectionSettings m_settings;
    QList<AgentKey> m_agent;
};

void TstKeyOffers::init()
{
    m_api = std::make_unique<FakeLibssh>();
    m_folder = std::make_unique<QTemporaryDir>();
    m_host = {};
    m_settings = {};
    m_agent.clear();
}

QString TstKeyOffers::file(const QString &name, const QByteArray &publicBlob, bool isPrivate)
{
    const QString path = m_folder->filePath(name);
    for (const QString &each :
         {isPrivate ? path : QString(), publicBlob.isEmpty() ? QString() : QString(path + u".pub"_s)}) {
        QFile written(each);
        if (!each.isEmpty() && !written.open(QIODevice::WriteOnly))
            QTest::qFail("cannot write a key", __FILE__, __LINE__);
    }
    if (!publicBlob.isEmpty())
        m_api->publicKeys.insert(QFile::encodeName(path + u".pub"_s), publicBlob.toBase64());
    return path;
}

QString TstKeyOffers::certificate(const QString &name, const QByteArray &blob)
{
    const QString path = file(name, {});
    m_api->certificates.insert(QFile::encodeName(path), blob.toBase64());
    return path;
}

void TstKeyOffers::order_isThatOfSsh()
{
    m_host.identityFiles = {file(u"a"_s, bareKey('a')), file(u"b"_s, bareKey('b'))};
    m_host.certificateFiles = {certificate(u"cert-b"_s, certificateOf('b')),
                               certificate(u"cert-x"_s, certificateOf('x'))};
    m_agent = {{bareKey('y'), u"other y"_s}, {bareKey('x'), u"other x"_s}, {bareKey('a'), u"mine"_s}};
    // The agent's keys in its own order, the configured ones before the others.
    QCOMPARE(offers(), (QStringList{u"cert-b by b"_s, u"cert-x by agent:x"_s, u"mine by agent:a"_s,
                                    u"other y by agent:y"_s, u"other x by agent:x"_s, u"a by a"_s, u"b by b"_s}));
}

void TstKeyOffers::identitiesOnly_leavesTheRestOut()
{
    m_host.identitiesOnly = true;
    m_host.identityFiles = {file(u"a"_s, bareKey('a')), file(u"b"_s, bareKey('b'))};
    m_agent = {{bareKey('y'), u"other"_s}, {bareKey('b'), u"mine"_s}};
    QCOMPARE(offers(), (QStringList{u"mine by agent:b"_s, u"a by a"_s, u"b by b"_s}));
}

void TstKeyOffers::identityFile_replacesAll()
{
    m_host.identityFiles = {file(u"a"_s, bareKey('a'))};
    m_host.certificateFiles = {certificate(u"cert-a"_s, certificateOf('a'))};
    m_settings.identityFile = file(u"given"_s, bareKey('g'));
    m_agent = {{bareKey('a'), u"of the configuration"_s}, {bareKey('g'), u"given"_s}};
    QCOMPARE(offers(), (QStringList{u"given by agent:g"_s, u"given by given"_s}));
}

void TstKeyOffers::certificate_ofAFileIsSignedByTheAgent()
{
    m_host.certificateFiles = {certificate(u"cert"_s, certificateOf('k'))};
    m_agent = {{bareKey('z'), u"another"_s}, {bareKey('k'), u"its key"_s}};
    const QList<KeyOffer> list = keyOffers(*m_api, m_host, m_settings, m_agent);
    QCOMPARE(list.size(), 3);
    QCOMPARE(list.constFirst().blob, certificateOf('k'));
    QCOMPARE(list.constFirst().agentKey, bareKey('k'));
    m_host.identitiesOnly = true; // a certificate that the configuration names is meant
    QCOMPARE(offers(), QStringList{u"cert by agent:k"_s});
}

void TstKeyOffers::certificate_withoutAPrivateKeyIsLeftOut()
{
    m_host.identityFiles = {file(u"a"_s, bareKey('a'))};
    m_host.certificateFiles = {certificate(u"cert"_s, certificateOf('k')), u"/none/such"_s};
    m_agent = {{bareKey('z'), u"another"_s}};
    QCOMPARE(offers(), (QStringList{u"another by agent:z"_s, u"a by a"_s}));
}

void TstKeyOffers::certificate_besideTheKeyOnlyWhereNoneIsNamed()
{
    m_host.identityFiles = {file(u"a"_s, bareKey('a')), file(u"b"_s, bareKey('b'))};
    (void)certificate(u"a-cert.pub"_s, certificateOf('a'));
    (void)certificate(u"b-cert.pub"_s, certificateOf('b'));
    m_agent = {{bareKey('b'), u"mine"_s}};
    // What needs no passphrase comes before what may need one.
    QCOMPARE(offers(), (QStringList{u"b-cert.pub by agent:b"_s, u"mine by agent:b"_s, u"a-cert.pub by a"_s, u"a by a"_s,
                                    u"b-cert.pub by b"_s, u"b by b"_s}));
    m_host.certificateFiles = {certificate(u"cert-a"_s, certificateOf('a'))};
    QCOMPARE(offers(), (QStringList{u"cert-a by a"_s, u"mine by agent:b"_s, u"a by a"_s, u"b by b"_s}));
}

void TstKeyOffers::certificate_ofTheAgentCountsAsConfigured()
{
    m_host.identitiesOnly = true;
    m_host.identityFiles = {file(u"a"_s, bareKey('a'), false)};
    m_agent = {{certificateOf('z'), u"another"_s}, {certificateOf('a'), u"cert"_s}};
    const QList<KeyOffer> list = keyOffers(*m_api, m_host, m_settings, m_agent);
    QCOMPARE(list.size(), 1);
    QCOMPARE(list.constFirst().agentKey, certificateOf('a'));
}

void TstKeyOffers::publicHalfAlone_isEnoughForTheAgent()
{
    m_host.identitiesOnly = true;
    m_host.identityFiles = {file(u"token"_s, bareKey('t'), false)};
    m_agent = {{bareKey('t'), u"on a token"_s}};
    QCOMPARE(offers(), QStringList{u"on a token by agent:t"_s});
    m_agent.clear();
    QCOMPARE(offers(), QStringList());
}

void TstKeyOffers::encryptedWithoutPublicHalf_comesLast()
{
    m_host.identityFiles = {file(u"closed"_s, {}), file(u"gone"_s, {}, false)};
    m_agent = {{bareKey('y'), u"other"_s}};
    QCOMPARE(offers(), (QStringList{u"other by agent:y"_s, u"closed by closed"_s}));
    QVERIFY(keyOffers(*m_api, m_host, m_settings, m_agent).constLast().blob.isEmpty());
}

void TstKeyOffers::algorithms_areFiltered_data()
{
    QTest::addColumn<QByteArray>("type");
    QTest::addColumn<QString>("algorithms");
    QTest::addColumn<bool>("offered");
    QTest::newRow("no list") << QByteArray("ssh-ed25519") << QString() << true;
    QTest::newRow("named") << QByteArray("ssh-ed25519") << u"rsa-sha2-512,ssh-ed25519"_s << true;
    QTest::newRow("not named") << QByteArray("ssh-ed25519") << u"rsa-sha2-512"_s << false;
    QTest::newRow("rsa by its signatures") << QByteArray("ssh-rsa") << u"rsa-sha2-256"_s << true;
    QTest::newRow("rsa") << QByteArray("ssh-rsa") << u"ssh-ed25519"_s << false;
    QTest::newRow("rsa certificate") << QByteArray("ssh-rsa-cert-v01@openssh.com")
                                     << u"rsa-sha2-512-cert-v01@openssh.com"_s << true;
    QTest::newRow("rsa certificate, bare algorithm") << QByteArray("ssh-rsa-cert-v01@openssh.com")
                                                     << u"rsa-sha2-512"_s << false;
}

void TstKeyOffers::algorithms_areFiltered()
{
    QFETCH(QByteArray, type);
    QFETCH(QString, algorithms);
    QFETCH(bool, offered);
    m_host.pubkeyAcceptedAlgorithms = algorithms;
    m_agent = {{bareKey('k', type), u"key"_s}};
    QCOMPARE(offers().size(), offered ? 1 : 0);
}

void TstKeyOffers::unreadable_typesAreLeftOut()
{
    m_agent = {{bareKey('k', "ssh-dss"), u"old"_s}, {bareKey('k', "webauthn-sk@example"), u"new"_s},
               {bareKey('k', "sk-ssh-ed25519@openssh.com"), u"token"_s}};
    QCOMPARE(offers(), QStringList{u"token by agent:k"_s});
}

void TstKeyOffers::blobs_thatLie_data()
{
    QTest::addColumn<QByteArray>("certificate");
    QTest::addColumn<QByteArray>("key");
    const QByteArray right = certificateOf('k');
    QTest::newRow("empty key") << right << QByteArray();
    QTest::newRow("empty certificate") << QByteArray() << bareKey('k');
    QTest::newRow("short") << right.left(20) << bareKey('k');
    QTest::newRow("cut in the nonce") << right.left(40) << bareKey('k');
    QTest::newRow("cut in the numbers") << right.left(60) << bareKey('k');
    QTest::newRow("length beyond the end") << QByteArray("\xff\xff\xff\xff") << bareKey('k');
    QTest::newRow("another type") << certificateOf('k', "ssh-rsa") << bareKey('k');
    QTest::newRow("another key") << right << bareKey('l');
    QTest::newRow("a key in its place") << bareKey('k') << bareKey('k');
}

void TstKeyOffers::blobs_thatLie()
{
    QFETCH(QByteArray, certificate);
    QFETCH(QByteArray, key);
    QVERIFY(!certifies(certificate, key));
    QVERIFY(certifies(certificateOf('k'), bareKey('k')));
}

PILOTHOUSE_TEST_MAIN(TstKeyOffers)
#include "tst_keyoffers.moc"
