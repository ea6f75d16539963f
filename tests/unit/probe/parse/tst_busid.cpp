// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/probe/parse/busid.h"
#include "tests/support/testmain.h"

using namespace pilothouse;
using namespace Qt::StringLiterals;

class TstBusId final : public QObject
{
    Q_OBJECT
private slots:
    void normalise_everySpelling_data();
    void normalise_everySpelling();
    void normalise_refused_data();
    void normalise_refused();
    void find_inProse_data();
    void find_inProse();
};

void TstBusId::normalise_everySpelling_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("id");
    QTest::newRow("eight digits") << QByteArray("00000000:01:00.0") << u"0000:01:00.0"_s;
    QTest::newRow("four digits") << QByteArray("0000:01:00.0") << u"0000:01:00.0"_s;
    QTest::newRow("three digits") << QByteArray("000:BA:80.0") << u"0000:ba:80.0"_s;
    QTest::newRow("no domain") << QByteArray("c3:00.0") << u"0000:c3:00.0"_s;
    QTest::newRow("upper case") << QByteArray("00000000:AC:00.0") << u"0000:ac:00.0"_s;
    QTest::newRow("gb10 domain") << QByteArray("0000000F:01:00.0") << u"000f:01:00.0"_s;
    QTest::newRow("domain of five digits stays") << QByteArray("00010000:01:00.0") << u"10000:01:00.0"_s;
    QTest::newRow("GPU in front") << QByteArray("GPU0000:65:00.0") << u"0000:65:00.0"_s;
    QTest::newRow("GPU and a blank") << QByteArray("GPU 0000:0B:00.0") << u"0000:0b:00.0"_s;
    QTest::newRow("GPU, index, colon") << QByteArray("GPU1: 0000:34:00.0") << u"0000:34:00.0"_s;
    QTest::newRow("heading of -q") << QByteArray("GPU 00000000:83:00.0") << u"0000:83:00.0"_s;
    QTest::newRow("of an Xid, no function") << QByteArray("PCI:0000:3b:00") << u"0000:3b:00.0"_s;
    QTest::newRow("blanks around") << QByteArray("  0000:01:00.1 ") << u"0000:01:00.1"_s;
}

void TstBusId::normalise_everySpelling()
{
    QFETCH(QByteArray, text);
    QFETCH(QString, id);
    QCOMPARE(normalBusId(text), id);
    QCOMPARE(normalBusId(normalBusId(text).toLatin1()), id);
}

void TstBusId::normalise_refused_data()
{
    QTest::addColumn<QByteArray>("text");
    for (const char *text : {"", "GPU", "GPU0:", "01", "0000:01", "0000:01:00.0x", "0000:01:00.8", "0000:01:00.",
             "000000000:01:00.0", "0000:001:00.0", ":01:00.0", "0000:01:00:02", "[Unknown Error]", "N/A", "GPU-0000",
             "0000 :01:00.0", "0000:01:00.0 0000:02:00.0"})
        QTest::newRow(text) << QByteArray(text);
}

void TstBusId::normalise_refused()
{
    QFETCH(QByteArray, text);
    QCOMPARE(normalBusId(text), QString());
}

void TstBusId::find_inProse_data()
{
    QTest::addColumn<QByteArray>("prose");
    QTest::addColumn<QString>("id");
    QTest::newRow("blank") << QByteArray("handle for GPU 0000:0B:00.0: Unknown Error") << u"0000:0b:00.0"_s;
    QTest::newRow("glued") << QByteArray("handle for GPU0000:65:00.0: Unknown Error") << u"0000:65:00.0"_s;
    QTest::newRow("index first") << QByteArray("handle for GPU0: 0000:01:00.0: Unknown") << u"0000:01:00.0"_s;
    QTest::newRow("inforom, domain, blanks") << QByteArray("corrupted at gpu 000A:00:00.0  ") << u"000a:00:00.0"_s;
    QTest::newRow("a time of day is none") << QByteArray("Thu Aug 27 18:05:38 2026") << QString();
    QTest::newRow("none") << QByteArray("handle for GPU0: Unknown Error") << QString();
    QTest::newRow("too many digits in front") << QByteArray("gpu 1234567890000:65:00.0") << QString();
    QTest::newRow("empty") << QByteArray() << QString();
}

void TstBusId::find_inProse()
{
    QFETCH(QByteArray, prose);
    QFETCH(QString, id);
    QCOMPARE(busIdIn(prose), id);
}

PILOTHOUSE_TEST_MAIN(TstBusId)
#include "tst_busid.moc"
