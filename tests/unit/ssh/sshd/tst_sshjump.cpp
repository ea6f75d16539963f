// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/rudelistener.h"
#include "tests/support/testmain.h"
#include "tests/unit/ssh/sshd/jumplab.h"

#include <QElapsedTimer>

#include <csignal>

using namespace pilothouse;
using namespace pilothouse::test;
using namespace std::chrono_literals;
using namespace Qt::StringLiterals;

/// Hosts behind a jump host: the way there, and what is shared.
class TstSshJump final : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase();
    void init();
    void host_isReachedThroughTheJumpHost();
    void jump_ofAPatternIsNotPassedBy();
    void jump_noneIsADirectConnection();
    void twoHops_data();
    void twoHops();
    void tokens_areExpanded();
    void fortyHosts_shareOneSignIn();
    void question_isAskedOnceForAll();
    void unasked_ridesWhatAPersonOpened();
    void unasked_isNotAsked();
    void unasked_doesNotHoldUpAPerson();
    void question_movesOnWhenItsHostLeaves();
    void question_declinedEndsAll();
    void reconnect_isShared();
    void handshakes_areCappedPerHop();
    void knownHostsOption_isForTheJumpHostToo();
    void bulk_goesThroughWhole();
    void destroyed_inEveryState_data();
    void destroyed_inEveryState();

private:
    using State = SshSession::State;
    /// Its only key has a passphrase.
    void lockBastion();
    [[nodiscard]] ConnectionSettings asked(const QString &host) const;
    [[nodiscard]] ConnectionSettings unasked(const QString &host) const;
    JumpLab m_lab{{u"MaxStartups 100"_s}};
};

void TstSshJump::initTestCase()
{
    QVERIFY2(m_lab.start(), qPrintable(m_lab.bastion.error() + m_lab.gpu.error()));
    QVERIFY(makeKey(m_lab.bastion.path(u"locked"_s), u"open sesame"_s));
}

void TstSshJump::init()
{
    QVERIFY(m_lab.writeConfig());
    m_lab.share();
}

void TstSshJump::host_isReachedThroughTheJumpHost()
{
    m_lab.hosts.reset(); // one of its own
    SessionWatch watch(m_lab.settings());
    watch.session->open();
    TRY_END(watch);
    QVERIFY2(watch.isReady(), qPrintable(watch.endText()));
    QCOMPARE(watch.session->peer(), u"%1@127.0.0.1:%2"_s.arg(m_lab.gpu.user()).arg(m_lab.gpu.port()));
    QCOMPARE(answerOf(watch, "echo $SSH_CONNECTION | cut -d' ' -f4"), QByteArray::number(m_lab.gpu.port()) + '\n');
    QVERIFY2(watch.words.contains(u"jump host bastion: signing in"_s), qPrintable(watch.words.join(u'\n')));
    QCOMPARE(m_lab.signIns(m_lab.bastion), 1);
    QElapsedTimer timer;
    timer.start();
    watch.session.reset();
    QVERIFY(timer.elapsed() < 10'000);
}

void TstSshJump::jump_ofAPatternIsNotPassedBy()
{
    // libssh's own reader compares the pattern with the HostName and connects past the bastion.
    QVERIFY(writeFile(m_lab.gpu.path(u"ssh_config"_s),
                      m_lab.block("gpu1", m_lab.gpu, {}) + "Host gpu*\n  ProxyJump bastion\n"
                          + m_lab.block("bastion", m_lab.bastion, "Port " + QByteArray::number(freePort()))));
    const qsizetype before = m_lab.visits(m_lab.gpu);
    SessionWatch watch(m_lab.settings());
    watch.session->open();
    TRY_END(watch);
    QVERIFY(watch.ended);
    QCOMPARE(watch.ended->code, ErrorCode::ConnectRefused);
    QVERIFY2(watch.ended->detail.startsWith(u"at the jump host bastion: "_s), qPrintable(watch.endText()));
    QCOMPARE(m_lab.visits(m_lab.gpu), before);
}

void TstSshJump::jump_noneIsADirectConnection()
{
    QVERIFY(m_lab.writeConfig("ProxyJump none"));
    const qsizetype before = m_lab.visits(m_lab.bastion);
    SessionWatch watch(m_lab.settings());
    watch.session->open();
    TRY_END(watch);
    QVERIFY2(watch.isReady(), qPrintable(watch.endText()));
    QCOMPARE(m_lab.visits(m_lab.bastion), before);
}

void TstSshJump::twoHops_data()
{
    QTest::addColumn<QByteArray>("gpuLines");
    QTest::addColumn<QByteArray>("bastionLines");
    QTest::newRow("one line") << QByteArray("ProxyJump outer,bastion") << QByteArray();
    QTest::newRow("the hop's own block") << QByteArray("ProxyJump bastion") << QByteArray("ProxyJump outer");
    QTest::newRow("the line beats the hop's block")
        << QByteArray("ProxyJump outer,bastion") << QByteArray("ProxyCommand false");
}

void TstSshJump::twoHops()
{
    QFETCH(QByteArray, gpuLines);
    QFETCH(QByteArray, bastionLines);
    SshdServer outer;
    QVERIFY2(outer.start(), qPrintable(outer.error()));
    QVERIFY(m_lab.writeConfig(gpuLines, bastionLines, m_lab.block("outer", outer, {})));
    const qsizetype before = m_lab.signIns(m_lab.bastion);
    {
        SessionWatch watch(m_lab.settings());
        watch.session->open();
        TRY_END(watch);
        QVERIFY2(watch.isReady(), qPrintable(watch.endText()));
        QCOMPARE(answerOf(watch, "echo here"), "here\n");
        QCOMPARE(m_lab.signIns(outer), 1);
        QCOMPARE(m_lab.signIns(m_lab.bastion), before + 1);
    }
    // The outermost one is named alone, however many follow it.
    m_lab.share();
    outer.stop();
    SessionWatch watch(m_lab.settings());
    watch.session->open();
    TRY_END(watch);
    QVERIFY(watch.ended);
    QCOMPARE(watch.ended->code, ErrorCode::ConnectRefused);
    QVERIFY2(watch.ended->detail.startsWith(u"at the jump host outer: Port"_s), qPrintable(watch.endText()));
}

void TstSshJump::tokens_areExpanded()
{
    QVERIFY(m_lab.writeConfig("ProxyJump jump-%n", {}, m_lab.block("jump-gpu1", m_lab.bastion, {})));
    SessionWatch watch(m_lab.settings());
    watch.session->open();
    TRY_END(watch);
    QVERIFY2(watch.isReady(), qPrintable(watch.endText()));
    QVERIFY(watch.words.contains(u"jump host jump-gpu1: signing in"_s));
}

void TstSshJump::fortyHosts_shareOneSignIn()
{
    const qsizetype before = m_lab.signIns(m_lab.bastion);
    QElapsedTimer timer;
    timer.start();
    std::vector<std::unique_ptr<SessionWatch>> watches;
    for (int i = 0; i < 40; ++i) {
        ConnectionSettings settings = m_lab.settings(u"gpu%1"_s.arg(i));
        settings.configCache = std::make_shared<SshConfigCache>();
        watches.push_back(std::make_unique<SessionWatch>(settings));
        watches.back()->session->open();
    }
    QTRY_VERIFY_WITH_TIMEOUT(std::all_of(watches.begin(), watches.end(),
                                         [](const auto &watch) { return watch->ended || watch->isReady(); }),
                             60'000);
    for (const auto &watch : watches)
        QVERIFY2(watch->isReady(), qPrintable(watch->endText()));
    qInfo("40 hosts ready after %lld ms", timer.elapsed());
    QCOMPARE(m_lab.signIns(m_lab.bastion), before + 1);
    QCOMPARE(answerOf(*watches.back(), "echo last"), "last\n");
}

void TstSshJump::question_isAskedOnceForAll()
{
    lockBastion();
    std::vector<std::unique_ptr<SessionWatch>> watches;
    for (int i = 0; i < 8; ++i) {
        watches.push_back(std::make_unique<SessionWatch>(asked(u"gpu%1"_s.arg(i))));
        watches.back()->reply = [](const Question &question) {
            return Answer{question.id, true, true, {u"open sesame"_s}};
        };
        watches.back()->session->open();
    }
    QTRY_VERIFY_WITH_TIMEOUT(std::all_of(watches.begin(), watches.end(),
                                         [](const auto &watch) { return watch->ended || watch->isReady(); }),
                             30'000);
    QList<Question> questions;
    for (const auto &watch : watches) {
        QVERIFY2(watch->isReady(), qPrintable(watch->endText()));
        questions += watch->questions;
    }
    QCOMPARE(questions.size(), 1);
    QCOMPARE(questions.first().kind, Question::Kind::KeyPassphrase);
    QVERIFY2(questions.first().host.contains(u"@bastion"_s), qPrintable(questions.first().host));
}

void TstSshJump::lockBastion()
{
    QVERIFY(writeFile(m_lab.bastion.path(u"authorized_keys"_s),
                      readFile(m_lab.bastion.path(u"id.pub"_s)) + readFile(m_lab.bastion.path(u"locked.pub"_s))));
    QVERIFY(m_lab.writeConfig("ProxyJump bastion",
                              "IdentitiesOnly yes\nIdentityFile " + m_lab.bastion.path(u"locked"_s).toUtf8()));
}

ConnectionSettings TstSshJump::unasked(const QString &host) const
{
    ConnectionSettings settings = m_lab.settings(host);
    settings.askPerson = false; // as of a host that comes back by itself
    settings.byItself = true;
    return settings;
}

ConnectionSettings TstSshJump::asked(const QString &host) const
{
    ConnectionSettings settings = m_lab.settings(host);
    settings.askPerson = true;
    return settings;
}

void TstSshJump::unasked_ridesWhatAPersonOpened()
{
    lockBastion();
    const qsizetype before = m_lab.signIns(m_lab.bastion);
    SessionWatch person(asked(u"gpu1"_s));
    person.reply = [](const Question &question) { return Answer{question.id, true, true, {u"open sesame"_s}}; };
    person.session->open();
    QTRY_VERIFY2(person.isReady(), qPrintable(person.endText()));
    SessionWatch itself(unasked(u"gpu2"_s));
    itself.session->open();
    QTRY_VERIFY2(itself.ended || itself.isReady(), qPrintable(itself.endText()));
    QVERIFY2(itself.isReady(), qPrintable(itself.endText()));
    QCOMPARE(m_lab.signIns(m_lab.bastion), before + 1);
    QCOMPARE(person.questions.size(), 1);
}

void TstSshJump::unasked_isNotAsked()
{
    lockBastion();
    SessionWatch person(asked(u"gpu1"_s));
    person.session->open();
    QTRY_COMPARE(person.questions.size(), 1);
    SessionWatch itself(unasked(u"gpu2"_s));
    itself.session->open();
    QTRY_VERIFY(!itself.words.isEmpty() && itself.words.constLast().contains(u"jump host bastion"_s));
    person.session.reset(); // nobody is left who could answer
    QTRY_VERIFY(itself.ended);
    QVERIFY(itself.questions.isEmpty());
    QVERIFY2(itself.ended->code == ErrorCode::SignInNeedsPerson, qPrintable(itself.endText()));
}

void TstSshJump::unasked_doesNotHoldUpAPerson()
{
    QVERIFY(writeFile(m_lab.bastion.path(u"empty"_s), {}));
    QVERIFY(m_lab.writeConfig("ProxyJump bastion", "UserKnownHostsFile " + m_lab.bastion.path(u"empty"_s).toUtf8()));
    const qsizetype before = m_lab.signIns(m_lab.bastion);
    SessionWatch itself(unasked(u"gpu2"_s));
    SessionWatch person(asked(u"gpu1"_s));
    person.reply = [](const Question &question) { return Answer{question.id, true, false, {}}; };
    itself.session->open();
    person.session->open();
    QTRY_VERIFY2(person.ended || person.isReady(), qPrintable(person.endText()));
    QVERIFY2(person.isReady(), qPrintable(person.endText()));
    QTRY_VERIFY(itself.ended || itself.isReady());
    QVERIFY(itself.questions.isEmpty());
    // It came first and ended; its next try rides.
    SessionWatch again(unasked(u"gpu2"_s));
    again.session->open();
    QTRY_VERIFY(again.ended || again.isReady());
    QVERIFY2(again.isReady(), qPrintable(again.endText()));
    QCOMPARE(m_lab.signIns(m_lab.bastion), before + 1);
}

void TstSshJump::question_movesOnWhenItsHostLeaves()
{
    QVERIFY(writeFile(m_lab.bastion.path(u"empty"_s), {}));
    QVERIFY(m_lab.writeConfig("ProxyJump bastion", "UserKnownHostsFile " + m_lab.bastion.path(u"empty"_s).toUtf8()));
    ConnectionSettings settings = m_lab.settings();
    settings.askPerson = true;
    SessionWatch first(settings);
    first.session->open();
    QTRY_COMPARE(first.questions.size(), 1);
    QCOMPARE(first.questions.first().kind, Question::Kind::UnknownHostKey);
    SessionWatch second(settings);
    second.session->open();
    QTRY_VERIFY(second.words.contains(u"jump host bastion: waiting for a decision about the host key"_s));
    QVERIFY(second.questions.isEmpty());
    first.session.reset();
    QTRY_COMPARE(second.questions.size(), 1);
    second.session->answer({second.questions.first().id + 1, true, true, {}}); // of another question
    second.session->answer({second.questions.first().id, true, true, {}});
    TRY_END(second);
    QVERIFY2(second.isReady(), qPrintable(second.endText()));
    QVERIFY(readFile(m_lab.bastion.path(u"empty"_s)).contains(m_lab.bastion.hostKeyLine()));
}

void TstSshJump::question_declinedEndsAll()
{
    QVERIFY(writeFile(m_lab.bastion.path(u"empty"_s), {}));
    QVERIFY(m_lab.writeConfig("ProxyJump bastion", "UserKnownHostsFile " + m_lab.bastion.path(u"empty"_s).toUtf8()));
    ConnectionSettings settings = m_lab.settings();
    settings.askPerson = true;
    SessionWatch first(settings);
    SessionWatch second(settings);
    first.session->open();
    second.session->open();
    QTRY_VERIFY(first.questions.size() + second.questions.size() > 0);
    SessionWatch &asked = first.questions.isEmpty() ? second : first;
    asked.session->answer({asked.questions.first().id, false, false, {}});
    TRY_END(first);
    TRY_END(second);
    for (const auto *watch : {&first, &second}) {
        QVERIFY(watch->ended);
        QCOMPARE(watch->ended->code, ErrorCode::Cancelled);
        QVERIFY2(watch->ended->detail.startsWith(u"at the jump host bastion: "_s), qPrintable(watch->endText()));
    }
    // Not asked again by itself, but when a person wants it.
    ConnectionSettings again = settings;
    again.byItself = true;
    SessionWatch third(again);
    third.session->open();
    TRY_END(third);
    QVERIFY(third.ended);
    QCOMPARE(third.ended->code, ErrorCode::Cancelled);
    SessionWatch fourth(settings);
    fourth.session->open();
    QTRY_COMPARE(fourth.questions.size(), 1);
}

void TstSshJump::reconnect_isShared()
{
    const auto connectAll = [this](std::vector<std::unique_ptr<SessionWatch>> &watches) {
        for (int i = 0; i < 6; ++i) {
            watches.push_back(std::make_unique<SessionWatch>(m_lab.settings(u"gpu%1"_s.arg(i))));
            watches.back()->session->open();
        }
        return QTest::qWaitFor([&] {
            return std::all_of(watches.begin(), watches.end(), [](const auto &watch) { return watch->isReady(); });
        }, 20'000);
    };
    const qsizetype before = m_lab.signIns(m_lab.bastion);
    std::vector<std::unique_ptr<SessionWatch>> first;
    QVERIFY(connectAll(first));
    for (const pid_t child : m_lab.bastion.connectionProcesses())
        ::kill(child, SIGKILL);
    QTRY_VERIFY(std::all_of(first.begin(), first.end(), [](const auto &watch) { return watch->ended.has_value(); }));
    std::vector<std::unique_ptr<SessionWatch>> second;
    QVERIFY(connectAll(second));
    QCOMPARE(m_lab.signIns(m_lab.bastion), before + 2);

    // Nobody left behind it: it stays for a while, and is there for the next one.
    second.clear();
    std::vector<std::unique_ptr<SessionWatch>> third;
    QVERIFY(connectAll(third));
    QCOMPARE(m_lab.signIns(m_lab.bastion), before + 2);
    third.clear();
    first.clear(); // what is left of a session still holds the jump hosts

    JumpSettings brief;
    brief.linger = 50ms;
    m_lab.share(brief);
    std::vector<std::unique_ptr<SessionWatch>> fourth;
    QVERIFY(connectAll(fourth));
    fourth.clear();
    QTRY_VERIFY(m_lab.bastion.connectionProcesses().isEmpty());
}

void TstSshJump::handshakes_areCappedPerHop()
{
    for (const bool byGate : {false, true}) {
        JumpSettings how;
        how.place = 1min;
        how.handshakesPerHop = byGate ? 100 : 2;
        how.gate = std::make_shared<HandshakeGate>(byGate ? 2 : 100);
        m_lab.share(how);
        RudeListener silent;
        QVERIFY(m_lab.writeConfig("ProxyJump bastion\nPort " + QByteArray::number(silent.port())));
        std::vector<std::unique_ptr<SessionWatch>> watches;
        for (int i = 0; i < 5; ++i) {
            ConnectionSettings settings = m_lab.settings(u"gpu%1"_s.arg(i));
            settings.connectTimeout = 1500ms;
            watches.push_back(std::make_unique<SessionWatch>(settings));
            watches.back()->session->open();
        }
        QTRY_COMPARE(silent.visitors(), 2);
        QVERIFY(!QTest::qWaitFor([&] { return silent.visitors() > 2; }, 400));
        QTRY_COMPARE(silent.visitors(), 4); // the first two gave up
        QTRY_COMPARE(silent.visitors(), 5);
        QTRY_VERIFY(std::all_of(watches.begin(), watches.end(), [](const auto &watch) { return watch->ended; }));
    }
}

void TstSshJump::knownHostsOption_isForTheJumpHostToo()
{
    const QString file = m_lab.gpu.path(u"both"_s);
    ConnectionSettings settings = m_lab.settings();
    settings.knownHostsFile = file;
    settings.identityFile = m_lab.gpu.path(u"id"_s); // the host's alone, as ssh -i
    settings.acceptNewHostKey = true;
    SessionWatch watch(settings);
    watch.session->open();
    TRY_END(watch);
    QVERIFY2(watch.isReady(), qPrintable(watch.endText()));
    QVERIFY(readFile(file).contains(m_lab.bastion.hostKeyLine()));
    QVERIFY(readFile(file).contains(m_lab.gpu.hostKeyLine()));
}

void TstSshJump::bulk_goesThroughWhole()
{
    SessionWatch watch(m_lab.settings());
    watch.session->open();
    TRY_END(watch);
    QVERIFY2(watch.isReady(), qPrintable(watch.endText()));
    QElapsedTimer timer;
    timer.start();
    ShellWatch down(watch.session->openShell());
    down.shell->write("head -c 20000000 /dev/zero; exit 0\n");
    ShellWatch up(watch.session->openShell());
    up.shell->write("exec wc -c\n");
    QTRY_COMPARE(up.opened, 1);
    up.shell->write(QByteArray(8'000'000, 'x'));
    up.shell->closeInput();
    QTRY_COMPARE_WITH_TIMEOUT(down.closed, 1, 30'000);
    QTRY_COMPARE_WITH_TIMEOUT(up.closed, 1, 30'000);
    QCOMPARE(down.output.size(), 20'000'000);
    QVERIFY2(up.output.trimmed().toInt() >= 7'990'000, up.output.constData()); // the shell reads a little ahead
    qInfo("28 MB through the jump host in %lld ms", timer.elapsed());
}

void TstSshJump::destroyed_inEveryState_data()
{
    QTest::addColumn<State>("state");
    QTest::newRow("connecting") << State::Connecting;
    QTest::newRow("key exchange") << State::KeyExchange;
    QTest::newRow("host key") << State::CheckingHostKey;
    QTest::newRow("signing in") << State::SigningIn;
    QTest::newRow("ready") << State::Ready;
    QTest::newRow("closing") << State::Closing;
    QTest::newRow("ended") << State::Ended;
}

void TstSshJump::destroyed_inEveryState()
{
    QFETCH(State, state);
    for (const bool shared : {true, false}) {
        for (const bool inside : {true, false}) {
            if (!shared)
                m_lab.hosts.reset();
            SessionWatch watch(m_lab.settings());
            bool reached = false;
            connect(watch.session.get(), &SshSession::stateChanged, this, [&](State now) {
                if (now == State::Ready && state > State::Ready)
                    watch.session->close();
                if (now != state)
                    return;
                reached = true;
                if (inside)
                    watch.session.reset();
            });
            watch.session->open();
            QTRY_VERIFY(reached);
            QElapsedTimer timer;
            timer.start();
            watch.session.reset();
            QVERIFY2(timer.elapsed() < 3'000, qPrintable(QString::number(timer.elapsed())));
            QCoreApplication::processEvents();
        }
    }
}

PILOTHOUSE_TEST_MAIN(TstSshJump)
#include "tst_sshjump.moc"
