// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/agentprocess.h"
#include "tests/support/sshdserver.h"
#include "tests/support/testmain.h"
#include "tests/unit/ssh/sshd/sessionwatch.h"

#include <QFile>

using namespace pilothouse;
using namespace pilothouse::test;
using namespace Qt::StringLiterals;

/// Sign-in with OpenSSH certificates from files, at a server that knows only their authority.
class TstSshCertificates final : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase();
    void init();
    void certificate_besideItsKeySignsIn_data();
    void certificate_besideItsKeySignsIn();
    void certificate_ofTheConfigurationSignsIn();
    void certificate_withItsKeyInTheAgent_data();
    void certificate_withItsKeyInTheAgent();
    void certificate_besideItsKeyWithThatInTheAgent();
    void certificate_ofAnEncryptedKey();
    void certificate_ofAnotherKeyIsNotOffered();
    void certificate_thatIsRefusedLeavesTheKey();
    void identityOption_takesTheOneBesideIt();

private:
    [[nodiscard]] QString path(const QString &name) const { return m_server.path(name); }
    [[nodiscard]] bool certify(const QString &name, const QStringList &more = {});
    [[nodiscard]] bool finish(SessionWatch &watch) const
    {
        watch.session->open();
        return QTest::qWaitFor([&] { return watch.isReady() || watch.ended; }, 15'000);
    }

    SshdServer m_server;
};

bool TstSshCertificates::certify(const QString &name, const QStringList &more)
{
    bool ok = false;
    const QString said =
        runTool(u"ssh-keygen"_s,
                QStringList{u"-q"_s, u"-s"_s, path(u"ca"_s), u"-I"_s, u"test"_s, u"-n"_s, m_server.user()} + more
                    + QStringList{path(name) + u".pub"_s},
                &ok);
    return ok;
}

void TstSshCertificates::initTestCase()
{
    QVERIFY(makeKey(path(u"ca"_s)));
    m_server.addConfig({u"TrustedUserCAKeys "_s + path(u"ca.pub"_s)});
    QVERIFY2(m_server.start(), qPrintable(m_server.error()));
    QVERIFY(makeKey(path(u"ed25519"_s)));
    QVERIFY(makeKey(path(u"rsa"_s), {}, u"rsa"_s, {u"-b"_s, u"2048"_s}));
    QVERIFY(makeKey(path(u"ecdsa"_s), {}, u"ecdsa"_s, {u"-b"_s, u"256"_s}));
    QVERIFY(makeKey(path(u"secret"_s), u"open sesame"_s));
    QVERIFY(makeKey(path(u"bare"_s)));
    for (const QString &name : {u"ed25519"_s, u"rsa"_s, u"ecdsa"_s, u"secret"_s})
        QVERIFY(certify(name));
}

void TstSshCertificates::init()
{
    QVERIFY(writeFile(path(u"authorized_keys"_s), {}));
}

void TstSshCertificates::certificate_besideItsKeySignsIn_data()
{
    QTest::addColumn<QString>("name");
    QTest::newRow("ed25519") << u"ed25519"_s;
    QTest::newRow("rsa") << u"rsa"_s;
    QTest::newRow("ecdsa") << u"ecdsa"_s;
}

void TstSshCertificates::certificate_besideItsKeySignsIn()
{
    QFETCH(QString, name);
    QVERIFY(m_server.writeClientConfig({}, name));
    SessionWatch watch(m_server.settings());
    QVERIFY(finish(watch));
    QVERIFY2(watch.isReady(), qPrintable(watch.endText()));
    QVERIFY2(watch.words.contains(u"signing in with "_s + path(name) + u"-cert.pub"_s),
             qPrintable(watch.words.join(u'\n')));
}

void TstSshCertificates::certificate_ofTheConfigurationSignsIn()
{
    QVERIFY(makeKey(path(u"apart"_s)));
    QVERIFY(certify(u"apart"_s));
    QVERIFY(QFile::rename(path(u"apart-cert.pub"_s), path(u"elsewhere"_s)));
    QVERIFY(m_server.writeClientConfig({u"CertificateFile "_s + path(u"elsewhere"_s)}, u"apart"_s));
    SessionWatch watch(m_server.settings());
    QVERIFY(finish(watch));
    QVERIFY2(watch.isReady(), qPrintable(watch.endText()));
}

void TstSshCertificates::certificate_withItsKeyInTheAgent_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<bool>("identitiesOnly");
    QTest::newRow("ed25519") << u"ed25519"_s << false;
    QTest::newRow("rsa") << u"rsa"_s << false;
    QTest::newRow("ecdsa") << u"ecdsa"_s << false;
    QTest::newRow("ed25519, IdentitiesOnly") << u"ed25519"_s << true;
}

void TstSshCertificates::certificate_withItsKeyInTheAgent()
{
    QFETCH(QString, name);
    QFETCH(bool, identitiesOnly);
    // The private half is the agent's alone: ssh-add finds no certificate beside this copy.
    const QString lonely = path(name + u"-lonely"_s);
    QFile::remove(lonely);
    QVERIFY(QFile::copy(path(name), lonely));
    AgentProcess agent;
    QVERIFY(
        agent.start(path(u"agent-"_s + QString::fromLatin1(QTest::currentDataTag()).simplified().replace(u' ', u'_'))));
    QVERIFY(agent.add(path(u"bare"_s)));
    QVERIFY(agent.add(lonely));
    QStringList lines{u"CertificateFile "_s + path(name) + u"-cert.pub"_s, u"IdentityAgent "_s + agent.socketPath()};
    if (identitiesOnly)
        lines += u"IdentitiesOnly yes"_s;
    QVERIFY(m_server.writeClientConfig(lines, u"nothing"_s));
    SessionWatch watch(m_server.settings());
    QVERIFY(finish(watch));
    QVERIFY2(watch.isReady(), qPrintable(watch.endText()));
    QVERIFY(watch.words.contains(u"signing in with "_s + path(name) + u"-cert.pub"_s));
    // As ssh: the certificate is the first thing that is offered.
    QVERIFY2(!watch.words.contains(u"signing in with the agent's keys"_s), qPrintable(watch.words.join(u'\n')));
}

void TstSshCertificates::certificate_besideItsKeyWithThatInTheAgent()
{
    AgentProcess agent;
    QVERIFY(agent.start(path(u"agent-secret"_s)));
    const QString open = path(u"secret-open"_s);
    QVERIFY(QFile::copy(path(u"secret"_s), open));
    QFile::setPermissions(open, QFile::ReadOwner | QFile::WriteOwner);
    bool ok = false;
    const QString said =
        runTool(u"ssh-keygen"_s, {u"-q"_s, u"-p"_s, u"-P"_s, u"open sesame"_s, u"-N"_s, QString(), u"-f"_s, open}, &ok);
    QVERIFY2(ok && agent.add(open), qPrintable(said));
    // The key file is locked; with its key in the agent nobody need open it.
    QVERIFY(m_server.writeClientConfig({u"IdentityAgent "_s + agent.socketPath()}, u"secret"_s));
    SessionWatch watch(m_server.settings());
    QVERIFY(finish(watch));
    QVERIFY2(watch.isReady(), qPrintable(watch.endText()));
    QVERIFY(watch.questions.isEmpty());
}

void TstSshCertificates::certificate_ofAnEncryptedKey()
{
    QVERIFY(m_server.writeClientConfig({}, u"secret"_s));
    ConnectionSettings settings = m_server.settings();
    settings.askPerson = true;
    SessionWatch watch(settings);
    watch.reply = [](const Question &question) {
        return Answer{question.id, true, true, {question.attempt == 1 ? u"wrong"_s : u"open sesame"_s}};
    };
    QVERIFY(finish(watch));
    QVERIFY2(watch.isReady(), qPrintable(watch.endText()));
    QCOMPARE(watch.questions.size(), 2);
}

void TstSshCertificates::certificate_ofAnotherKeyIsNotOffered()
{
    QVERIFY(m_server.writeClientConfig({u"CertificateFile "_s + path(u"rsa-cert.pub"_s)}, u"bare"_s));
    SessionWatch watch(m_server.settings());
    QVERIFY(finish(watch));
    QVERIFY(watch.ended);
    QCOMPARE(watch.ended->code, ErrorCode::SignInRefused);
    QVERIFY2(!watch.ended->detail.contains(u"rsa-cert"_s), qPrintable(watch.endText()));
}

void TstSshCertificates::certificate_thatIsRefusedLeavesTheKey()
{
    QVERIFY(makeKey(path(u"late"_s)));
    QVERIFY(certify(u"late"_s, {u"-V"_s, u"20200101:20200102"_s}));
    QVERIFY(m_server.writeClientConfig({}, u"late"_s));
    SessionWatch refused(m_server.settings());
    QVERIFY(finish(refused));
    QVERIFY(refused.ended);
    QCOMPARE(refused.ended->code, ErrorCode::SignInRefused);
    QVERIFY2(refused.ended->detail.contains(u"late-cert.pub (refused)"_s), qPrintable(refused.endText()));

    QVERIFY(writeFile(path(u"authorized_keys"_s), readFile(path(u"late.pub"_s))));
    SessionWatch watch(m_server.settings());
    QVERIFY(finish(watch));
    QVERIFY2(watch.isReady(), qPrintable(watch.endText()));
}

void TstSshCertificates::identityOption_takesTheOneBesideIt()
{
    QVERIFY(m_server.writeClientConfig({}, u"bare"_s));
    ConnectionSettings settings = m_server.settings();
    settings.identityFile = path(u"ed25519"_s);
    SessionWatch watch(settings);
    QVERIFY(finish(watch));
    QVERIFY2(watch.isReady(), qPrintable(watch.endText()));
}

PILOTHOUSE_TEST_MAIN(TstSshCertificates)
#include "tst_sshcertificates.moc"
