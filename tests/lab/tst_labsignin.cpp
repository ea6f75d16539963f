// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// Getting in: each way to sign in to a real sshd, and shells on the session.
#include "tests/lab/labmain.h"
#include "tests/lab/testsession.h"

#include <QFile>
#include <QProcess>
#include <QTemporaryDir>

using namespace pilothouse;
using namespace pilothouse::test;
using namespace Qt::StringLiterals;

namespace {

Answer reply(const QString &text)
{
    return Answer{.questionId = 0, .accepted = true, .store = true, .replies = {text}};
}

Answer decline(const Question &)
{
    return {};
}

} // namespace

class TstLabSignIn : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;
    const LabHost m_host{1};

    // A configuration of its own for one test: `lines` come before the lab's general ones and so win.
    QString config(const QStringList &lines)
    {
        const QString path = m_folder.filePath(QString::fromLatin1(QTest::currentTestFunction()));
        QFile file(path);
        if (!file.open(QIODevice::WriteOnly))
            QTest::qFail("cannot write a configuration", __FILE__, __LINE__);
        file.write((u"Host lab1\n    HostName %1\n    User ops\n    UserKnownHostsFile %2/known_hosts\n"
                    "    GlobalKnownHostsFile none\n    StrictHostKeyChecking yes\n    "_s.arg(m_host.address(), labFolder())
                    + lines.join(u"\n    "_s) + u'\n')
                       .toUtf8());
        return path;
    }

    void verifyShell(TestSession &signIn, const QByteArray &user)
    {
        ShellRun shell(signIn.session());
        QVERIFY2(shell.finish("id -un; echo oops >&2; exit 7\n"), signIn.story().constData());
        QCOMPARE(shell.output, QByteArray(user + '\n'));
        QCOMPARE(shell.errors, QByteArray("oops\n"));
        QCOMPARE(shell.exitStatus, 7);
        QVERIFY(!shell.error);
    }

private slots:
    void initTestCase() { QTest::failOnWarning(QRegularExpression(u".*"_s)); }

    void keyFile_signsInOnceForManyShells()
    {
        const int before = m_host.signIns();
        TestSession signIn(settingsFor(u"lab1"_s));
        QVERIFY2(signIn.attempt(), signIn.story().constData());
        QCOMPARE(signIn.session().peer(), u"root@%1:22"_s.arg(m_host.address()));
        for (int n = 0; n < 5; ++n)
            verifyShell(signIn, "root");
        QTRY_COMPARE(m_host.signIns(), before + 1);
        signIn.session().close();
        QVERIFY(signIn.awaitEnd(5s));
        QCOMPARE(signIn.code(), ErrorCode::Cancelled);
    }

    void userAtAddressAndPort_needNoAlias()
    {
        TestSession signIn(settingsFor(u"ops@%1:22"_s.arg(m_host.address())));
        QVERIFY2(signIn.attempt(), signIn.story().constData());
        verifyShell(signIn, "ops");
    }

    void underscoreInName_connects()
    {
        TestSession signIn(settingsFor(u"ops@gpu_01"_s));
        QVERIFY2(signIn.attempt(), signIn.story().constData());
        verifyShell(signIn, "ops");
    }

    void agentKey_signsIn()
    {
        const QString socket = m_folder.filePath(u"agent"_s);
        QProcess agent;
        agent.start(u"ssh-agent"_s, {u"-D"_s, u"-a"_s, socket});
        QVERIFY(agent.waitForStarted());
        QTRY_VERIFY(QFile::exists(socket));
        qputenv("SSH_AUTH_SOCK", socket.toUtf8());
        const Ran added = run(u"ssh-add"_s, {u"-q"_s, labFolder() + u"/keys/plain"_s});
        qunsetenv("SSH_AUTH_SOCK");
        QVERIFY2(added.exitCode == 0, added.summary().constData());

        TestSession signIn(settingsFor(u"lab1"_s, config({u"IdentityAgent "_s + socket, u"IdentityFile "_s + m_folder.filePath(u"none"_s)})));
        QVERIFY2(signIn.attempt(), signIn.story().constData());
        verifyShell(signIn, "ops");
        agent.kill();
        agent.waitForFinished();
    }

    void encryptedKey_asksAgainAfterWrongPassphrase()
    {
        int asked = 0;
        TestSession signIn(settingsFor(u"lab1"_s, config({u"IdentityAgent none"_s, u"IdentityFile %1/keys/encrypted"_s.arg(labFolder())})),
                      [&asked](const Question &) { return reply(++asked == 1 ? u"wrong"_s : u"open sesame"_s); });
        QVERIFY2(signIn.attempt(), signIn.story().constData());
        QCOMPARE(signIn.questions().size(), 2);
        QCOMPARE(signIn.questions().at(0).kind, Question::Kind::KeyPassphrase);
        QCOMPARE(signIn.questions().at(0).attempt, 1);
        QVERIFY(signIn.questions().at(0).keyFile.endsWith(u"/keys/encrypted"_s));
        QCOMPARE(signIn.questions().at(1).attempt, 2);
        verifyShell(signIn, "ops");
    }

    void encryptedKey_withNobodyToAsk_needsPerson()
    {
        TestSession signIn(settingsFor(u"lab1"_s, config({u"IdentityAgent none"_s, u"PreferredAuthentications publickey"_s,
                                                     u"IdentityFile %1/keys/encrypted"_s.arg(labFolder())})));
        QVERIFY(!signIn.attempt());
        QCOMPARE(signIn.code(), ErrorCode::SignInNeedsPerson);
    }

    void password_signsIn_data()
    {
        QTest::addColumn<QString>("method");
        QTest::newRow("password") << u"password"_s;
        QTest::newRow("keyboard-interactive") << u"keyboard-interactive"_s;
    }

    void password_signsIn()
    {
        QFETCH(const QString, method);
        TestSession signIn(settingsFor(u"lab1"_s, config({u"IdentityAgent none"_s, u"PubkeyAuthentication no"_s,
                                                     u"PreferredAuthentications "_s + method})),
                      [](const Question &) { return reply(u"lab-ops"_s); });
        QVERIFY2(signIn.attempt(), signIn.story().constData());
        QCOMPARE(signIn.questions().size(), 1);
        QCOMPARE(signIn.questions().first().kind,
                 method == u"password"_s ? Question::Kind::Password : Question::Kind::KeyboardInteractive);
        QCOMPARE(signIn.questions().first().prompts.size(), 1);
        QVERIFY(!signIn.questions().first().prompts.first().echo);
        verifyShell(signIn, "ops");
    }

    void declinedQuestion_ends()
    {
        TestSession signIn(settingsFor(u"lab1"_s, config({u"IdentityAgent none"_s, u"PubkeyAuthentication no"_s})), decline);
        QVERIFY(!signIn.attempt());
        QCOMPARE(signIn.code(), ErrorCode::Cancelled);
        QCOMPARE(signIn.questions().size(), 1);
    }

    void strangersKey_isRefused()
    {
        const int before = m_host.signIns();
        ConnectionSettings settings = settingsFor(u"lab1"_s, config({u"PreferredAuthentications publickey"_s}));
        settings.identityFile = labFolder() + u"/keys/stranger"_s;
        TestSession signIn(settings);
        QVERIFY(!signIn.attempt());
        QCOMPARE(signIn.code(), ErrorCode::SignInRefused);
        QCOMPARE(m_host.signIns(), before);
    }

    void identity_replacesConfiguredKey()
    {
        ConnectionSettings settings = settingsFor(
            u"lab1"_s, config({u"IdentityFile %1/keys/stranger"_s.arg(labFolder()), u"PreferredAuthentications publickey"_s}));
        settings.identityFile = labFolder() + u"/keys/plain"_s;
        TestSession signIn(settings);
        QVERIFY2(signIn.attempt(), signIn.story().constData());
    }

    void secondShell_isRefusedWhereServerAllowsOne()
    {
        TestSession signIn(settingsFor(u"root@%1:2222"_s.arg(m_host.address())));
        QVERIFY2(signIn.attempt(), signIn.story().constData());
        ShellRun first(signIn.session());
        QVERIFY(first.awaitOpened());
        ShellRun second(signIn.session());
        QVERIFY(!second.awaitOpened());
        QVERIFY(second.error);
        QCOMPARE(second.error->code, ErrorCode::ChannelRefused);
        QVERIFY(first.finish("echo still here\n"));
        QCOMPARE(first.output, QByteArray("still here\n"));
        // sshd gives the place free a moment after it has closed the channel. (QTRY_VERIFY looks again after a success.)
        bool opened = false;
        QTRY_VERIFY((opened = opened || ShellRun(signIn.session()).awaitOpened()));
    }

    void noShellAtAll_isRefused()
    {
        TestSession signIn(settingsFor(u"root@%1:2223"_s.arg(m_host.address())));
        QVERIFY2(signIn.attempt(), signIn.story().constData());
        ShellRun shell(signIn.session());
        QVERIFY(!shell.awaitOpened());
        QVERIFY(shell.error);
        QCOMPARE(shell.error->code, ErrorCode::ChannelRefused);
    }

    void nobodyListens_isRefused()
    {
        TestSession signIn(settingsFor(u"ops@%1:9"_s.arg(m_host.address())));
        QVERIFY(!signIn.attempt());
        QCOMPARE(signIn.code(), ErrorCode::ConnectRefused);
    }

    void largeOutput_arrivesWhole()
    {
        TestSession signIn(settingsFor(u"lab1"_s));
        QVERIFY2(signIn.attempt(), signIn.story().constData());
        ShellRun shell(signIn.session());
        QVERIFY(shell.finish("head -c 20000000 /dev/zero | tr '\\0' x; echo end\n"));
        QCOMPARE(shell.output.size(), 20'000'004);
        QVERIFY(shell.output.endsWith("xend\n"));
    }

    void manyShellsAtOnce_keepTheirOwnOutput()
    {
        TestSession signIn(settingsFor(u"lab1"_s));
        QVERIFY2(signIn.attempt(), signIn.story().constData());
        std::vector<std::unique_ptr<ShellRun>> shells;
        for (int n = 0; n < 8; ++n) {
            shells.push_back(std::make_unique<ShellRun>(signIn.session()));
            shells.back()->shell->write("for i in 1 2 3 4 5; do echo shell " + QByteArray::number(n) + "; done\nexit\n");
        }
        for (size_t n = 0; n < shells.size(); ++n) {
            QTRY_VERIFY(shells[n]->closed);
            QCOMPARE(shells[n]->output, QByteArray("shell " + QByteArray::number(int(n)) + '\n').repeated(5));
        }
    }
};

PILOTHOUSE_LAB_TEST_MAIN(TstLabSignIn)
#include "tst_labsignin.moc"
