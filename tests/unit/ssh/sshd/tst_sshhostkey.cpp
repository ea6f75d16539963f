// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/sshdserver.h"
#include "tests/support/testmain.h"
#include "tests/unit/ssh/sshd/sessionwatch.h"

#include <QFile>

using namespace pilothouse;
using namespace pilothouse::test;
using namespace Qt::StringLiterals;

/// Host keys against a real server that has three of them.
class TstSshHostKey final : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase();
    void init();
    void known_connectsWithoutAQuestion_data();
    void known_connectsWithoutAQuestion();
    void unknown_isAskedForAndStored();
    void unknown_isAcceptedOnceWithoutStoring();
    void unknown_declinedEndsAsCancelled();
    void unknown_withoutAPersonIsSaid();
    void unknown_acceptNewStoresIt();
    void unknown_acceptNewThatCannotStoreIsAnError();
    void unknown_strictHostKeyCheckingOfTheConfigurationAcceptsNothing_data();
    void unknown_strictHostKeyCheckingOfTheConfigurationAcceptsNothing();
    void unknown_strictYesIsNotAskedFor();
    void unknown_takesItsTimeWithoutADeadline();
    void changed_isRefusedWithFileAndLine_data();
    void changed_isRefusedWithFileAndLine();
    void revoked_isRefused();
    void otherType_isNotAskedForWhenOneIsKnown();
    void certificateAuthorityOnly_isUnknownWithANote();
    void hostKeyAlias_isWhatCounts();
    void knownHostsOption_replacesTheFiles();
    void unreadableKnownHosts_isALocalError();
    void answers_toOtherQuestionsAreIgnored();

private:
    [[nodiscard]] QString file() const { return m_server.path(u"known_hosts"_s); }
    [[nodiscard]] QByteArray name() const { return "[127.0.0.1]:" + QByteArray::number(m_server.port()); }
    [[nodiscard]] QByteArray keyOf(const QString &keyFile) const;
    void setKnown(const QByteArray &lines) { QVERIFY(writeFile(file(), lines)); }
    [[nodiscard]] QString fingerprintOf(const QString &keyFile) const;
    [[nodiscard]] bool finish(SessionWatch &watch) const;

    SshdServer m_server;
};

void TstSshHostKey::initTestCase()
{
    QVERIFY2(m_server.start(), qPrintable(m_server.error()));
    QVERIFY(makeKey(m_server.path(u"stranger"_s)));
    QVERIFY(makeKey(m_server.path(u"rsa"_s), {}, u"rsa"_s, {u"-b"_s, u"2048"_s}));
    m_server.stop();
    // A second key type, so that what is known decides what is asked for.
    m_server.addConfig({u"HostKey "_s + m_server.path(u"rsa"_s)});
    QVERIFY2(m_server.start(), qPrintable(m_server.error()));
}

void TstSshHostKey::init()
{
    QVERIFY(m_server.writeClientConfig());
    setKnown(name() + ' ' + m_server.hostKeyLine() + '\n');
}

QByteArray TstSshHostKey::keyOf(const QString &keyFile) const
{
    const QList<QByteArray> parts = readFile(m_server.path(keyFile) + u".pub"_s).split(' ');
    return parts.value(0) + ' ' + parts.value(1).trimmed();
}

QString TstSshHostKey::fingerprintOf(const QString &keyFile) const
{
    return runTool(u"ssh-keygen"_s, {u"-lf"_s, m_server.path(keyFile) + u".pub"_s}).section(u' ', 1, 1);
}

bool TstSshHostKey::finish(SessionWatch &watch) const
{
    watch.session->open();
    return QTest::qWaitFor([&] { return watch.ended || watch.isReady(); }, 10'000);
}

void TstSshHostKey::known_connectsWithoutAQuestion_data()
{
    QTest::addColumn<QString>("how");
    QTest::newRow("plain") << u"plain"_s;
    QTest::newRow("hashed") << u"hashed"_s;
    QTest::newRow("second file") << u"second"_s;
    QTest::newRow("wildcard") << u"wildcard"_s;
    QTest::newRow("by its rsa key") << u"rsa"_s;
}

void TstSshHostKey::known_connectsWithoutAQuestion()
{
    QFETCH(QString, how);
    if (how == "hashed"_L1) {
        bool ok = false;
        const QString output = runTool(u"ssh-keygen"_s, {u"-q"_s, u"-H"_s, u"-f"_s, file()}, &ok);
        QVERIFY2(ok, qPrintable(output));
        QVERIFY(readFile(file()).startsWith("|1|"));
    } else if (how == "second"_L1) {
        QVERIFY(QFile::copy(file(), m_server.path(u"known_hosts2"_s)));
        setKnown("# nothing here\n");
        QVERIFY(m_server.writeClientConfig(
            {u"UserKnownHostsFile %1 %2"_s.arg(file(), m_server.path(u"known_hosts2"_s))}));
    } else if (how == "wildcard"_L1) {
        setKnown("[127.0.0.*]:" + QByteArray::number(m_server.port()) + ' ' + m_server.hostKeyLine() + '\n');
    } else if (how == "rsa"_L1) {
        setKnown(name() + ' ' + keyOf(u"rsa"_s) + '\n');
    }
    SessionWatch watch(m_server.settings());
    QVERIFY(finish(watch));
    QVERIFY2(watch.isReady(), qPrintable(watch.endText()));
    QVERIFY(watch.questions.isEmpty());
}

void TstSshHostKey::unknown_isAskedForAndStored()
{
    setKnown("# mine\n");
    ConnectionSettings settings = m_server.settings();
    settings.askPerson = true;
    SessionWatch watch(settings);
    watch.reply = [](const Question &) {
        Answer answer;
        answer.accepted = true;
        return answer;
    };
    QVERIFY(finish(watch));
    QVERIFY2(watch.isReady(), qPrintable(watch.endText()));
    QCOMPARE(watch.questions.size(), 1);
    const Question question = watch.questions.constFirst();
    QCOMPARE(question.kind, Question::Kind::UnknownHostKey);
    QCOMPARE(question.host, u"gpu_01 ([127.0.0.1]:%1)"_s.arg(m_server.port()));
    QCOMPARE(question.keyType, u"ED25519"_s);
    QCOMPARE(question.fingerprint, fingerprintOf(u"host"_s));
    QCOMPARE(question.knownHostsFile, file());
    QCOMPARE(readFile(file()), "# mine\n" + name() + ' ' + m_server.hostKeyLine() + '\n');

    // And OpenSSH reads what we wrote.
    bool ok = false;
    const QString output = runTool(u"ssh-keygen"_s, {u"-F"_s, QString::fromLatin1(name()), u"-f"_s, file()}, &ok);
    QVERIFY2(ok, qPrintable(output));

    SessionWatch again(m_server.settings());
    QVERIFY(finish(again));
    QVERIFY2(again.isReady(), qPrintable(again.endText()));
}

void TstSshHostKey::unknown_isAcceptedOnceWithoutStoring()
{
    setKnown({});
    ConnectionSettings settings = m_server.settings();
    settings.askPerson = true;
    SessionWatch watch(settings);
    watch.reply = [](const Question &) {
        Answer answer;
        answer.accepted = true;
        answer.store = false;
        return answer;
    };
    QVERIFY(finish(watch));
    QVERIFY2(watch.isReady(), qPrintable(watch.endText()));
    QCOMPARE(readFile(file()), QByteArray());
}

void TstSshHostKey::unknown_declinedEndsAsCancelled()
{
    setKnown({});
    ConnectionSettings settings = m_server.settings();
    settings.askPerson = true;
    SessionWatch watch(settings);
    watch.reply = [](const Question &) { return Answer(); };
    QVERIFY(finish(watch));
    QVERIFY(watch.ended);
    QCOMPARE(watch.ended->code, ErrorCode::Cancelled);
    QCOMPARE(readFile(file()), QByteArray());
    QVERIFY(!watch.states.contains(SshSession::State::SigningIn));
}

void TstSshHostKey::unknown_withoutAPersonIsSaid()
{
    setKnown({});
    SessionWatch watch(m_server.settings());
    QVERIFY(finish(watch));
    QVERIFY(watch.ended);
    QCOMPARE(watch.ended->code, ErrorCode::HostKeyUnknown);
    QVERIFY2(watch.ended->detail.contains(fingerprintOf(u"host"_s)), qPrintable(watch.ended->detail));
    QVERIFY(watch.questions.isEmpty());
    QVERIFY(!watch.states.contains(SshSession::State::SigningIn));
}

void TstSshHostKey::unknown_acceptNewStoresIt()
{
    setKnown({});
    QVERIFY(m_server.writeClientConfig({u"HashKnownHosts yes"_s}));
    ConnectionSettings settings = m_server.settings();
    settings.acceptNewHostKey = true;
    SessionWatch watch(settings);
    QVERIFY(finish(watch));
    QVERIFY2(watch.isReady(), qPrintable(watch.endText()));
    QVERIFY(readFile(file()).startsWith("|1|"));
    SessionWatch again(m_server.settings());
    QVERIFY(finish(again));
    QVERIFY2(again.isReady(), qPrintable(again.endText()));
}

void TstSshHostKey::unknown_acceptNewThatCannotStoreIsAnError()
{
    ConnectionSettings settings = m_server.settings();
    settings.acceptNewHostKey = true;
    settings.knownHostsFile = u"/proc/known_hosts"_s;
    SessionWatch watch(settings);
    QVERIFY(finish(watch));
    QVERIFY(watch.ended);
    QCOMPARE(watch.ended->code, ErrorCode::LocalIo);
}

void TstSshHostKey::unknown_strictHostKeyCheckingOfTheConfigurationAcceptsNothing_data()
{
    QTest::addColumn<QString>("value");
    QTest::newRow("no") << u"no"_s;
    QTest::newRow("accept-new") << u"accept-new"_s;
    QTest::newRow("off") << u"off"_s;
}

void TstSshHostKey::unknown_strictHostKeyCheckingOfTheConfigurationAcceptsNothing()
{
    QFETCH(QString, value);
    setKnown({});
    QVERIFY(m_server.writeClientConfig({u"StrictHostKeyChecking "_s + value}));
    SessionWatch watch(m_server.settings());
    QVERIFY(finish(watch));
    QVERIFY(watch.ended);
    QCOMPARE(watch.ended->code, ErrorCode::HostKeyUnknown);
    QCOMPARE(readFile(file()), QByteArray());
}

void TstSshHostKey::unknown_strictYesIsNotAskedFor()
{
    setKnown({});
    QVERIFY(m_server.writeClientConfig({u"StrictHostKeyChecking yes"_s}));
    ConnectionSettings settings = m_server.settings();
    settings.askPerson = true;
    SessionWatch watch(settings);
    QVERIFY(finish(watch));
    QVERIFY(watch.ended);
    QCOMPARE(watch.ended->code, ErrorCode::HostKeyUnknown);
    QVERIFY(watch.questions.isEmpty());
}

void TstSshHostKey::unknown_takesItsTimeWithoutADeadline()
{
    setKnown({});
    ConnectionSettings settings = m_server.settings();
    settings.askPerson = true;
    settings.connectTimeout = std::chrono::milliseconds(900);
    settings.signInTimeout = std::chrono::milliseconds(900);
    SessionWatch watch(settings);
    watch.session->open();
    QTRY_COMPARE(watch.questions.size(), 1);
    QVERIFY(!QTest::qWaitFor([&] { return watch.ended.has_value(); }, 1'500));
    Answer answer;
    answer.questionId = watch.questions.constFirst().id;
    answer.accepted = true;
    watch.session->answer(answer);
    QTRY_VERIFY2(watch.isReady(), qPrintable(watch.endText()));
}

void TstSshHostKey::changed_isRefusedWithFileAndLine_data()
{
    QTest::addColumn<QString>("option");
    QTest::newRow("as it is") << QString();
    QTest::newRow("accept new") << u"accept"_s;
    QTest::newRow("ask") << u"ask"_s;
    QTest::newRow("strict no") << u"StrictHostKeyChecking no"_s;
}

void TstSshHostKey::changed_isRefusedWithFileAndLine()
{
    QFETCH(QString, option);
    const QByteArray before = "# one\n" + name() + ' ' + keyOf(u"stranger"_s) + '\n';
    setKnown(before);
    ConnectionSettings settings = m_server.settings();
    settings.acceptNewHostKey = option == "accept"_L1;
    settings.askPerson = option == "ask"_L1;
    if (option.startsWith(u"Strict"_s))
        QVERIFY(m_server.writeClientConfig({option}));
    SessionWatch watch(settings);
    QVERIFY(finish(watch));
    QVERIFY(watch.ended);
    QCOMPARE(watch.ended->code, ErrorCode::HostKeyChanged);
    const QString detail = watch.ended->detail;
    QVERIFY2(detail.contains(fingerprintOf(u"host"_s))
                 && detail.contains(fingerprintOf(u"stranger"_s)),
             qPrintable(detail));
    QVERIFY2(detail.contains(file()) && detail.contains(u"2"_s), qPrintable(detail));
    QVERIFY(watch.questions.isEmpty());
    QCOMPARE(readFile(file()), before);
    QVERIFY(!watch.states.contains(SshSession::State::SigningIn));
}

void TstSshHostKey::revoked_isRefused()
{
    setKnown(name() + ' ' + m_server.hostKeyLine() + "\n@revoked * " + m_server.hostKeyLine() + '\n');
    ConnectionSettings settings = m_server.settings();
    settings.askPerson = true;
    settings.acceptNewHostKey = true;
    SessionWatch watch(settings);
    QVERIFY(finish(watch));
    QVERIFY(watch.ended);
    QCOMPARE(watch.ended->code, ErrorCode::HostKeyRevoked);
    QVERIFY(watch.questions.isEmpty());
}

void TstSshHostKey::otherType_isNotAskedForWhenOneIsKnown()
{
    // The ed25519 key of another machine, and the right rsa key: what is known first is asked for first, and refused.
    setKnown(name() + ' ' + keyOf(u"rsa"_s) + '\n');
    QVERIFY(m_server.writeClientConfig({u"HostKeyAlgorithms ssh-ed25519,rsa-sha2-512"_s}));
    SessionWatch watch(m_server.settings());
    QVERIFY(finish(watch));
    QVERIFY2(watch.isReady(), qPrintable(watch.endText()));
}

void TstSshHostKey::certificateAuthorityOnly_isUnknownWithANote()
{
    setKnown("@cert-authority * " + keyOf(u"stranger"_s) + '\n');
    SessionWatch watch(m_server.settings());
    QVERIFY(finish(watch));
    QVERIFY(watch.ended);
    QCOMPARE(watch.ended->code, ErrorCode::HostKeyUnknown);
    QVERIFY2(watch.ended->detail.contains(u"certif"_s), qPrintable(watch.ended->detail));
}

void TstSshHostKey::hostKeyAlias_isWhatCounts()
{
    setKnown("rack-3 " + m_server.hostKeyLine() + '\n');
    QVERIFY(m_server.writeClientConfig({u"HostKeyAlias rack-3"_s}));
    SessionWatch watch(m_server.settings());
    QVERIFY(finish(watch));
    QVERIFY2(watch.isReady(), qPrintable(watch.endText()));
}

void TstSshHostKey::knownHostsOption_replacesTheFiles()
{
    QVERIFY(writeFile(m_server.path(u"empty"_s), {}));
    ConnectionSettings settings = m_server.settings();
    settings.knownHostsFile = m_server.path(u"empty"_s);
    SessionWatch watch(settings);
    QVERIFY(finish(watch));
    QVERIFY(watch.ended);
    QCOMPARE(watch.ended->code, ErrorCode::HostKeyUnknown);

    settings.acceptNewHostKey = true;
    SessionWatch storing(settings);
    QVERIFY(finish(storing));
    QVERIFY2(storing.isReady(), qPrintable(storing.endText()));
    QVERIFY(readFile(m_server.path(u"empty"_s)).contains(m_server.hostKeyLine()));
}

void TstSshHostKey::unreadableKnownHosts_isALocalError()
{
    QVERIFY(m_server.writeClientConfig({u"UserKnownHostsFile "_s + m_server.path(u""_s)}));
    SessionWatch watch(m_server.settings());
    QVERIFY(finish(watch));
    QVERIFY(watch.ended);
    QCOMPARE(watch.ended->code, ErrorCode::LocalIo);
    const QString sentence = sentenceOf(*watch.ended); // which file, why, and what to do
    QVERIFY2(sentence.contains(u" cannot be read: it is not a file. "_s), qPrintable(sentence));
    QVERIFY2(sentence.contains(u"Make it readable, or name others with UserKnownHostsFile"_s), qPrintable(sentence));
}

void TstSshHostKey::answers_toOtherQuestionsAreIgnored()
{
    setKnown({});
    ConnectionSettings settings = m_server.settings();
    settings.askPerson = true;
    SessionWatch watch(settings);
    Answer early;
    early.accepted = true;
    watch.session->answer(early);
    watch.session->open();
    QTRY_COMPARE(watch.questions.size(), 1);
    Answer wrong;
    wrong.accepted = true;
    wrong.questionId = watch.questions.constFirst().id + 1;
    watch.session->answer(wrong);
    QCoreApplication::processEvents();
    QCOMPARE(watch.session->state(), SshSession::State::CheckingHostKey);
    Answer right;
    right.accepted = true;
    right.questionId = watch.questions.constFirst().id;
    watch.session->answer(right);
    right.accepted = false;
    watch.session->answer(right); // the question is answered: too late
    QTRY_VERIFY2(watch.isReady(), qPrintable(watch.endText()));
}

PILOTHOUSE_TEST_MAIN(TstSshHostKey)
#include "tst_sshhostkey.moc"
