// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "hostrunner.h"
#include "tests/support/testmain.h"

#include <QFile>
#include <QElapsedTimer>
#include <QProcess>
#include <QXmlStreamReader>

using namespace pilothouse;
using namespace Qt::StringLiterals;

namespace {

struct Answer
{
    int code = -1;
    QStringList lines;
    QByteArray text;
    QByteArray errors;
};

QStringList fixture(const QString &name)
{
    QFile file(QStringLiteral(PILOTHOUSE_TEST_DATA) + u"/simhost/"_s + name);
    if (!file.open(QIODevice::ReadOnly))
        qFatal("no fixture");
    return QString::fromUtf8(file.readAll()).trimmed().split(u'\n').mid(1);
}

/// "fan.speed [%]" -> "fan.speed"
QStringList fieldsOf(const QString &header)
{
    QStringList fields = header.split(u", "_s);
    for (QString &field : fields)
        field = field.section(u' ', 0, 0);
    return fields;
}

} // namespace

class TstSimtools : public QObject
{
    Q_OBJECT

    QTemporaryDir m_state;

    void configure(const QString &text)
    {
        QFile file(m_state.filePath(u"gpus.conf"_s));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(text.toUtf8());
    }

    [[nodiscard]] QProcessEnvironment environment() const
    {
        QProcessEnvironment variables = QProcessEnvironment::systemEnvironment();
        variables.insert(u"PILOTHOUSE_SIM_DIR"_s, m_state.path());
        return variables;
    }

    [[nodiscard]] Answer smi(const QStringList &arguments) const
    {
        QProcess process;
        process.setProcessEnvironment(environment());
        process.start(QStringLiteral(SIMTOOLS_PATH), QStringList{u"nvidia-smi"_s} + arguments);
        process.waitForFinished(10'000);
        Answer answer;
        answer.code = process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1;
        answer.text = process.readAllStandardOutput();
        answer.errors = process.readAllStandardError();
        answer.lines = QString::fromUtf8(answer.text).split(u'\n');
        answer.lines.removeLast();
        return answer;
    }

    [[nodiscard]] QStringList column(const QString &field) const
    {
        return smi({u"--query-gpu="_s + field, u"--format=csv,noheader,nounits"_s}).lines;
    }

private slots:
    void init() { configure(u"count = 2\n"_s); }

    void queryGpu_headerOfAllFieldsIsTheCaptured()
    {
        const QStringList captured = fixture(u"query-gpu-590.csv"_s);
        const QString fields = fieldsOf(captured.at(0)).join(u',');
        const Answer answer = smi({u"--query-gpu="_s + fields, u"--format=csv"_s});
        QCOMPARE(answer.code, 0);
        QCOMPARE(answer.lines.size(), 3);
        QCOMPARE(answer.lines.at(0), captured.at(0));
        QCOMPARE(answer.lines.at(1).split(u", "_s).size(), captured.at(1).split(u", "_s).size());
        // Units stay with the numbers, and words stay without.
        const qsizetype watts = fieldsOf(captured.at(0)).indexOf(u"power.limit"_s);
        QCOMPARE(answer.lines.at(1).split(u", "_s).at(watts), captured.at(1).split(u", "_s).at(watts));
    }

    void queryGpu_nounitsKeepsUnitsInTheHeader()
    {
        const Answer answer = smi({u"--query-gpu=index,memory.total"_s, u"--format=csv,nounits"_s});
        QCOMPARE(answer.lines, (QStringList{u"index, memory.total [MiB]"_s, u"0, 97887"_s, u"1, 97887"_s}));
    }

    void queryGpu_memoryAddsUp()
    {
        const QStringList row = column(u"memory.total,memory.reserved,memory.used,memory.free"_s).at(0).split(u", "_s);
        QCOMPARE(row.at(0).toInt(), row.at(1).toInt() + row.at(2).toInt() + row.at(3).toInt());
    }

    void queryGpu_oldNamesAnswerUnderTheNewOnes()
    {
        const Answer answer = smi({u"--query-gpu=gpu_uuid,clocks_throttle_reasons.active"_s, u"--format=csv"_s});
        QCOMPARE(answer.lines.at(0), u"uuid, clocks_event_reasons.active"_s);
        QVERIFY(answer.lines.at(1).startsWith(u"GPU-"_s));
    }

    void queryGpu_unknownField()
    {
        configure(u"count = 2\nunknown_fields = gpu_recovery_action\n"_s);
        for (const QString &field : {u"gpu_recovery_action"_s, u"cuda_version"_s}) {
            const Answer answer = smi({u"--query-gpu=index,"_s + field, u"--format=csv"_s});
            QCOMPARE(answer.code, 2);
            QCOMPARE(answer.text, "Field \"" + field.toUtf8() + "\" is not a valid field to query.\n\n");
            QVERIFY(answer.errors.isEmpty());
        }
        QVERIFY(!smi({u"--help-query-gpu"_s}).text.contains("gpu_recovery_action"));
    }

    void failures_textToStandardOutput_data()
    {
        QTest::addColumn<QString>("conf");
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("code");
        QTest::addColumn<QByteArray>("part");
        const QStringList query = {u"--query-gpu=index"_s, u"--format=csv,noheader"_s};
        QTest::newRow("no format") << u"count = 1\n"_s << QStringList{u"--query-gpu=index"_s} << 2
                                   << QByteArray("--format=");
        QTest::newRow("no such card") << u"count = 1\n"_s << (query + QStringList{u"-i"_s, u"7"_s}) << 6
                                      << QByteArray("No devices were found");
        QTest::newRow("no card") << u"count = 0\n"_s << query << 6 << QByteArray("No devices were found");
        QTest::newRow("unknown option") << u"count = 1\n"_s << QStringList{u"--nonsense"_s} << 255 << QByteArray("Invalid");
        QTest::newRow("driver gone") << u"failure = NVIDIA-SMI has failed because\n"_s << query << 9
                                     << QByteArray("NVIDIA-SMI has failed");
        QTest::newRow("library gone") << u"failure = couldn't find libnvidia-ml.so\nexit_code = 12\n"_s << query << 12
                                      << QByteArray("libnvidia-ml.so");
        QTest::newRow("code that lies") << u"count = 1\nexit_code = 14\n"_s << query << 14 << QByteArray("0\n");
    }
    void failures_textToStandardOutput()
    {
        QFETCH(QString, conf);
        QFETCH(QStringList, arguments);
        configure(conf);
        const Answer answer = smi(arguments);
        QTEST(answer.code, "code");
        QFETCH(QByteArray, part);
        QVERIFY2(answer.text.contains(part), answer.text.constData());
        QVERIFY(answer.errors.isEmpty());
    }

    void faults_oneCardOnly()
    {
        configure(u"count = 3\ngpu.1.fault = [GPU is lost]\ngpu.2.cell.temperature.gpu = [Unknown Error]\n"_s);
        const QStringList rows = column(u"index,uuid,memory.used,utilization.gpu,temperature.gpu"_s);
        QVERIFY(rows.at(0).endsWith(u"4, 0, 34"_s));
        QVERIFY(rows.at(1).startsWith(u"1, GPU-"_s));
        QVERIFY(rows.at(1).endsWith(u"[GPU is lost], [GPU is lost], [GPU is lost]"_s));
        QVERIFY(rows.at(2).endsWith(u"4, 0, [Unknown Error]"_s));
    }

    void faults_missingCardKeepsTheOthersIndex()
    {
        configure(u"count = 4\ngpu.2.missing = 1\n"_s);
        QCOMPARE(column(u"index,count"_s), (QStringList{u"0, 3"_s, u"1, 3"_s, u"3, 3"_s}));
    }

    void faults_handleErrorStandsBetweenGoodRows()
    {
        configure(u"count = 3\ngpu.1.handle_error = 1\n"_s);
        const Answer answer = smi({u"--query-gpu=index,name"_s, u"--format=csv,noheader"_s});
        QCOMPARE(answer.code, 255);
        QCOMPARE(answer.lines.size(), 4);
        QCOMPARE(answer.lines.at(1), u"Unable to determine the device handle for GPU1: 0000:21:00.0: Unknown Error"_s);
        QCOMPARE(answer.lines.at(2), u"[Unknown Error], [Unknown Error]"_s);
        QVERIFY(answer.lines.at(3).startsWith(u"2, "_s));
    }

    void prose_surroundsTheRows()
    {
        configure(u"count = 1\nprose_before = hello from rc\nprose_after = WARNING: infoROM is corrupted\n"_s);
        QCOMPARE(column(u"index"_s), (QStringList{u"hello from rc"_s, u"0"_s, u"WARNING: infoROM is corrupted"_s}));
    }

    void identity_dependsOnTheSeed()
    {
        const QStringList first = column(u"uuid"_s);
        configure(u"count = 2\nseed = other\n"_s);
        const QStringList second = column(u"uuid"_s);
        QCOMPARE(first.size(), 2);
        QCOMPARE(QSet<QString>({first.at(0), first.at(1), second.at(0), second.at(1)}).size(), 4);
        QCOMPARE(first.at(0).size(), 40);
    }

    void list_asCaptured()
    {
        const Answer answer = smi({u"-L"_s});
        QVERIFY(answer.lines.at(0).startsWith(u"GPU 0: NVIDIA RTX PRO 6000 Blackwell Server Edition (UUID: GPU-"_s));
        configure(u"count = 1\nmig = on\nmig_devices = 3g.71gb,1g.18gb\n"_s);
        const QStringList mig = smi({u"-L"_s}).lines;
        QCOMPARE(mig.size(), 3);
        QVERIFY(mig.at(1).startsWith(u"  MIG 3g.71gb        Device  0: (UUID: MIG-"_s));
        QCOMPARE(column(u"utilization.gpu,mig.mode.current"_s), QStringList{u"[N/A], Enabled"_s});
    }

    void version_asCaptured()
    {
        QCOMPARE(smi({u"--version"_s}).text,
                 QByteArray("NVIDIA-SMI version  : 590.48.01\nNVML version        : 590.48\n"
                            "DRIVER version      : 590.48.01\nCUDA Version        : 13.1\n"));
    }

    void apps_ofALivingProcess()
    {
        QProcess hog;
        hog.setProcessEnvironment(environment());
        hog.start(QStringLiteral(SIMTOOLS_PATH), {u"sim-hog"_s, u"--gpus"_s, u"1"_s, u"--mib"_s, u"2566"_s, u"--title"_s,
                                                  u"/root/tools/mem,hog"_s, u"--release"_s, u"0"_s});
        QVERIFY(hog.waitForStarted());
        QTRY_COMPARE(column(u"memory.used"_s), (QStringList{u"4"_s, u"2570"_s}));
        const QString fields = fieldsOf(fixture(u"query-compute-apps-590.csv"_s).at(0)).join(u',');
        Answer apps;
        // The claim is there before the title.
        QTRY_VERIFY((apps = smi({u"--query-compute-apps="_s + fields, u"--format=csv"_s})).text.contains("mem?hog"));
        QCOMPARE(apps.lines.at(0), fixture(u"query-compute-apps-590.csv"_s).at(0));
        const QString tail = u", %1, /root/tools/mem?hog, 2566 MiB"_s.arg(hog.processId());
        QVERIFY2(apps.lines.at(1).endsWith(tail), qPrintable(apps.lines.at(1)));
        QVERIFY(smi({u"-q"_s}).text.contains("Used GPU Memory               : 2566 MiB"));
        hog.terminate();
        QVERIFY(hog.waitForFinished());
        QTRY_COMPARE(column(u"memory.used"_s), (QStringList{u"4"_s, u"4"_s}));
    }

    void xml_isWellFormed()
    {
        configure(u"count = 2\nmig = on\n"_s);
        const Answer answer = smi({u"-q"_s, u"-x"_s});
        QXmlStreamReader reader(answer.text);
        QStringList uuids;
        while (!reader.atEnd()) {
            if (reader.readNext() == QXmlStreamReader::StartElement && reader.name() == u"uuid"_s)
                uuids.append(reader.readElementText());
        }
        QCOMPARE(reader.error(), QXmlStreamReader::NoError);
        QCOMPARE(uuids, column(u"uuid"_s));
    }

    void loop_flushesEachSample()
    {
        QProcess process;
        process.setProcessEnvironment(environment());
        process.start(QStringLiteral(SIMTOOLS_PATH), {u"nvidia-smi"_s, u"--query-gpu=index"_s, u"--format=csv,noheader"_s,
                                                      u"-lms"_s, u"50"_s});
        QByteArray seen;
        while (seen.count('\n') < 6 && process.waitForReadyRead(5000))
            seen += process.readAllStandardOutput();
        QVERIFY(seen.startsWith("0\n1\n0\n1\n0\n1\n"));
        process.terminate();
        QVERIFY(process.waitForFinished());
    }

    void cards_areChosenByAnyName()
    {
        const QString uuid = column(u"uuid"_s).at(1);
        for (const QString &name : {u"1"_s, uuid, u"00000000:21:00.0"_s, u"0000:21:00.0"_s}) {
            QCOMPARE(smi({u"-i"_s, name, u"--query-gpu=index"_s, u"--format=csv,noheader"_s}).text, QByteArray("1\n"));
        }
        QCOMPARE(smi({u"--id=1,0"_s, u"--query-gpu=index"_s, u"--format=csv,noheader"_s}).text, QByteArray("0\n1\n"));
    }

    void claims_ofNonsenseCountForNothing_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::newRow("empty") << QByteArray();
        QTest::newRow("noise") << QByteArray("\x00\xff\x81=\n===\n\n=", 10);
        QTest::newRow("no holder") << QByteArray("gpu=0\nmib=5000\n");
        QTest::newRow("dead holder") << QByteArray("gpu=0\nmib=5000\nrelease_ms=0\nholder=999999 1\n");
        QTest::newRow("other start") << QByteArray("gpu=0\nmib=5000\nrelease_ms=0\nholder=1 1\n");
        QTest::newRow("no such card") << QByteArray("gpu=77\nmib=5000\nrelease_ms=-1\nholder=999999 1\n");
        QTest::newRow("negative card") << QByteArray("gpu=-1\nmib=5000\nrelease_ms=-1\nholder=999999 1\n");
        QTest::newRow("overflow") << QByteArray("gpu=99999999999999999999\nmib=-5\nholder=1\nholder=a b\n");
    }
    void claims_ofNonsenseCountForNothing()
    {
        QFETCH(QByteArray, text);
        QVERIFY(QDir(m_state.path()).mkpath(u"claims"_s));
        QFile file(m_state.filePath(u"claims/1-x.claim"_s));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(text);
        file.close();
        QCOMPARE(column(u"memory.used"_s), (QStringList{u"4"_s, u"4"_s}));
        QVERIFY(QFile::remove(file.fileName()) || !file.exists());
    }

    void claims_moreThanTheCardHas()
    {
        QVERIFY(QDir(m_state.path()).mkpath(u"claims"_s));
        QFile file(m_state.filePath(u"claims/1-x.claim"_s));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("gpu=0\nmib=999999\nrelease_ms=-1\nholder=999999 1\n");
        file.close();
        QCOMPARE(column(u"memory.used,memory.free"_s).at(0), u"97249, 0"_s);
        QVERIFY(QFile::remove(file.fileName()));
    }

    void table_hasEqualWidths()
    {
        configure(u"count = 2\ngpu.1.fault = [GPU is lost]\n"_s);
        const QStringList lines = smi({}).lines;
        QVERIFY(lines.size() > 15);
        for (const QString &line : lines.mid(1)) {
            if (!line.isEmpty())
                QCOMPARE(line.size(), 91);
        }
        QVERIFY(lines.join(u'\n').contains(u"ERR!"_s));
        QVERIFY(lines.join(u'\n').contains(u"No running processes found"_s));
    }

    void usage_namesTheTools()
    {
        QProcess process;
        process.start(QStringLiteral(SIMTOOLS_PATH), {u"frobnicate"_s});
        QVERIFY(process.waitForFinished());
        QCOMPARE(process.exitCode(), 2);
        QVERIFY(process.readAllStandardError().contains("nvidia-smi"));
    }

    void hang_lastsUntilTheDriverIsWell()
    {
        configure(u"count = 1\nhang = ignore-term\n"_s);
        QProcess process;
        process.setProcessEnvironment(environment());
        process.start(QStringLiteral(SIMTOOLS_PATH), {u"nvidia-smi"_s, u"-L"_s});
        QVERIFY(process.waitForStarted());
        const auto ignoresTerm = [&] {
            QFile status(u"/proc/%1/status"_s.arg(process.processId()));
            return status.open(QIODevice::ReadOnly) && status.readAll().contains("SigIgn:\t0000000000005003");
        };
        QTRY_VERIFY(ignoresTerm());
        process.terminate();
        QVERIFY(!process.waitForFinished(500));
        configure(u"count = 1\n"_s);
        QVERIFY(process.waitForFinished(5000));
        QCOMPARE(process.exitCode(), 0);
        QVERIFY(process.readAllStandardOutput().startsWith("GPU 0: "));
    }

    void config_theLastLineCounts()
    {
        configure(u"count = 4\ncount = 1\nlatency_ms = 5000\nlatency_ms = 0\n"_s);
        QElapsedTimer timer;
        timer.start();
        QCOMPARE(smi({u"-L"_s}).lines.size(), 1);
        QVERIFY(timer.elapsed() < 4000);
    }

    void pci_showsMissingCardsToo()
    {
        configure(u"count = 2\ngpu.1.missing = 1\n"_s);
        QTemporaryDir devices;
        QProcess process;
        process.setProcessEnvironment(environment());
        process.start(QStringLiteral(SIMTOOLS_PATH), {u"sim-pci"_s, devices.path()});
        QVERIFY(process.waitForFinished());
        QCOMPARE(QDir(devices.path()).entryList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Name),
                 (QStringList{u"0000:01:00.0"_s, u"0000:21:00.0"_s}));
    }
};

PILOTHOUSE_TEST_MAIN(TstSimtools)
#include "tst_simtools.moc"
