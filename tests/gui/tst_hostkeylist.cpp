// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/gui/windowfixture.h"
#include "tests/support/testmain.h"

#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QLabel>
#include <QPushButton>
#include <QTreeWidget>

using namespace pilothouse;
using namespace pilothouse::test;
using namespace Qt::StringLiterals;

/// Unknown keys of several hosts, in the real window.
class TstHostKeyList final : public QObject
{
    Q_OBJECT
private slots:
    void init()
    {
        failOnAnyWarning();
        m_answers.clear();
        m_fixture = std::make_unique<WindowFixture>();
        connect(m_fixture->window.get(), &MainWindow::answered, this,
                [this](const QString &host, const Answer &answer) { m_answers.append({host, answer}); });
    }
    void cleanup() { m_fixture.reset(); }

    void keysThatCome_joinOneList();
    void keysThatWait_areOneList();
    void nothingIsChosenBeforehand();
    void oneKey_isTrustedByItsCheck();
    void allKeys_needAPersonWhoLooked();
    void newKey_isNoPartOfWhatWasCompared();
    void decline_isOneByOne();
    void hostThatGoesAway_leavesItsRow();
    void closing_declinesAll_data();
    void closing_declinesAll();
    void fingerprints_areCopied();
    void hostileText_isShownAsItIs();
    void otherQuestions_waitTheirTurn();

private:
    void ask(int number, const QString &name = {})
    {
        const QString host = name.isEmpty() ? u"gpu%1"_s.arg(number) : name;
        m_fixture->window->addHost(spec(host));
        LinkState state;
        state.phase = LinkState::Phase::Waiting;
        m_fixture->window->setState(host, state);
        Question question;
        question.id = quint64(100 + number);
        question.host = host + u" (10.0.0.%1)"_s.arg(number);
        question.through = number % 2 == 0 ? u"ops@bastion"_s : QString();
        question.keyType = u"ED25519"_s;
        question.fingerprint = u"SHA256:key%1"_s.arg(number);
        question.knownHostsFile = u"/home/op/.ssh/known_hosts"_s;
        m_fixture->window->ask(host, question);
    }
    [[nodiscard]] QWidget *list() const
    {
        for (QWidget *each : m_fixture->window->findChildren<QWidget *>(u"hostKeyListDialog"_s)) {
            if (each->isVisible())
                return each;
        }
        return nullptr;
    }
    template <class T>
    [[nodiscard]] T *find(const char16_t *name) const { return list()->findChild<T *>(QString::fromUtf16(name)); }
    [[nodiscard]] QTreeWidget *table() const { return find<QTreeWidget>(u"hostKeysTable"); }
    void setChecked(int row) { table()->topLevelItem(row)->setCheckState(0, Qt::Checked); }
    void press(const char16_t *name) { QTest::mouseClick(find<QPushButton>(name), Qt::LeftButton); }
    [[nodiscard]] QStringList hostsAnswered(bool accepted) const
    {
        QStringList hosts;
        for (const auto &[host, answer] : m_answers) {
            if (answer.accepted == accepted)
                hosts += host;
        }
        return hosts;
    }

    std::unique_ptr<WindowFixture> m_fixture;
    QList<std::pair<QString, Answer>> m_answers;
};

void TstHostKeyList::keysThatCome_joinOneList()
{
    ask(1);
    QTRY_VERIFY(m_fixture->find<QWidget>(u"hostKeyDialog"_s));
    QVERIFY(!list());
    ask(2);
    QTRY_VERIFY(list());
    QTRY_VERIFY(!m_fixture->find<QWidget>(u"hostKeyDialog"_s));
    ask(3);
    QCOMPARE(table()->topLevelItemCount(), 3);
    QStringList cells;
    for (int column = 0; column < table()->columnCount(); ++column)
        cells += table()->topLevelItem(1)->text(column);
    QCOMPARE(cells, (QStringList{u"gpu2"_s, u"gpu2 (10.0.0.2)"_s, u"ops@bastion"_s, u"ED25519"_s, u"SHA256:key2"_s}));
    QVERIFY(m_answers.isEmpty());
}

void TstHostKeyList::keysThatWait_areOneList()
{
    Question secret;
    secret.id = 1;
    secret.kind = Question::Kind::Password;
    secret.prompts = {{u"Password: "_s, false}};
    m_fixture->window->addHost(spec(u"first"_s));
    m_fixture->window->ask(u"first"_s, secret);
    for (int i = 1; i <= 4; ++i)
        ask(i);
    QTRY_VERIFY(m_fixture->find<QWidget>(u"secretDialog"_s));
    QVERIFY(!list());
    QTest::keyClick(m_fixture->find<QWidget>(u"secretDialog"_s), Qt::Key_Escape);
    QTRY_VERIFY(list());
    QCOMPARE(table()->topLevelItemCount(), 4);
}

void TstHostKeyList::nothingIsChosenBeforehand()
{
    for (int i = 1; i <= 3; ++i)
        ask(i);
    QTRY_VERIFY(list());
    for (int row = 0; row < 3; ++row)
        QCOMPARE(table()->topLevelItem(row)->checkState(0), Qt::Unchecked);
    QVERIFY(!find<QPushButton>(u"hostKeysTrust")->isEnabled());
    QVERIFY(!find<QPushButton>(u"hostKeysTrust")->isDefault());
    QVERIFY(!find<QCheckBox>(u"hostKeysCompared")->isEnabled());
}

void TstHostKeyList::oneKey_isTrustedByItsCheck()
{
    for (int i = 1; i <= 3; ++i)
        ask(i);
    QTRY_VERIFY(list());
    setChecked(1);
    press(u"hostKeysTrust");
    QTRY_COMPARE(hostsAnswered(true), QStringList{u"gpu2"_s});
    QCOMPARE(m_answers.first().second.questionId, 102U);
    QVERIFY(m_answers.first().second.store);
    QCOMPARE(table()->topLevelItemCount(), 2); // the others are still asked
}

void TstHostKeyList::allKeys_needAPersonWhoLooked()
{
    for (int i = 1; i <= 3; ++i)
        ask(i);
    QTRY_VERIFY(list());
    press(u"hostKeysAll");
    QVERIFY(!find<QPushButton>(u"hostKeysTrust")->isEnabled());
    find<QCheckBox>(u"hostKeysCompared")->setChecked(true);
    find<QCheckBox>(u"hostKeysStore")->setChecked(false);
    press(u"hostKeysTrust");
    QTRY_COMPARE(hostsAnswered(true), (QStringList{u"gpu1"_s, u"gpu2"_s, u"gpu3"_s}));
    QVERIFY(!m_answers.first().second.store);
    QTRY_VERIFY(!list());
    ask(4); // and the desk goes on
    QTRY_VERIFY(m_fixture->find<QWidget>(u"hostKeyDialog"_s));
}

void TstHostKeyList::newKey_isNoPartOfWhatWasCompared()
{
    ask(1);
    ask(2);
    QTRY_VERIFY(list());
    press(u"hostKeysAll");
    find<QCheckBox>(u"hostKeysCompared")->setChecked(true);
    ask(3);
    QVERIFY(!find<QCheckBox>(u"hostKeysCompared")->isChecked());
    QVERIFY(!find<QPushButton>(u"hostKeysTrust")->isEnabled());
    QCOMPARE(table()->topLevelItem(2)->checkState(0), Qt::Unchecked);
    find<QCheckBox>(u"hostKeysCompared")->setChecked(true);
    setChecked(2); // another choice is to be compared anew
    QVERIFY(!find<QPushButton>(u"hostKeysTrust")->isEnabled());
}

void TstHostKeyList::decline_isOneByOne()
{
    for (int i = 1; i <= 3; ++i)
        ask(i);
    QTRY_VERIFY(list());
    setChecked(0);
    press(u"hostKeysDecline");
    QTRY_COMPARE(hostsAnswered(false), QStringList{u"gpu1"_s});
    QVERIFY(!m_answers.first().second.store);
    QCOMPARE(table()->topLevelItemCount(), 2);
}

void TstHostKeyList::hostThatGoesAway_leavesItsRow()
{
    for (int i = 1; i <= 3; ++i)
        ask(i);
    QTRY_VERIFY(list());
    m_fixture->window->setState(u"gpu2"_s, retrying({ErrorCode::ConnectionLost, {}, {}}, 3));
    QCOMPARE(table()->topLevelItemCount(), 2);
    m_fixture->window->removeHost(u"gpu1"_s);
    m_fixture->window->removeHost(u"gpu3"_s);
    QTRY_VERIFY(!list());
    QVERIFY(m_answers.isEmpty());
}

void TstHostKeyList::closing_declinesAll_data()
{
    QTest::addColumn<int>("key");
    QTest::newRow("escape") << int(Qt::Key_Escape);
    QTest::newRow("enter") << int(Qt::Key_Return);
}

void TstHostKeyList::closing_declinesAll()
{
    QFETCH(int, key);
    for (int i = 1; i <= 3; ++i)
        ask(i);
    QTRY_VERIFY(list());
    press(u"hostKeysAll");
    find<QCheckBox>(u"hostKeysCompared")->setChecked(true);
    QTest::keyClick(list(), Qt::Key(key));
    QTRY_COMPARE(hostsAnswered(false), (QStringList{u"gpu1"_s, u"gpu2"_s, u"gpu3"_s}));
    QVERIFY(hostsAnswered(true).isEmpty());
    QTRY_VERIFY(!list());
}

void TstHostKeyList::fingerprints_areCopied()
{
    ask(1);
    ask(2);
    QTRY_VERIFY(list());
    press(u"hostKeysCopy");
    QCOMPARE(QApplication::clipboard()->text(), u"gpu1\tgpu1 (10.0.0.1)\t\tED25519\tSHA256:key1\n"
                                                "gpu2\tgpu2 (10.0.0.2)\tops@bastion\tED25519\tSHA256:key2"_s);
    table()->setCurrentItem(table()->topLevelItem(1));
    list()->activateWindow();
    table()->setFocus();
    QTRY_VERIFY(table()->hasFocus());
    QTest::keySequence(table(), QKeySequence::Copy);
    QCOMPARE(QApplication::clipboard()->text(), u"gpu2\tgpu2 (10.0.0.2)\tops@bastion\tED25519\tSHA256:key2"_s);
}

void TstHostKeyList::hostileText_isShownAsItIs()
{
    ask(1, u"<b>bold</b>"_s);
    ask(2);
    QTRY_VERIFY(list());
    QCOMPARE(table()->topLevelItem(0)->text(0), u"<b>bold</b>"_s);
    QVERIFY(!Qt::mightBeRichText(table()->topLevelItem(0)->toolTip(0))
            || table()->topLevelItem(0)->toolTip(0).contains(u"&lt;b&gt;"_s));
    QCOMPARE(find<QLabel>(u"hostKeysDetails")->textFormat(), Qt::PlainText);
}

void TstHostKeyList::otherQuestions_waitTheirTurn()
{
    ask(1);
    ask(2);
    QTRY_VERIFY(list());
    Question secret;
    secret.id = 1;
    secret.kind = Question::Kind::Password;
    secret.prompts = {{u"Password: "_s, false}};
    m_fixture->window->addHost(spec(u"other"_s));
    m_fixture->window->ask(u"other"_s, secret);
    QTest::qWait(20);
    QVERIFY(!m_fixture->find<QWidget>(u"secretDialog"_s));
    QTest::keyClick(list(), Qt::Key_Escape);
    QTRY_VERIFY(m_fixture->find<QWidget>(u"secretDialog"_s));
}

PILOTHOUSE_GUI_TEST_MAIN(TstHostKeyList)
#include "tst_hostkeylist.moc"
