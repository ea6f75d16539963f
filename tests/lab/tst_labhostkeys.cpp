// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// Who the host is: unknown, changed and revoked keys of a real sshd; and peers on a port that are no SSH server.
#include "tests/lab/labmain.h"
#include "tests/lab/testsession.h"

#include <QElapsedTimer>
#include <QFile>
#include <QTcpServer>
#include <QTcpSocket>
#include <QTemporaryDir>

using namespace pilothouse;
using namespace pilothouse::test;
using namespace Qt::StringLiterals;

class TstLabHostKeys : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;
    const LabHost m_host{1};

    static QByteArray contents(const QString &path)
    {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }

    // A known_hosts of this test's own.
    QString knownHosts(const QByteArray &text)
    {
        const QString path = m_folder.filePath(QString::fromLatin1(QTest::currentTestFunction()));
        QFile file(path);
        if (!file.open(QIODevice::WriteOnly | QIODevice::Truncate) || file.write(text) != text.size())
            QTest::qFail("cannot write known_hosts", __FILE__, __LINE__);
        return path;
    }

    // "ssh-ed25519 AAAA…" of the host, or another key of the type that is nobody's.
    QByteArray hostKey(const QString &type = u"ed25519"_s) const
    {
        const QByteArray line = contents(m_host.file(u"root/etc/ssh/ssh_host_%1_key.pub"_s.arg(type)));
        return line.split(' ').mid(0, 2).join(' ');
    }
    QByteArray otherKey(const QString &type = u"ed25519"_s)
    {
        const QString path = m_folder.filePath(u"other-"_s + type);
        if (!QFile::exists(path)) {
            const Ran made = run(u"ssh-keygen"_s, {u"-q"_s, u"-t"_s, type, u"-N"_s, QString(), u"-f"_s, path});
            if (made.exitCode != 0)
                QTest::qFail(made.summary().constData(), __FILE__, __LINE__);
        }
        return contents(path + u".pub"_s).split(' ').mid(0, 2).join(' ');
    }
    QString fingerprintOf(const QByteArray &key)
    {
        const Ran ran = run(u"ssh-keygen"_s, {u"-l"_s, u"-f"_s, u"-"_s}, key + '\n');
        return QString::fromLatin1(ran.output.split(' ').value(1));
    }

    ConnectionSettings settings(const QString &knownHostsFile)
    {
        ConnectionSettings settings = settingsFor(u"lab1"_s);
        settings.knownHostsFile = knownHostsFile;
        return settings;
    }

private slots:
    void initTestCase() { QTest::failOnWarning(QRegularExpression(u".*"_s)); }

    void unknownKey_withNobodyToAsk_isRefused()
    {
        TestSession signIn(settings(knownHosts("")));
        QVERIFY(!signIn.attempt());
        QCOMPARE(signIn.code(), ErrorCode::HostKeyUnknown);
    }

    void unknownKey_isAskedForStoredAndThenKnown()
    {
        const QString file = knownHosts("# a person's own line\n");
        TestSession first(settings(file), [](const Question &) { return Answer{.questionId = 0, .accepted = true, .store = true, .replies = {}}; });
        QVERIFY2(first.attempt(), first.story().constData());
        QCOMPARE(first.questions().size(), 1);
        const Question question = first.questions().first();
        QCOMPARE(question.kind, Question::Kind::UnknownHostKey);
        QVERIFY2(question.fingerprint == fingerprintOf(hostKey()) || question.fingerprint == fingerprintOf(hostKey(u"ecdsa"_s)),
                 qPrintable(question.fingerprint));
        QCOMPARE(question.knownHostsFile, file);
        const QByteArray stored = contents(file);
        QVERIFY(stored.startsWith("# a person's own line\n"));
        QVERIFY2(stored.contains(hostKey()) || stored.contains(hostKey(u"ecdsa"_s)), stored.constData());
        // OpenSSH agrees with what we wrote.
        const Ran found = run(u"ssh-keygen"_s, {u"-F"_s, m_host.address(), u"-f"_s, file});
        QVERIFY2(found.exitCode == 0, QByteArray(found.summary() + stored).constData());
        TestSession second(settings(file));
        QVERIFY2(second.attempt(), second.story().constData());
        QCOMPARE(contents(file), stored);
    }

    void unknownKey_isNotEvenAskedForWhereTheConfigurationSaysYes()
    {
        QFile config(m_folder.filePath(u"strict"_s));
        QVERIFY(config.open(QIODevice::WriteOnly));
        config.write("StrictHostKeyChecking yes\nInclude " + labFolder().toUtf8() + "/ssh_config\n");
        config.close();
        ConnectionSettings strict = settingsFor(u"lab1"_s, config.fileName());
        strict.knownHostsFile = knownHosts("");
        TestSession signIn(strict, [](const Question &) { return Answer{.questionId = 0, .accepted = true, .store = true, .replies = {}}; });
        QVERIFY(!signIn.attempt());
        QCOMPARE(signIn.code(), ErrorCode::HostKeyUnknown);
        QVERIFY(signIn.questions().isEmpty());
    }

    void unknownKey_declined_endsWithNothingStored()
    {
        const QString file = knownHosts("");
        TestSession signIn(settings(file), [](const Question &) { return Answer{}; });
        QVERIFY(!signIn.attempt());
        QVERIFY2(signIn.code() == ErrorCode::Cancelled || signIn.code() == ErrorCode::HostKeyUnknown, signIn.story().constData());
        QCOMPARE(contents(file), QByteArray());
    }

    void acceptNewHostKey_storesUnknownOnly()
    {
        const QString file = knownHosts("");
        ConnectionSettings accepting = settings(file);
        accepting.acceptNewHostKey = true;
        TestSession signIn(accepting);
        QVERIFY2(signIn.attempt(), signIn.story().constData());
        QVERIFY(!contents(file).isEmpty());
    }

    void changedKey_isRefusedWithBothFingerprintsAndLine()
    {
        const QString file = knownHosts("# one\n# two\n" + m_host.address().toLatin1() + ' ' + otherKey() + "\n");
        ConnectionSettings accepting = settings(file);
        accepting.acceptNewHostKey = true; // never a changed one
        TestSession signIn(accepting, [](const Question &) { return Answer{.questionId = 0, .accepted = true, .store = true, .replies = {}}; });
        QVERIFY(!signIn.attempt());
        QCOMPARE(signIn.code(), ErrorCode::HostKeyChanged);
        QVERIFY(signIn.questions().isEmpty());
        const QString words = sentenceOf(*signIn.error());
        QVERIFY2(words.contains(fingerprintOf(hostKey())), qPrintable(words));
        QVERIFY2(words.contains(fingerprintOf(otherKey())), qPrintable(words));
        QVERIFY2(words.contains(file) && words.contains(u'3'), qPrintable(words));
        QCOMPARE(contents(file).count('\n'), 3);
    }

    void revokedKey_isRefused()
    {
        const QByteArray address = m_host.address().toLatin1();
        TestSession signIn(settings(knownHosts(address + ' ' + hostKey() + '\n' + address + ' ' + hostKey(u"ecdsa"_s) + "\n@revoked * "
                                          + hostKey() + "\n@revoked * " + hostKey(u"ecdsa"_s) + '\n')));
        QVERIFY(!signIn.attempt());
        QCOMPARE(signIn.code(), ErrorCode::HostKeyRevoked);
    }

    void hashedName_isFound()
    {
        const QString file = knownHosts(m_host.address().toLatin1() + ' ' + hostKey() + '\n');
        const Ran hashed = run(u"ssh-keygen"_s, {u"-q"_s, u"-H"_s, u"-f"_s, file});
        QVERIFY2(hashed.exitCode == 0, hashed.summary().constData());
        QVERIFY(contents(file).startsWith("|1|"));
        TestSession signIn(settings(file));
        QVERIFY2(signIn.attempt(), signIn.story().constData());
    }

    void onlyOtherTypeKnown_getsThatTypeAsked()
    {
        // The known key decides which algorithm is asked for: the host also has an ed25519 key, which would be unknown.
        TestSession signIn(settings(knownHosts(m_host.address().toLatin1() + ' ' + hostKey(u"ecdsa"_s) + '\n')));
        QVERIFY2(signIn.attempt(), signIn.story().constData());
    }

    void portOfItsOwn_hasAnEntryOfItsOwn()
    {
        ConnectionSettings other = settings(knownHosts(m_host.address().toLatin1() + ' ' + otherKey() + "\n[" + m_host.address().toLatin1()
                                                       + "]:2222 " + hostKey() + '\n'));
        other.target = parseTarget(u"root@%1:2222"_s.arg(m_host.address())).value();
        TestSession signIn(other);
        QVERIFY2(signIn.attempt(), signIn.story().constData());
    }

    void notAnSshServer_isNamedWithinItsDeadline_data()
    {
        QTest::addColumn<QByteArray>("speech");
        QTest::addColumn<bool>("closes");
        QTest::newRow("never speaks") << QByteArray() << false;
        QTest::newRow("closes at once") << QByteArray() << true;
        QTest::newRow("speaks HTTP") << QByteArray("HTTP/1.1 400 Bad Request\r\n\r\n<html>no</html>\n") << true;
        QTest::newRow("speaks noise") << QByteArray::fromHex("00ff1b5b324a0a80").repeated(2000) << false;
        QTest::newRow("an endless banner") << QByteArray("noise without a version line\r\n").repeated(100'000) << false;
        QTest::newRow("stops after its version") << QByteArray("SSH-2.0-OpenSSH_9.2p1\r\n") << false;
        QTest::newRow("noise after its version") << QByteArray("SSH-2.0-OpenSSH_9.2p1\r\n") + QByteArray::fromHex("7fffffff00").repeated(500) << false;
    }

    void notAnSshServer_isNamedWithinItsDeadline()
    {
        QFETCH(const QByteArray, speech);
        QFETCH(const bool, closes);
        QTcpServer server;
        QVERIFY(server.listen(QHostAddress::LocalHost));
        connect(&server, &QTcpServer::newConnection, this, [&] {
            QTcpSocket *peer = server.nextPendingConnection();
            peer->write(speech);
            if (closes)
                peer->disconnectFromHost();
        });
        ConnectionSettings settings = settingsFor(u"root@127.0.0.1:%1"_s.arg(server.serverPort()));
        settings.connectTimeout = 2s;
        QElapsedTimer clock;
        clock.start();
        TestSession signIn(settings);
        QVERIFY(!signIn.attempt(10s));
        QVERIFY2(signIn.error(), signIn.story().constData());
        QVERIFY2(exitCodeOf(signIn.code()) == 3, signIn.story().constData());
        QVERIFY2(clock.elapsed() < 4'000, QByteArray::number(clock.elapsed()).constData());
    }
};

PILOTHOUSE_LAB_TEST_MAIN(TstLabHostKeys)
#include "tst_labhostkeys.moc"
