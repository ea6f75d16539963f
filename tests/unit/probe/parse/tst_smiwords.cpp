// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/probe/parse/smiwords.h"
#include "tests/support/testmain.h"

using namespace pilothouse;
using namespace Qt::StringLiterals;

class TstSmiWords final : public QObject
{
    Q_OBJECT
private slots:
    void kind_ofEveryWord_data();
    void kind_ofEveryWord();
    void kind_inFreeText_data();
    void kind_inFreeText();
    void reason_ofEveryKind();
    void word_losesItsBrackets();
};

void TstSmiWords::kind_ofEveryWord_data()
{
    QTest::addColumn<QByteArray>("cell");
    QTest::addColumn<CellKind>("kind");
    const auto row = [](const char *cell, CellKind kind) { QTest::newRow(cell) << QByteArray(cell) << kind; };
    row("[N/A]", CellKind::NotSupported);
    row("N/A", CellKind::NotSupported);
    row("[Not Supported]", CellKind::NotSupported);
    row("Not Supported", CellKind::NotSupported);
    row("[Requested functionality has been deprecated]", CellKind::NotSupported);
    row("[Function Not Found]", CellKind::NotSupported);
    row("[Insufficient Permissions]", CellKind::NoPermission);
    row("Insufficient Permissions", CellKind::NoPermission);
    row("[Not Found]", CellKind::NotFound);
    row("[Unknown Error]", CellKind::Fault);
    row("[Timeout]", CellKind::Fault);
    row("[GPU access blocked by the operating system]", CellKind::Fault);
    row("[GPU requires reset]", CellKind::Fault);
    row("[GPU is lost]", CellKind::Fault);
    row("GPU is lost.  Reboot the system to recover this GPU", CellKind::Fault);
    row("GPU is inaccessible", CellKind::Fault);
    row("ERR!", CellKind::Fault);
    row("[ gpu IS lost ]", CellKind::Fault);
    row("[No data]", CellKind::Failed);
    row("[Insufficient External Power]", CellKind::Failed);
    row("[GPU is lo", CellKind::Failed);
    row("[]", CellKind::Failed);
    row("0", CellKind::Value);
    row("Disabled", CellKind::Value);
    row("None", CellKind::Value);
    row("GPU Reset", CellKind::Value);
    row("", CellKind::Empty);
    row("  ", CellKind::Empty);
}

void TstSmiWords::kind_ofEveryWord()
{
    QFETCH(QByteArray, cell);
    QFETCH(CellKind, kind);
    QCOMPARE(kindOfCell(cell), kind);
    QCOMPARE(kindOfCell(' ' + cell + ' '), kind);
}

void TstSmiWords::kind_inFreeText_data()
{
    QTest::addColumn<QByteArray>("cell");
    QTest::addColumn<CellKind>("kind");
    QTest::newRow("a program may be called so") << QByteArray("Unknown Error") << CellKind::Value;
    QTest::newRow("a bracket alone") << QByteArray("[kworker") << CellKind::Value;
    QTest::newRow("the tool's word") << QByteArray("[Not Found]") << CellKind::NotFound;
    QTest::newRow("fault") << QByteArray("[Unknown Error]") << CellKind::Fault;
    QTest::newRow("name") << QByteArray("Tesla K80") << CellKind::Value;
}

void TstSmiWords::kind_inFreeText()
{
    QFETCH(QByteArray, cell);
    QFETCH(CellKind, kind);
    QCOMPARE(kindOfCell(cell, true), kind);
}

void TstSmiWords::reason_ofEveryKind()
{
    QCOMPARE(reasonOf(CellKind::NotSupported), UnknownReason::NotSupported);
    QCOMPARE(reasonOf(CellKind::NoPermission), UnknownReason::NoPermission);
    QCOMPARE(reasonOf(CellKind::Failed), UnknownReason::Failed);
    QCOMPARE(reasonOf(CellKind::Fault), UnknownReason::Failed);
    QCOMPARE(reasonOf(CellKind::NotFound), UnknownReason::Failed);
    QCOMPARE(reasonOf(CellKind::Value), UnknownReason::Unparsable);
    QCOMPARE(reasonOf(CellKind::Empty), UnknownReason::Unparsable);
}

void TstSmiWords::word_losesItsBrackets()
{
    QCOMPARE(wordOf(" [GPU is lost] "), u"GPU is lost"_s);
    QCOMPARE(wordOf("ERR!"), u"ERR!"_s);
    QVERIFY(!wordOf("[\x1b[31mred]").contains(u'\x1b'));
}

PILOTHOUSE_TEST_MAIN(TstSmiWords)
#include "tst_smiwords.moc"
