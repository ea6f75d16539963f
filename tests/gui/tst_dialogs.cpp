// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/gui/windowfixture.h"
#include "tests/support/testmain.h"
#include "ui/dialogs/addhostdialog.h"
#include "ui/dialogs/secretdialog.h"

#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalSpy>

using namespace pilothouse;
using namespace pilothouse::test;
using namespace Qt::StringLiterals;

namespace {

Question keyQuestion(quint64 id = 7)
{
    Question question;
    question.id = id;
    question.host = u"root@gpu9.example:22"_s;
    question.keyType = u"ED25519"_s;
    question.fingerprint = u"SHA256:q7hTz0n3Yw1x7cZpJbQm3m5vX8Kk2o4oXb1o0Qq3v1E"_s;
    question.knownHostsFile = u"/home/op/.ssh/known_hosts"_s;
    question.note = u"<b>note</b>"_s;
    return question;
}

Question secretQuestion(Question::Kind kind, int attempt = 1)
{
    Question question;
    question.id = 8;
    question.kind = kind;
    question.host = u"root@gpu9.example:22"_s;
    question.keyFile = u"/home/op/.ssh/id_ed25519"_s;
    question.attempt = attempt;
    if (kind == Question::Kind::KeyboardInteractive) {
        question.title = u"<h1>Two factors</h1>"_s;
        question.prompts = {{u"Password: "_s, false}, {u"Code: "_s, true}};
    }
    return question;
}

/// A window with one host, asked `question`; collects what it answers.
struct Asked
{
    explicit Asked(const Question &question)
    {
        fixture.window->addHost(spec(u"gpu9"_s));
        QObject::connect(fixture.window.get(), &MainWindow::answered, fixture.window.get(),
                         [this](const QString &host, const Answer &answer) {
                             hosts << host;
                             answers << answer;
                             // As a receiver in another thread would: its own characters.
                             for (QString &reply : answers.last().replies)
                                 reply.detach();
                         });
        ask(question);
    }
    void ask(const Question &question)
    {
        LinkState state = connecting(u"asks"_s);
        state.phase = LinkState::Phase::Waiting;
        fixture.window->setState(u"gpu9"_s, state);
        fixture.window->ask(u"gpu9"_s, question);
    }
    template <class T>
    T *find(const char16_t *name) const
    {
        return fixture.find<T>(QString::fromUtf16(name));
    }
    QWidget *dialog(const char16_t *name) const
    {
        QWidget *found = find<QWidget>(name);
        return found && found->isVisible() ? found : nullptr;
    }

    WindowFixture fixture;
    QStringList hosts;
    QList<Answer> answers;
};

} // namespace

class TstDialogs : public QObject
{
    Q_OBJECT
private slots:
    void init() { failOnAnyWarning(); }

    void hostKey_showsWhatIsAsked()
    {
        const Asked asked(keyQuestion());
        QTRY_VERIFY(asked.dialog(u"hostKeyDialog"));
        QCOMPARE(asked.find<QLabel>(u"hostKeyHost")->text(), u"root@gpu9.example:22"_s);
        QCOMPARE(asked.find<QLabel>(u"hostKeyType")->text(), u"ED25519"_s);
        QVERIFY(asked.find<QLabel>(u"hostKeyFingerprint")->text().startsWith(u"SHA256:"_s));
        QCOMPARE(asked.find<QLabel>(u"hostKeyFile")->text(), u"/home/op/.ssh/known_hosts"_s);
        QCOMPARE(asked.find<QLabel>(u"hostKeyNote")->textFormat(), Qt::PlainText);
    }

    void hostKey_enterNeverAccepts_data()
    {
        QTest::addColumn<QString>("focus");
        QTest::newRow("as it comes up") << QString();
        QTest::newRow("on the accepting button") << u"hostKeyAccept"_s;
        QTest::newRow("on the check box") << u"hostKeyStore"_s;
    }
    void hostKey_enterNeverAccepts()
    {
        QFETCH(QString, focus);
        Asked asked(keyQuestion());
        QTRY_VERIFY(asked.dialog(u"hostKeyDialog"));
        QWidget *dialog = asked.dialog(u"hostKeyDialog");
        if (!focus.isEmpty())
            asked.fixture.find<QWidget>(focus)->setFocus();
        QTest::keyClick(dialog->focusWidget(), Qt::Key_Return);
        QTRY_COMPARE(asked.answers.size(), 1);
        QVERIFY(!asked.answers.first().accepted);
        QVERIFY(!asked.answers.first().store);
    }

    void hostKey_spaceOnItsButtonAccepts()
    {
        Asked asked(keyQuestion());
        QTRY_VERIFY(asked.dialog(u"hostKeyDialog"));
        QTest::keyClick(asked.find<QPushButton>(u"hostKeyAccept"), Qt::Key_Space);
        QTRY_COMPARE(asked.answers.size(), 1);
        QCOMPARE(asked.hosts.first(), u"gpu9"_s);
        QCOMPARE(asked.answers.first().questionId, 7U);
        QVERIFY(asked.answers.first().accepted);
        QVERIFY(asked.answers.first().store);
        QTRY_VERIFY(!asked.find<QWidget>(u"hostKeyDialog"));
    }

    void hostKey_acceptedOnce()
    {
        Asked asked(keyQuestion());
        QTRY_VERIFY(asked.dialog(u"hostKeyDialog"));
        asked.find<QCheckBox>(u"hostKeyStore")->setChecked(false);
        QTest::mouseClick(asked.find<QPushButton>(u"hostKeyAccept"), Qt::LeftButton);
        QTRY_COMPARE(asked.answers.size(), 1);
        QVERIFY(!asked.answers.first().store);
    }

    void hostKey_escapeDeclines()
    {
        Asked asked(keyQuestion());
        QTRY_VERIFY(asked.dialog(u"hostKeyDialog"));
        QTest::keyClick(asked.dialog(u"hostKeyDialog"), Qt::Key_Escape);
        QTRY_COMPARE(asked.answers.size(), 1);
        QVERIFY(!asked.answers.first().accepted);
    }

    void desk_withdrawsWhenNobodyWaits()
    {
        Asked asked(keyQuestion());
        QTRY_VERIFY(asked.dialog(u"hostKeyDialog"));
        asked.fixture.window->setState(u"gpu9"_s, retrying({ErrorCode::ConnectionLost, {}, {}}, 3));
        QTRY_VERIFY(!asked.find<QWidget>(u"hostKeyDialog"));
        QVERIFY(asked.answers.isEmpty());
    }

    void desk_oneAfterTheOther()
    {
        Asked asked(keyQuestion());
        MainWindow &window = *asked.fixture.window;
        window.addHost(spec(u"gpu10"_s));
        LinkState state;
        state.phase = LinkState::Phase::Waiting;
        window.setState(u"gpu10"_s, state);
        window.ask(u"gpu10"_s, secretQuestion(Question::Kind::Password));
        QTRY_VERIFY(asked.dialog(u"hostKeyDialog"));
        QVERIFY(!asked.dialog(u"secretDialog"));
        QTest::keyClick(asked.dialog(u"hostKeyDialog"), Qt::Key_Escape);
        QTRY_VERIFY(asked.dialog(u"secretDialog"));
        QTest::keyClick(asked.dialog(u"secretDialog"), Qt::Key_Escape);
        QTRY_COMPARE(asked.hosts, (QStringList{u"gpu9"_s, u"gpu10"_s}));
    }

    void secret_typedAndWiped()
    {
        Asked asked(secretQuestion(Question::Kind::KeyPassphrase, 2));
        QTRY_VERIFY(asked.dialog(u"secretDialog"));
        QVERIFY(asked.find<QLabel>(u"secretWhat")->text().contains(u"id_ed25519"_s));
        QVERIFY(asked.find<QLabel>(u"secretAgain"));
        auto *field = asked.find<QLineEdit>(u"secretField0");
        QCOMPARE(field->echoMode(), QLineEdit::Password);
        QTest::keyClicks(field, u"correct horse"_s);
        QTest::keyClick(field, Qt::Key_Return);
        QTRY_COMPARE(asked.answers.size(), 1);
        QCOMPARE(asked.answers.first().replies, QStringList{u"correct horse"_s});
        QVERIFY(field->text().isEmpty());
        QVERIFY(!field->isUndoAvailable());
    }

    void secret_promptsOfTheServer()
    {
        Asked asked(secretQuestion(Question::Kind::KeyboardInteractive));
        QTRY_VERIFY(asked.dialog(u"secretDialog"));
        QCOMPARE(asked.find<QLabel>(u"secretTitle")->textFormat(), Qt::PlainText);
        QCOMPARE(asked.find<QLineEdit>(u"secretField0")->echoMode(), QLineEdit::Password);
        QCOMPARE(asked.find<QLineEdit>(u"secretField1")->echoMode(), QLineEdit::Normal);
        QTest::keyClicks(asked.find<QLineEdit>(u"secretField0"), u"pw"_s);
        QTest::keyClicks(asked.find<QLineEdit>(u"secretField1"), u"123456"_s);
        QTest::mouseClick(asked.find<QPushButton>(u"secretOk"), Qt::LeftButton);
        QTRY_COMPARE(asked.answers.size(), 1);
        QCOMPARE(asked.answers.first().replies, (QStringList{u"pw"_s, u"123456"_s}));
    }

    void secret_declined()
    {
        Asked asked(secretQuestion(Question::Kind::Password));
        QTRY_VERIFY(asked.dialog(u"secretDialog"));
        QTest::keyClicks(asked.find<QLineEdit>(u"secretField0"), u"pw"_s);
        QTest::mouseClick(asked.find<QPushButton>(u"secretCancel"), Qt::LeftButton);
        QTRY_COMPARE(asked.answers.size(), 1);
        QVERIFY(!asked.answers.first().accepted);
        QVERIFY(asked.answers.first().replies.isEmpty());
    }

    void secret_forSudoSaysWhatBecomesOfIt()
    {
        Question question = secretQuestion(Question::Kind::SudoPassword);
        question.host = u"gpu10 (ops@10.0.0.5:22)"_s;
        Asked asked(question);
        QTRY_VERIFY(asked.dialog(u"secretDialog"));
        const QString what = asked.find<QLabel>(u"secretWhat")->text();
        QVERIFY2(what.contains(u"sudo on gpu10 (ops@10.0.0.5:22)"_s) && what.contains(u"15 minutes"_s),
                 qPrintable(what));
        QCOMPARE(asked.find<QLineEdit>(u"secretField0")->echoMode(), QLineEdit::Password);
        QCOMPARE(asked.find<QPushButton>(u"secretCancel")->text().remove(u'&'), u"Without sudo"_s);
        QTest::mouseClick(asked.find<QPushButton>(u"secretCancel"), Qt::LeftButton);
        QTRY_COMPARE(asked.answers.size(), 1);
        QVERIFY(!asked.answers.first().accepted);
    }

    void secret_noteIsShown()
    {
        Question question = secretQuestion(Question::Kind::Password);
        question.note = u"5 keys were refused <b>and 3 not offered</b>."_s;
        Asked asked(question);
        QTRY_VERIFY(asked.dialog(u"secretDialog"));
        QCOMPARE(asked.find<QLabel>(u"secretNote")->text(), question.note);
        QCOMPARE(asked.find<QLabel>(u"secretNote")->textFormat(), Qt::PlainText);
    }

    void stoppedForAPerson_saysSignInAgain()
    {
        WindowFixture w;
        w.window->addHost(spec(u"gpu1"_s));
        LinkState state = stopped({ErrorCode::ConnectionLost, u"Told to."_s, u"Sign in again."_s});
        state.signInAgain = true;
        w.window->setState(u"gpu1"_s, state);
        QCOMPARE(w.find<QPushButton>(u"retryButton"_s)->text(), u"Sign In Again"_s);
        QCOMPARE(w.find<QLabel>(u"stateAdvice"_s)->text(), u"Sign in again."_s);
        QVERIFY(w.find<QLabel>(u"stateNext"_s)->text().endsWith(u"Nothing is signed in to without you."_s));
        QSignalSpy retry(w.window.get(), &MainWindow::retryRequested);
        QTest::mouseClick(w.find<QPushButton>(u"retryButton"_s), Qt::LeftButton);
        QCOMPARE(retry.size(), 1);
        w.window->setState(u"gpu1"_s, retrying({ErrorCode::ConnectionLost, {}, {}}, 3));
        QCOMPARE(w.find<QPushButton>(u"retryButton"_s)->text(), u"Retry Now"_s);
    }

    void refusedSudo_canBeAskedForAgain()
    {
        WindowFixture w;
        w.addHost(u"gpu1"_s, [](const QString &host, qint64 ageMs) { return servingHost(host, ageMs); });
        QSignalSpy retry(w.window.get(), &MainWindow::retryRequested);
        w.press(Qt::Key_R, Qt::ControlModifier);
        QCOMPARE(retry.size(), 0); // nothing is wrong
        auto snapshot = std::make_shared<Snapshot>(*w.window->store().find(u"gpu1"_s)->snapshot);
        Problem wrong;
        wrong.code = u"host.sudo_password_again"_s;
        wrong.text = u"The password for sudo is wrong."_s;
        snapshot->problems += wrong;
        w.window->addSnapshot(u"gpu1"_s, snapshot);
        w.press(Qt::Key_R, Qt::ControlModifier);
        QTRY_COMPARE(retry.size(), 1);
    }

    void secret_wipeLeavesOthersAlone()
    {
        QStringList mine{u"secret"_s};
        mine[0].detach();
        const QChar *characters = mine.at(0).constData();
        const QString other = mine.at(0);
        wipeReplies(mine);
        QVERIFY(mine.isEmpty());
        QCOMPARE(other, u"secret"_s);
        QCOMPARE(other.constData(), characters);
    }

    void remove_showsTheLinesAndAsks()
    {
        const WindowFixture fixture;
        fixture.window->addHost(spec(u"gpu9"_s));
        QSignalSpy requested(fixture.window.get(), &MainWindow::removeRequested);
        QSignalSpy confirmed(fixture.window.get(), &MainWindow::removeConfirmed);
        fixture.press(Qt::Key_Delete, Qt::ControlModifier);
        QCOMPARE(requested.size(), 1);
        fixture.window->showRemoveHost(u"gpu9"_s, u"/etc/<b>x</b>"_s, u"[[host]]\nname = \"gpu9\"\n"_s);
        fixture.window->showRemoveHost(u"gpu9"_s, {}, {}); // not twice
        QCOMPARE(fixture.window->findChildren<QDialog *>(u"removeHostDialog"_s).size(), 1);
        QVERIFY(fixture.find<QLabel>(u"removeHostWhere"_s)->text().contains(u"/etc/<b>x</b>"_s));
        QCOMPARE(fixture.find<QPlainTextEdit>(u"removeHostLines"_s)->toPlainText(), u"[[host]]\nname = \"gpu9\""_s);
        QTest::keyClick(fixture.find<QPushButton>(u"removeHostRemove"_s), Qt::Key_Space);
        QCOMPARE(confirmed.size(), 1);
        QCOMPARE(confirmed.first().first().toString(), u"gpu9"_s);
        QTRY_VERIFY(!fixture.window->findChild<QDialog *>(u"removeHostDialog"_s));
        QCOMPARE(fixture.window->currentHost(), u"gpu9"_s); // it goes when that has been done
    }

    void remove_enterAndEscapeNeverRemove()
    {
        const WindowFixture fixture;
        fixture.window->addHost(spec(u"gpu9"_s));
        QSignalSpy confirmed(fixture.window.get(), &MainWindow::removeConfirmed);
        for (const Qt::Key key : {Qt::Key_Return, Qt::Key_Escape}) {
            fixture.window->showRemoveHost(u"gpu9"_s, {}, {});
            auto *dialog = fixture.window->findChild<QDialog *>(u"removeHostDialog"_s);
            QVERIFY(dialog);
            QVERIFY(!fixture.window->findChild<QPlainTextEdit *>(u"removeHostLines"_s));
            QTest::keyClick(dialog, key);
            QTRY_VERIFY(!fixture.window->findChild<QDialog *>(u"removeHostDialog"_s));
        }
        QVERIFY(confirmed.isEmpty());
    }

    void addHost_byHand()
    {
        const WindowFixture fixture;
        MainWindow &window = *fixture.window;
        QList<HostSpec> hosts;
        connect(&window, &MainWindow::hostsSubmitted, this, [&](const QList<HostSpec> &list) { hosts = list; });
        window.showAddHost({}, false);
        auto *add = fixture.find<QPushButton>(u"addHostAdd"_s);
        QVERIFY(!add->isEnabled());
        QVERIFY(fixture.find<QLabel>(u"aliasNone"_s));
        auto *target = fixture.find<QLineEdit>(u"addHostTarget"_s);
        QTest::keyClicks(target, u"root@[fe80::5]:2222"_s);
        QCOMPARE(fixture.find<QLineEdit>(u"addHostName"_s)->text(), u"fe80::5"_s);
        QTest::keyClicks(fixture.find<QLineEdit>(u"addHostUnit"_s), u"vllm.service"_s);
        auto *sudo = fixture.find<QComboBox>(u"addHostSudo"_s);
        sudo->setCurrentIndex(1);
        QVERIFY(add->isEnabled());
        QTest::keyClick(target, Qt::Key_Return);
        QCOMPARE(hosts.size(), 1);
        QCOMPARE(hosts.first().ssh, u"root@[fe80::5]:2222"_s);
        QCOMPARE(hosts.first().name, u"fe80::5"_s);
        QCOMPARE(hosts.first().services.first().unit, u"vllm.service"_s);
        QVERIFY(hosts.first().sudo == SudoPolicy::NoPassword);
        QVERIFY(hosts.first().access == Access::ReadOnly);
        window.hostsSaved(u"hosts.toml cannot be used."_s);
        QCOMPARE(fixture.find<QLabel>(u"addHostMessage"_s)->text(), u"hosts.toml cannot be used."_s);
        window.hostsSaved();
        QTRY_VERIFY(!fixture.find<QWidget>(u"addHostDialog"_s));
    }

    void addHost_complains_data()
    {
        QTest::addColumn<QString>("target");
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("complaint");
        QTest::newRow("nothing") << QString() << QString() << u"Write an SSH target"_s;
        QTest::newRow("an option") << u"-oProxyCommand=x"_s << u"a"_s << u"cannot be used as a target"_s;
        QTest::newRow("bad port") << u"gpu1:99999"_s << u"a"_s << u"cannot be used as a target"_s;
        QTest::newRow("taken") << u"gpu1"_s << u"gpu1"_s << u"gpu1 is taken"_s;
    }
    void addHost_complains()
    {
        QFETCH(QString, target);
        QFETCH(QString, name);
        QFETCH(QString, complaint);
        const WindowFixture fixture;
        fixture.window->addHost(spec(u"gpu1"_s));
        fixture.window->showAddHost({}, false);
        QTest::keyClicks(fixture.find<QLineEdit>(u"addHostTarget"_s), target);
        auto *nameField = fixture.find<QLineEdit>(u"addHostName"_s);
        nameField->selectAll();
        QTest::keyClicks(nameField, name);
        QVERIFY2(fixture.find<QLabel>(u"addHostMessage"_s)->text().contains(complaint),
                 qPrintable(fixture.find<QLabel>(u"addHostMessage"_s)->text()));
        QVERIFY(!fixture.find<QPushButton>(u"addHostAdd"_s)->isEnabled());
    }

    void addHost_fromAliases()
    {
        const WindowFixture fixture;
        MainWindow &window = *fixture.window;
        window.addHost(spec(u"gpu1"_s));
        QList<HostSpec> hosts;
        connect(&window, &MainWindow::hostsSubmitted, this, [&](const QList<HostSpec> &list) { hosts = list; });
        window.showAddHost({u"gpu1"_s, u"gpu2"_s, u"gpu3"_s, u"bastion"_s}, true);
        auto *list = fixture.find<QListWidget>(u"aliasList"_s);
        QTest::keyClicks(fixture.find<QLineEdit>(u"aliasFilter"_s), u"gpu"_s);
        QVERIFY(list->item(3)->isHidden());
        QVERIFY(!list->item(0)->isHidden());
        list->item(1)->setSelected(true);
        QCOMPARE(fixture.find<QLineEdit>(u"addHostName"_s)->text(), u"gpu2"_s);
        list->item(0)->setSelected(true);
        list->item(2)->setSelected(true);
        QCOMPARE(fixture.find<QLabel>(u"addHostMessage"_s)->text(),
                 u"To be added: 2. There already: 1."_s);
        QTest::mouseClick(fixture.find<QPushButton>(u"addHostAdd"_s), Qt::LeftButton);
        QCOMPARE(hosts.size(), 2);
        QCOMPARE(hosts.at(0).ssh, u"gpu2"_s);
        QCOMPARE(hosts.at(1).name, u"gpu3"_s);
    }
};

PILOTHOUSE_GUI_TEST_MAIN(TstDialogs)
#include "tst_dialogs.moc"
