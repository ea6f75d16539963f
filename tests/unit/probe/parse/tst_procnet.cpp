// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/probe/parse/procnet.h"
#include "tests/support/testmain.h"
#include "tests/unit/probe/parse/fixtures.h"

using namespace pilothouse;
using namespace Qt::StringLiterals;

class TstProcNet final : public QObject
{
    Q_OBJECT
private slots:
    void address_everyForm_data();
    void address_everyForm();
    void lines_onlyListening();
    void lines_refused_data();
    void lines_refused();
    void connections_onlyEstablished();
    void ends_asText();
};

void TstProcNet::address_everyForm_data()
{
    QTest::addColumn<QByteArray>("local");
    QTest::addColumn<QString>("address");
    QTest::addColumn<int>("port");
    const auto row = [](const char *local, const QString &address, int port) {
        QTest::newRow(local) << QByteArray(local) << address << port;
    };
    row("0100007F:1F90", u"127.0.0.1"_s, 8080);
    row("00000000:0016", u"0.0.0.0"_s, 22);
    row("0500000A:1F40", u"10.0.0.5"_s, 8000);
    row("00000000000000000000000000000000:0016", u"::"_s, 22);
    row("00000000000000000000000001000000:1F40", u"::1"_s, 8000);
    row("0000000000000000FFFF00000100007F:1F40", u"::ffff:127.0.0.1"_s, 8000);
    row("B80D0120000000000000000001000000:FFFF", u"2001:db8::1"_s, 65'535);
    row("000080FE00000000FF005450E20634FE:0050", u"fe80::5054:ff:fe34:6e2"_s, 80);
    row("00000120000000010000000100000001:0050", u"2001:0:100:0:100:0:100:0"_s, 80);
}

void TstProcNet::address_everyForm()
{
    QFETCH(QByteArray, local);
    const QList<ListeningSocket> sockets = parseListening("   0: " + local
                                                          + " 00000000:0000 0A 00000000:00000000 00:00000000 00000000  "
                                                            "1000        0 12345 1 0000000000000000 100 0 0 10 0\n");
    QCOMPARE(sockets.size(), 1);
    QTEST(sockets.first().address, "address");
    QTEST(int(sockets.first().port), "port");
    QCOMPARE(sockets.first().uid, qint64(1000));
    QCOMPARE(sockets.first().inode, quint64(12'345));
}

void TstProcNet::lines_onlyListening()
{
    const QList<ListeningSocket> sockets = parseListening(test::fixture(u"proc/net-tcp.txt"_s));
    QCOMPARE(sockets.size(), 3);
    QCOMPARE(sockets.at(0).address, u"0.0.0.0"_s);
    QCOMPARE(sockets.at(1).port, quint16(8000));
    QCOMPARE(sockets.at(2).address, u"::1"_s);
}

void TstProcNet::lines_refused_data()
{
    QTest::addColumn<QByteArray>("line");
    const QByteArray tail = " 00000000:0000 0A 00000000:00000000 00:00000000 00000000 0 0 12345 1 0\n";
    QTest::newRow("no port") << "0: 0100007F" + tail;
    QTest::newRow("port too large") << "0: 0100007F:1FFFF" + tail;
    QTest::newRow("address of the wrong size") << "0: 0100007F00:1F90" + tail;
    QTest::newRow("address no hexadecimal") << "0: 0100007X:1F90" + tail;
    QTest::newRow("too few words") << QByteArray("0: 0100007F:1F90 00000000:0000 0A 0\n");
    QTest::newRow("inode no number") << QByteArray(tail).prepend("0: 0100007F:1F90").replace("12345", "-1");
    QTest::newRow("header") << QByteArray(
        "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n");
}

void TstProcNet::lines_refused()
{
    QFETCH(QByteArray, line);
    QVERIFY(parseListening(line).isEmpty());
}

void TstProcNet::connections_onlyEstablished()
{
    const QByteArray tail = " 00000000:00000000 00:00000000 00000000     0        0 77 1 0000000000000000 20 4 30 10 -1\n";
    const QByteArray text = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
                            "   0: 0500000A:9C40 0900000A:1389 01" + tail
        + "   1: 0500000A:9C41 0900000A:1389 06" + tail + "   2: 0500000A:1F40 00000000:0000 0A" + tail
        + "   0: 0000000000000000FFFF00000500000A:9C42 0000000000000000FFFF00000900000A:138A 01" + tail
        + "   1: B80D0120000000000000000001000000:0050 B80D0120000000000000000002000000:0051 01" + tail
        + "   2: 0500000A:9C40 0900000A 01" + tail + "   3: 0500000A:9C40 0900000A:1FFFF 01" + tail;
    const QList<EstablishedTcp> connections = parseConnections(text);
    QCOMPARE(connections.size(), 3);
    QCOMPARE(connections.at(0), (EstablishedTcp{{u"10.0.0.5"_s, 40000}, {u"10.0.0.9"_s, 5001}, 77}));
    QCOMPARE(connections.at(1), (EstablishedTcp{{u"10.0.0.5"_s, 40002}, {u"10.0.0.9"_s, 5002}, 77}));
    QCOMPARE(connections.at(2).remote, (SocketEnd{u"2001:db8::2"_s, 81}));
}

void TstProcNet::ends_asText()
{
    QCOMPARE(textOf({u"10.0.0.9"_s, 5001}), u"10.0.0.9:5001"_s);
    QCOMPARE(textOf({u"2001:db8::1"_s, 81}), u"[2001:db8::1]:81"_s);
    QVERIFY(isLoopback({u"127.0.1.1"_s, 1}) && isLoopback({u"::1"_s, 1}));
    QVERIFY(!isLoopback({u"10.0.0.9"_s, 1}) && !isLoopback({u"::"_s, 1}));
}

PILOTHOUSE_TEST_MAIN(TstProcNet)
#include "tst_procnet.moc"
