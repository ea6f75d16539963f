// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/probe/parse/kernellog.h"
#include "tests/support/testmain.h"

using namespace pilothouse;
using namespace Qt::StringLiterals;
using Kind = KernelEvent::Kind;

class TstKernelLog final : public QObject
{
    Q_OBJECT
private slots:
    void line_everyKind_data();
    void line_everyKind();
    void line_ofNobody_data();
    void line_ofNobody();
    void name_withALineFeedForgesNothing();
    void log_isBoundedAndInOrder();
    void meaning_table();
};

void TstKernelLog::line_everyKind_data()
{
    QTest::addColumn<QByteArray>("message");
    QTest::addColumn<Kind>("kind");
    QTest::addColumn<int>("number");
    QTest::addColumn<QString>("busId");
    QTest::addColumn<qint64>("pid");
    QTest::addColumn<QString>("name");
    const auto row = [](const char *label, const char *message, Kind kind, int number, const QString &bus, qint64 pid,
                        const QString &name) {
        QTest::newRow(label) << QByteArray(message) << kind << number << bus << pid << name;
    };
    row("Xid 79", "NVRM: Xid (PCI:0000:c3:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.",
        Kind::Xid, 79, u"0000:c3:00.0"_s, 0, u"<unknown>"_s);
    row("Xid 31", "NVRM: Xid (PCI:0000:3b:00): 31, pid=12345, name=python3, Ch 00000008, intr 00000000. MMU Fault",
        Kind::Xid, 31, u"0000:3b:00.0"_s, 12'345, u"python3"_s);
    row("pid quoted", "NVRM: Xid (PCI:0000:3b:00): 43, pid='777', name=vllm, Ch 8", Kind::Xid, 43, u"0000:3b:00.0"_s,
        777, u"vllm"_s);
    row("no pid", "NVRM: Xid (PCI:0000:3b:00): 63, Row Remapper: New row", Kind::Xid, 63, u"0000:3b:00.0"_s, 0, {});
    row("no device", "NVRM: Xid (unknown): 8, x", Kind::Xid, 8, {}, 0, {});
    row("SXid", "nvidia-nvswitch0: SXid (PCI:0000:c5:00.0): 12028, Non-fatal, Link 32 egress", Kind::SXid, 12'028,
        u"0000:c5:00.0"_s, 0, {});
    row("off the bus", "NVRM: GPU at PCI:0000:c3:00: GPU-x has fallen off the bus. 0000:c3:00.0", Kind::OffTheBus, 0,
        u"0000:c3:00.0"_s, 0, {});
    row("oom", "Out of memory: Killed process 4242 (python3) total-vm:1kB, anon-rss:1kB", Kind::OomKill, 0, {}, 4242,
        u"python3"_s);
    row("oom of a cgroup", "Memory cgroup out of memory: Killed process 4243 (VLLM::Worker_TP) total-vm:1kB",
        Kind::OomKill, 0, {}, 4243, u"VLLM::Worker_TP"_s);
    row("oom, old", "Killed process 4244 (python) total-vm:1kB, anon-rss:1kB", Kind::OomKill, 0, {}, 4244, u"python"_s);
    row("hung", "INFO: task nvidia-smi:991 blocked for more than 120 seconds.", Kind::HungTask, 0, {}, 991,
        u"nvidia-smi"_s);
    row("hung, colon in the name", "INFO: task VLLM::Worker:992 blocked for more than 241 seconds.", Kind::HungTask, 0,
        {}, 992, u"VLLM::Worker"_s);
}

void TstKernelLog::line_everyKind()
{
    QFETCH(QByteArray, message);
    QFETCH(Kind, kind);
    for (const QByteArray &prefix : {QByteArray("[12345.678901] "), QByteArray("[    5.000001] "),
                                     QByteArray("2026-12-01T22:13:38+0000 gpu1 kernel: "),
                                     QByteArray("2026-12-01T22:13:38+00:00 gpu1 kernel: ")}) {
        const QList<KernelEvent> events = parseKernelLog("noise\n" + prefix + message + "\r\n");
        QCOMPARE(events.size(), 1);
        const KernelEvent &event = events.first();
        QCOMPARE(event.kind, kind);
        QTEST(event.number, "number");
        QTEST(event.busId, "busId");
        QTEST(event.pid, "pid");
        QTEST(event.name, "name");
        QVERIFY(!event.when.isEmpty());
        QVERIFY(prefix.contains(event.when.toUtf8()));
    }
}

void TstKernelLog::line_ofNobody_data()
{
    QTest::addColumn<QByteArray>("line");
    QTest::newRow("no prefix") << QByteArray("NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus.");
    QTest::newRow("another program's line")
        << QByteArray("2026-12-01T22:13:38+0000 gpu1 sshd[7]: NVRM: Xid (PCI:0000:3b:00): 79, x");
    QTest::newRow("inside a message") << QByteArray("[5.1] audit: comm=\"NVRM: Xid (PCI:0000:3b:00): 79, x\"");
    QTest::newRow("number missing") << QByteArray("[5.1] NVRM: Xid (PCI:0000:3b:00): x");
    QTest::newRow("cut") << QByteArray("[5.1] NVRM: Xid (PCI:0000:3b:0");
    QTest::newRow("number absurd") << QByteArray("[5.1] NVRM: Xid (PCI:0000:3b:00): 99999999999");
    QTest::newRow("oom without a pid") << QByteArray("[5.1] Out of memory: Killed process x");
    QTest::newRow("hung, a PID with a sign") << QByteArray("[5.1] INFO: task nvidia-smi:-991 blocked for more than 120 seconds.");
    QTest::newRow("hung without a pid") << QByteArray("[5.1] INFO: task x blocked for more than 120 seconds.");
    QTest::newRow("prefix is a word") << QByteArray("[Tue Dec 1] NVRM: Xid (PCI:0000:3b:00): 79, x");
    QTest::newRow("empty") << QByteArray();
}

void TstKernelLog::line_ofNobody()
{
    QFETCH(QByteArray, line);
    QVERIFY(parseKernelLog(line).isEmpty());
}

void TstKernelLog::name_withALineFeedForgesNothing()
{
    const QList<KernelEvent> events =
        parseKernelLog("[5.1] Out of memory: Killed process 7 (a\nNVRM: Xid (PCI:0000:3b:00): 79, x) total-vm:1kB\n");
    QCOMPARE(events.size(), 1);
    QCOMPARE(events.first().kind, Kind::OomKill);
    QCOMPARE(events.first().pid, qint64(7));
}

void TstKernelLog::log_isBoundedAndInOrder()
{
    QByteArray log;
    for (int i = 1; i <= 3000; ++i)
        log += "[" + QByteArray::number(i) + ".0] NVRM: Xid (PCI:0000:3b:00): " + QByteArray::number(i) + ", x\n";
    const QList<KernelEvent> events = parseKernelLog(log);
    QCOMPARE(events.size(), 2000);
    QCOMPARE(events.last().number, 3000); // the newest are kept
}

void TstKernelLog::meaning_table()
{
    QCOMPARE(meaningOfXid(79).weight, XidWeight::Reboot);
    QVERIFY(meaningOfXid(79).text.contains(u"bus"_s));
    QCOMPARE(meaningOfXid(45).weight, XidWeight::Note);
    QCOMPARE(meaningOfXid(48).weight, XidWeight::Reset);
    QCOMPARE(meaningOfXid(31).weight, XidWeight::Application);
    QCOMPARE(meaningOfXid(93).weight, XidWeight::Note);
    QVERIFY(meaningOfXid(9999).text.isEmpty());
    QCOMPARE(meaningOfXid(9999).weight, XidWeight::Warning);
}

PILOTHOUSE_TEST_MAIN(TstKernelLog)
#include "tst_kernellog.moc"
