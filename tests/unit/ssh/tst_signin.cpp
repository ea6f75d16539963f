// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/testmain.h"
#include "tests/unit/ssh/corefixture.h"

#include <QElapsedTimer>

using namespace pilothouse;
using namespace pilothouse::test;
using namespace std::chrono_literals;
using namespace Qt::StringLiterals;

/// The ways to sign in and their order, over a scripted libssh.
class TstSignIn final : public QObject
{
    Q_OBJECT
private slots:
    void init();
    void cleanup() { m_fixture.reset(); }
    void none_mayBeEnough();
    void none_againIsCalledAgain();
    void none_errorIsSaid();
    void methods_followTheConfiguration_data();
    void methods_followTheConfiguration();
    void partial_goesOnWithWhatIsLeft();
    void partial_makesEachMethodUsableAgain_data();
    void partial_makesEachMethodUsableAgain();
    void partial_withoutAnEndIsEnded();
    void password_isAskedAndWiped();
    void password_threeTimes();
    void password_againKeepsTheSamePassword();
    void password_withoutAPerson();
    void password_declined();
    void interactive_asksAllPromptsOfARound();
    void interactive_emptyRoundIsAnsweredAtOnce();
    void interactive_isAskedAgainAfterAWrongAnswer();
    void interactive_withoutAPerson();
    void interactive_declined();
    void hangUpAfterOffers_isARefusal_data();
    void hangUpAfterOffers_isARefusal();
    void key_againKeepsItsPlace();
    void key_signatureRefused();
    void key_withoutPublicHalfIsLoadedFirst();
    void key_pubOfAnotherKindOfErrorIsPassedOver();
    void interactive_roundsOfOneAttemptAreNotWrongAnswers();
    void interactive_withoutAnEndIsEnded_data();
    void interactive_withoutAnEndIsEnded();

private:
    [[nodiscard]] bool finish()
    {
        return QTest::qWaitFor([&] {
            return m_fixture->ended || m_fixture->core->state() == SshSession::State::Ready;
        });
    }
    [[nodiscard]] bool isReady() const
    {
        return m_fixture->core->state() == SshSession::State::Ready && !m_fixture->ended;
    }
    std::unique_ptr<CoreFixture> m_fixture;
};

void TstSignIn::init()
{
    m_fixture = std::make_unique<CoreFixture>();
}

void TstSignIn::none_mayBeEnough()
{
    m_fixture->api->script("authNone", {SSH_AUTH_SUCCESS});
    m_fixture->open();
    QVERIFY(finish() && isReady());
    QCOMPARE(m_fixture->api->count("authTryPublicKey"), 0);
}

void TstSignIn::none_againIsCalledAgain()
{
    m_fixture->api->script("authNone", {SSH_AUTH_AGAIN, SSH_AUTH_AGAIN, SSH_AUTH_DENIED});
    m_fixture->open();
    for (int i = 1; i < 3; ++i) {
        QTRY_COMPARE(m_fixture->api->count("authNone"), i);
        m_fixture->poke();
    }
    QVERIFY(finish() && isReady());
    QCOMPARE(m_fixture->api->count("authNone"), 3);
    QCOMPARE(m_fixture->api->count("authMethods"), 1);
}

void TstSignIn::none_errorIsSaid()
{
    m_fixture->api->script("authNone", {SSH_AUTH_ERROR});
    m_fixture->open();
    QVERIFY(finish() && !isReady());
    QCOMPARE(m_fixture->ended->code, ErrorCode::HandshakeFailed);
}

void TstSignIn::methods_followTheConfiguration_data()
{
    QTest::addColumn<QStringList>("preferred");
    QTest::addColumn<int>("offered");
    QTest::addColumn<QString>("asked");
    constexpr int all = SSH_AUTH_METHOD_PUBLICKEY | SSH_AUTH_METHOD_PASSWORD | SSH_AUTH_METHOD_INTERACTIVE;
    QTest::newRow("default") << QStringList() << all << u"key interactive password"_s;
    QTest::newRow("password first") << QStringList{u"password"_s, u"publickey"_s} << all << u"password key"_s;
    QTest::newRow("server takes keys only") << QStringList() << int(SSH_AUTH_METHOD_PUBLICKEY) << u"key"_s;
    QTest::newRow("unknown names")
        << QStringList{u"gssapi-with-mic"_s, u"hostbased"_s, u"publickey"_s} << all << u"key"_s;
    QTest::newRow("nothing in common") << QStringList{u"password"_s} << int(SSH_AUTH_METHOD_PUBLICKEY) << QString();
}

void TstSignIn::methods_followTheConfiguration()
{
    QFETCH(QStringList, preferred);
    QFETCH(int, offered);
    QFETCH(QString, asked);
    m_fixture->host.preferredAuthentications = preferred;
    m_fixture->settings.askPerson = true;
    m_fixture->api->methods = offered;
    m_fixture->api->prompts = {"Code:"};
    m_fixture->api->script("authTryPublicKey", {SSH_AUTH_DENIED});
    m_fixture->api->script("authPassword", {SSH_AUTH_DENIED, SSH_AUTH_DENIED, SSH_AUTH_DENIED});
    m_fixture->api->script("authInteractive", {SSH_AUTH_DENIED});
    QStringList order;
    m_fixture->make();
    m_fixture->onState = [&](SshSession::State, const QString &words) {
        if (words.startsWith(u"signing in with"_s))
            order += u"key"_s;
    };
    m_fixture->onQuestion = [&](const Question &) {
        if (!order.contains(u"password"_s))
            order += u"password"_s;
        m_fixture->answer({u"x"_s});
    };
    m_fixture->core->open();
    QVERIFY(finish() && !isReady());
    if (m_fixture->api->count("authInteractive") > 0)
        order.insert(order.indexOf(u"password"_s), u"interactive"_s);
    QCOMPARE(order.join(u' '), asked);
    QCOMPARE(m_fixture->ended->code, ErrorCode::SignInRefused);
}

void TstSignIn::partial_goesOnWithWhatIsLeft()
{
    m_fixture->settings.askPerson = true;
    m_fixture->api->script("authPublicKey", {SSH_AUTH_PARTIAL});
    m_fixture->api->script("authMethods", {SSH_AUTH_METHOD_PUBLICKEY,
                                           SSH_AUTH_METHOD_PASSWORD | SSH_AUTH_METHOD_PUBLICKEY});
    m_fixture->make();
    m_fixture->onQuestion = [&](const Question &) { m_fixture->answer({u"pw"_s}); };
    m_fixture->core->open();
    QVERIFY(finish() && isReady());
    QCOMPARE(m_fixture->api->count("authPublicKey"), 1);
    QCOMPARE(m_fixture->api->count("authPassword"), 1);
}

void TstSignIn::partial_makesEachMethodUsableAgain_data()
{
    QTest::addColumn<int>("methods");
    QTest::addColumn<QByteArray>("call");
    QTest::newRow("a second password") << int(SSH_AUTH_METHOD_PASSWORD) << QByteArray("authPassword");
    QTest::newRow("further questions") << int(SSH_AUTH_METHOD_INTERACTIVE) << QByteArray("authInteractive");
}

void TstSignIn::partial_makesEachMethodUsableAgain()
{
    QFETCH(const int, methods);
    QFETCH(const QByteArray, call);
    m_fixture->settings.askPerson = true;
    m_fixture->api->methods = methods;
    m_fixture->api->script(call, {SSH_AUTH_PARTIAL}); // keys: tst_agentoffer
    m_fixture->make();
    m_fixture->onQuestion = [&](const Question &question) {
        QCOMPARE(question.attempt, 1); // what was given before was right
        m_fixture->answer({u"x"_s});
    };
    m_fixture->core->open();
    QVERIFY(finish());
    QVERIFY2(isReady(), qPrintable(m_fixture->endText()));
    QCOMPARE(m_fixture->api->count(call), 2);
}

void TstSignIn::partial_withoutAnEndIsEnded()
{
    m_fixture->settings.askPerson = false;
    m_fixture->api->methods = SSH_AUTH_METHOD_INTERACTIVE;
    for (int i = 0; i < 50; ++i)
        m_fixture->api->script("authInteractive", {SSH_AUTH_PARTIAL});
    m_fixture->open();
    QVERIFY(finish() && !isReady());
    QCOMPARE(m_fixture->ended->code, ErrorCode::SignInRefused);
    QVERIFY2(m_fixture->endText().contains(u"wants more without an end"_s), qPrintable(m_fixture->endText()));
    QCOMPARE(m_fixture->api->count("authInteractive"), 11);
}

void TstSignIn::password_isAskedAndWiped()
{
    m_fixture->settings.askPerson = true;
    m_fixture->api->methods = SSH_AUTH_METHOD_PASSWORD;
    m_fixture->open();
    QTRY_COMPARE(m_fixture->questions.size(), 1);
    const Question question = m_fixture->questions.constFirst();
    QCOMPARE(question.kind, Question::Kind::Password);
    QCOMPARE(question.host, u"root@gpu1 (10.0.0.5)"_s);
    QCOMPARE(question.prompts.size(), 1);
    QVERIFY(!question.prompts.constFirst().echo);
    const QString secret = QString::fromLatin1("hunter2");
    m_fixture->answer({secret});
    QVERIFY(finish() && isReady());
    QCOMPARE(m_fixture->api->password, "hunter2");
    QVERIFY(!secret.contains(u'h')); // the very buffer that was handed over
}

void TstSignIn::password_threeTimes()
{
    m_fixture->settings.askPerson = true;
    m_fixture->api->methods = SSH_AUTH_METHOD_PASSWORD;
    m_fixture->api->script("authPassword", {SSH_AUTH_DENIED, SSH_AUTH_DENIED, SSH_AUTH_DENIED});
    m_fixture->make();
    m_fixture->onQuestion = [&](const Question &question) {
        QCOMPARE(question.attempt, m_fixture->questions.size());
        m_fixture->answer({u"wrong"_s});
    };
    m_fixture->core->open();
    QVERIFY(finish() && !isReady());
    QCOMPARE(m_fixture->ended->code, ErrorCode::SignInRefused);
    QCOMPARE(m_fixture->questions.size(), 3);
    QVERIFY(!m_fixture->endText().contains(u"wrong"_s));
}

void TstSignIn::password_againKeepsTheSamePassword()
{
    m_fixture->settings.askPerson = true;
    m_fixture->api->methods = SSH_AUTH_METHOD_PASSWORD;
    m_fixture->api->script("authPassword", {SSH_AUTH_AGAIN, SSH_AUTH_SUCCESS});
    m_fixture->make();
    m_fixture->onQuestion = [&](const Question &) { m_fixture->answer({u"pw"_s}); };
    m_fixture->core->open();
    QTRY_COMPARE(m_fixture->api->count("authPassword"), 1);
    m_fixture->api->password.clear();
    m_fixture->poke();
    QVERIFY(finish() && isReady());
    QCOMPARE(m_fixture->api->password, "pw");
    QCOMPARE(m_fixture->questions.size(), 1);
}

void TstSignIn::password_withoutAPerson()
{
    m_fixture->api->methods = SSH_AUTH_METHOD_PASSWORD | SSH_AUTH_METHOD_PUBLICKEY;
    m_fixture->api->script("authTryPublicKey", {SSH_AUTH_DENIED});
    m_fixture->open();
    QVERIFY(finish() && !isReady());
    QCOMPARE(m_fixture->ended->code, ErrorCode::SignInNeedsPerson);
    QVERIFY2(m_fixture->ended->detail.contains(u"password"_s) && m_fixture->ended->detail.contains(u"id (refused)"_s),
             qPrintable(m_fixture->ended->detail));
    QVERIFY(m_fixture->questions.isEmpty());
}

void TstSignIn::password_declined()
{
    m_fixture->settings.askPerson = true;
    m_fixture->api->methods = SSH_AUTH_METHOD_PASSWORD;
    m_fixture->open();
    QTRY_COMPARE(m_fixture->questions.size(), 1);
    m_fixture->answer({}, false);
    QVERIFY(finish() && !isReady());
    QCOMPARE(m_fixture->ended->code, ErrorCode::Cancelled);
    QCOMPARE(m_fixture->api->count("authPassword"), 0);
}

void TstSignIn::interactive_asksAllPromptsOfARound()
{
    m_fixture->settings.askPerson = true;
    m_fixture->api->methods = SSH_AUTH_METHOD_INTERACTIVE;
    m_fixture->api->prompts = {"Password\x1b: ", "Code: "};
    m_fixture->api->script("authInteractive", {SSH_AUTH_AGAIN, SSH_AUTH_INFO, SSH_AUTH_AGAIN, SSH_AUTH_SUCCESS});
    m_fixture->open();
    QTRY_COMPARE(m_fixture->api->count("authInteractive"), 1);
    m_fixture->poke();
    QTRY_COMPARE(m_fixture->questions.size(), 1);
    const Question question = m_fixture->questions.constFirst();
    QCOMPARE(question.kind, Question::Kind::KeyboardInteractive);
    QCOMPARE(question.title, u"name"_s);
    QCOMPARE(question.instruction, u"do this"_s);
    QCOMPARE(question.prompts.size(), 2);
    QCOMPARE(question.prompts.at(0).text, u"Password␛: "_s);
    QVERIFY(!question.prompts.at(0).echo);
    QVERIFY(question.prompts.at(1).echo);
    QTest::qWait(5);
    QCOMPARE(m_fixture->api->count("authInteractive"), 2); // nothing while the person thinks
    m_fixture->answer({u"pw"_s, u"123"_s});
    QTRY_COMPARE(m_fixture->api->count("authInteractive"), 3);
    m_fixture->poke();
    QVERIFY(finish() && isReady());
    QCOMPARE(m_fixture->api->answers, (QByteArrayList{"pw", "123"}));
}

void TstSignIn::interactive_emptyRoundIsAnsweredAtOnce()
{
    m_fixture->api->methods = SSH_AUTH_METHOD_INTERACTIVE;
    m_fixture->api->script("authInteractive", {SSH_AUTH_INFO, SSH_AUTH_SUCCESS});
    m_fixture->open();
    QVERIFY(finish() && isReady());
    QVERIFY(m_fixture->questions.isEmpty());
}

void TstSignIn::interactive_isAskedAgainAfterAWrongAnswer()
{
    m_fixture->settings.askPerson = true;
    m_fixture->api->methods = SSH_AUTH_METHOD_INTERACTIVE;
    m_fixture->api->prompts = {"Code: "};
    m_fixture->api->script("authInteractive", {SSH_AUTH_INFO, SSH_AUTH_DENIED, SSH_AUTH_INFO, SSH_AUTH_DENIED,
                                               SSH_AUTH_INFO, SSH_AUTH_DENIED, SSH_AUTH_INFO});
    m_fixture->make();
    m_fixture->onQuestion = [&](const Question &question) {
        QCOMPARE(question.attempt, m_fixture->questions.size());
        m_fixture->answer({u"1"_s});
    };
    m_fixture->core->open();
    QVERIFY(finish() && !isReady());
    QCOMPARE(m_fixture->questions.size(), 3);
    QCOMPARE(m_fixture->ended->code, ErrorCode::SignInRefused);
}

void TstSignIn::interactive_withoutAPerson()
{
    m_fixture->api->methods = SSH_AUTH_METHOD_INTERACTIVE;
    m_fixture->api->prompts = {"Code: "};
    m_fixture->api->script("authInteractive", {SSH_AUTH_INFO});
    m_fixture->open();
    QVERIFY(finish() && !isReady());
    QCOMPARE(m_fixture->ended->code, ErrorCode::SignInNeedsPerson);
}

void TstSignIn::interactive_declined()
{
    m_fixture->settings.askPerson = true;
    m_fixture->api->methods = SSH_AUTH_METHOD_INTERACTIVE;
    m_fixture->api->prompts = {"Code: "};
    m_fixture->api->script("authInteractive", {SSH_AUTH_INFO});
    m_fixture->open();
    QTRY_COMPARE(m_fixture->questions.size(), 1);
    m_fixture->answer({}, false);
    QVERIFY(finish() && !isReady());
    QCOMPARE(m_fixture->ended->code, ErrorCode::Cancelled);
    QVERIFY(m_fixture->api->answers.isEmpty());
}

void TstSignIn::hangUpAfterOffers_isARefusal_data()
{
    QTest::addColumn<QByteArray>("error");
    QTest::addColumn<bool>("offered");
    QTest::addColumn<ErrorCode>("code");
    QTest::newRow("too many failures") << QByteArray("Received SSH_MSG_DISCONNECT: 2:Too many authentication failures")
                                       << true << ErrorCode::SignInRefused;
    QTest::newRow("the link breaks, one try")
        << QByteArray("Socket error: disconnected") << true << ErrorCode::ConnectionLost;
    QTest::newRow("before any offer") << QByteArray("Received SSH_MSG_DISCONNECT: 11:bye") << false
                                      << ErrorCode::ConnectionLost;
}

void TstSignIn::hangUpAfterOffers_isARefusal()
{
    QFETCH(QByteArray, error);
    QFETCH(bool, offered);
    QFETCH(ErrorCode, code);
    m_fixture->settings.askPerson = true;
    m_fixture->api->error = error;
    m_fixture->api->methods = SSH_AUTH_METHOD_PASSWORD;
    m_fixture->api->script("authPassword", {SSH_AUTH_AGAIN, SSH_AUTH_AGAIN});
    m_fixture->api->script("authNone",
                           offered ? std::initializer_list<int>{}
                                   : std::initializer_list<int>{SSH_AUTH_AGAIN, SSH_AUTH_AGAIN});
    m_fixture->make();
    m_fixture->onQuestion = [&](const Question &) { m_fixture->answer({u"pw"_s}); };
    m_fixture->core->open();
    QTRY_COMPARE(m_fixture->api->count(offered ? "authPassword" : "authNone"), 1);
    m_fixture->loseLink();
    QVERIFY(finish() && !isReady());
    QCOMPARE(m_fixture->ended->code, code);
}

void TstSignIn::key_againKeepsItsPlace()
{
    m_fixture->api->script("authTryPublicKey", {SSH_AUTH_AGAIN, SSH_AUTH_SUCCESS});
    m_fixture->api->script("authPublicKey", {SSH_AUTH_AGAIN, SSH_AUTH_AGAIN, SSH_AUTH_SUCCESS});
    m_fixture->open();
    QTRY_COMPARE(m_fixture->api->count("authTryPublicKey"), 1);
    m_fixture->poke();
    QTRY_COMPARE(m_fixture->api->count("authPublicKey"), 1);
    m_fixture->poke();
    QTRY_COMPARE(m_fixture->api->count("authPublicKey"), 2);
    m_fixture->poke();
    QVERIFY(finish() && isReady());
    QCOMPARE(m_fixture->api->count("importPrivateKeyFile"), 1);
    QCOMPARE(m_fixture->api->keys, 0);
}

void TstSignIn::key_signatureRefused()
{
    m_fixture->api->script("authPublicKey", {SSH_AUTH_DENIED});
    m_fixture->open();
    QVERIFY(finish() && !isReady());
    QCOMPARE(m_fixture->ended->code, ErrorCode::SignInRefused);
    m_fixture = std::make_unique<CoreFixture>();
    m_fixture->api->script("authPublicKey", {SSH_AUTH_ERROR});
    m_fixture->open();
    QVERIFY(finish() && !isReady());
    QVERIFY2(m_fixture->ended->detail.contains(u"cannot sign"_s), qPrintable(m_fixture->ended->detail));
    QCOMPARE(m_fixture->api->keys, 0);
}

void TstSignIn::key_withoutPublicHalfIsLoadedFirst()
{
    m_fixture->api->publicKeys.clear();
    m_fixture->open();
    QVERIFY(finish() && isReady());
    QCOMPARE(m_fixture->api->count("authTryPublicKey"), 0);
    QCOMPARE(m_fixture->api->count("authPublicKey"), 1);
}

void TstSignIn::key_pubOfAnotherKindOfErrorIsPassedOver()
{
    m_fixture->api->script("authTryPublicKey", {SSH_AUTH_ERROR});
    m_fixture->open();
    QVERIFY(finish() && !isReady());
    QCOMPARE(m_fixture->ended->code, ErrorCode::SignInRefused);
    QVERIFY2(m_fixture->ended->detail.contains(u"cannot be offered"_s), qPrintable(m_fixture->ended->detail));
}

void TstSignIn::interactive_roundsOfOneAttemptAreNotWrongAnswers()
{
    m_fixture->settings.askPerson = true;
    m_fixture->api->methods = SSH_AUTH_METHOD_INTERACTIVE;
    m_fixture->api->prompts = {"Code: "};
    m_fixture->api->script("authInteractive", {SSH_AUTH_INFO, SSH_AUTH_INFO, SSH_AUTH_DENIED, SSH_AUTH_INFO,
                                               SSH_AUTH_INFO, SSH_AUTH_SUCCESS});
    m_fixture->make();
    m_fixture->onQuestion = [&](const Question &) { m_fixture->answer({u"1"_s}); };
    m_fixture->core->open();
    QVERIFY(finish() && isReady());
    QList<int> attempts;
    for (const Question &question : std::as_const(m_fixture->questions))
        attempts += question.attempt;
    QCOMPARE(attempts, (QList<int>{1, 1, 2, 1}));
}

void TstSignIn::interactive_withoutAnEndIsEnded_data()
{
    QTest::addColumn<bool>("prompts");
    QTest::newRow("empty rounds") << false;
    QTest::newRow("with prompts") << true;
}

void TstSignIn::interactive_withoutAnEndIsEnded()
{
    QFETCH(bool, prompts);
    m_fixture->settings.askPerson = true;
    m_fixture->api->methods = SSH_AUTH_METHOD_INTERACTIVE;
    if (prompts)
        m_fixture->api->prompts = {"More? "};
    for (int i = 0; i < 200; ++i)
        m_fixture->api->script("authInteractive", {SSH_AUTH_INFO});
    m_fixture->make();
    m_fixture->onQuestion = [&](const Question &) { m_fixture->answer({u"yes"_s}); };
    m_fixture->core->open();
    QVERIFY(finish() && !isReady());
    QCOMPARE(m_fixture->ended->code, ErrorCode::SignInRefused);
    QVERIFY2(m_fixture->ended->detail.contains(u"asked without an end"_s), qPrintable(m_fixture->endText()));
    QVERIFY(m_fixture->questions.size() < 40);
}

PILOTHOUSE_TEST_MAIN(TstSignIn)
#include "tst_signin.moc"
