// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/askingserver.h"
#include "tests/support/sshdserver.h"
#include "tests/support/testmain.h"
#include "tests/unit/ssh/sshd/sessionwatch.h"

using namespace pilothouse;
using namespace pilothouse::test;
using namespace std::chrono_literals;
using namespace Qt::StringLiterals;

/// Keyboard-interactive against a server that asks in every way the protocol allows. PAM's own: tests/lab.
class TstSshInteractive final : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase();
    void rounds_areOneQuestionEach();
    void round_withoutPromptsIsAnsweredAtOnce();
    void round_withManyPrompts();
    void texts_areCleaned();
    void answers_arriveAsTyped();
    void refused_isAskedAgainAndSaid();
    void refused_threeTimesIsOver();
    void asksForEver_isEnded_data();
    void asksForEver_isEnded();
    void declined_inTheSecondRound();
    void hangUp_whileThePersonThinks();
    void close_whileThePersonThinks();
    void thinking_stopsTheClock();
    void nobodyThere_isSaid();

private:
    [[nodiscard]] ConnectionSettings settingsFor(AskingServer &server)
    {
        const QByteArray port = QByteArray::number(server.port());
        const bool written = m_folder.writeClientConfig({u"Port "_s + QString::fromLatin1(port)}, u"nothing"_s)
            && writeFile(m_folder.path(u"known_hosts"_s), "[127.0.0.1]:" + port + ' ' + m_folder.hostKeyLine() + '\n');
        Q_ASSERT(written);
        ConnectionSettings settings = m_folder.settings();
        settings.askPerson = true;
        return settings;
    }
    [[nodiscard]] static bool finish(SessionWatch &watch)
    {
        watch.session->open();
        return QTest::qWaitFor([&] { return watch.isReady() || watch.ended; }, 15'000);
    }
    static Answer with(const QStringList &replies) { return Answer{0, true, false, replies}; }

    SshdServer m_folder; ///< its keys and its client's files alone
};

void TstSshInteractive::initTestCase()
{
    QVERIFY2(m_folder.start(), qPrintable(m_folder.error()));
    m_folder.stop();
}

void TstSshInteractive::rounds_areOneQuestionEach()
{
    AskingServer server(
        {{{"Two factors", "First line.\nSecond line.", {{"Password: ", false}, {"Token serial: ", true}}},
          {"", "Now the code.", {{"Verification code: ", true}}},
          {"", "", {{"Touch, then Enter", false}}}}});
    QVERIFY(server.start(m_folder.path(u"host"_s)));
    SessionWatch watch(settingsFor(server));
    watch.reply = [&](const Question &question) {
        return with(question.prompts.size() == 2 ? QStringList{u"pw"_s, u"77"_s} : QStringList{u"x"_s});
    };
    QVERIFY(finish(watch));
    QVERIFY2(watch.isReady(), qPrintable(watch.endText()));
    QCOMPARE(watch.questions.size(), 3);
    const Question &first = watch.questions.at(0);
    QCOMPARE(first.kind, Question::Kind::KeyboardInteractive);
    QCOMPARE(first.title, u"Two factors"_s);
    QCOMPARE(first.instruction, u"First line.\nSecond line."_s);
    QVERIFY(first.host.startsWith(m_folder.user() + u"@gpu_01"_s));
    QCOMPARE(first.prompts.at(0).text, u"Password: "_s);
    QVERIFY(!first.prompts.at(0).echo);
    QCOMPARE(first.prompts.at(1).text, u"Token serial: "_s);
    QVERIFY(first.prompts.at(1).echo);
    QCOMPARE(watch.questions.at(1).instruction, u"Now the code."_s);
    for (const Question &question : std::as_const(watch.questions))
        QCOMPARE(question.attempt, 1); // a further round is no wrong answer
    QCOMPARE(server.answers(), (QList<QByteArrayList>{{"pw", "77"}, {"x"}, {"x"}}));
    QVERIFY(watch.session->neededPerson());
}

void TstSshInteractive::round_withoutPromptsIsAnsweredAtOnce()
{
    AskingServer server(
        {{{"", "Welcome.", {}}, {"", "", {{"Code: ", false}}}, {"", "Your password expires soon.", {}}}});
    QVERIFY(server.start(m_folder.path(u"host"_s)));
    SessionWatch watch(settingsFor(server));
    watch.reply = [&](const Question &) { return with({u"1"_s}); };
    QVERIFY(finish(watch));
    QVERIFY2(watch.isReady(), qPrintable(watch.endText()));
    QCOMPARE(watch.questions.size(), 1);
    QCOMPARE(server.answers(), (QList<QByteArrayList>{{}, {"1"}, {}}));
}

void TstSshInteractive::round_withManyPrompts()
{
    AskingServer::Round round;
    QStringList replies;
    for (int i = 0; i < 40; ++i) {
        round.prompts.append({"Prompt " + QByteArray::number(i) + ": ", i % 2 == 0});
        replies += QString::number(i);
    }
    AskingServer server({{round}});
    QVERIFY(server.start(m_folder.path(u"host"_s)));
    SessionWatch watch(settingsFor(server));
    watch.reply = [&](const Question &) { return with(replies); };
    QVERIFY(finish(watch));
    QVERIFY2(watch.isReady(), qPrintable(watch.endText()));
    QCOMPARE(watch.questions.constFirst().prompts.size(), 40);
    QCOMPARE(server.answers().constFirst().size(), 40);
    QCOMPARE(server.answers().constFirst().constLast(), QByteArray("39"));
}

void TstSshInteractive::texts_areCleaned()
{
    const QByteArray override = "\xe2\x80\xae"; // right-to-left override
    AskingServer server({{{"\x1b]0;title\x07", "<img src=x>\r\n\x1b[2J" + QByteArray(50'000, 'i'),
                           {{"Pass\nword\x1b[31m: ", false}, {override + "edoc" + QByteArray(5'000, 'p'), true},
                            {"\xff\xfe broken", false}}}}});
    QVERIFY(server.start(m_folder.path(u"host"_s)));
    SessionWatch watch(settingsFor(server));
    watch.reply = [&](const Question &) { return with({u"a"_s, u"b"_s, u"c"_s}); };
    QVERIFY(finish(watch));
    QVERIFY2(watch.isReady(), qPrintable(watch.endText()));
    const Question &question = watch.questions.constFirst();
    QStringList texts{question.title, question.instruction};
    QVERIFY(question.title.size() <= 120);
    QVERIFY(question.instruction.size() <= 2'001);
    for (const Question::Prompt &prompt : question.prompts) {
        texts += prompt.text;
        QVERIFY(prompt.text.size() <= 401);
        QVERIFY2(!prompt.text.contains(u'\n'), qPrintable(prompt.text));
    }
    for (const QString &text : std::as_const(texts)) {
        QVERIFY2(!text.contains(QChar(0x1b)) && !text.contains(QChar(0x07)) && !text.contains(QChar(0x202e))
                     && !text.contains(u'\r'),
                 qPrintable(text));
    }
    QVERIFY(question.instruction.contains(u"<img src=x>"_s)); // shown as it is, as plain text
}

void TstSshInteractive::answers_arriveAsTyped()
{
    AskingServer server({{{"", "", {{"A: ", false}, {"B: ", true}, {"C: ", false}}}}});
    QVERIFY(server.start(m_folder.path(u"host"_s)));
    SessionWatch watch(settingsFor(server));
    watch.reply = [&](const Question &) { return with({QString(), u"\u00fc\u20ac \" ' \\ $x"_s}); }; // too few of them
    QVERIFY(finish(watch));
    QVERIFY2(watch.isReady(), qPrintable(watch.endText()));
    QCOMPARE(server.answers(), (QList<QByteArrayList>{{"", "\xc3\xbc\xe2\x82\xac \" ' \\ $x", ""}}));
}

void TstSshInteractive::refused_isAskedAgainAndSaid()
{
    AskingServer server({.rounds = {{"", "", {{"Password: ", false}}}, {"", "", {{"Code: ", true}}}}, .refusals = 1});
    QVERIFY(server.start(m_folder.path(u"host"_s)));
    SessionWatch watch(settingsFor(server));
    watch.reply = [&](const Question &) { return with({u"1"_s}); };
    QVERIFY(finish(watch));
    QVERIFY2(watch.isReady(), qPrintable(watch.endText()));
    QList<int> attempts;
    for (const Question &question : std::as_const(watch.questions))
        attempts += question.attempt;
    QCOMPARE(attempts, (QList<int>{1, 1, 2, 1}));
}

void TstSshInteractive::refused_threeTimesIsOver()
{
    AskingServer server({.rounds = {{"", "", {{"Password: ", false}}}}, .refusals = 9});
    QVERIFY(server.start(m_folder.path(u"host"_s)));
    SessionWatch watch(settingsFor(server));
    watch.reply = [&](const Question &) { return with({u"hunter2"_s}); };
    QVERIFY(finish(watch));
    QVERIFY(watch.ended);
    QCOMPARE(watch.ended->code, ErrorCode::SignInRefused);
    QCOMPARE(exitCodeOf(watch.ended->code), 4);
    QCOMPARE(watch.questions.size(), 3);
    QVERIFY(!sentenceOf(*watch.ended).contains(u"hunter2"_s));
}

void TstSshInteractive::asksForEver_isEnded_data()
{
    QTest::addColumn<bool>("prompts");
    QTest::newRow("empty rounds") << false;
    QTest::newRow("the person is asked") << true;
}

void TstSshInteractive::asksForEver_isEnded()
{
    QFETCH(bool, prompts);
    AskingServer::Round round;
    if (prompts)
        round.prompts = {{"More? ", true}};
    AskingServer server({.rounds = {round}, .forEver = true});
    QVERIFY(server.start(m_folder.path(u"host"_s)));
    SessionWatch watch(settingsFor(server));
    watch.reply = [&](const Question &) { return with({u"yes"_s}); };
    QVERIFY(finish(watch));
    QVERIFY(watch.ended);
    QCOMPARE(watch.ended->code, ErrorCode::SignInRefused);
    QVERIFY2(watch.ended->detail.contains(u"the server asked without an end"_s), qPrintable(watch.endText()));
    QCOMPARE(watch.questions.size(), prompts ? 30 : 0);
}

void TstSshInteractive::declined_inTheSecondRound()
{
    AskingServer server({{{"", "", {{"Password: ", false}}}, {"", "", {{"Code: ", true}}}}});
    QVERIFY(server.start(m_folder.path(u"host"_s)));
    SessionWatch watch(settingsFor(server));
    watch.reply = [&](const Question &) {
        Answer answer = with({u"1"_s});
        answer.accepted = watch.questions.size() < 2;
        return answer;
    };
    QVERIFY(finish(watch));
    QVERIFY(watch.ended);
    QCOMPARE(watch.ended->code, ErrorCode::Cancelled);
    QCOMPARE(server.answers().size(), 1);
}

void TstSshInteractive::hangUp_whileThePersonThinks()
{
    AskingServer server(
        {.rounds = {{"", "", {{"Password: ", false}}}, {"", "", {{"Code: ", true}}}}, .hangUpAfter = 0});
    QVERIFY(server.start(m_folder.path(u"host"_s)));
    SessionWatch watch(settingsFor(server));
    watch.reply = nullptr;
    watch.session->open();
    QTRY_COMPARE(watch.questions.size(), 1);
    Answer answer = with({u"1"_s});
    answer.questionId = watch.questions.constLast().id;
    watch.session->answer(answer);
    QTRY_VERIFY(watch.ended);
    // An end in the middle of a sign-in that a person began; whoever made it, it is not begun again by itself.
    QVERIFY(watch.session->neededPerson());
    QVERIFY(watch.ended->code == ErrorCode::ConnectionLost || watch.ended->code == ErrorCode::SignInRefused);
}

void TstSshInteractive::close_whileThePersonThinks()
{
    AskingServer server({{{"", "", {{"Password: ", false}}}}});
    QVERIFY(server.start(m_folder.path(u"host"_s)));
    SessionWatch watch(settingsFor(server));
    watch.session->open();
    QTRY_COMPARE(watch.questions.size(), 1);
    watch.session->close();
    QTRY_VERIFY(watch.ended);
    QCOMPARE(watch.ended->code, ErrorCode::Cancelled);
    QVERIFY(server.answers().isEmpty());
}

void TstSshInteractive::thinking_stopsTheClock()
{
    AskingServer server({{{"", "", {{"Password: ", false}}}, {"", "", {{"Code: ", true}}}}});
    QVERIFY(server.start(m_folder.path(u"host"_s)));
    ConnectionSettings settings = settingsFor(server);
    settings.signInTimeout = 1500ms;
    SessionWatch watch(settings);
    watch.session->open();
    for (int round = 1; round <= 2; ++round) {
        QTRY_COMPARE(watch.questions.size(), round);
        QTest::qWait(1'600);
        QVERIFY2(!watch.ended, qPrintable(watch.endText()));
        Answer answer = with({u"1"_s});
        answer.questionId = watch.questions.constLast().id;
        watch.session->answer(answer);
    }
    QTRY_VERIFY(watch.isReady() || watch.ended);
    QVERIFY2(watch.isReady(), qPrintable(watch.endText()));
}

void TstSshInteractive::nobodyThere_isSaid()
{
    AskingServer server({{{"", "", {{"Password: ", false}}}}});
    QVERIFY(server.start(m_folder.path(u"host"_s)));
    ConnectionSettings settings = settingsFor(server);
    settings.askPerson = false;
    SessionWatch watch(settings);
    QVERIFY(finish(watch));
    QVERIFY(watch.ended);
    QCOMPARE(watch.ended->code, ErrorCode::SignInNeedsPerson);
    QVERIFY(watch.questions.isEmpty());
}

PILOTHOUSE_TEST_MAIN(TstSshInteractive)
#include "tst_sshinteractive.moc"
