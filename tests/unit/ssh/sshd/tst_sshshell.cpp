// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/sshdserver.h"
#include "tests/support/testmain.h"
#include "tests/unit/ssh/sshd/sessionwatch.h"

#include <QDir>
#include <QElapsedTimer>

using namespace pilothouse;
using namespace pilothouse::test;
using namespace Qt::StringLiterals;

/// Shells on a session against a real server.
class TstSshShell final : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase();
    void shell_runsAScriptFromItsInput();
    void shell_openedBeforeTheSessionIsReady();
    void shell_reportsASignal();
    void shell_takesWhatItIsGivenAndGivesItBack_data();
    void shell_takesWhatItIsGivenAndGivesItBack();
    void shell_thatReadsNothingHoldsTheBytesHere();
    void shells_workSideBySide();
    void closeInput_endsTheShell();
    void close_endsOneShellAndNoOther();
    void destroyedShell_freesItsPlaceOnTheServer();
    void destroyedWhileOpening_freesItsPlaceOnTheServer();
    void refusedChannel_saysSoAndTheSessionLives();
    void noSession_isAllowedAtAll();
    void shell_canBeDestroyedByWhatItSignals();
    void session_canBeDestroyedByWhatAShellSignals();
    void sessionsEnd_closesEveryShellFirst();
    void pingPong_isQuick();
    void manyCycles_leakNoDescriptors();

private:
    [[nodiscard]] bool isReady(SessionWatch &watch) const;
    /// An open shell, or null. The server hears of a closed one a moment later: some tries may be refused.
    [[nodiscard]] std::unique_ptr<ShellWatch> openWhenFree(SessionWatch &watch) const;
    SshdServer m_server;
};

void TstSshShell::initTestCase()
{
    QVERIFY2(m_server.start(), qPrintable(m_server.error()));
}

bool TstSshShell::isReady(SessionWatch &watch) const
{
    watch.session->open();
    return QTest::qWaitFor([&] { return watch.isReady() || watch.ended; }) && watch.isReady();
}

std::unique_ptr<ShellWatch> TstSshShell::openWhenFree(SessionWatch &watch) const
{
    std::unique_ptr<ShellWatch> shell;
    (void)QTest::qWaitFor([&] {
        shell = std::make_unique<ShellWatch>(watch.session->openShell());
        return QTest::qWaitFor([&] { return shell->opened || shell->closed; }) && shell->opened;
    });
    return shell->opened ? std::move(shell) : nullptr;
}

void TstSshShell::shell_runsAScriptFromItsInput()
{
    SessionWatch watch(m_server.settings());
    QVERIFY2(isReady(watch), qPrintable(watch.endText()));
    QCOMPARE(watch.session->peer(), u"%1@127.0.0.1:%2"_s.arg(m_server.user()).arg(m_server.port()));
    using State = SshSession::State;
    QCOMPARE(watch.states, (QList<State>{State::Resolving, State::Connecting, State::KeyExchange,
                                         State::CheckingHostKey, State::SigningIn, State::Ready}));

    ShellWatch shell(watch.session->openShell());
    shell.shell->write("echo out; echo err >&2; exit 7\n");
    QTRY_COMPARE(shell.closed, 1);
    QCOMPARE(shell.opened, 1);
    QCOMPARE(shell.output, "out\n");
    QCOMPARE(shell.errors, "err\n");
    QCOMPARE(shell.status, 7);
    QCOMPARE(shell.signal, QString());
    QVERIFY(!shell.error);
    QVERIFY(!shell.late);

    watch.session->close();
    QTRY_VERIFY(watch.ended);
    QCOMPARE(watch.ended->code, ErrorCode::Cancelled);
    QCOMPARE(watch.states.mid(6), (QList<State>{State::Closing, State::Ended}));
    QVERIFY(!watch.late);
}

void TstSshShell::shell_openedBeforeTheSessionIsReady()
{
    SessionWatch watch(m_server.settings());
    ShellWatch shell(watch.session->openShell());
    shell.shell->write("echo early; exit 0\n");
    QVERIFY2(isReady(watch), qPrintable(watch.endText()));
    QTRY_COMPARE(shell.closed, 1);
    QCOMPARE(shell.output, "early\n");
}

void TstSshShell::shell_reportsASignal()
{
    SessionWatch watch(m_server.settings());
    QVERIFY(isReady(watch));
    ShellWatch shell(watch.session->openShell());
    shell.shell->write("kill -TERM $$\n");
    QTRY_COMPARE(shell.closed, 1);
    QCOMPARE(shell.status, -1);
    QCOMPARE(shell.signal, u"TERM"_s);
    QVERIFY(!shell.error);
}

void TstSshShell::shell_takesWhatItIsGivenAndGivesItBack_data()
{
    QTest::addColumn<qsizetype>("size");
    QTest::newRow("nothing") << qsizetype(0);
    QTest::newRow("a packet") << qsizetype(32'000);
    QTest::newRow("a window and more") << qsizetype(6'000'000);
    QTest::newRow("much") << qsizetype(15'000'000);
}

void TstSshShell::shell_takesWhatItIsGivenAndGivesItBack()
{
    QFETCH(qsizetype, size);
    SessionWatch watch(m_server.settings());
    QVERIFY(isReady(watch));
    ShellWatch shell(watch.session->openShell());
    QByteArray bytes(size, Qt::Uninitialized);
    for (qsizetype i = 0; i < size; ++i)
        bytes[i] = static_cast<char>((i * 2654435761U) >> 13);
    // One line, and nothing more before its sign: the shell would read ahead and keep what is meant for cat.
    shell.shell->write("echo; exec cat\n");
    QTRY_COMPARE(shell.output, "\n");
    shell.shell->write(bytes);
    shell.shell->closeInput();
    QTRY_COMPARE_WITH_TIMEOUT(shell.closed, 1, 60'000);
    QCOMPARE(shell.output.size(), size + 1);
    QVERIFY(QByteArrayView(shell.output).sliced(1) == bytes);
    QCOMPARE(shell.status, 0);
}

void TstSshShell::shell_thatReadsNothingHoldsTheBytesHere()
{
    SessionWatch watch(m_server.settings());
    QVERIFY(isReady(watch));
    ShellWatch deaf(watch.session->openShell());
    ShellWatch other(watch.session->openShell());
    deaf.shell->write("echo ready; exec sleep 300\n");
    QTRY_COMPARE(deaf.output, "ready\n");
    deaf.shell->write(QByteArray(20'000'000, 'x'));
    // The window of the server is full at some point; the other shell goes on.
    other.shell->write("echo alive; exit 0\n");
    QTRY_COMPARE(other.output, "alive\n");
    QTRY_VERIFY(deaf.shell->pendingBytes() < 20'000'000);
    QVERIFY(deaf.shell->pendingBytes() > 10'000'000);
    QElapsedTimer timer;
    timer.start();
    watch.session.reset();
    QVERIFY(timer.elapsed() < 3'000);
}

void TstSshShell::shells_workSideBySide()
{
    SessionWatch watch(m_server.settings());
    QVERIFY(isReady(watch));
    std::vector<std::unique_ptr<ShellWatch>> shells;
    for (int i = 0; i < 8; ++i) {
        shells.push_back(std::make_unique<ShellWatch>(watch.session->openShell()));
        shells.back()->shell->write("i=0; while [ $i -lt 200 ]; do echo " + QByteArray::number(i)
                                    + "; i=$((i+1)); done; exit " + QByteArray::number(i) + "\n");
    }
    for (int i = 0; i < 8; ++i) {
        QTRY_COMPARE(shells.at(size_t(i))->closed, 1);
        QCOMPARE(shells.at(size_t(i))->status, i);
        QCOMPARE(shells.at(size_t(i))->output, QByteArray(QByteArray::number(i) + '\n').repeated(200));
    }
}

void TstSshShell::closeInput_endsTheShell()
{
    SessionWatch watch(m_server.settings());
    QVERIFY(isReady(watch));
    ShellWatch shell(watch.session->openShell());
    shell.shell->closeInput();
    shell.shell->write("echo too late\n");
    QTRY_COMPARE(shell.closed, 1);
    QCOMPARE(shell.status, 0);
    QCOMPARE(shell.output, "");
}

void TstSshShell::close_endsOneShellAndNoOther()
{
    SessionWatch watch(m_server.settings());
    QVERIFY(isReady(watch));
    ShellWatch one(watch.session->openShell());
    ShellWatch two(watch.session->openShell());
    one.shell->write("echo 1; exec sleep 300\n");
    two.shell->write("echo 2\n");
    QTRY_COMPARE(one.output, "1\n");
    QTRY_COMPARE(two.output, "2\n");
    one.shell->close();
    one.shell->write("echo dropped\n");
    QTRY_COMPARE(one.closed, 1);
    QVERIFY(!one.error);
    QCOMPARE(one.status, -1);
    two.shell->write("echo 22; exit 3\n");
    QTRY_COMPARE(two.closed, 1);
    QCOMPARE(two.output, "2\n22\n");
    QCOMPARE(one.closed, 1);
}

void TstSshShell::destroyedShell_freesItsPlaceOnTheServer()
{
    SshdServer narrow({u"MaxSessions 1"_s});
    QVERIFY2(narrow.start(), qPrintable(narrow.error()));
    SessionWatch watch(narrow.settings());
    QVERIFY(isReady(watch));
    for (int i = 0; i < 20; ++i) {
        const auto shell = openWhenFree(watch);
        QVERIFY(shell);
        shell->shell->write("echo hello; exec cat\n");
        QTRY_COMPARE(shell->output, "hello\n");
        shell->shell.reset();
    }
}

void TstSshShell::destroyedWhileOpening_freesItsPlaceOnTheServer()
{
    SshdServer narrow({u"MaxSessions 1"_s});
    QVERIFY2(narrow.start(), qPrintable(narrow.error()));
    SessionWatch watch(narrow.settings());
    QVERIFY(isReady(watch));
    for (int i = 0; i < 20; ++i) {
        auto shell = watch.session->openShell();
        if (i % 2)
            QCoreApplication::processEvents(); // the request is on its way
        shell.reset();
        QVERIFY(openWhenFree(watch));
    }
}

void TstSshShell::refusedChannel_saysSoAndTheSessionLives()
{
    SshdServer narrow({u"MaxSessions 2"_s});
    QVERIFY2(narrow.start(), qPrintable(narrow.error()));
    SessionWatch watch(narrow.settings());
    QVERIFY(isReady(watch));
    ShellWatch one(watch.session->openShell());
    ShellWatch two(watch.session->openShell());
    QTRY_COMPARE(one.opened + two.opened, 2);
    ShellWatch three(watch.session->openShell());
    QTRY_COMPARE(three.closed, 1);
    QCOMPARE(three.opened, 0);
    QVERIFY(three.error);
    QCOMPARE(three.error->code, ErrorCode::ChannelRefused);
    QCOMPARE(three.status, -1);
    one.shell->write("echo still here; exit\n");
    QTRY_COMPARE(one.output, "still here\n");
    QVERIFY(!watch.ended);
}

void TstSshShell::noSession_isAllowedAtAll()
{
    SshdServer narrow({u"MaxSessions 0"_s});
    QVERIFY2(narrow.start(), qPrintable(narrow.error()));
    SessionWatch watch(narrow.settings());
    QVERIFY(isReady(watch));
    ShellWatch shell(watch.session->openShell());
    QTRY_COMPARE(shell.closed, 1);
    QVERIFY(shell.error);
    QCOMPARE(shell.error->code, ErrorCode::ChannelRefused);
}

void TstSshShell::shell_canBeDestroyedByWhatItSignals()
{
    SessionWatch watch(m_server.settings());
    QVERIFY(isReady(watch));
    auto shell = watch.session->openShell();
    connect(shell.get(), &RemoteShell::received, this, [&] { shell.reset(); });
    shell->write("echo one; echo two >&2; exit\n");
    QTRY_VERIFY(!shell);
    shell = watch.session->openShell();
    connect(shell.get(), &RemoteShell::opened, this, [&] { shell.reset(); });
    QTRY_VERIFY(!shell);
    shell = watch.session->openShell();
    connect(shell.get(), &RemoteShell::closed, this, [&] { shell.reset(); });
    shell->closeInput();
    QTRY_VERIFY(!shell);
    QVERIFY(!watch.ended);
}

void TstSshShell::session_canBeDestroyedByWhatAShellSignals()
{
    for (int i = 0; i < 3; ++i) {
        SessionWatch watch(m_server.settings());
        QVERIFY(isReady(watch));
        ShellWatch shell(watch.session->openShell());
        const auto destroy = [&] {
            shell.shell.reset();
            watch.session.reset();
        };
        if (i == 0)
            connect(shell.shell.get(), &RemoteShell::received, this, destroy);
        else if (i == 1)
            connect(shell.shell.get(), &RemoteShell::opened, this, destroy);
        else
            connect(shell.shell.get(), &RemoteShell::closed, this, destroy);
        shell.shell->write("echo one; exit\n");
        QTRY_VERIFY(!watch.session);
    }
}

void TstSshShell::sessionsEnd_closesEveryShellFirst()
{
    SessionWatch watch(m_server.settings());
    QVERIFY(isReady(watch));
    ShellWatch open(watch.session->openShell());
    QTRY_COMPARE(open.opened, 1);
    ShellWatch opening(watch.session->openShell());
    bool shellsFirst = false;
    connect(watch.session.get(), &SshSession::ended, this, [&] { shellsFirst = open.closed && opening.closed; });
    watch.session->close();
    QTRY_VERIFY(watch.ended);
    QVERIFY(shellsFirst);
    QVERIFY(open.error && opening.error);
    QCOMPARE(open.error->code, ErrorCode::Cancelled);

    ShellWatch after(watch.session->openShell());
    QTRY_COMPARE(after.closed, 1);
    QCOMPARE(after.opened, 0);
    QVERIFY(after.error);
}

void TstSshShell::pingPong_isQuick()
{
    SessionWatch watch(m_server.settings());
    QVERIFY(isReady(watch));
    ShellWatch shell(watch.session->openShell());
    // The shell reads ahead: what follows the script must wait for a sign of life.
    shell.shell->write("echo ready; while read -r l; do echo \"$l\"; done\n");
    QTRY_COMPARE(shell.output, "ready\n");
    QElapsedTimer timer;
    timer.start();
    constexpr int rounds = 300;
    for (int i = 0; i < rounds; ++i) {
        shell.shell->write(QByteArray::number(i) + '\n');
        const QByteArray expected = QByteArray::number(i) + '\n';
        while (!shell.output.endsWith(expected) && timer.elapsed() < 20'000)
            QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
    }
    const double perRound = double(timer.nsecsElapsed()) / 1e6 / rounds;
    qInfo("one round: %.3f ms", perRound);
    QVERIFY(perRound < 20.0);
}

void TstSshShell::manyCycles_leakNoDescriptors()
{
    const auto descriptors = [] {
        return QDir(u"/proc/self/fd"_s)
            .entryList(QDir::NoDotAndDotDot | QDir::AllEntries | QDir::System)
            .size();
    };
    qsizetype before = 0;
    for (int i = 0; i < 12; ++i) {
        SessionWatch watch(m_server.settings());
        QVERIFY(isReady(watch));
        for (int j = 0; j < 3; ++j) {
            ShellWatch shell(watch.session->openShell());
            QTRY_COMPARE(shell.opened, 1);
        }
        if (i % 2) {
            watch.session->close();
            QTRY_VERIFY(watch.ended);
        }
        watch.session.reset();
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        if (i == 3)
            before = descriptors();
    }
    QCOMPARE(descriptors(), before);
}

PILOTHOUSE_TEST_MAIN(TstSshShell)
#include "tst_sshshell.moc"
