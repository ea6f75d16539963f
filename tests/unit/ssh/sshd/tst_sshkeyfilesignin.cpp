// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/sshdserver.h"
#include "tests/support/testmain.h"
#include "tests/unit/ssh/sshd/sessionwatch.h"

#include <QDir>
#include <QFile>

#include <sys/stat.h>

using namespace pilothouse;
using namespace pilothouse::test;
using namespace Qt::StringLiterals;

/// Sign-in by key files against a real server.
class TstSshKeyFileSignIn final : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase();
    void init();
    void key_signsIn_data();
    void key_signsIn();
    void refusedKey_isNotRepeated();
    void secondKey_isTriedAfterTheFirst();
    void encrypted_isAskedFor();
    void encrypted_threeWrongAnswersAreEnough();
    void encrypted_declinedEnds();
    void encrypted_emptyAnswerSkipsTheKey();
    void encrypted_withoutAPerson();
    void encrypted_withoutAPersonButAnotherKey();
    void encrypted_thatTheServerRefusesIsNotAskedFor();
    void batchMode_asksNobody();
    void openKey_isLeftAlone();
    void brokenKey_isLeftAlone();
    void missingPub_isNotWritten();
    void identityOption_thatIsMissing();
    void identityOption_thatIsNoFile();
    void pubkeyAuthenticationNo_offersNothing();
    void signInDeadline_stopsWhileAPersonThinks();

private:
    [[nodiscard]] bool authorize(const QString &name);
    [[nodiscard]] bool use(const QStringList &names, const QStringList &more = {});
    [[nodiscard]] bool finish(SessionWatch &watch) const;
    static Answer say(const QString &reply)
    {
        Answer answer;
        answer.accepted = true;
        answer.replies = {reply};
        return answer;
    }
    SshdServer m_server;
};

void TstSshKeyFileSignIn::initTestCase()
{
    QVERIFY2(m_server.start(), qPrintable(m_server.error()));
    QVERIFY(makeKey(m_server.path(u"secret"_s), u"open sesame"_s));
    QVERIFY(makeKey(m_server.path(u"rsa"_s), {}, u"rsa"_s, {u"-b"_s, u"2048"_s}));
    QVERIFY(makeKey(m_server.path(u"ecdsa"_s), {}, u"ecdsa"_s, {u"-b"_s, u"384"_s}));
    QVERIFY(makeKey(m_server.path(u"pem"_s), {}, u"rsa"_s, {u"-b"_s, u"2048"_s, u"-m"_s, u"PEM"_s}));
    QVERIFY(makeKey(m_server.path(u"secretpem"_s), u"open sesame"_s, u"rsa"_s,
                    {u"-b"_s, u"2048"_s, u"-m"_s, u"PEM"_s}));
    QVERIFY(makeKey(m_server.path(u"stranger"_s)));
}

void TstSshKeyFileSignIn::init()
{
    QVERIFY(authorize(u"id"_s));
    QVERIFY(m_server.writeClientConfig());
}

bool TstSshKeyFileSignIn::authorize(const QString &name)
{
    return writeFile(m_server.path(u"authorized_keys"_s), readFile(m_server.path(name) + u".pub"_s));
}

bool TstSshKeyFileSignIn::use(const QStringList &names, const QStringList &more)
{
    QStringList lines = more;
    for (const QString &name : names)
        lines += u"IdentityFile "_s + m_server.path(name);
    return m_server.writeClientConfig(lines, u"nothing"_s);
}

bool TstSshKeyFileSignIn::finish(SessionWatch &watch) const
{
    watch.session->open();
    return QTest::qWaitFor([&] { return watch.ended || watch.isReady(); }, 10'000);
}

void TstSshKeyFileSignIn::key_signsIn_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<bool>("withPub");
    for (const QString &name : {u"id"_s, u"rsa"_s, u"ecdsa"_s, u"pem"_s}) {
        QTest::addRow("%s", qPrintable(name)) << name << true;
        QTest::addRow("%s without .pub", qPrintable(name)) << name << false;
    }
}

void TstSshKeyFileSignIn::key_signsIn()
{
    QFETCH(QString, name);
    QFETCH(bool, withPub);
    QVERIFY(authorize(name));
    QString file = name;
    if (!withPub) {
        file = name + u".alone"_s;
        QVERIFY(QFile::copy(m_server.path(name), m_server.path(file)));
    }
    QVERIFY(use({file}));
    SessionWatch watch(m_server.settings());
    QVERIFY(finish(watch));
    QVERIFY2(watch.isReady(), qPrintable(watch.endText()));
    QCOMPARE(QFile::exists(m_server.path(file) + u".pub"_s), withPub); // never written by us
}

void TstSshKeyFileSignIn::refusedKey_isNotRepeated()
{
    QVERIFY(use({u"stranger"_s, u"rsa"_s}));
    SessionWatch watch(m_server.settings());
    QVERIFY(finish(watch));
    QVERIFY(watch.ended);
    QCOMPARE(watch.ended->code, ErrorCode::SignInRefused);
    const QString detail = watch.ended->detail;
    QVERIFY2(detail.contains(u"stranger (refused)"_s) && detail.contains(u"rsa (refused)"_s), qPrintable(detail));
    QVERIFY2(detail.contains(u"gpu_01"_s), qPrintable(detail));
}

void TstSshKeyFileSignIn::secondKey_isTriedAfterTheFirst()
{
    QVERIFY(use({u"nothing_here"_s, u"stranger"_s, u"id"_s}));
    SessionWatch watch(m_server.settings());
    QVERIFY(finish(watch));
    QVERIFY2(watch.isReady(), qPrintable(watch.endText()));
}

void TstSshKeyFileSignIn::encrypted_isAskedFor()
{
    for (const QString &name : {u"secret"_s, u"secretpem"_s}) {
        QVERIFY(authorize(name));
        QVERIFY(use({name}));
        ConnectionSettings settings = m_server.settings();
        settings.askPerson = true;
        SessionWatch watch(settings);
        watch.reply = [&](const Question &question) {
            return say(question.attempt == 1 ? u"wrong"_s : u"open sesame"_s);
        };
        QVERIFY(finish(watch));
        QVERIFY2(watch.isReady(), qPrintable(watch.endText()));
        QCOMPARE(watch.questions.size(), 2);
        QCOMPARE(watch.questions.at(0).kind, Question::Kind::KeyPassphrase);
        QCOMPARE(watch.questions.at(0).keyFile, m_server.path(name));
        QCOMPARE(watch.questions.at(0).attempt, 1);
        QCOMPARE(watch.questions.at(1).attempt, 2);
        QCOMPARE(watch.questions.at(0).prompts.size(), 1);
        QVERIFY(!watch.questions.at(0).prompts.at(0).echo);
        QVERIFY(watch.questions.at(0).id != watch.questions.at(1).id);
        QVERIFY(!watch.words.join(u' ').contains(u"sesame"_s));
    }
}

void TstSshKeyFileSignIn::encrypted_threeWrongAnswersAreEnough()
{
    QVERIFY(authorize(u"secret"_s));
    QVERIFY(use({u"secret"_s}));
    ConnectionSettings settings = m_server.settings();
    settings.askPerson = true;
    SessionWatch watch(settings);
    watch.reply = [](const Question &) { return say(u"wrong"_s); };
    QVERIFY(finish(watch));
    QVERIFY(watch.ended);
    QCOMPARE(watch.ended->code, ErrorCode::SignInRefused);
    QCOMPARE(watch.questions.size(), 3);
    QVERIFY2(watch.ended->detail.contains(u"wrong passphrase"_s), qPrintable(watch.ended->detail));
}

void TstSshKeyFileSignIn::encrypted_declinedEnds()
{
    QVERIFY(authorize(u"secret"_s));
    QVERIFY(use({u"secret"_s, u"id"_s}));
    ConnectionSettings settings = m_server.settings();
    settings.askPerson = true;
    SessionWatch watch(settings);
    watch.reply = [](const Question &) { return Answer(); };
    QVERIFY(finish(watch));
    QVERIFY(watch.ended);
    QCOMPARE(watch.ended->code, ErrorCode::Cancelled);
}

void TstSshKeyFileSignIn::encrypted_emptyAnswerSkipsTheKey()
{
    QVERIFY(writeFile(m_server.path(u"authorized_keys"_s),
                      readFile(m_server.path(u"secret.pub"_s)) + readFile(m_server.path(u"id.pub"_s))));
    QVERIFY(use({u"secret"_s, u"id"_s}));
    ConnectionSettings settings = m_server.settings();
    settings.askPerson = true;
    SessionWatch watch(settings);
    watch.reply = [](const Question &) { return say({}); };
    QVERIFY(finish(watch));
    QVERIFY2(watch.isReady(), qPrintable(watch.endText()));
    QCOMPARE(watch.questions.size(), 1);
}

void TstSshKeyFileSignIn::encrypted_withoutAPerson()
{
    QVERIFY(authorize(u"secret"_s));
    QVERIFY(use({u"secret"_s}));
    SessionWatch watch(m_server.settings());
    QVERIFY(finish(watch));
    QVERIFY(watch.ended);
    QCOMPARE(watch.ended->code, ErrorCode::SignInNeedsPerson);
    QVERIFY2(watch.ended->detail.contains(m_server.path(u"secret"_s)), qPrintable(watch.ended->detail));
    QVERIFY(watch.questions.isEmpty());
}

void TstSshKeyFileSignIn::encrypted_withoutAPersonButAnotherKey()
{
    QVERIFY(writeFile(m_server.path(u"authorized_keys"_s),
                      readFile(m_server.path(u"secret.pub"_s)) + readFile(m_server.path(u"id.pub"_s))));
    QVERIFY(use({u"secret"_s, u"id"_s}));
    SessionWatch watch(m_server.settings());
    QVERIFY(finish(watch));
    QVERIFY2(watch.isReady(), qPrintable(watch.endText()));
}

void TstSshKeyFileSignIn::encrypted_thatTheServerRefusesIsNotAskedFor()
{
    // Known from its .pub, and without one from the file itself.
    QVERIFY(QFile::copy(m_server.path(u"secret"_s), m_server.path(u"secret.alone"_s)));
    QVERIFY(use({u"secret"_s, u"secret.alone"_s, u"id"_s}));
    ConnectionSettings settings = m_server.settings();
    settings.askPerson = true;
    SessionWatch watch(settings);
    QVERIFY(finish(watch));
    QVERIFY2(watch.isReady(), qPrintable(watch.endText()));
    QVERIFY(watch.questions.isEmpty());
}

void TstSshKeyFileSignIn::batchMode_asksNobody()
{
    QVERIFY(authorize(u"secret"_s));
    QVERIFY(use({u"secret"_s}, {u"BatchMode yes"_s}));
    ConnectionSettings settings = m_server.settings();
    settings.askPerson = true;
    SessionWatch watch(settings);
    QVERIFY(finish(watch));
    QVERIFY(watch.ended);
    QCOMPARE(watch.ended->code, ErrorCode::SignInNeedsPerson);
}

void TstSshKeyFileSignIn::openKey_isLeftAlone()
{
    QVERIFY(QFile::copy(m_server.path(u"id"_s), m_server.path(u"open"_s)));
    QVERIFY(QFile::setPermissions(m_server.path(u"open"_s),
                                  QFile::ReadOwner | QFile::WriteOwner | QFile::ReadGroup | QFile::ReadOther));
    QVERIFY(use({u"open"_s}));
    SessionWatch watch(m_server.settings());
    QVERIFY(finish(watch));
    QVERIFY(watch.ended);
    QCOMPARE(watch.ended->code, ErrorCode::SignInRefused);
    QVERIFY2(watch.ended->detail.contains(u"others can read it"_s), qPrintable(watch.ended->detail));
}

void TstSshKeyFileSignIn::brokenKey_isLeftAlone()
{
    QVERIFY(writeFile(
        m_server.path(u"broken"_s),
        "-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----\n"));
    QVERIFY(QFile::setPermissions(m_server.path(u"broken"_s), QFile::ReadOwner | QFile::WriteOwner));
    QVERIFY(writeFile(m_server.path(u"halfbroken"_s), "no key"));
    QVERIFY(QFile::setPermissions(m_server.path(u"halfbroken"_s), QFile::ReadOwner | QFile::WriteOwner));
    QVERIFY(writeFile(m_server.path(u"halfbroken.pub"_s), readFile(m_server.path(u"id.pub"_s))));
    QVERIFY(QDir().mkpath(m_server.path(u"folder"_s)));
    QVERIFY(use({u"folder"_s, u"broken"_s, u"halfbroken"_s, u"id"_s}));
    SessionWatch watch(m_server.settings());
    QVERIFY(finish(watch));
    QVERIFY2(watch.isReady(), qPrintable(watch.endText()));
}

void TstSshKeyFileSignIn::missingPub_isNotWritten()
{
    QVERIFY(QFile::copy(m_server.path(u"id"_s), m_server.path(u"lonely"_s)));
    QVERIFY(use({u"lonely"_s}));
    SessionWatch watch(m_server.settings());
    QVERIFY(finish(watch));
    QVERIFY2(watch.isReady(), qPrintable(watch.endText()));
    QVERIFY(!QFile::exists(m_server.path(u"lonely.pub"_s)));
}

void TstSshKeyFileSignIn::identityOption_thatIsMissing()
{
    ConnectionSettings settings = m_server.settings();
    settings.identityFile = m_server.path(u"no such key"_s);
    SessionWatch watch(settings);
    QVERIFY(finish(watch));
    QVERIFY(watch.ended);
    QCOMPARE(watch.ended->code, ErrorCode::SignInRefused);
    QVERIFY2(watch.ended->detail.contains(u"no such key (no such file)"_s), qPrintable(watch.ended->detail));
}

void TstSshKeyFileSignIn::identityOption_thatIsNoFile()
{
    const QString pipe = m_server.path(u"pipe"_s);
    QCOMPARE(::mkfifo(QFile::encodeName(pipe).constData(), 0600), 0);
    ConnectionSettings settings = m_server.settings();
    settings.identityFile = pipe;
    SessionWatch watch(settings);
    QVERIFY(finish(watch));
    QVERIFY(watch.ended);
    QCOMPARE(watch.ended->code, ErrorCode::SignInRefused);
    QVERIFY2(watch.ended->detail.contains(u"pipe (it is not a file)"_s), qPrintable(watch.ended->detail));
}

void TstSshKeyFileSignIn::pubkeyAuthenticationNo_offersNothing()
{
    QVERIFY(m_server.writeClientConfig({u"PubkeyAuthentication no"_s}));
    SessionWatch watch(m_server.settings());
    QVERIFY(finish(watch));
    QVERIFY(watch.ended);
    QCOMPARE(watch.ended->code, ErrorCode::SignInRefused);
    QVERIFY2(watch.ended->detail.contains(u"nothing to offer"_s), qPrintable(watch.ended->detail));
}

void TstSshKeyFileSignIn::signInDeadline_stopsWhileAPersonThinks()
{
    QVERIFY(authorize(u"secret"_s));
    QVERIFY(use({u"secret"_s}));
    ConnectionSettings settings = m_server.settings();
    settings.askPerson = true;
    settings.signInTimeout = std::chrono::milliseconds(1'000);
    SessionWatch watch(settings);
    watch.session->open();
    QTRY_COMPARE(watch.questions.size(), 1);
    QVERIFY(!QTest::qWaitFor([&] { return watch.ended.has_value(); }, 1'600));
    Answer answer = say(u"open sesame"_s);
    answer.questionId = watch.questions.constFirst().id;
    watch.session->answer(answer);
    QTRY_VERIFY2(watch.isReady(), qPrintable(watch.endText()));
}

PILOTHOUSE_TEST_MAIN(TstSshKeyFileSignIn)
#include "tst_sshkeyfilesignin.moc"
