// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/probe/sudopassword.h"
#include "tests/support/testmain.h"
#include "tests/unit/probe/proberrig.h"

using namespace pilothouse;
using namespace pilothouse::test;
using namespace std::chrono_literals;
using namespace Qt::StringLiterals;

namespace {

/// sudo as it behaves with -S, for an account whose password is "right horse". It notes all that it is given: arguments
/// and environment in `seen`, words from standard input in `tries`.
constexpr auto playedSudo = R"SH(here=${0%/*}
{ echo "$@"; env; } >>"$here/seen"
[ "$1" = -S ] && [ "$2" = -p ] || exit 9
prompt=$3
shift 3
[ -z "$SUDO_FREE" ] || exec "$@"
printf %s "$prompt" >&2
for try in 1 2 3; do
    IFS= read -r word || { echo 'sudo: no password was provided' >&2; exit 1; }
    echo "$word" >>"$here/tries"
    if [ "$word" = 'right horse' ]; then exec "$@"; fi
    echo 'Sorry, try again.' >&2
    printf %s "$prompt" >&2
done
echo 'sudo: 3 incorrect password attempts' >&2
exit 1
)SH";

} // namespace

/// sudo with a password: asked once, given by standard input, kept, wiped. The real sudo: tests/lab.
class TstProberSudo final : public QObject
{
    Q_OBJECT
private slots:
    void init();
    void right_makesBothShellsRoot();
    void right_isSeenNowhere();
    void wrong_isTriedOnceAndForgotten();
    void declined_goesOnAsTheAccount();
    void nobodyThere_isNotAsked();
    void kept_isUsedWithoutAQuestion();
    void keptButWrongNow_isNotSentTwice();
    void free_asksNobody();
    void promptInPieces_isUnderstood();
    void sudoThatWaitsNoLonger_isBegunAgain();
    void otherQuestion_isSaid();
    void secondQuestion_isSaid();
    void answerWhileSudoGivesUp_isNotLost();
    void answerToAnOldQuestion_isWiped();
    void destroyedWhileAsking_leavesNothing();
    void password_isKeptForItsTime();
    void password_isWiped();

private:
    [[nodiscard]] QByteArray read(const QString &name) const
    {
        QFile file(m_host->path(name));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    [[nodiscard]] std::unique_ptr<ProberRig> rig()
    {
        m_provider.environment = m_host->environment();
        m_provider.environment.insert(m_environment);
        auto made = std::make_unique<ProberRig>(m_provider, m_settings);
        connect(&made->prober, &Prober::asked, this, [this](const Question &question) { m_questions += question; });
        return made;
    }
    void answer(ProberRig &rig, const QString &reply, bool accepted = true)
    {
        rig.prober.answer(Answer{m_questions.constLast().id, accepted, false, {reply}});
    }
    [[nodiscard]] static QString sudoProblem(const SnapshotPtr &snapshot)
    {
        for (const Problem &problem : snapshot->problems) {
            if (problem.code.startsWith(u"host.sudo_"_s))
                return problem.code + u": "_s + problem.text;
        }
        return {};
    }

    std::unique_ptr<FakeHost> m_host;
    LocalShellProvider m_provider;
    QProcessEnvironment m_environment;
    ProbeSettings m_settings;
    QList<Question> m_questions;
};

void TstProberSudo::init()
{
    m_host = std::make_unique<FakeHost>();
    m_host->nvidiaSmi(1);
    m_host->tool(u"id"_s, "echo 1000\n"); // whoever runs this test is an ordinary user
    m_host->tool(u"sudo"_s, playedSudo);
    m_environment = {};
    m_settings = settingsFor();
    m_settings.sudo = SudoPolicy::Ask;
    m_settings.askPerson = true;
    m_settings.sudoPassword = std::make_shared<SudoPassword>();
    m_questions.clear();
}

void TstProberSudo::right_makesBothShellsRoot()
{
    const auto rig = this->rig();
    rig->prober.start();
    QTRY_COMPARE(m_questions.size(), 1);
    const Question question = m_questions.constFirst();
    QCOMPARE(question.kind, Question::Kind::SudoPassword);
    QCOMPARE(question.host, u"gpu1 (root@gpu1:22)"_s);
    QCOMPARE(question.prompts.size(), 1);
    QVERIFY(!question.prompts.constFirst().echo);
    QCOMPARE(rig->started, 0);
    answer(*rig, u"right horse"_s);
    QTRY_COMPARE(rig->started, 1);
    const SnapshotPtr snapshot = rig->take();
    QVERIFY(snapshot && snapshot->gpus);
    QCOMPARE(sudoProblem(snapshot), QString());
    QCOMPARE(read(u"tries"_s), QByteArray("right horse\nright horse\n")); // one a shell
    QCOMPARE(m_questions.size(), 1);
    QVERIFY(rig->take(Depth::Deep));
    QCOMPARE(m_provider.opened, 2);
}

void TstProberSudo::right_isSeenNowhere()
{
    const auto rig = this->rig();
    rig->prober.start();
    QTRY_COMPARE(m_questions.size(), 1);
    QString reply = QString::fromLatin1("right horse");
    answer(*rig, reply);
    QVERIFY(!reply.contains(u'h')); // the very buffer that was handed over
    QTRY_COMPARE(rig->started, 1);
    const QByteArray seen = read(u"seen"_s);
    QVERIFY(seen.contains("-S -p [pilothouse "));
    QVERIFY(!seen.contains("right horse"));
    QVERIFY(processesWith("right horse").isEmpty());
}

void TstProberSudo::wrong_isTriedOnceAndForgotten()
{
    const auto rig = this->rig();
    rig->prober.start();
    QTRY_COMPARE(m_questions.size(), 1);
    answer(*rig, u"wrong horse"_s);
    QTRY_COMPARE(rig->started, 1);
    const SnapshotPtr snapshot = rig->take();
    QVERIFY(snapshot);
    QVERIFY2(sudoProblem(snapshot).startsWith(u"host.sudo_password_again: The password for sudo is wrong"_s),
             qPrintable(sudoProblem(snapshot)));
    QVERIFY(!sudoProblem(snapshot).contains(u"horse"_s));
    QCOMPARE(read(u"tries"_s), QByteArray("wrong horse\n"));
    QCOMPARE(m_questions.size(), 1);
    QVERIFY(!m_settings.sudoPassword->isThere());
}

void TstProberSudo::declined_goesOnAsTheAccount()
{
    const auto rig = this->rig();
    rig->prober.start();
    QTRY_COMPARE(m_questions.size(), 1);
    answer(*rig, {}, false);
    QTRY_COMPARE(rig->started, 1);
    const SnapshotPtr snapshot = rig->take();
    QVERIFY(snapshot && snapshot->gpus);
    QVERIFY2(sudoProblem(snapshot).contains(u"none was given"_s), qPrintable(sudoProblem(snapshot)));
    QCOMPARE(read(u"tries"_s), QByteArray());
}

void TstProberSudo::nobodyThere_isNotAsked()
{
    m_settings.askPerson = false;
    const auto rig = this->rig();
    QVERIFY(rig->start());
    const SnapshotPtr snapshot = rig->take();
    QVERIFY(snapshot);
    QVERIFY2(sudoProblem(snapshot).contains(u"nobody was asked"_s), qPrintable(sudoProblem(snapshot)));
    QVERIFY(m_questions.isEmpty());
    QCOMPARE(read(u"tries"_s), QByteArray());
}

void TstProberSudo::kept_isUsedWithoutAQuestion()
{
    QString word = QString::fromLatin1("right horse");
    m_settings.sudoPassword->keep(word);
    m_settings.askPerson = false; // a reconnect by itself
    const auto rig = this->rig();
    QVERIFY(rig->start());
    const SnapshotPtr snapshot = rig->take();
    QVERIFY(snapshot);
    QCOMPARE(sudoProblem(snapshot), QString());
    QVERIFY(m_questions.isEmpty());
    QVERIFY(m_settings.sudoPassword->isThere());
}

void TstProberSudo::keptButWrongNow_isNotSentTwice()
{
    QString word = QString::fromLatin1("old horse");
    m_settings.sudoPassword->keep(word);
    const auto rig = this->rig();
    QVERIFY(rig->start());
    QVERIFY(rig->take());
    QVERIFY(rig->take());
    QCOMPARE(read(u"tries"_s), QByteArray("old horse\n"));
    QVERIFY(m_questions.isEmpty()); // not by itself: the person connects again to be asked
    QVERIFY(!m_settings.sudoPassword->isThere());
}

void TstProberSudo::free_asksNobody()
{
    m_environment.insert(u"SUDO_FREE"_s, u"1"_s);
    const auto rig = this->rig();
    QVERIFY(rig->start());
    const SnapshotPtr snapshot = rig->take();
    QVERIFY(snapshot);
    QCOMPARE(sudoProblem(snapshot), QString());
    QVERIFY(m_questions.isEmpty());
}

void TstProberSudo::promptInPieces_isUnderstood()
{
    QByteArray slow = playedSudo;
    slow.replace("printf %s \"$prompt\" >&2\nfor", "printf 'motd\\n%s' \"${prompt%%house*}\" >&2; sleep 0.2; "
                                                    "printf %s \"house${prompt#*house}\" >&2\nfor");
    m_host->tool(u"sudo"_s, slow);
    const auto rig = this->rig();
    rig->prober.start();
    QTRY_COMPARE(m_questions.size(), 1);
    answer(*rig, u"right horse"_s);
    QTRY_COMPARE(rig->started, 1);
    const SnapshotPtr snapshot = rig->take();
    QVERIFY(snapshot);
    QCOMPARE(sudoProblem(snapshot), QString());
}

void TstProberSudo::sudoThatWaitsNoLonger_isBegunAgain()
{
    QByteArray hasty = playedSudo;
    hasty.prepend("if [ ! -e \"${0%/*}/hasty\" ]; then : >\"${0%/*}/hasty\"; printf %s \"$3\" >&2; sleep 0.3\n"
                  "echo 'sudo: timed out reading password' >&2; exit 1; fi\n");
    m_host->tool(u"sudo"_s, hasty);
    const auto rig = this->rig();
    rig->prober.start();
    QTRY_COMPARE(m_questions.size(), 1);
    QTest::qWait(1'000); // the person thinks
    QCOMPARE(rig->started, 0);
    QVERIFY(rig->errors.isEmpty());
    answer(*rig, u"right horse"_s);
    QTRY_COMPARE(rig->started, 1);
    const SnapshotPtr snapshot = rig->take();
    QVERIFY(snapshot);
    QCOMPARE(sudoProblem(snapshot), QString());
    QCOMPARE(m_questions.size(), 1);
}

void TstProberSudo::otherQuestion_isSaid()
{
    m_settings.snapshotTimeout = 2s;
    m_host->tool(u"sudo"_s, "printf 'Verification code: ' >&2\nIFS= read -r word\n"
                            "echo 'sudo: no password was provided' >&2\nexit 1\n");
    const auto rig = this->rig();
    QVERIFY(rig->start());
    const SnapshotPtr snapshot = rig->take();
    QVERIFY(snapshot);
    QVERIFY2(sudoProblem(snapshot).contains(u"something else than the password"_s)
                 && sudoProblem(snapshot).contains(u"Verification code:"_s),
             qPrintable(sudoProblem(snapshot)));
    QVERIFY(m_questions.isEmpty());
}

void TstProberSudo::secondQuestion_isSaid()
{
    // As a PAM stack of a password and a code: sudo's -p replaces both prompts.
    m_host->tool(u"sudo"_s, "echo 'We trust you have received the usual lecture.' >&2\nprintf %s \"$3\" >&2\n"
                            "IFS= read -r word\nprintf '\\n%s' \"$3\" >&2\nIFS= read -r code\n"
                            "[ -z \"$code\" ] || echo \"$code\" >\"${0%/*}/code\"\nexit 1\n");
    const auto rig = this->rig();
    rig->prober.start();
    QTRY_COMPARE(m_questions.size(), 1);
    answer(*rig, u"right horse"_s);
    QTRY_COMPARE(rig->started, 1);
    const SnapshotPtr snapshot = rig->take();
    QVERIFY(snapshot);
    QVERIFY2(sudoProblem(snapshot).contains(u"or for more than that"_s), qPrintable(sudoProblem(snapshot)));
    QCOMPARE(m_questions.size(), 1);
    QCOMPARE(read(u"code"_s), QByteArray());
}

void TstProberSudo::answerWhileSudoGivesUp_isNotLost()
{
    QByteArray hasty = playedSudo;
    hasty.prepend("if [ ! -e \"${0%/*}/hasty\" ]; then : >\"${0%/*}/hasty\"; printf %s \"$3\" >&2\n"
                  "while [ ! -e \"${0%/*}/answered\" ]; do sleep 0.1; done\n"
                  "echo 'sudo: timed out reading password' >&2; exit 1; fi\n");
    m_host->tool(u"sudo"_s, hasty);
    const auto rig = this->rig();
    rig->prober.start();
    QTRY_COMPARE(m_questions.size(), 1);
    answer(*rig, u"right horse"_s); // sudo reads no more
    m_host->tool(u"answered"_s, {});
    QTRY_COMPARE(rig->started, 1);
    const SnapshotPtr snapshot = rig->take();
    QVERIFY(snapshot);
    QCOMPARE(sudoProblem(snapshot), QString());
    QCOMPARE(m_questions.size(), 1);
}

void TstProberSudo::answerToAnOldQuestion_isWiped()
{
    const auto rig = this->rig();
    rig->prober.start();
    QTRY_COMPARE(m_questions.size(), 1);
    const QString reply = QString::fromLatin1("right horse");
    rig->prober.answer(Answer{m_questions.constLast().id + 1, true, false, {reply}});
    QVERIFY(!reply.contains(u'h'));
    QTest::qWait(50);
    QCOMPARE(rig->started, 0);
    QCOMPARE(read(u"tries"_s), QByteArray());
}

void TstProberSudo::destroyedWhileAsking_leavesNothing()
{
    auto rig = this->rig();
    rig->prober.start();
    QTRY_COMPARE(m_questions.size(), 1);
    const QByteArray mark = markOf(m_settings);
    QVERIFY(!processesWith(mark).isEmpty());
    rig.reset();
    QTRY_VERIFY(processesWith(mark).isEmpty());
}

void TstProberSudo::password_isKeptForItsTime()
{
    QCOMPARE(SudoPassword::usualLife, 15min);
    SudoPassword password(200ms);
    QString word = u"secret"_s;
    password.keep(word);
    QVERIFY(password.isThere());
    QTRY_VERIFY(!password.isThere());
    QCOMPARE(password.line(), QByteArray());
    word = u"again"_s;
    password.keep(word);
    QCOMPARE(password.line(), QByteArray("again\n"));
    password.forget();
    QVERIFY(!password.isThere());
}

void TstProberSudo::password_isWiped()
{
    SudoPassword password;
    QString word = QString::fromUtf8("s\u00e9cret\nsecond line");
    const QString shared = word;
    password.keep(word);
    QVERIFY(word.isEmpty());
    QVERIFY(!shared.contains(u'c')); // the caller's characters are gone, copies of them too
    QByteArray line = password.line();
    QCOMPARE(line, QByteArray("s\xc3\xa9" "cret\n")); // a second line would be a command's input
    const QByteArray other = password.line();
    line.fill('x');
    QCOMPARE(other, QByteArray("s\xc3\xa9" "cret\n"));
}

PILOTHOUSE_TEST_MAIN(TstProberSudo)
#include "tst_probersudo.moc"
