// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/probe/problems.h"
#include "core/probe/sudorefusal.h"
#include "tests/support/testmain.h"

#include <QTest>

using namespace pilothouse;
using namespace Qt::StringLiterals;

/// What sudo says when it refuses. Rows without another note: sudo 1.9.13p3 of Debian 12, LC_ALL=C.
class TstSudoRefusal final : public QObject
{
    Q_OBJECT
private slots:
    void refusal_isTold_data();
    void refusal_isTold();
    void words_areCleanedAndShort();
    void everyKind_hasAProblemWithAdvice();
    void noAdvice_proposesAWildcard();
};

using Kind = SudoRefusal::Kind;

void TstSudoRefusal::refusal_isTold_data()
{
    QTest::addColumn<QByteArray>("said");
    QTest::addColumn<int>("status");
    QTest::addColumn<Kind>("kind");
    QTest::newRow("-n, a password is needed") << QByteArray("sudo: a password is required\n") << 1 << Kind::PasswordNeeded;
    QTest::newRow("sudo-rs, -n") << QByteArray("sudo: interactive authentication is required\n") << 1
                                 << Kind::PasswordNeeded;
    QTest::newRow("not in sudoers") << QByteArray("nosudo is not in the sudoers file.\n") << 1 << Kind::NotInSudoers;
    QTest::newRow("not in sudoers, 1.8")
        << QByteArray("nosudo is not in the sudoers file.  This incident will be reported.\n") << 1 << Kind::NotInSudoers;
    QTest::newRow("not on this host") << QByteArray("Sorry, user ops may not run sudo on lab1.\n") << 1 << Kind::NotInSudoers;
    QTest::newRow("not on this host, list")
        << QByteArray("ops is not allowed to run sudo on lab1.  This incident will be reported.\n") << 1
        << Kind::NotInSudoers;
    QTest::newRow("sudo-rs, not in sudoers") << QByteArray("sudo: I'm sorry ops. I'm afraid I can't do that\n") << 1
                                             << Kind::NotInSudoers;
    QTest::newRow("another command")
        << QByteArray("Sorry, user narrow is not allowed to execute '/bin/sh -s pilothouse-probe' as root on lab1.\n") << 1
        << Kind::NotAllowed;
    QTest::newRow("requiretty") << QByteArray("sudo: sorry, you must have a tty to run sudo\n") << 1 << Kind::NeedsTty;
    QTest::newRow("wrong") << QByteArray("Sorry, try again.\nsudo: no password was provided\n"
                                         "sudo: 1 incorrect password attempt\n")
                           << 1 << Kind::PasswordWrong;
    QTest::newRow("sudo-rs, wrong") << QByteArray("sudo: Authentication failed, try again.\n") << 1 << Kind::PasswordWrong;
    QTest::newRow("input ended") << QByteArray("sudo: no password was provided\nsudo: a password is required\n") << 1
                                 << Kind::NotGiven;
    QTest::newRow("too late") << QByteArray("sudo: timed out reading password\nsudo: a password is required\n") << 1
                              << Kind::NotGiven;
    QTest::newRow("dash") << QByteArray("/bin/sh: 5: exec: sudo: not found\n") << 127 << Kind::Missing;
    QTest::newRow("bash") << QByteArray("/bin/sh: line 5: exec: sudo: not found\n") << 127 << Kind::Missing;
    QTest::newRow("busybox") << QByteArray("sh: exec: line 4: sudo: not found\n") << 127 << Kind::Missing;
    QTest::newRow("ksh") << QByteArray("/bin/sh: sudo: inaccessible or not found\n") << 127 << Kind::Missing;
    QTest::newRow("account deleted") << QByteArray("sudo: you do not exist in the passwd database\n") << 1
                                     << Kind::UnknownUser;
    QTest::newRow("no root") << QByteArray("sudo: unknown user: root\nsudo: error initializing audit plugin sudoers_audit\n")
                             << 1 << Kind::UnknownUser;
    QTest::newRow("locked") << QByteArray("sudo: account validation failure, is your account locked?\n") << 1
                            << Kind::Account;
    QTest::newRow("expired") << QByteArray("sudo: Account expired or PAM config lacks an \"account\" section for sudo, "
                                           "contact your system administrator\nsudo: a password is required\n")
                             << 1 << Kind::Account;
    QTest::newRow("old password") << QByteArray("sudo: Account or password is expired, reset your password and try again\n")
                                  << 1 << Kind::Account;
    QTest::newRow("setuid bit is gone")
        << QByteArray("sudo: /usr/bin/sudo must be owned by uid 0 and have the setuid bit set\n") << 1 << Kind::Broken;
    QTest::newRow("container")
        << QByteArray("sudo: The \"no new privileges\" flag is set, which prevents sudo from running as root.\n"
                      "sudo: If sudo is running in a container, you may need to adjust the container configuration to "
                      "disable the flag.\n")
        << 1 << Kind::Broken;
    QTest::newRow("nosuid") << QByteArray("sudo: effective uid is not 0, is /usr/bin/sudo on a file system with the "
                                          "'nosuid' option set or an NFS file system without root privileges?\n")
                            << 1 << Kind::Broken;
    QTest::newRow("sudoers is spoilt") << QByteArray("/etc/sudoers.d/ops:1:18: syntax error\nops ALL=(ALL) ALLL\n"
                                                     "                 ^~~~\n")
                                       << 1 << Kind::Broken;
    QTest::newRow("a host without a name")
        << QByteArray("sudo: unable to resolve host lab1: Name or service not known\nsudo: a password is required\n") << 1
        << Kind::PasswordNeeded;
    QTest::newRow("lecture")
        << QByteArray("\nWe trust you have received the usual lecture from the local System\nAdministrator. It usually "
                      "boils down to these three things:\n\nnosudo is not in the sudoers file.\n")
        << 1 << Kind::NotInSudoers;
    QTest::newRow("silence") << QByteArray() << 1 << Kind::Unknown;
    QTest::newRow("something else") << QByteArray("sudo: ldap is on fire\n") << 1 << Kind::Unknown;
}

void TstSudoRefusal::refusal_isTold()
{
    QFETCH(QByteArray, said);
    QFETCH(int, status);
    QFETCH(Kind, kind);
    const SudoRefusal refusal = readSudoRefusal(said, status);
    QCOMPARE(refusal.kind, kind);
    const QString text = sentenceOf(refusal);
    QVERIFY2(text.endsWith(u'.') && text.contains(refusal.words), qPrintable(text));
    // Line ends as of a terminal make no difference.
    QByteArray other = said;
    QCOMPARE(readSudoRefusal(other.replace("\n", "\r\n"), status).kind, kind);
}

void TstSudoRefusal::words_areCleanedAndShort()
{
    const SudoRefusal refusal = readSudoRefusal(QByteArray("\x1b[31m<img src=x>\0 ", 18) + QByteArray(100'000, 'x'), 1);
    QCOMPARE(refusal.kind, Kind::Unknown);
    QVERIFY(refusal.words.size() <= 300);
    QVERIFY(!refusal.words.contains(QChar(0x1b)) && !refusal.words.contains(QChar(0)));
}

void TstSudoRefusal::everyKind_hasAProblemWithAdvice()
{
    for (int kind = int(Kind::PasswordNeeded); kind <= int(Kind::Unknown); ++kind) {
        const QString code = problemCodeOf(Kind(kind));
        QVERIFY2(problemCodes().contains(code), qPrintable(code));
        QVERIFY2(!problemOf(code, {}).advice.isEmpty(), qPrintable(code));
    }
}

void TstSudoRefusal::noAdvice_proposesAWildcard()
{
    for (int kind = int(Kind::PasswordNeeded); kind <= int(Kind::Unknown); ++kind) {
        const QString advice = problemOf(problemCodeOf(Kind(kind)), {}).advice;
        QVERIFY2(!advice.contains(u'*') && !advice.contains(u"NOPASSWD"_s), qPrintable(advice));
    }
}

PILOTHOUSE_TEST_MAIN(TstSudoRefusal)
#include "tst_sudorefusal.moc"
