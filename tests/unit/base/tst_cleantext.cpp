// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/cleantext.h"
#include "tests/support/testmain.h"

using namespace pilothouse;
using namespace Qt::StringLiterals;

class TstCleanText final : public QObject
{
    Q_OBJECT
private slots:
    void cleanLine_data();
    void cleanLine();
    void limit_cutsWithAnEllipsisAndNeverInsideACharacter();
    void cleanText_keepsLineFeeds();
};

void TstCleanText::cleanLine_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("text");
    QTest::newRow("plain") << "VLLM::Worker_TP0"_qba << u"VLLM::Worker_TP0"_s;
    QTest::newRow("escape sequence") << "a\x1b[31mb"_qba << u"a\u241b[31mb"_s;
    QTest::newRow("line feed") << "x\ny"_qba << u"x\u240ay"_s;
    QTest::newRow("invalid UTF-8") << "\xff\xfe"_qba << u"\uFFFD\uFFFD"_s;
    QTest::newRow("right-to-left override") << "a\xe2\x80\xae" "b"_qba << u"a\uFFFDb"_s;
    QTest::newRow("zero width") << "a\xe2\x80\x8b" "b"_qba << u"a\uFFFDb"_s;
    QTest::newRow("C1 control") << "a\xc2\x9b" "b"_qba << u"a\uFFFDb"_s;
    QTest::newRow("HTML stays text") << "<img src=x>"_qba << u"<img src=x>"_s;
    QTest::newRow("emoji") << "\xf0\x9f\x98\x80"_qba << u"\U0001F600"_s;
}

void TstCleanText::cleanLine()
{
    QFETCH(QByteArray, bytes);
    QFETCH(QString, text);
    QCOMPARE(pilothouse::cleanLine(QByteArrayView(bytes)), text);
}

void TstCleanText::limit_cutsWithAnEllipsisAndNeverInsideACharacter()
{
    QCOMPARE(pilothouse::cleanLine(QByteArrayView("abcdef"), 4), u"abc\u2026"_s);
    QCOMPARE(pilothouse::cleanLine(QByteArrayView("abcd"), 4), u"abcd"_s);
    for (qsizetype limit = 1; limit < 12; ++limit) {
        const QString cut =
            pilothouse::cleanLine(QByteArrayView("ab\xf0\x9f\x98\x80\xf0\x9f\x98\x80\xf0\x9f\x98\x80"), limit);
        QVERIFY(cut.size() <= limit + 1);
        QVERIFY(cut.isValidUtf16());
    }
}

void TstCleanText::cleanText_keepsLineFeeds()
{
    QCOMPARE(pilothouse::cleanText("a\r\nb\nc\x07"), u"a\nb\nc\u2407"_s);
}

PILOTHOUSE_TEST_MAIN(TstCleanText)
#include "tst_cleantext.moc"
