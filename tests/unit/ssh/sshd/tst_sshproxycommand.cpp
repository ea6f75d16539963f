// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/testmain.h"
#include "tests/unit/ssh/sshd/jumplab.h"

#include <QElapsedTimer>
#include <QRegularExpression>

#include <csignal>

using namespace pilothouse;
using namespace pilothouse::test;
using namespace std::chrono_literals;
using namespace Qt::StringLiterals;

/// A host behind a ProxyCommand: how it is run, what is said when it fails, and that it ends.
class TstSshProxyCommand final : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase();
    void init();
    void command_isTheWay();
    void command_isRunAsSshRunsIt();
    void command_ofAJumpHost();
    void failure_isNamed_data();
    void failure_isNamed();
    void shell_thatIsNotThere();
    void hangingCommand_isATimeoutWithItsWords();
    void garbage_isNoSshServer();
    void killedCommand_isTheReason();
    void bulk_goesThroughWhole();
    void command_endsWithItsSession_data();
    void command_endsWithItsSession();
    void swappedHost_isCaughtByItsKey();

private:
    [[nodiscard]] QByteArray tunnel() const
    {
        return "ssh -F " + m_lab.gpu.path(u"ssh_config"_s).toUtf8() + " -W %h:%p bastion";
    }
    [[nodiscard]] QByteArray pidOf(const QString &file) const { return readFile(m_lab.gpu.path(file)).trimmed(); }

    JumpLab m_lab{{u"MaxStartups 100"_s}};
};

void TstSshProxyCommand::initTestCase()
{
    QTest::failOnWarning(QRegularExpression(u".*"_s));
    QVERIFY2(m_lab.start(), qPrintable(m_lab.bastion.error() + m_lab.gpu.error()));
}

void TstSshProxyCommand::init()
{
    QVERIFY(m_lab.writeConfig("ProxyCommand " + tunnel()));
}

void TstSshProxyCommand::command_isTheWay()
{
    SessionWatch watch(m_lab.settings());
    watch.session->open();
    TRY_END(watch);
    QVERIFY2(watch.isReady(), qPrintable(watch.endText()));
    QCOMPARE(answerOf(watch, "echo here"), "here\n");
    QTRY_COMPARE(m_lab.signIns(m_lab.bastion), 1);
}

void TstSshProxyCommand::command_isRunAsSshRunsIt()
{
    // The person's shell, with exec, tokens expanded; no terminal, an input that is a pipe.
    const QByteArray note = m_lab.gpu.path(u"note"_s).toUtf8();
    QVERIFY(writeFile(m_lab.gpu.path(u"way"_s),
                      "#!/bin/sh\n{ echo \"$*\"; tty; test -p /dev/stdin && echo pipe; ps -o comm= -p $PPID; } >" + note
                          + " 2>&1\nexec " + QByteArray(tunnel()).replace("%h", "$1").replace("%p", "$2") + '\n'));
    QVERIFY(QFile::setPermissions(m_lab.gpu.path(u"way"_s), QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
    QVERIFY(m_lab.writeConfig("ProxyCommand " + m_lab.gpu.path(u"way"_s).toUtf8() + " %h %p %r %n %%h \"a  b\""));
    SessionWatch watch(m_lab.settings());
    watch.session->open();
    TRY_END(watch);
    QVERIFY2(watch.isReady(), qPrintable(watch.endText()));
    const QByteArray expected = "127.0.0.1 " + QByteArray::number(m_lab.gpu.port()) + ' ' + m_lab.gpu.user().toUtf8()
        + " gpu1 %h a  b\nnot a tty\npipe\ntst_sshproxycom\n";
    QCOMPARE(readFile(QString::fromUtf8(note)), expected);
}

void TstSshProxyCommand::command_ofAJumpHost()
{
    QVERIFY(m_lab.writeConfig("ProxyJump bastion", "ProxyCommand nc 127.0.0.1 %p"));
    SessionWatch watch(m_lab.settings());
    watch.session->open();
    TRY_END(watch);
    QVERIFY2(watch.isReady() || watch.endText().contains(u"nc"_s), qPrintable(watch.endText()));

    QVERIFY(m_lab.writeConfig("ProxyJump bastion", "ProxyCommand echo no way >&2; exit 3"));
    SessionWatch broken(m_lab.settings());
    broken.session->open();
    TRY_END(broken);
    QVERIFY(broken.ended);
    QCOMPARE(broken.ended->code, ErrorCode::Unreachable);
    QVERIFY2(broken.ended->detail.startsWith(u"at the jump host bastion: the ProxyCommand"_s),
             qPrintable(broken.endText()));
}

void TstSshProxyCommand::failure_isNamed_data()
{
    QTest::addColumn<QByteArray>("command");
    QTest::addColumn<ErrorCode>("code");
    QTest::addColumn<QString>("words");
    QTest::newRow("exits") << QByteArray("false") << ErrorCode::Unreachable << u"ended with exit code 1."_s;
    QTest::newRow("exits well") << QByteArray("true") << ErrorCode::Unreachable << u"ended with exit code 0."_s;
    QTest::newRow("says why") << QByteArray("sh -c 'echo first >&2; echo \"no way\" >&2; exit 7'")
                              << ErrorCode::Unreachable << u"ended with exit code 7: first; no way."_s;
    QTest::newRow("escapes") << QByteArray("sh -c 'printf \"\\033[31mred\\033[0m\\a\\n\" >&2; exit 7'")
                             << ErrorCode::Unreachable << u"red"_s;
    QTest::newRow("no such program") << QByteArray("/no/such/program") << ErrorCode::Unreachable << u"exit code 127"_s;
    QTest::newRow("killed") << QByteArray("sh -c 'kill -9 $$'") << ErrorCode::Unreachable << u"ended by signal 9."_s;
    QTest::newRow("closes its output") << QByteArray("sh -c 'exec >&-; exec sleep 30'") << ErrorCode::Unreachable
                                       << u"closed its output."_s;
    QTest::newRow("a proxy's answer") << QByteArray("sh -c 'printf \"HTTP/1.1 407 Proxy Authentication\\r\\n\\r\\n\"'")
                                      << ErrorCode::NotSsh << u"HTTP/1.1 407 Proxy Authentication"_s;
    QTest::newRow("its end is told too") << QByteArray("sh -c 'printf \"HTTP/1.1 407 No\\r\\n\\r\\n\"; exit 9'")
                                         << ErrorCode::NotSsh << u"ended with exit code 9."_s;
    QTest::newRow("unknown token") << QByteArray("nc %Z") << ErrorCode::SshConfigInvalid << u"knows no token %Z"_s;
}

void TstSshProxyCommand::failure_isNamed()
{
    QFETCH(QByteArray, command);
    QFETCH(ErrorCode, code);
    QFETCH(QString, words);
    QVERIFY(m_lab.writeConfig("ProxyCommand " + command));
    SessionWatch watch(m_lab.settings());
    watch.session->open();
    TRY_END(watch);
    QVERIFY(watch.ended);
    QCOMPARE(nameOf(watch.ended->code), nameOf(code));
    QCOMPARE(exitCodeOf(watch.ended->code), 3);
    QVERIFY2(watch.ended->detail.contains(u"ProxyCommand"_s), qPrintable(watch.endText()));
    QVERIFY2(watch.ended->detail.contains(words), qPrintable(watch.endText()));
    QVERIFY(!watch.ended->detail.contains(u'\x1b') && !watch.ended->detail.contains(u'\a'));
}

void TstSshProxyCommand::shell_thatIsNotThere()
{
    const QByteArray before = qgetenv("SHELL");
    qputenv("SHELL", "/no/such/shell");
    SessionWatch watch(m_lab.settings());
    watch.session->open();
    TRY_END(watch);
    qputenv("SHELL", before);
    QVERIFY(watch.ended);
    QCOMPARE(watch.ended->code, ErrorCode::LocalIo);
    QVERIFY2(watch.ended->detail.contains(u"/no/such/shell"_s), qPrintable(watch.endText()));
}

void TstSshProxyCommand::hangingCommand_isATimeoutWithItsWords()
{
    QVERIFY(m_lab.writeConfig("ProxyCommand sh -c 'echo trying >&2; exec sleep 30'"));
    ConnectionSettings settings = m_lab.settings();
    settings.connectTimeout = 600ms;
    SessionWatch watch(settings);
    watch.session->open();
    TRY_END(watch);
    QVERIFY(watch.ended);
    QCOMPARE(watch.ended->code, ErrorCode::ConnectTimeout);
    QVERIFY2(watch.ended->detail.endsWith(u"The way is a ProxyCommand, which says: trying."_s),
             qPrintable(watch.endText()));
}

void TstSshProxyCommand::garbage_isNoSshServer()
{
    QVERIFY(
        m_lab.writeConfig("ProxyCommand sh -c 'echo \"HTTP/1.1 407 Proxy Authentication Required\"; exec sleep 30'"));
    ConnectionSettings settings = m_lab.settings();
    settings.connectTimeout = 600ms;
    SessionWatch watch(settings);
    watch.session->open();
    TRY_END(watch);
    QVERIFY(watch.ended);
    QCOMPARE(watch.ended->code, ErrorCode::NotSsh);
    QVERIFY2(watch.ended->detail.contains(u"407"_s), qPrintable(watch.endText()));
}

void TstSshProxyCommand::killedCommand_isTheReason()
{
    QVERIFY(m_lab.writeConfig("ProxyCommand sh -c 'echo $$ >" + m_lab.gpu.path(u"pid"_s).toUtf8() + "; exec "
                              + tunnel() + '\''));
    SessionWatch watch(m_lab.settings());
    watch.session->open();
    TRY_END(watch);
    QVERIFY2(watch.isReady(), qPrintable(watch.endText()));
    QCOMPARE(::kill(pidOf(u"pid"_s).toInt(), SIGKILL), 0);
    QTRY_VERIFY(watch.ended);
    QCOMPARE(watch.ended->code, ErrorCode::ConnectionLost);
    QVERIFY2(watch.ended->detail.contains(u"the ProxyCommand was ended by signal 9"_s), qPrintable(watch.endText()));
}

void TstSshProxyCommand::bulk_goesThroughWhole()
{
    SessionWatch watch(m_lab.settings());
    watch.session->open();
    TRY_END(watch);
    QVERIFY2(watch.isReady(), qPrintable(watch.endText()));
    ShellWatch down(watch.session->openShell());
    down.shell->write("head -c 10000000 /dev/zero; exit 0\n");
    ShellWatch up(watch.session->openShell());
    up.shell->write("exec wc -c\n");
    QTRY_COMPARE(up.opened, 1);
    up.shell->write(QByteArray(4'000'000, 'x'));
    up.shell->closeInput();
    QTRY_COMPARE_WITH_TIMEOUT(down.closed, 1, 30'000);
    QTRY_COMPARE_WITH_TIMEOUT(up.closed, 1, 30'000);
    QCOMPARE(down.output.size(), 10'000'000);
    QVERIFY2(up.output.trimmed().toInt() >= 3'990'000, up.output.constData()); // the shell reads a little ahead
}

void TstSshProxyCommand::command_endsWithItsSession_data()
{
    QTest::addColumn<QByteArray>("script");
    QTest::newRow("at its input's end") << QByteArray("exec cat");
    QTest::newRow("at SIGHUP") << QByteArray("exec sleep 600");
    QTest::newRow("by force") << QByteArray("trap \"\" HUP TERM; while :; do sleep 1; done");
}

void TstSshProxyCommand::command_endsWithItsSession()
{
    QFETCH(QByteArray, script);
    QVERIFY(writeFile(m_lab.gpu.path(u"pid"_s), {}));
    QVERIFY(
        m_lab.writeConfig("ProxyCommand sh -c 'echo $$ >" + m_lab.gpu.path(u"pid"_s).toUtf8() + "; " + script + '\''));
    SessionWatch watch(m_lab.settings());
    watch.session->open();
    QTRY_VERIFY(pidOf(u"pid"_s).toInt() > 1);
    const pid_t pid = pidOf(u"pid"_s).toInt();
    QElapsedTimer timer;
    timer.start();
    watch.session.reset();
    QVERIFY(timer.elapsed() < 3'000);
    QTRY_COMPARE(::kill(pid, 0), -1);
}

void TstSshProxyCommand::swappedHost_isCaughtByItsKey()
{
    QVERIFY(m_lab.writeConfig("HostKeyAlias the-gpu\nUserKnownHostsFile " + m_lab.gpu.path(u"swapped"_s).toUtf8()
                              + "\nProxyCommand ssh -F " + m_lab.gpu.path(u"ssh_config"_s).toUtf8() + " -W 127.0.0.1:"
                              + QByteArray::number(m_lab.bastion.port()) + " bastion"));
    QVERIFY(writeFile(m_lab.gpu.path(u"swapped"_s), "the-gpu " + m_lab.gpu.hostKeyLine() + '\n'));
    SessionWatch watch(m_lab.settings());
    watch.session->open();
    TRY_END(watch);
    QVERIFY(watch.ended);
    QCOMPARE(watch.ended->code, ErrorCode::HostKeyChanged);
}

PILOTHOUSE_TEST_MAIN(TstSshProxyCommand)
#include "tst_sshproxycommand.moc"
