// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of --query-compute-apps; numbers as in tst_smicsv.
#include "core/probe/parse/smiapps.h"
#include "tests/support/testmain.h"
#include "tests/unit/probe/parse/fixtures.h"

using namespace pilothouse;
using namespace Qt::StringLiterals;

namespace {

QString brief(const SmiApp &app)
{
    const QString mib = app.mib.isKnown() ? QString::number(app.mib.value()) : nameOf(app.mib.reason());
    return QString::number(app.pid) + u' ' + mib + u' ' + (app.nameNotFound ? u"[not found]"_s : app.name);
}

QStringList briefs(const SmiApps &read)
{
    QStringList texts;
    for (const SmiApp &app : read.apps)
        texts += brief(app);
    return texts;
}

QStringList fieldsOf(const char *names)
{
    return QString::fromLatin1(names).split(u',');
}

} // namespace

class TstSmiApps final : public QObject
{
    Q_OBJECT
private slots:
    void row_everyVariant_data();
    void row_everyVariant();
    void row_ofRealMachines_data();
    void row_ofRealMachines();
    void hidden_rowsAreCountedApart_data();
    void hidden_rowsAreCountedApart();
    void list_notSupported();
    void row_brokenAtEveryPlace();
    void output_empty();
    void output_failures();
    void row_ofNoCard();
    void output_windowsLineEnds();
    void pid_mustBeOne();
};

void TstSmiApps::row_everyVariant_data()
{
    QTest::addColumn<QString>("fields");
    QTest::addColumn<QByteArray>("output");
    QTest::addColumn<QStringList>("expected");
    const auto row = [](const char *name, const char *fields, const QByteArray &output, const QStringList &expected) {
        QTest::newRow(name) << QString::fromLatin1(fields) << output << expected;
    };
    row("061 order is the tool's", "pid,process_name,used_gpu_memory",
        "28512, ffmpeg, 370 MiB\n28511, ffmpeg, 230 MiB\n", {u"28512 370 ffmpeg"_s, u"28511 230 ffmpeg"_s});
    row("063 not found, with memory", "gpu_uuid,pid,process_name,used_memory",
        "GPU-4f31bb83-f8dc-4af0-929e-bc4356e6afeb, 2151955, [Not Found], 56510\n", {u"2151955 56510 [not found]"_s});
    row("065 WSL host", "pid,process_name,gpu_uuid,used_memory",
        "4, [Insufficient Permissions], GPU-0e7f33ad-cc4a-4a1a-a9a4-7dd69f9032ab, [N/A]\n", {u"4 not_supported "_s});
    row("065 its container", "pid,process_name,gpu_uuid,used_memory",
        "50983, [Not Found], GPU-0e7f33ad-cc4a-4a1a-a9a4-7dd69f9032ab, [N/A]\n51023, [Not Found], "
        "GPU-0e7f33ad-cc4a-4a1a-a9a4-7dd69f9032ab, [N/A]\n",
        {u"50983 not_supported [not found]"_s, u"51023 not_supported [not found]"_s});
    row("067 a whole command line with commas", "pid,process_name,used_memory",
        "4242, /opt/google/chrome/chrome --type=gpu-process --crashpad-handler-pid=4100 --enable-crash-reporter=, "
        "--change-stack-guard-on-fork=enable --shared-files=v8_context_snapshot_data:100,v8_natives_data:101, 164\n",
        {u"4242 164 /opt/google/chrome/chrome --type=gpu-process --crashpad-handler-pid=4100 --enable-crash-reporter=, --change-stack-guard-on-fork=enable --shared-files=v8_context_snapshot_data:100,v8_natives_data:101"_s});
    row("071 MIG parent", "gpu_uuid,pid,process_name,used_gpu_memory",
        "GPU-5c1d7a20-3f4e-4b6a-9c8d-1a2b3c4d5e6f, 21180, /root/tools/memhog, 2296 "
        "MiB\nGPU-5c1d7a20-3f4e-4b6a-9c8d-1a2b3c4d5e6f, 21198, ./gpu_burn, 7484 MiB\n",
        {u"21180 2296 /root/tools/memhog"_s, u"21198 7484 ./gpu_burn"_s});
    row("075 GB10", "gpu_uuid,pid,process_name,used_memory",
        "GPU-0f3c2b1a-9d8e-4c7b-a6f5-e4d3c2b1a098, 114687, /usr/local/bin/python, 19135\n",
        {u"114687 19135 /usr/local/bin/python"_s});
    row("smi 65 comma in the middle", "gpu_uuid,pid,process_name,used_memory",
        "GPU-11111111-2222-3333-4444-555555555555, 42, /root/tools/mem, hog, 818 MiB\n",
        {u"42 818 /root/tools/mem, hog"_s});
    row("smi 65 comma at the end", "gpu_uuid,pid,used_memory,process_name",
        "GPU-11111111-2222-3333-4444-555555555555, 42, 818, /root/tools/mem, hog, 7 MiB\n",
        {u"42 818 /root/tools/mem, hog, 7 MiB"_s});
    row("smi 67 MPS", "pid,process_name,used_memory", "200, nvidia-cuda-mps-server, 52\n",
        {u"200 52 nvidia-cuda-mps-server"_s});
    row("composed: MIG uuid of a slice", "gpu_uuid,pid,used_memory,process_name",
        "MIG-5c1d7a20-3f4e-4b6a-9c8d-1a2b3c4d5e6f, 7, 9, x\n", {u"7 9 x"_s});
    row("composed: no blanks", "gpu_uuid,pid,used_memory,process_name", "GPU-11111111-2222,42,818,x\n",
        {u"42 818 x"_s});
    row("composed: header", "gpu_uuid,pid,used_memory,process_name",
        "gpu_uuid, pid, used_gpu_memory [MiB], process_name\nGPU-11111111-2222, 42, 818 MiB, x\n", {u"42 818 x"_s});
    row("composed: memory is a word", "gpu_uuid,pid,used_memory,process_name",
        "GPU-11111111-2222, 42, [Insufficient Permissions], x\n", {u"42 no_permission x"_s});
    row("composed: empty name", "gpu_uuid,pid,used_memory,process_name", "GPU-11111111-2222, 42, 818, \n",
        {u"42 818 "_s});
    row("composed: control bytes", "gpu_uuid,pid,used_memory,process_name", "GPU-11111111-2222, 42, 818, a\x1b[31mb\n",
        {u"42 818 a\u241b[31mb"_s});
}

void TstSmiApps::row_everyVariant()
{
    QFETCH(QString, fields);
    QFETCH(QByteArray, output);
    QFETCH(QStringList, expected);
    const QStringList asked = fields.split(u',');
    QCOMPARE(briefs(parseSmiApps(asked, output)), expected);
    QCOMPARE(briefs(parseSmiApps(asked, QByteArray(output).replace("\n", "\r\n"))), expected);
    QCOMPARE(parseSmiApps(asked, output).unreadableRows, 0);
}

void TstSmiApps::row_ofRealMachines_data()
{
    QTest::addColumn<QStringList>("expected");
    QTest::newRow("h100-590.48.01.idle") << QStringList();
    QTest::newRow("h100-590.48.01.load") << QStringList{
        u"11327 2566 /root/tools/memhog"_s, u"11328 1542 /root/tools/memhog"_s, u"11345 15690 ./gpu_burn"_s};
    QTest::newRow("h200-mig-590.48.01.load") << QStringList{
        u"12249 2194 /root/tools/memhog"_s, u"12250 1170 /root/tools/memhog"_s, u"12267 13526 ./gpu_burn"_s};
    QTest::newRow("rtx2080s-595.71.05.load") << QStringList{u"5268 370 ffmpeg"_s, u"5267 230 ffmpeg"_s};
    QTest::newRow("rtx4080s-595.71.05.idle") << QStringList{u"2165 25 /usr/bin/kwin_wayland"_s};
    QTest::newRow("rtx4080s-595.71.05.load")
        << QStringList{u"2165 25 /usr/bin/kwin_wayland"_s, u"5022 503 ffmpeg"_s, u"5021 360 ffmpeg"_s};
}

void TstSmiApps::row_ofRealMachines()
{
    const QByteArray output = test::fixture(u"smi/"_s + QString::fromLatin1(QTest::currentDataTag()) + u".apps.csv"_s);
    const SmiApps read = parseSmiApps(smiAppFields(), output);
    QFETCH(QStringList, expected);
    QCOMPARE(briefs(read), expected);
    for (const SmiApp &app : read.apps)
        QCOMPARE(app.gpuUuid, u"GPU-00000000-0000-0000-0000-000000000000"_s);
}

void TstSmiApps::hidden_rowsAreCountedApart_data()
{
    QTest::addColumn<QByteArray>("line");
    QTest::addColumn<QString>("word");
    QTest::addColumn<UnknownReason>("reason");
    QTest::newRow("smi 63 all cells") << QByteArray(
        "GPU-11111111-2222-3333-4444-555555555555, [Insufficient Permissions], [Insufficient Permissions], "
        "[Insufficient Permissions]") << u"Insufficient Permissions"_s
                                      << UnknownReason::NoPermission;
    QTest::newRow("073 too few cells") << QByteArray(
        "GPU-5c1d7a20-3f4e-4b6a-9c8d-1a2b3c4d5e6f, [GPU access blocked by the operating system]")
                                       << u"GPU access blocked by the operating system"_s << UnknownReason::Failed;
    QTest::newRow("composed: gone") << QByteArray("GPU-5c1d7a20, [Not Found], [N/A], [Not Found]") << u"Not Found"_s
                                    << UnknownReason::Failed;
}

void TstSmiApps::hidden_rowsAreCountedApart()
{
    QFETCH(QByteArray, line);
    const SmiApps read =
        parseSmiApps(smiAppFields(), "GPU-11111111-2222, 42, 818, x\n" + line + "\nGPU-11111111-2222, 43, 1, y\n");
    QCOMPARE(read.apps.size(), 2);
    QCOMPARE(read.hidden.size(), 1);
    QTEST(read.hidden.first().word, "word");
    QTEST(read.hidden.first().reason, "reason");
    QVERIFY(!read.hidden.first().mib.isKnown());
    QVERIFY(read.listNotSupported.isEmpty());
    QCOMPARE(read.unreadableRows, 0);
}

void TstSmiApps::list_notSupported() // smi 57: three cells although four were asked for
{
    const QByteArray line = "GPU-11111111-2222-3333-4444-555555555555, [Not Supported], [Not Supported]\n";
    for (const char *fields : {"gpu_uuid,pid,used_memory", "gpu_uuid,pid,used_memory,process_name"}) {
        const SmiApps read = parseSmiApps(fieldsOf(fields), line);
        QCOMPARE(read.listNotSupported, QStringList{u"GPU-11111111-2222-3333-4444-555555555555"_s});
        QVERIFY(read.apps.isEmpty());
        QVERIFY(read.hidden.isEmpty());
    }
}

void TstSmiApps::row_brokenAtEveryPlace()
{
    const QByteArray row = "GPU-11111111-2222-3333-4444-555555555555, 4242, 70000, VLLM::Worker_TP0";
    for (qsizetype cut = 0; cut < row.size(); ++cut) {
        const SmiApps read = parseSmiApps(smiAppFields(), row.first(cut));
        for (const SmiApp &app : read.apps) { // a shorter name may pass, a shorter number may not
            QCOMPARE(app.pid, qint64(4242));
            QCOMPARE(app.mib, Quantity<qint64>(70'000));
        }
        QVERIFY(read.hidden.isEmpty());
    }
    QCOMPARE(parseSmiApps(smiAppFields(), "GPU-11111111-2222, 42").unreadableRows, 1);
    QCOMPARE(parseSmiApps(smiAppFields(), "GPU-11111111-2222, 42").unreadableOn, QStringList{u"GPU-11111111-2222"_s});
}

void TstSmiApps::output_empty()
{
    const SmiApps read = parseSmiApps(smiAppFields(), "\n\r\n");
    QVERIFY(read.apps.isEmpty());
    QCOMPARE(read.ignoredLines, 0);
    QVERIFY(parseSmiApps({}, "anything\n").apps.isEmpty());
}

void TstSmiApps::output_failures()
{
    const SmiApps read = parseSmiApps(smiAppFields(), "No devices were found\nwhat, is, this, now\n",
                                      "Failed to initialize NVML: Driver/library version mismatch\n");
    QCOMPARE(read.messages.size(), 2);
    QCOMPARE(read.messages.at(0).kind, SmiMessage::Kind::NoDevices);
    QCOMPARE(read.messages.at(1).kind, SmiMessage::Kind::VersionMismatch);
    QCOMPARE(read.ignoredLines, 1);
}

void TstSmiApps::row_ofNoCard()
{
    for (const char *row : {"4242, GPU-11111111-2222, 99, evil", "[Not Found], [N/A]", "???, 4242, 99, x", "4242"}) {
        const SmiApps read = parseSmiApps(smiAppFields(), QByteArray(row) + '\n');
        QVERIFY(read.apps.isEmpty());
        QVERIFY2(read.unreadableRows == 1 && read.ignoredLines == 0, row);
        QCOMPARE(read.unreadableOn, QStringList{QString()});
    }
    QCOMPARE(parseSmiApps(smiAppFields(), "Welcome to gpu3, dear user\n").ignoredLines, 1);
}

void TstSmiApps::output_windowsLineEnds() // smi 59
{
    const SmiApps read = parseSmiApps(fieldsOf("pid,process_name"),
                                      "2056, [Insufficient Permissions]\r\n7824, C:\\Windows\\explorer.exe\r\n19388, "
                                      "C:\\Program Files\\Display Driver\\Display Driver.exe\r\n\r\n");
    QCOMPARE(briefs(read), (QStringList{u"2056 unparsable "_s, u"7824 unparsable C:\\Windows\\explorer.exe"_s,
                               u"19388 unparsable C:\\Program Files\\Display Driver\\Display Driver.exe"_s}));
}

void TstSmiApps::pid_mustBeOne()
{
    for (const char *pid : {"0", "-1", "4194305", "1.5", "0x10", "42 ", "99999999999999999999", ""}) {
        const SmiApps read = parseSmiApps(smiAppFields(), QByteArray("GPU-11111111-2222, ") + pid + ", 5, x\n");
        const bool trimmed = QByteArray(pid) == "42 ";
        QCOMPARE(read.apps.size(), trimmed ? 1 : 0);
        QCOMPARE(read.unreadableRows, trimmed ? 0 : 1);
    }
}

PILOTHOUSE_TEST_MAIN(TstSmiApps)
#include "tst_smiapps.moc"
