// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// Signing in with a password and a code, as PAM asks for them: one question a round, at a host and at a jump host; the
// chains of factors that AuthenticationMethods asks for, in any order; and that an agent full of keys leaves the last
// try to the person.
#include "tests/lab/labmain.h"
#include "tests/lab/testsession.h"
#include "tests/support/agentprocess.h"
#include "tests/support/sshdserver.h"

#include <QDateTime>
#include <QFile>
#include <QMessageAuthenticationCode>
#include <QTemporaryDir>
#include <QtEndian>

using namespace pilothouse;
using namespace pilothouse::test;
using namespace Qt::StringLiterals;

namespace {

/// RFC 6238 for the secret of the lab's account: six digits, 30 seconds, SHA-1.
QString codeNow()
{
    QByteArray secret;
    quint32 bits = 0;
    int count = 0;
    for (const char c : QByteArray("JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP")) {
        bits = (bits << 5) | static_cast<quint32>(c >= 'A' ? c - 'A' : c - '2' + 26);
        if ((count += 5) >= 8) {
            count -= 8;
            secret.append(static_cast<char>(bits >> count));
            bits &= (1U << count) - 1;
        }
    }
    QByteArray counter(8, '\0');
    qToBigEndian<quint64>(static_cast<quint64>(QDateTime::currentSecsSinceEpoch() / 30), counter.data());
    const QByteArray hash = QMessageAuthenticationCode::hash(counter, secret, QCryptographicHash::Sha1);
    const quint32 value = qFromBigEndian<quint32>(hash.constData() + (hash.back() & 0xf)) & 0x7fffffff;
    return QString::number(value % 1'000'000).rightJustified(6, u'0');
}

Answer reply(const Question &question)
{
    const bool code = question.prompts.constFirst().text.contains(u"code"_s, Qt::CaseInsensitive);
    return Answer{.questionId = 0, .accepted = true, .store = true, .replies = {code ? codeNow() : u"lab-mfa"_s}};
}

} // namespace

class TstLabMfa : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;
    const LabHost m_host{1};

    // A configuration of its own for one test; `lines` come before the lab's general ones and so win.
    QString config(const QStringList &lines)
    {
        const QString path = m_folder.filePath(QString::fromLatin1(QTest::currentTestFunction()));
        QFile file(path);
        if (!file.open(QIODevice::WriteOnly))
            QTest::qFail("cannot write a configuration", __FILE__, __LINE__);
        file.write((u"Host *\n    UserKnownHostsFile %1/known_hosts\n    GlobalKnownHostsFile none\n"
                    "    StrictHostKeyChecking yes\n    HostKeyAlias %2\n    %3\n"_s.arg(labFolder(), m_host.address(),
                                                                                        lines.join(u"\n    "_s)))
                       .toUtf8());
        return path;
    }

private slots:
    void initTestCase() { QTest::failOnWarning(QRegularExpression(u".*"_s)); }

    void twoRounds_areTwoQuestions()
    {
        TestSession signIn(settingsFor(u"mfa@%1:2225"_s.arg(m_host.address()), config({u"IdentityAgent none"_s})), reply);
        QVERIFY2(signIn.attempt(), signIn.story().constData());
        QCOMPARE(signIn.questions().size(), 2);
        const Question first = signIn.questions().at(0);
        const Question second = signIn.questions().at(1);
        QVERIFY2(first.host.contains(u"mfa@"_s), qPrintable(first.host));
        QVERIFY2(first.prompts.constFirst().text.contains(u"Password"_s), qPrintable(first.prompts.constFirst().text));
        QVERIFY(!first.prompts.constFirst().echo);
        QVERIFY(second.prompts.constFirst().text.contains(u"Verification code"_s));
        QVERIFY(second.prompts.constFirst().echo);
        QCOMPARE(second.attempt, 1);
        ShellRun shell(signIn.session());
        QVERIFY2(shell.finish("id -un\n"), signIn.story().constData());
        QCOMPARE(shell.output, QByteArray("mfa\n"));
    }

    void keyFirst_thenTheRounds()
    {
        TestSession signIn(settingsFor(u"mfa@%1:2226"_s.arg(m_host.address()),
                                       config({u"IdentityAgent none"_s, u"IdentityFile %1/keys/plain"_s.arg(labFolder())})),
                           reply);
        QVERIFY2(signIn.attempt(), signIn.story().constData());
        QCOMPARE(signIn.questions().size(), 2);
    }

    void wrongCode_isAskedAgainFromTheBeginning()
    {
        int questions = 0;
        TestSession signIn(settingsFor(u"mfa@%1:2225"_s.arg(m_host.address()), config({u"IdentityAgent none"_s})),
                           [&](const Question &question) {
                               Answer answer = reply(question);
                               if (++questions == 2)
                                   answer.replies = {u"000000"_s};
                               return answer;
                           });
        QVERIFY2(signIn.attempt(), signIn.story().constData());
        QCOMPARE(signIn.questions().size(), 4);
        QCOMPARE(signIn.questions().at(2).attempt, 2);
        QCOMPARE(signIn.questions().at(3).attempt, 1);
    }

    void jumpHost_isNamedInItsQuestions()
    {
        const QString jump = u"mfa@%1:2225"_s.arg(m_host.address());
        ConnectionSettings settings = settingsFor(
            u"root@%1"_s.arg(m_host.address()),
            config({u"IdentityAgent none"_s, u"IdentityFile %1/keys/plain"_s.arg(labFolder())}));
        settings.proxyJump = jump;
        TestSession signIn(settings, reply);
        QVERIFY2(signIn.attempt(), signIn.story().constData());
        QCOMPARE(signIn.questions().size(), 2);
        for (const Question &question : signIn.questions())
            QVERIFY2(question.host.startsWith(u"mfa@"_s) && !question.host.contains(u"root@"_s), qPrintable(question.host));
    }

    void chain_isGoneThroughInItsOrder_data()
    {
        QTest::addColumn<QString>("methods");
        QTest::addColumn<QString>("questions"); // p(assword), i(nteractive), k(ey's passphrase)
        QTest::addColumn<int>("wrong");         // of the first answers
        const auto row = [](const char *methods, const QString &questions, int wrong = 0) {
            QTest::newRow(methods) << QString::fromLatin1(methods) << questions << wrong;
        };
        row("password,keyboard-interactive", u"pi"_s);
        row("keyboard-interactive,password", u"ip"_s);
        row("publickey,password", u"p"_s);
        row("password,publickey", u"p"_s);
        row("publickey,keyboard-interactive,password", u"ip"_s);
        row("publickey,publickey", u"k"_s);
        row("publickey,password,publickey", u"pk"_s);
        row("password,password", u"pp"_s);
        // Refused as the first factor, wanted as the second.
        row("keyboard-interactive,password password,keyboard-interactive", u"iiipi"_s, 3);
    }
    void chain_isGoneThroughInItsOrder()
    {
        QFETCH(const QString, methods);
        QFETCH(const QString, questions);
        QFETCH(int, wrong);
        m_host.sh(u"systemctl stop chain.service 2>/dev/null; systemd-run --quiet --collect --unit=chain /usr/sbin/sshd -D "
                  "-p 2300 -o PidFile=none -o 'AuthenticationMethods %1'\n"
                  "until ss -Hltn sport = :2300 | grep -q .; do sleep 0.05; done"_s.arg(methods));
        QStringList lines{u"IdentityAgent none"_s, u"IdentityFile %1/keys/plain"_s.arg(labFolder())};
        if (questions.contains(u'k'))
            lines += u"IdentityFile %1/keys/encrypted"_s.arg(labFolder());
        QString kinds;
        TestSession signIn(settingsFor(u"ops@%1:2300"_s.arg(m_host.address()), config(lines)),
                           [&](const Question &question) {
                               const bool key = question.kind == Question::Kind::KeyPassphrase;
                               kinds += key ? u'k' : question.kind == Question::Kind::Password ? u'p' : u'i';
                               const QString right = key ? u"open sesame"_s : u"lab-ops"_s;
                               return Answer{0, true, true, {wrong-- > 0 ? u"wrong"_s : right}};
                           });
        QVERIFY2(signIn.attempt(), signIn.story().constData());
        QCOMPARE(kinds, questions);
        ShellRun shell(signIn.session());
        QVERIFY2(shell.finish("id -un\n"), signIn.story().constData());
        QCOMPARE(shell.output, QByteArray("ops\n"));
    }

    void declinedCode_ends()
    {
        TestSession signIn(settingsFor(u"mfa@%1:2225"_s.arg(m_host.address()), config({u"IdentityAgent none"_s})),
                           [&](const Question &question) {
                               Answer answer = reply(question);
                               answer.accepted = question.prompts.constFirst().text.contains(u"Password"_s);
                               return answer;
                           });
        QVERIFY(!signIn.attempt());
        QCOMPARE(signIn.code(), ErrorCode::Cancelled);
    }

    void fullAgent_leavesThePersonTheLastTry()
    {
        AgentProcess agent;
        QVERIFY(agent.start(m_folder.filePath(u"agent"_s)));
        for (int i = 0; i < 8; ++i) {
            const QString key = m_folder.filePath(u"key%1"_s.arg(i));
            QVERIFY(makeKey(key) && agent.add(key));
        }
        // sshd's MaxAuthTries is 6 here, as it comes: five keys, then the right password.
        TestSession signIn(settingsFor(u"ops@"_s + m_host.address(),
                                       config({u"IdentityAgent "_s + agent.socketPath(), u"IdentityFile none"_s,
                                               u"PreferredAuthentications publickey,password"_s})),
                           [](const Question &) { return Answer{0, true, true, {u"lab-ops"_s}}; });
        QVERIFY2(signIn.attempt(), signIn.story().constData());
        QCOMPARE(signIn.questions().size(), 1);
        QVERIFY2(signIn.questions().constFirst().note.contains(u"5 keys were refused and 3 not offered"_s),
                 qPrintable(signIn.questions().constFirst().note));
    }

    void fullAgent_aloneIsRefusedNotLost()
    {
        AgentProcess agent;
        QVERIFY(agent.start(m_folder.filePath(u"agent2"_s)));
        for (int i = 0; i < 8; ++i) {
            const QString key = m_folder.filePath(u"other%1"_s.arg(i));
            QVERIFY(makeKey(key) && agent.add(key));
        }
        TestSession signIn(settingsFor(u"ops@"_s + m_host.address(),
                                       config({u"IdentityAgent "_s + agent.socketPath(), u"IdentityFile none"_s})));
        QVERIFY(!signIn.attempt());
        QCOMPARE(signIn.code(), ErrorCode::SignInRefused);
        QVERIFY2(signIn.error()->detail.contains(u"Too many authentication failures"_s), signIn.story().constData());
        QVERIFY2(signIn.error()->advice.contains(u"IdentitiesOnly yes"_s), signIn.story().constData());
    }
};

PILOTHOUSE_LAB_TEST_MAIN(TstLabMfa)
#include "tst_labmfa.moc"
