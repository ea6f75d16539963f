// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of --query-gpu. Numbers in row names point to the collection of outputs from which the case was taken; columns
// of those captures were selected, cells are as printed. Cases marked "composed" were made up in the same form.
#include "core/probe/parse/smicsv.h"
#include "tests/support/testmain.h"
#include "tests/unit/probe/parse/fixtures.h"

using namespace pilothouse;
using namespace Qt::StringLiterals;

namespace {

template <class T>
QString shown(const Quantity<T> &quantity)
{
    if (!quantity.isKnown())
        return nameOf(quantity.reason());
    if constexpr (std::is_same_v<T, QString>)
        return quantity.value();
    else if constexpr (std::is_same_v<T, bool>)
        return quantity.value() ? u"on"_s : u"off"_s;
    else
        return QString::number(quantity.value());
}

/// index used/total load temperature power [fault]
QString brief(const Gpu &gpu)
{
    return QString::number(gpu.index) + u' ' + shown(gpu.memoryUsedMib) + u'/' + shown(gpu.memoryTotalMib) + u" load "_s
        + shown(gpu.utilizationPct) + u" temp "_s + shown(gpu.temperatureC) + u" power "_s + shown(gpu.powerW)
        + (gpu.fault.isEmpty() ? QString() : u" FAULT "_s + gpu.fault);
}

QStringList briefs(const SmiGpus &read)
{
    QStringList texts;
    for (const Gpu &gpu : read.gpus)
        texts += brief(gpu);
    return texts;
}

QStringList fieldsOf(const char *names)
{
    return QString::fromLatin1(names).split(u',');
}

constexpr const char *mostFields =
    "index,uuid,memory.total,memory.used,memory.free,utilization.gpu,temperature.gpu,power.draw,name";

} // namespace

class TstSmiCsv final : public QObject
{
    Q_OBJECT
private slots:
    void row_everyVariant_data();
    void row_everyVariant();
    void row_ofRealMachines_data();
    void row_ofRealMachines();
    void row_allFields();
    void row_nameWithCommas();
    void row_units();
    void row_absurdFiguresAreUnparsable();
    void lines_inAnyOrderAndEnding();
    void lines_mixedWithProse();
    void lines_ofErrorsBetweenGoodRows();
    void lines_thatLookLikeRowsAreCounted();
    void header_isNoRow();
    void identity_errorWordsNeverMerge();
    void identity_repeatedRows();
    void unified_byMemoryOrName_data();
    void unified_byMemoryOrName();
    void fault_worstWordStands();
    void failure_isNoRow_data();
    void failure_isNoRow();
    void errors_areReadForMessagesOnly();
    void cells_commasGoToTheFlexibleOne();
    void fields_everyOneIsKnownAndNameIsLast();
    void memo_everyPair_data();
    void memo_everyPair();
    void memo_figuresAreNew();
    void memo_isBounded();
};

void TstSmiCsv::row_everyVariant_data()
{
    QTest::addColumn<QString>("fields");
    QTest::addColumn<QByteArray>("line");
    QTest::addColumn<QString>("expected");
    const auto row = [](const char *name, const char *fields, const char *line, const QString &expected) {
        QTest::newRow(name) << QString::fromLatin1(fields) << QByteArray(line) << expected;
    };
    row("001 no fan",
        "fan.speed,memory.total,memory.used,memory.free,pstate,temperature.gpu,name,uuid,utilization.gpu,utilization."
        "memory,index",
        "[N/A], 32510, 0, 32510, P0, 35, Tesla V100-SXM2-32GB, GPU-124a7c31-0d5e-4c1b-9241-241b41242341, 0, 0, 3",
        u"3 0/32510 load 0 temp 35 power absent"_s);
    row("003 2019 driver",
        "fan.speed,memory.total,memory.used,memory.free,pstate,temperature.gpu,name,uuid,compute_mode,utilization.gpu,"
        "utilization.memory,index,power.draw",
        "8, 3072, 1279, 1793, P8, 47, GeForce GTX 1060 3GB, GPU-647d1415-d8d5-4e1b-9725-0ad2bee4efe0, Default, 2, 10, "
        "0, 10.08",
        u"0 1279/3072 load 2 temp 47 power 10.08"_s);
    row("005 three kinds of no value",
        "index,uuid,driver_version,power.draw,memory.used,memory.total,fan.speed,utilization.gpu,temperature.gpu,name",
        "0, GPU-aaaabbbb-1111-4222-8333-444455556666, 470.182.03, [N/A], 512, [N/A], [Not Supported], [Not Supported], "
        "[Unknown Error], Tesla K80",
        u"0 failed/failed load failed temp failed power not_supported FAULT Unknown Error"_s);
    row("007 function not found", "index,bbx.time_run,utilization.gpu,temperature.gpu,name",
        "0, [Function Not Found], 7 %, 40, X", u"0 absent/absent load 7 temp 40 power absent"_s);
    row("009 GB10", "index,memory.total,memory.used,memory.free,utilization.gpu,power.draw,temperature.gpu,name",
        "0, [N/A], [N/A], [N/A], 0 %, 11.17 W, 35, NVIDIA GB10",
        u"0 not_supported/not_supported load 0 temp 35 power 11.17"_s);
    row("011 N1X carve-out", "index,memory.total,memory.free,name", "0, 8128, 7929, NVIDIA N1X",
        u"0 absent/8128 load absent temp absent power absent"_s);
    row("015 reset required beside a plausible 0", "index,temperature.gpu,utilization.gpu,memory.used",
        "0, [GPU requires reset], [GPU requires reset], 0 MiB",
        u"0 failed/failed load failed temp failed power absent FAULT GPU requires reset"_s);
    row("017 lost in a stream", "timestamp,index,memory.used,temperature.gpu,utilization.gpu,power.draw",
        "2026/07/31 12:49:00.600, 0, [GPU is lost], [GPU is lost], [GPU is lost], [GPU is lost]",
        u"0 failed/failed load failed temp failed power failed FAULT GPU is lost"_s);
    row("019 MIG",
        "index,mig.mode.current,memory.total,memory.reserved,memory.used,memory.free,utilization.gpu,power.draw",
        "0, Enabled, 81559 MiB, 479 MiB, 11125 MiB, 69956 MiB, [N/A], 433.78 W",
        u"0 11125/81559 load not_supported temp absent power 433.78"_s);
    row("021 busy, nothing there", "index,persistence_mode,memory.used,utilization.gpu,temperature.gpu,power.draw",
        "0, Disabled, 0 MiB, 100 %, 63, 144.97 W", u"0 0/absent load 100 temp 63 power 144.97"_s);
    row("027 no power sensor", "index,temperature.gpu,utilization.gpu,memory.used,power.draw", "0, 44, 0, 3, [N/A]",
        u"0 3/absent load 0 temp 44 power not_supported"_s);
    row("smi 1", "index,memory.used,memory.total,utilization.gpu,temperature.gpu,fan.speed",
        "0, 2004, 2004, 0, 44, [N/A]", u"0 2004/2004 load 0 temp 44 power absent"_s);
    row("smi 3 one secondary cell taints",
        "index,name,utilization.gpu,memory.used,temperature.gpu,power.draw,power.limit,power.default_limit",
        "0, GeForce RTX 2080 Ti, 100, 37, 56, 228.82, 210.00, [Unknown Error]",
        u"0 failed/failed load failed temp 56 power 228.82 FAULT Unknown Error"_s);
    row("smi 11 deprecated", "index,persistence_mode,display_mode,memory.used,memory.reserved,memory.free,memory.total",
        "0, Disabled, [Requested functionality has been deprecated], 0 MiB, 326 MiB, 24137 MiB, 24463 MiB",
        u"0 0/24463 load absent temp absent power absent"_s);
    row("smi 13 bare N/A", "index,memory.used,temperature.gpu,utilization.gpu", "0, 10, N/A, 0",
        u"0 10/absent load 0 temp not_supported power absent"_s);
    row("smi 15 vGPU slice", "index,utilization.gpu,clocks.max.sm,memory.total,memory.used,name",
        "0, [N/A], [N/A], 24576, 100, NVIDIA H100L-2-24C",
        u"0 100/24576 load not_supported temp absent power absent"_s);
    row("smi 17 uuid is a word", "index,uuid,persistence_mode,memory.used", "2, [Unknown Error], Disabled, 5",
        u"2 failed/failed load failed temp absent power absent FAULT Unknown Error"_s);
    row("smi 25 Thor", "index,name,utilization.gpu,memory.used,memory.total,temperature.gpu,power.draw",
        "0, NVIDIA Thor, 85, [N/A], [N/A], 62, 37.53", u"0 not_supported/not_supported load 85 temp 62 power 37.53"_s);
    row("smi 27 GH200", "index,name,memory.total,memory.used", "0, NVIDIA GH200 480GB, 97871, 580.1",
        u"0 580/97871 load absent temp absent power absent"_s);
    row("smi 7 ERR! in csv", "index,memory.used,memory.total,utilization.gpu", "3, 58222, 97887, ERR!",
        u"3 failed/failed load failed temp absent power absent FAULT ERR!"_s);
    row("smi 71 loop errors", "index,utilization.gpu,memory.used", "0, [Unknown Error], 12",
        u"0 failed/failed load failed temp absent power absent FAULT Unknown Error"_s);
    row("smi 89 fractional", "index,memory.used,memory.total", "2, 29028.4921875, 32656.0",
        u"2 29028/32656 load absent temp absent power absent"_s);
    row("composed: permissions", "index,memory.used,memory.total,utilization.gpu",
        "0, [Insufficient Permissions], 81559, [Insufficient Permissions]",
        u"0 no_permission/81559 load no_permission temp absent power absent"_s);
    row("composed: a word nobody knows", "index,memory.used,temperature.gpu", "0, 7, [Sensor asleep]",
        u"0 7/absent load absent temp failed power absent"_s);
    row("composed: blocked", "index,memory.used,temperature.gpu", "0, 7, [GPU access blocked by the operating system]",
        u"0 failed/failed load failed temp failed power absent FAULT GPU access blocked by the operating system"_s);
    row("composed: empty cell", "index,memory.used,temperature.gpu", "0, 7, ",
        u"0 7/absent load absent temp unparsable power absent"_s);
    row("composed: no blanks", "index,memory.used,temperature.gpu", "0,7,40",
        u"0 7/absent load absent temp 40 power absent"_s);
}

void TstSmiCsv::row_everyVariant()
{
    QFETCH(QString, fields);
    QFETCH(QByteArray, line);
    QFETCH(QString, expected);
    const QStringList asked = fields.split(u',');
    for (const QByteArray &ending : {QByteArray("\n"), QByteArray("\r\n"), QByteArray()}) {
        const SmiGpus read = parseSmiGpus(asked, line + ending);
        QCOMPARE(briefs(read), QStringList{expected});
        QCOMPARE(read.unreadableRows, 0);
        QCOMPARE(read.ignoredLines, 0);
    }
}

void TstSmiCsv::row_ofRealMachines_data()
{
    QTest::addColumn<QString>("expected");
    QTest::addColumn<QString>("driver");
    const auto row = [](const char *file, const QString &expected, const QString &driver) {
        QTest::newRow(file) << expected << driver;
    };
    row("h100-590.48.01.idle", u"0 0/81559 load 0 temp 41 power 69.85"_s, u"590.48.01"_s);
    row("h100-590.48.01.load", u"0 19818/81559 load 100 temp 59 power 631.95"_s, u"590.48.01"_s);
    row("h200-mig-590.48.01.idle", u"0 55/143771 load not_supported temp 28 power 78.28"_s, u"590.48.01"_s);
    row("h200-mig-590.48.01.load", u"0 16959/143771 load not_supported temp 36 power 295.01"_s, u"590.48.01"_s);
    row("rtx2080s-595.71.05.idle", u"0 214/8192 load 0 temp 40 power 39.32"_s, u"595.71.05"_s);
    row("rtx2080s-595.71.05.load", u"0 819/8192 load 8 temp 45 power 111.5"_s, u"595.71.05"_s);
    row("rtx4080s-595.71.05.idle", u"0 596/16376 load 0 temp 43 power 26.2"_s, u"595.71.05"_s);
    row("rtx4080s-595.71.05.load", u"0 1474/16376 load 7 temp 46 power 84.24"_s, u"595.71.05"_s);
}

void TstSmiCsv::row_ofRealMachines()
{
    QFETCH(QString, expected);
    const QString file = u"smi/"_s + QString::fromLatin1(QTest::currentDataTag()) + u".gpus.csv"_s;
    const SmiGpus read = parseSmiGpus(smiGpuFields(), test::fixture(file));
    QCOMPARE(briefs(read), QStringList{expected});
    QTEST(read.driverVersion, "driver");
    QCOMPARE(read.messages.size(), 0);
    QCOMPARE(shown(read.gpus.first().recoveryAction), u"none"_s);
    QVERIFY(read.gpus.first().fault.isEmpty());
    QVERIFY(!read.gpus.first().unifiedMemory);
}

void TstSmiCsv::row_allFields()
{
    const SmiGpus read = parseSmiGpus(smiGpuFields(), test::fixture(u"smi/h200-mig-590.48.01.load.gpus.csv"_s));
    const Gpu &gpu = read.gpus.first();
    QCOMPARE(gpu.uuid, u"GPU-00000000-0000-0000-0000-000000000000"_s);
    QCOMPARE(gpu.busId, u"0000:83:00.0"_s);
    QCOMPARE(gpu.name, u"NVIDIA H200"_s);
    QCOMPARE(shown(gpu.memoryFreeMib), u"126199"_s);
    QCOMPARE(shown(gpu.memoryReservedMib), u"614"_s);
    QCOMPARE(shown(gpu.persistence), u"on"_s);
    QCOMPARE(shown(gpu.mig), u"on"_s);
    const SmiGpus desktop = parseSmiGpus(smiGpuFields(), test::fixture(u"smi/rtx2080s-595.71.05.idle.gpus.csv"_s));
    QCOMPARE(shown(desktop.gpus.first().persistence), u"off"_s);
    QCOMPARE(shown(desktop.gpus.first().mig), u"not_supported"_s);
}

void TstSmiCsv::row_nameWithCommas()
{
    const SmiGpus last = parseSmiGpus(smiGpuFields(), test::gpuRow(0, 9, "Odd, very odd, card"));
    QCOMPARE(briefs(last), QStringList{u"0 9/81559 load 0 temp 41 power 69.85"_s});
    QCOMPARE(last.gpus.first().name, u"Odd, very odd, card"_s);
    const SmiGpus middle = parseSmiGpus(fieldsOf("index,name,memory.used"), "1, Odd, card, 77\n");
    QCOMPARE(middle.gpus.first().name, u"Odd, card"_s);
    QCOMPARE(shown(middle.gpus.first().memoryUsedMib), u"77"_s);
}

void TstSmiCsv::row_units()
{
    const SmiGpus read = parseSmiGpus(fieldsOf("index,memory.used,utilization.gpu,temperature.gpu,power.draw"),
        "0, 0 MiB, 7 %, 41 C, 12.3 W\n1, 5 GiB, 7, 41, 12.3\n2, 5MiB, 7, 41, 12.3\n");
    QCOMPARE(briefs(read).at(0), u"0 0/absent load 7 temp 41 power 12.3"_s);
    QCOMPARE(briefs(read).at(1), u"1 unparsable/absent load 7 temp 41 power 12.3"_s); // never read as 5 MiB
    QCOMPARE(briefs(read).at(2), u"2 unparsable/absent load 7 temp 41 power 12.3"_s);
}

void TstSmiCsv::row_absurdFiguresAreUnparsable()
{
    const SmiGpus read =
        parseSmiGpus(fieldsOf("index,memory.used,memory.total,utilization.gpu,temperature.gpu,power.draw"),
                     "0, -1, 18446744073709551615, 101, 4294967295, nan\n");
    QCOMPARE(briefs(read), QStringList{u"0 unparsable/unparsable load unparsable temp unparsable power unparsable"_s});
    QCOMPARE(read.gpus.first().utilizationPct.word(), u"101"_s);
}

void TstSmiCsv::lines_inAnyOrderAndEnding()
{
    const QByteArray rows = test::gpuRow(2) + "\n\r\n" + test::gpuRow(0) + test::gpuRow(1).replace('\n', "\r\n");
    const SmiGpus read = parseSmiGpus(smiGpuFields(), rows);
    QCOMPARE(read.gpus.size(), 3);
    QCOMPARE(read.gpus.at(0).index, 2); // never the row's position
    QCOMPARE(read.gpus.at(2).uuid, QString::fromLatin1(test::uuidOf(1)));
    QCOMPARE(read.ignoredLines, 0);
}

void TstSmiCsv::lines_mixedWithProse()
{
    const SmiGpus read =
        parseSmiGpus(smiGpuFields(), "Warning: untrusted X11 forwarding setup failed: xauth key data not generated\n"
                                     "*** welcome to gpu host: 12, 34567 MiB ***\n"
                                         + test::gpuRow(0) + "WARNING: infoROM is corrupted at gpu 0000:10:00.0\n"
                                         + test::gpuRow(1));
    QCOMPARE(read.gpus.size(), 2);
    QCOMPARE(read.ignoredLines, 2);
    QVERIFY(read.firstIgnored.startsWith(u"Warning: untrusted"_s));
    QCOMPARE(read.messages.size(), 1);
    QCOMPARE(read.messages.first().kind, SmiMessage::Kind::InfoRom);
}

void TstSmiCsv::lines_ofErrorsBetweenGoodRows() // 037, smi 43
{
    const char *fields =
        "index,uuid,name,fan.speed,clocks.sm,clocks.mem,utilization.gpu,utilization.memory,pstate,power.limit";
    const SmiGpus read = parseSmiGpus(
        fieldsOf(fields),
        "0, GPU-11111111-2222-3333-4444-555555555555, NVIDIA GeForce RTX 3090, 30, 1695, 9751, 0, 0, P2, 350.00\n"
        "Unable to determine the device handle for GPU0000:02:00.0: Unknown Error\n"
        "[Unknown Error], [Unknown Error], [Unknown Error], [Unknown Error], [Unknown Error], [Unknown Error], "
        "[Unknown Error], [Unknown Error], [Unknown Error], [Unknown Error]\n"
        "2, GPU-66666666-7777-8888-9999-aaaaaaaaaaaa, NVIDIA GeForce RTX 3090, 31, 1700, 9751, 0, 0, P2, 350.00\n");
    QCOMPARE(read.gpus.size(), 2);
    QCOMPARE(read.gpus.at(0).index, 0);
    QCOMPARE(read.gpus.at(1).index, 2);
    QVERIFY(read.gpus.at(1).fault.isEmpty());
    QCOMPARE(read.faultRows, 1);
    QCOMPARE(read.faultWord, u"Unknown Error"_s);
    QCOMPARE(read.messages.first().busId, u"0000:02:00.0"_s);
}

void TstSmiCsv::lines_thatLookLikeRowsAreCounted()
{
    const SmiGpus few = parseSmiGpus(fieldsOf("index,uuid,memory.used,memory.total"),
        "0, GPU-11111111-2222-3333-4444-555555555555, 5\n1, GPU-66666666-7777-8888-9999-aaaaaaaaaaaa, 5, 6, 7\n"
        "2, GPU-66666666-7777-8888-9999-bbbbbbbbbbbb, 5, 6\n");
    QCOMPARE(few.unreadableRows, 2);
    QCOMPARE(few.gpus.size(), 1);
    QCOMPARE(few.gpus.first().index, 2);
    QCOMPARE(few.ignoredLines, 0);
}

void TstSmiCsv::header_isNoRow()
{
    const SmiGpus read = parseSmiGpus(fieldsOf("index,memory.used,utilization.gpu"),
        "index, memory.used [MiB], utilization.gpu [%]\n0, 5 MiB, 7 %\n");
    QCOMPARE(briefs(read), QStringList{u"0 5/absent load 7 temp absent power absent"_s});
    QCOMPARE(read.ignoredLines, 0);
}

void TstSmiCsv::identity_errorWordsNeverMerge()
{
    const SmiGpus read =
        parseSmiGpus(fieldsOf(mostFields), "0, [Unknown Error], 10, 1, 9, 0, 40, 10, A\n1, [Unknown Error], 10, 2, 8, "
                                           "0, 40, 10, A\n[N/A], N/A, 10, 2, 8, 0, 40, 10, A\n");
    QCOMPARE(read.gpus.size(), 2);
    QVERIFY(read.gpus.at(0).uuid.isEmpty());
    QVERIFY(read.gpus.at(1).uuid.isEmpty());
    QCOMPARE(read.ignoredLines, 1); // neither index nor uuid: no row
}

void TstSmiCsv::identity_repeatedRows()
{
    const SmiGpus same = parseSmiGpus(smiGpuFields(), test::gpuRow(0, 5) + test::gpuRow(0, 6));
    QCOMPARE(same.gpus.size(), 1);
    QCOMPARE(shown(same.gpus.first().memoryUsedMib), u"5"_s);
    QCOMPARE(same.repeatedRows, 1);
    const SmiGpus index = parseSmiGpus(smiGpuFields(), test::gpuRow(0) + test::gpuRow(1).replace(0, 1, "0"));
    QCOMPARE(index.gpus.size(), 2);
    QCOMPARE(index.gpus.at(1).index, -1);
    QCOMPARE(index.gpus.at(1).uuid, QString::fromLatin1(test::uuidOf(1)));
    const SmiGpus nameless = parseSmiGpus(fieldsOf("index,uuid,memory.used"), "0, GPU-11111111-2222, 5\n0, [N/A], 6\n");
    QCOMPARE(nameless.gpus.size(), 1); // of the second nothing says which card it is
    QCOMPARE(nameless.repeatedRows, 1);
}

void TstSmiCsv::unified_byMemoryOrName_data()
{
    QTest::addColumn<QByteArray>("line");
    QTest::addColumn<bool>("unified");
    const auto row = [](const char *name, const char *line, bool unified) {
        QTest::newRow(name) << QByteArray(line) << unified;
    };
    row("GB10", "0, u, [N/A], [N/A], [N/A], 0, 35, 11.17, NVIDIA GB10", true);
    row("a part nobody knows yet", "0, u, [N/A], [N/A], [N/A], 0, 35, 11.17, NVIDIA XB99", true);
    row("Thor", "0, u, [N/A], [N/A], [N/A], 85, 62, 37.53, NVIDIA Thor", true);
    row("N1X reports a carve-out", "0, u, 8128, 199, 7929, 0, 40, 9, NVIDIA N1X", true);
    row("Orin", "0, u, [N/A], [N/A], [N/A], [N/A], [N/A], [N/A], Orin (nvgpu)", true);
    row("GH200 has its own", "0, u, 97871, 580, 97291, 0, 40, 90, NVIDIA GH200 480GB", false);
    row("K80 lacks a total only", "0, u, [N/A], 512, [N/A], 0, 40, 90, Tesla K80", false);
    row("rights, not design",
        "0, u, [Insufficient Permissions], [Insufficient Permissions], [Insufficient Permissions], 0, 40, 9, X", false);
    row("MIG parent", "0, u, 81559, 11125, 69956, [N/A], 40, 433.78, NVIDIA H100", false);
}

void TstSmiCsv::unified_byMemoryOrName()
{
    QFETCH(QByteArray, line);
    const SmiGpus read = parseSmiGpus(fieldsOf(mostFields), line);
    QCOMPARE(read.gpus.size(), 1);
    QTEST(read.gpus.first().unifiedMemory, "unified");
    QVERIFY(read.gpus.first().fault.isEmpty());
}

void TstSmiCsv::fault_worstWordStands()
{
    const SmiGpus read = parseSmiGpus(fieldsOf("index,memory.used,utilization.gpu,temperature.gpu,power.draw"),
        "0, 0, [Unknown Error], [GPU is lost], [GPU requires reset]\n1, 0, [GPU requires reset], [Unknown Error], 5\n");
    QCOMPARE(read.gpus.at(0).fault, u"GPU is lost"_s);
    QCOMPARE(read.gpus.at(1).fault, u"GPU requires reset"_s);
    QCOMPARE(read.gpus.at(0).memoryUsedMib.word(), u"GPU is lost"_s);
}

void TstSmiCsv::failure_isNoRow_data()
{
    QTest::addColumn<QByteArray>("output");
    QTest::addColumn<SmiMessage::Kind>("kind");
    using Kind = SmiMessage::Kind;
    QTest::newRow("029 driver") << QByteArray(
        "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest "
        "NVIDIA driver is installed and running.\n\n")
                                << Kind::DriverNotLoaded;
    QTest::newRow("smi 39 none") << QByteArray("No devices were found\n") << Kind::NoDevices;
    QTest::newRow("041 no line feed at the end")
        << QByteArray("Failed to initialize NVML: GPU access blocked by the operating system\nFailed to properly shut "
                      "down NVML: GPU access blocked by the operating system")
        << Kind::Blocked;
    QTest::newRow("051 field, empty line")
        << QByteArray("Field \"device_minor\" is not a valid field to query.\n\n") << Kind::InvalidField;
    QTest::newRow("043 two lines") << QByteArray(
        "NVIDIA-SMI couldn't find libnvidia-ml.so library in your system. Please make sure that the NVIDIA Display "
        "Driver is properly installed and present in your system.\nPlease also try adding directory that contains "
        "libnvidia-ml.so to your system PATH.\n")
                                   << Kind::LibraryMissing;
}

void TstSmiCsv::failure_isNoRow()
{
    QFETCH(QByteArray, output);
    QFETCH(SmiMessage::Kind, kind);
    for (const QStringList &asked : {smiGpuFields(), fieldsOf("name"), fieldsOf("index"), fieldsOf("uuid,name")}) {
        const SmiGpus read = parseSmiGpus(asked, output);
        QCOMPARE(read.gpus.size(), 0);
        QCOMPARE(read.faultRows, 0);
        QVERIFY(!read.messages.isEmpty());
        QCOMPARE(read.messages.first().kind, kind);
    }
}

void TstSmiCsv::errors_areReadForMessagesOnly()
{
    const SmiGpus read = parseSmiGpus(
        smiGpuFields(), test::gpuRow(0),
        "stty: 'standard input': Inappropriate ioctl for device\nWARNING: infoROM is corrupted at gpu 0000:0B:00.0\n"
            + test::gpuRow(1));
    QCOMPARE(read.gpus.size(), 1);
    QCOMPARE(read.messages.size(), 1);
    QCOMPARE(read.ignoredLines, 0);
}

void TstSmiCsv::cells_commasGoToTheFlexibleOne()
{
    QCOMPARE(csvCells("a, b,c", 3, -1), (QList<QByteArrayView>{"a", "b", "c"}));
    QCOMPARE(csvCells("a, b,c", 2, -1), QList<QByteArrayView>());
    QCOMPARE(csvCells("a", 2, 0), QList<QByteArrayView>());
    QCOMPARE(csvCells("a, b, c, d", 2, 0), (QList<QByteArrayView>{"a, b, c", "d"}));
    QCOMPARE(csvCells("a, b, c, d", 3, 1), (QList<QByteArrayView>{"a", "b, c", "d"}));
    QCOMPARE(csvCells("a, b, c, d", 2, 1), (QList<QByteArrayView>{"a", "b, c, d"}));
    QCOMPARE(csvCells("", 1, -1), (QList<QByteArrayView>{""}));
    QCOMPARE(csvCells("a", 0, -1), QList<QByteArrayView>());
    QCOMPARE(csvCells("a,b", 1, 7), QList<QByteArrayView>());
}

void TstSmiCsv::fields_everyOneIsKnownAndNameIsLast()
{
    const QStringList fields = smiGpuFields();
    QCOMPARE(fields.last(), u"name"_s);
    QCOMPARE(QSet<QString>(fields.begin(), fields.end()).size(), fields.size());
    for (const QString &core : smiCoreGpuFields())
        QVERIFY(fields.contains(core));
    QVERIFY(smiCoreGpuFields().contains(u"uuid"_s));
}

namespace {

/// Everything that was read, as one text.
QString wholeOf(const SmiGpus &read)
{
    QStringList texts = briefs(read);
    for (const Gpu &gpu : read.gpus) {
        texts += gpu.uuid + u' ' + gpu.busId + u' ' + gpu.name + u' ' + shown(gpu.memoryFreeMib) + u' '
            + shown(gpu.memoryReservedMib) + u' ' + shown(gpu.persistence) + u' ' + shown(gpu.mig) + u' '
            + shown(gpu.recoveryAction) + u' ' + gpu.memoryUsedMib.word() + (gpu.unifiedMemory ? u" unified"_s : u""_s);
    }
    for (const SmiMessage &message : read.messages)
        texts += QString::number(int(message.kind)) + message.text + message.busId;
    texts += u"%1 %2 %3 %4 %5 %6 %7"_s.arg(read.driverVersion, read.faultWord, read.firstIgnored)
                 .arg(read.faultRows).arg(read.unreadableRows).arg(read.ignoredLines).arg(read.repeatedRows);
    return texts.join(u'\n');
}

QList<QByteArray> memoOutputs()
{
    const QByteArray two = test::gpuRow(0, 5) + test::gpuRow(1, 6);
    QList<QByteArray> outputs{{}, "\n", two, test::gpuRow(0, 7) + test::gpuRow(1, 6), test::gpuRow(1, 6) + test::gpuRow(0, 5),
        test::gpuRow(0, 5), two + test::gpuRow(2, 1), two + test::gpuRow(0, 5), "Warning: prose, of a driver\n" + two,
        "No devices were found\n", QByteArray(two).replace("\n", "\r\n"), QByteArray(two).chopped(1),
        QByteArray(two).replace(", 5, ", ", [Unknown Error], "), QByteArray(two).replace(", 5, ", ", [N/A], "),
        QByteArray(two).replace(", 5, ", ", ERR!, "), QByteArray(two).replace(", 5, ", ", , "),
        QByteArray(two).replace(", 5, ", ", 5 MiB, "), QByteArray(two).replace(", 5, ", ", 5, 6, "),
        QByteArray(two).replace(", 41, ", ", [GPU requires reset], "), QByteArray(two).replace("Disabled", "Enabled"),
        QByteArray(two).replace("H100", "H100, odd"), QByteArray(two).replace("H100 80GB HBM3", "GB10"),
        QByteArray(two).replace("None", "GPU Reset"), QByteArray(two).replace("590.48.01", "610.57.04"),
        QByteArray(two).replace("GPU-0", "GPU-9"), QByteArray(two).replace("1, GPU", "[Unknown Error], GPU"),
        QByteArray(two).replace("69.85", "9999999"), QByteArray("[Unknown Error]").repeated(1) + QByteArray(", [Unknown Error]").repeated(14) + '\n'};
    for (const char *name : {"h100-590.48.01.idle", "h100-590.48.01.load", "h200-mig-590.48.01.idle",
             "h200-mig-590.48.01.load", "rtx2080s-595.71.05.idle", "rtx4080s-595.71.05.load"})
        outputs += test::fixture(u"smi/"_s + QString::fromLatin1(name) + u".gpus.csv"_s);
    return outputs;
}

} // namespace

void TstSmiCsv::memo_everyPair_data()
{
    QTest::addColumn<QStringList>("asked");
    QTest::newRow("every field") << smiGpuFields();
    QTest::newRow("few fields") << fieldsOf(mostFields);
    QTest::newRow("a field twice") << fieldsOf("index,uuid,memory.used,memory.used,name");
    QTest::newRow("one field") << fieldsOf("index");
    QTest::newRow("none") << QStringList();
}

void TstSmiCsv::memo_everyPair()
{
    QFETCH(QStringList, asked);
    const QList<QByteArray> outputs = memoOutputs();
    for (const QByteArray &first : outputs) {
        for (const QByteArray &second : outputs) {
            SmiGpusMemo memo;
            const QString plain = wholeOf(parseSmiGpus(asked, second));
            (void)parseSmiGpus(asked, first, {}, memo);
            for (int time = 0; time < 2; ++time) {
                const QString remembered = wholeOf(parseSmiGpus(asked, second, {}, memo));
                QVERIFY2(remembered == plain, QByteArray(first + "-- then --\n" + second).constData());
            }
            // Lines on standard error count, and so do other fields.
            QCOMPARE(wholeOf(parseSmiGpus(asked, second, "No devices were found\n", memo)),
                wholeOf(parseSmiGpus(asked, second, "No devices were found\n")));
            const QStringList others = asked.mid(1) + asked.first(qMin<qsizetype>(asked.size(), 1));
            QCOMPARE(wholeOf(parseSmiGpus(others, second, {}, memo)), wholeOf(parseSmiGpus(others, second)));
        }
    }
}

void TstSmiCsv::memo_figuresAreNew()
{
    SmiGpusMemo memo;
    QCOMPARE(parseSmiGpus(smiGpuFields(), test::gpuRow(0, 5), {}, memo).gpus.first().memoryUsedMib, Quantity<qint64>(5));
    QCOMPARE(parseSmiGpus(smiGpuFields(), test::gpuRow(0, 9), {}, memo).gpus.first().memoryUsedMib, Quantity<qint64>(9));
    const QByteArray lost = test::gpuRow(0, 9).replace(", 41, ", ", [GPU is lost], ");
    const Gpu gone = parseSmiGpus(smiGpuFields(), lost, {}, memo).gpus.first();
    QCOMPARE(gone.fault, u"GPU is lost"_s);
    QVERIFY(!gone.memoryUsedMib.isKnown());
    const Gpu back = parseSmiGpus(smiGpuFields(), test::gpuRow(0, 4), {}, memo).gpus.first();
    QVERIFY(back.fault.isEmpty());
    QCOMPARE(back.memoryUsedMib, Quantity<qint64>(4));
}

void TstSmiCsv::memo_isBounded()
{
    SmiGpusMemo memo;
    QByteArray rows;
    for (int i = 0; i < 500; ++i)
        rows += QByteArray::number(i) + ", " + QByteArray::number(i) + '\n';
    const QStringList asked = fieldsOf("index,memory.used");
    for (int time = 0; time < 2; ++time) {
        QCOMPARE(parseSmiGpus(asked, rows, {}, memo).gpus.size(), 500);
        QVERIFY(memo.lines.size() <= 64);
        QVERIFY(memo.output.isEmpty());
    }
}

PILOTHOUSE_TEST_MAIN(TstSmiCsv)
#include "tst_smicsv.moc"
