// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/probe/parse/bytes.h"
#include "tests/support/testmain.h"

using namespace pilothouse;

class TstBytes final : public QObject
{
    Q_OBJECT
private slots:
    void lines_endings();
    void words_blanksAndTabs();
    void integer_strict_data();
    void integer_strict();
    void unsigned_sentinelSurvives();
    void decimal_strict_data();
    void decimal_strict();
};

void TstBytes::lines_endings()
{
    QCOMPARE(linesOf({}), QList<QByteArrayView>());
    QCOMPARE(linesOf("a\nb"), (QList<QByteArrayView>{"a", "b"}));
    QCOMPARE(linesOf("a\r\n\r\nb\r\r\n"), (QList<QByteArrayView>{"a", "", "b"}));
    QCOMPARE(linesOf(QByteArrayView("\0\n", 2)).size(), 1);
}

void TstBytes::words_blanksAndTabs()
{
    QCOMPARE(wordsOf("  a \t bc  "), (QList<QByteArrayView>{"a", "bc"}));
    QCOMPARE(wordsOf("   "), QList<QByteArrayView>());
    QCOMPARE(lastOf("a) b) c", ')'), 4);
    QCOMPARE(lastOf(")", ')'), 0);
    QCOMPARE(lastOf("abc", ')'), -1);
    QCOMPARE(lastOf({}, ')'), -1);
}

void TstBytes::integer_strict_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<bool>("good");
    QTest::addColumn<qint64>("value");
    QTest::newRow("zero") << QByteArray("0") << true << qint64(0);
    QTest::newRow("negative") << QByteArray("-7") << true << qint64(-7);
    QTest::newRow("leading zeros are decimal") << QByteArray("010") << true << qint64(10);
    for (const char *bad : {"", "+1", " 1", "1 ", "1x", "0x10", "1.0", "9223372036854775808", "--1", "1796163453.%N"})
        QTest::newRow(bad) << QByteArray(bad) << false << qint64(0);
}

void TstBytes::integer_strict()
{
    QFETCH(QByteArray, text);
    QFETCH(bool, good);
    QFETCH(qint64, value);
    QCOMPARE(toInteger(text).has_value(), good);
    QCOMPARE(toInteger(text).value_or(0), value);
}

void TstBytes::unsigned_sentinelSurvives()
{
    QCOMPARE(toUnsigned("18446744073709551615"), std::optional<quint64>(18446744073709551615ULL));
    QVERIFY(!toUnsigned("18446744073709551616"));
    QVERIFY(!toUnsigned("-1"));
    QCOMPARE(toUnsigned("1F90", 16), std::optional<quint64>(8080));
}

void TstBytes::decimal_strict_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<bool>("good");
    QTest::newRow("plain") << QByteArray("69.85") << true;
    QTest::newRow("negative") << QByteArray("-0.5") << true;
    QTest::newRow("whole") << QByteArray("41") << true;
    for (const char *bad : {"", "nan", "inf", "1e5", "1,5", "1.5 W", " 1.5", "0x1p3"})
        QTest::newRow(bad) << QByteArray(bad) << false;
}

void TstBytes::decimal_strict()
{
    QFETCH(QByteArray, text);
    QFETCH(bool, good);
    QCOMPARE(toDecimal(text).has_value(), good);
}

PILOTHOUSE_TEST_MAIN(TstBytes)
#include "tst_bytes.moc"
