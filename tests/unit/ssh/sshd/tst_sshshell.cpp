// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/sshdserver.h"
#include "tests/support/testmain.h"
#include "tests/unit/ssh/sshd/sessionwatch.h"

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

private:
    SshdServer m_server;
};

void TstSshShell::initTestCase()
{
    QVERIFY2(m_server.start(), qPrintable(m_server.error()));
}

void TstSshShell::shell_runsAScriptFromItsInput()
{
    SessionWatch watch(m_server.settings());
    watch.session->open();
    QTRY_VERIFY2(watch.isReady() || watch.ended, qPrintable(watch.endText()));
    QVERIFY2(watch.isReady(), qPrintable(watch.endText()));

    ShellWatch shell(watch.session->openShell());
    shell.shell->write("echo out; echo err >&2; exit 7\n");
    QTRY_COMPARE(shell.closed, 1);
    QCOMPARE(shell.output, "out\n");
    QCOMPARE(shell.errors, "err\n");
    QCOMPARE(shell.status, 7);
    QVERIFY(!shell.error);
    QVERIFY(!shell.late);

    watch.session->close();
    QTRY_VERIFY(watch.ended);
    QCOMPARE(watch.ended->code, ErrorCode::Cancelled);
}

PILOTHOUSE_TEST_MAIN(TstSshShell)
#include "tst_sshshell.moc"
