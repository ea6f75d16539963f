// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/error.h"
#include "tests/support/testmain.h"

#include <QSet>

using namespace pilothouse;
using namespace Qt::StringLiterals;

class TstError final : public QObject
{
    Q_OBJECT
private slots:
    void everyCode_hasItsRow();
    void exitCode_followsTheContract_data();
    void exitCode_followsTheContract();
    void sentence_saysWhatWhyAndWhatToDo();
};

void TstError::everyCode_hasItsRow()
{
    QSet<QString> names;
    for (int i = 0; i <= int(ErrorCode::RefusedBySafety); ++i) {
        const QString name = nameOf(ErrorCode(i));
        QVERIFY2(!names.contains(name), qPrintable(name));
        names.insert(name);
        QVERIFY(!summaryOf(ErrorCode(i)).isEmpty());
    }
}

void TstError::exitCode_followsTheContract_data()
{
    QTest::addColumn<int>("code");
    QTest::addColumn<int>("exitCode");
    QTest::newRow("usage") << int(ErrorCode::Usage) << 2;
    QTest::newRow("name") << int(ErrorCode::NameNotResolved) << 3;
    QTest::newRow("not an SSH server") << int(ErrorCode::NotSsh) << 3;
    QTest::newRow("connect timeout") << int(ErrorCode::ConnectTimeout) << 3;
    QTest::newRow("sign-in") << int(ErrorCode::SignInRefused) << 4;
    QTest::newRow("unknown key") << int(ErrorCode::HostKeyUnknown) << 5;
    QTest::newRow("changed key") << int(ErrorCode::HostKeyChanged) << 5;
    QTest::newRow("revoked key") << int(ErrorCode::HostKeyRevoked) << 5;
    QTest::newRow("no nvidia-smi") << int(ErrorCode::ToolMissing) << 6;
    QTest::newRow("safety") << int(ErrorCode::RefusedBySafety) << 7;
    QTest::newRow("read-only") << int(ErrorCode::ReadOnly) << 7;
    QTest::newRow("hosts.toml") << int(ErrorCode::InventoryInvalid) << 8;
    QTest::newRow("declined") << int(ErrorCode::Cancelled) << 130;
}

void TstError::exitCode_followsTheContract()
{
    QFETCH(int, code);
    QFETCH(int, exitCode);
    QCOMPARE(exitCodeOf(ErrorCode(code)), exitCode);
}

void TstError::sentence_saysWhatWhyAndWhatToDo()
{
    QCOMPARE(sentenceOf({ErrorCode::NotSsh, u"10.0.0.5:80 answered \u201CHTTP/1.1\u201D"_s, {}}),
             u"That port is not an SSH server: 10.0.0.5:80 answered \u201CHTTP/1.1\u201D. Check the port."_s);
    QCOMPARE(sentenceOf({ErrorCode::Timeout, {}, {}}), u"The host took too long to answer."_s);
}

PILOTHOUSE_TEST_MAIN(TstError)
#include "tst_error.moc"
