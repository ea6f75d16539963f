// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// Lines as printed by nvidia-smi 340 to 610 in public reports.
#include "core/probe/parse/smimessage.h"
#include "tests/support/testmain.h"

using namespace pilothouse;
using namespace Qt::StringLiterals;
using Kind = SmiMessage::Kind;

class TstSmiMessage final : public QObject
{
    Q_OBJECT
private slots:
    void kind_ofEveryFailure_data();
    void kind_ofEveryFailure();
    void kind_ofNobodysLine_data();
    void kind_ofNobodysLine();
    void deviceHandle_everySpelling_data();
    void deviceHandle_everySpelling();
    void infoRom_namesTheCard();
    void invalidField_isNamed();
    void text_isCleaned();
};

void TstSmiMessage::kind_ofEveryFailure_data()
{
    QTest::addColumn<QByteArray>("line");
    QTest::addColumn<Kind>("kind");
    QTest::addColumn<bool>("whole");
    const auto row = [](const char *name, const char *line, Kind kind, bool whole) {
        QTest::newRow(name) << QByteArray(line) << kind << whole;
    };
    row("029 driver not loaded",
        "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest "
        "NVIDIA "
        "driver is installed and running.",
        Kind::DriverNotLoaded, true);
    row("smi 37 second line of it", "Failed to properly shut down NVML: Driver Not Loaded", Kind::DriverNotLoaded,
        true);
    row("031 mismatch", "Failed to initialize NVML: Driver/library version mismatch", Kind::VersionMismatch, true);
    row("041 blocked", "Failed to initialize NVML: GPU access blocked by the operating system", Kind::Blocked, true);
    row("043 no library",
        "NVIDIA-SMI couldn't find libnvidia-ml.so library in your system. Please make sure that the NVIDIA Display "
        "Driver "
        "is properly installed and present in your system.",
        Kind::LibraryMissing, true);
    row("043 its second line", "Please also try adding directory that contains libnvidia-ml.so to your system PATH.",
        Kind::LibraryMissing, true);
    row("smi 39 no devices", "No devices were found", Kind::NoDevices, false);
    row("047 inforom", "WARNING: infoROM is corrupted at gpu 0000:41:00.0", Kind::InfoRom, false);
    row("051 field", "Field \"clocks_throttle_reasons.unknown\" is not a valid field to query.", Kind::InvalidField,
        true);
    row("055 arguments", "Invalid combination of input arguments. Please run 'nvidia-smi -h' for help.",
        Kind::BadArguments, true);
    row("057 command line", "Failed to process command line.", Kind::BadArguments, true);
    row("smi 51 crash", "[1]    494 segmentation fault  nvidia-smi", Kind::Crashed, true);
    row("insufficient permissions", "Failed to initialize NVML: Insufficient Permissions", Kind::NoPermission, true);
    row("init, another reason", "Failed to initialize NVML: Unknown Error", Kind::InitFailed, true);
    row("nothing runs", "No running processes found", Kind::NothingRunning, false);
    row("blanks around", "  No devices were found \t", Kind::NoDevices, false);
}

void TstSmiMessage::kind_ofEveryFailure()
{
    QFETCH(QByteArray, line);
    QFETCH(Kind, kind);
    QFETCH(bool, whole);
    const auto message = smiMessageOf(line);
    QVERIFY(message.has_value());
    QCOMPARE(message->kind, kind);
    QCOMPARE(message->isWholeFailure(), whole);
    QVERIFY(!message->text.isEmpty());
}

void TstSmiMessage::kind_ofNobodysLine_data()
{
    QTest::addColumn<QByteArray>("line");
    for (const char *line : {"", "Warning: untrusted X11 forwarding setup failed: xauth key data not generated",
             "*** welcome to gpu host: 12, 34567 MiB ***", "stty: 'standard input': Inappropriate ioctl for device",
             "0, GPU-11111111-2222-3333-4444-555555555555, NVIDIA GeForce RTX 3090, 30, 1695", "\0\377\376"})
        QTest::newRow(line) << QByteArray(line);
}

void TstSmiMessage::kind_ofNobodysLine()
{
    QFETCH(QByteArray, line);
    QVERIFY(!smiMessageOf(line));
}

void TstSmiMessage::deviceHandle_everySpelling_data()
{
    QTest::addColumn<QByteArray>("line");
    QTest::addColumn<QString>("busId");
    QTest::addColumn<int>("index");
    QTest::addColumn<QString>("word");
    const auto row = [](const char *name, const char *line, const QString &bus, int index, const QString &word) {
        QTest::newRow(name) << QByteArray(line) << bus << index << word;
    };
    row("520 and older", "Unable to determine the device handle for GPU 0000:0B:00.0: Unknown Error", u"0000:0b:00.0"_s,
        -1, u"Unknown Error"_s);
    row("525 to 560", "Unable to determine the device handle for GPU0000:65:00.0: Unknown Error", u"0000:65:00.0"_s, -1,
        u"Unknown Error"_s);
    row("570", "Unable to determine the device handle for GPU0: 0000:01:00.0: Unknown Error", u"0000:01:00.0"_s, 0,
        u"Unknown Error"_s);
    row("no bus id", "Unable to determine the device handle for GPU0: Unknown Error", {}, 0, u"Unknown Error"_s);
    row("Windows in a VM", "Unable to detect the device handle for GPU0000:B1:00.0: Unknown Error", u"0000:b1:00.0"_s,
        -1, u"Unknown Error"_s);
    row("033 lost",
        "Unable to determine the device handle for GPU0000:C3:00.0: GPU is lost.  Reboot the system to recover this "
        "GPU",
        u"0000:c3:00.0"_s, -1, u"GPU is lost.  Reboot the system to recover this GPU"_s);
    row("035 index 1", "Unable to determine the device handle for GPU1: 0000:34:00.0: Unknown Error", u"0000:34:00.0"_s,
        1, u"Unknown Error"_s);
    row("039 three digits", "Unable to determine the device handle for GPU 000:BA:80.0: Unknown Error",
        u"0000:ba:80.0"_s, -1, u"Unknown Error"_s);
    row("cut short", "Unable to determine the device handle for GPU1: 0000:34:00.0", u"0000:34:00.0"_s, 1, {});
    row("cut shorter", "Unable to determine the device handle for ", {}, -1, {});
}

void TstSmiMessage::deviceHandle_everySpelling()
{
    QFETCH(QByteArray, line);
    const auto message = smiMessageOf(line);
    QVERIFY(message.has_value());
    QCOMPARE(message->kind, Kind::DeviceHandle);
    QTEST(message->busId, "busId");
    QTEST(message->index, "index");
    QTEST(message->word, "word");
}

void TstSmiMessage::infoRom_namesTheCard()
{
    QCOMPARE(smiMessageOf("WARNING: infoROM is corrupted at gpu 000A:00:00.0  ")->busId, u"000a:00:00.0"_s);
}

void TstSmiMessage::invalidField_isNamed()
{
    QCOMPARE(smiMessageOf("Field \"cuda_version\" is not a valid field to query.")->field, u"cuda_version"_s);
    QCOMPARE(smiMessageOf("Field cuda_version is not a valid field to query.")->field, QString());
}

void TstSmiMessage::text_isCleaned()
{
    const auto message = smiMessageOf("No devices were found\x1b[31m" + QByteArray(5000, 'x'));
    QVERIFY(message.has_value());
    QVERIFY(!message->text.contains(u'\x1b'));
    QVERIFY(message->text.size() <= 300);
}

PILOTHOUSE_TEST_MAIN(TstSmiMessage)
#include "tst_smimessage.moc"
