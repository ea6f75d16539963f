// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/simhosts.h"
#include "tests/support/skip.h"
#include "tests/support/testmain.h"
#include "tests/unit/ctl/ctlrun.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QTemporaryDir>

#include <cstdio>

using namespace pilothouse::test;
using namespace Qt::StringLiterals;

/// The program against simulated GPU hosts: good answers, and one fault a host.
class TstCtlSim final : public QObject
{
    Q_OBJECT
private slots:
    void cleanupTestCase();
    void snapshot_hasTheContractsFields();
    void snapshot_ofTheFoundingCase_showsTheWorkers();
    void snapshot_asATable();
    void units_replaceTheInventorys();
    void watch_takesOneATick();
    void watch_readerGone_endsQuietly();
    void closedOutput_isALocalFailure();
    void test_isDoneThroughout();
    void fault_hasItsExitCode_data();
    void fault_hasItsExitCode();
    void hungTool_oneAloneSinceWhenAndRecovery();

private:
    [[nodiscard]] bool start(const QStringList &options);
    [[nodiscard]] CtlResult run(const QStringList &arguments) const
    {
        return runCtl(arguments + common(), m_home.path());
    }
    [[nodiscard]] QStringList common() const { return m_hosts->arguments(); }

    [[nodiscard]] QByteArray onHost(const QString &host, const QString &command) const
    {
        QProcess ssh;
        ssh.start(u"ssh"_s, m_hosts->sshArguments(host) + QStringList{command});
        return ssh.waitForFinished(20'000) ? ssh.readAllStandardOutput().trimmed() : QByteArray("no answer");
    }

    QTemporaryDir m_home;
    std::unique_ptr<SimHosts> m_hosts;
    QString m_scenario;
};

bool TstCtlSim::start(const QStringList &options)
{
    const QString scenario = options.join(u' ');
    if (m_hosts && m_scenario == scenario)
        return true;
    cleanupTestCase();
    m_scenario = scenario;
    m_hosts = std::make_unique<SimHosts>();
    return m_hosts->start(options);
}

void TstCtlSim::cleanupTestCase()
{
    if (!m_hosts)
        return;
    QVERIFY(m_hosts->end());
    m_hosts.reset();
}

void TstCtlSim::snapshot_hasTheContractsFields()
{
    QVERIFY(start({u"--scenario"_s, u"demo"_s}));
    CtlResult result;
    const auto usedMib = [&] { // the simulated server takes some seconds to load its model
        result = run({u"snapshot"_s, u"gpu1"_s, u"--json"_s, u"--deep"_s});
        return result.json().value(0).value(u"gpus"_s)[7][u"memory_used_mib"].toInt();
    };
    QTRY_COMPARE_WITH_TIMEOUT(usedMib(), 96619, 60'000);
    QVERIFY2(result.exitCode == 0, result.errors.constData());
    QCOMPARE(result.errors, QByteArray());
    QCOMPARE(result.output.count('\n'), 1);
    const QJsonObject snapshot = result.json().value(0);
    for (const char *field : {"schema", "host", "target", "boot_id", "kernel", "uptime_s", "taken_at", "duration_ms",
                              "skew_ms", "round_trip_ms", "bytes", "gpu_source", "gpus", "processes", "units",
                              "listening", "shm", "system", "problems"})
        QVERIFY2(snapshot.contains(QLatin1StringView(field)), field);
    QCOMPARE(snapshot.value(u"gpus"_s).toArray().size(), 8);
    QCOMPARE(snapshot.value(u"gpu_source"_s).toObject().value(u"status"_s).toString(), u"ok"_s);
    const QJsonObject gpu = snapshot.value(u"gpus"_s).toArray().at(0).toObject();
    QCOMPARE(gpu.value(u"memory_used_mib"_s).toInt(), 96619);
    QCOMPARE(gpu.value(u"memory_total_mib"_s).toInt(), 97887);
    QVERIFY(snapshot.value(u"listening"_s).isArray());
    QVERIFY(snapshot.value(u"shm"_s).isArray());
}

void TstCtlSim::snapshot_ofTheFoundingCase_showsTheWorkers()
{
    QVERIFY(start({u"--scenario"_s, u"demo"_s}));
    const CtlResult result = run({u"snapshot"_s, u"gpu3"_s, u"--json"_s});
    QCOMPARE(result.exitCode, 0);
    QStringList holders;
    for (const QJsonValue &process : result.json().value(0).value(u"processes"_s).toArray()) {
        if (!process[u"gpu_memory"].toArray().isEmpty())
            holders += process[u"command"].toString();
    }
    holders.sort();
    QCOMPARE(holders.size(), 8);
    QCOMPARE(holders.first(), u"VLLM::Worker_TP0"_s);
}

void TstCtlSim::snapshot_asATable()
{
    QVERIFY(start({u"--scenario"_s, u"demo"_s}));
    CtlResult result;
    const auto loaded = [&] {
        result = run({u"snapshot"_s, u"gpu1"_s});
        return result.output.count("96619");
    };
    QTRY_COMPARE_WITH_TIMEOUT(loaded(), 8, 60'000);
    QCOMPARE(result.exitCode, 0);
    QVERIFY2(result.output.contains("USED MIB"), result.output.constData());
    QCOMPARE(result.output.count("VLLM::Worker_TP"), 8);
    QVERIFY(result.output.contains("active (running)"));
}

void TstCtlSim::units_replaceTheInventorys()
{
    QVERIFY(start({u"--scenario"_s, u"demo"_s}));
    const CtlResult result = run({u"snapshot"_s, u"gpu1"_s, u"--json"_s, u"--unit"_s, u"nope"_s});
    QCOMPARE(result.exitCode, 0);
    const QJsonArray units = result.json().value(0).value(u"units"_s).toArray();
    QCOMPARE(units.size(), 1);
    QCOMPARE(units.at(0)[u"name"].toString(), u"nope.service"_s);
    QCOMPARE(units.at(0)[u"load"].toString(), u"not-found"_s);
}

void TstCtlSim::watch_takesOneATick()
{
    QVERIFY(start({u"--scenario"_s, u"demo"_s}));
    const CtlResult result = run({u"snapshot"_s, u"gpu1"_s, u"--json"_s, u"--watch"_s, u"0.5"_s, u"--count"_s, u"4"_s});
    QCOMPARE(result.exitCode, 0);
    QCOMPARE(result.json().size(), 4);
    QSet<QString> times;
    for (const QJsonObject &snapshot : result.json())
        times += snapshot.value(u"taken_at"_s).toString();
    QCOMPARE(times.size(), 4);
    QVERIFY(result.elapsedMs >= 1'500);
}

void TstCtlSim::watch_readerGone_endsQuietly()
{
    QVERIFY(start({u"--scenario"_s, u"demo"_s}));
    QProcess process;
    process.setProcessEnvironment(ctlEnvironment(m_home.path()));
    process.start(u"/bin/bash"_s, QStringList{u"-c"_s, u"\"$@\" | head -n 1 >/dev/null; echo \"${PIPESTATUS[0]}\""_s,
                                              u"bash"_s, ctlProgram(), u"snapshot"_s, u"gpu1"_s, u"--json"_s,
                                              u"--watch"_s, u"0.2"_s}
                                      + common());
    QVERIFY(process.waitForFinished(20'000));
    QCOMPARE(process.readAllStandardOutput(), QByteArray("0\n"));
    QCOMPARE(process.readAllStandardError(), QByteArray());
}

void TstCtlSim::closedOutput_isALocalFailure()
{
    QVERIFY(start({u"--scenario"_s, u"demo"_s}));
    QProcess shell;
    shell.setProcessEnvironment(ctlEnvironment(m_home.path()));
    shell.start(u"/bin/sh"_s, QStringList{u"-c"_s, u"exec \"$@\" >&-"_s, u"sh"_s, ctlProgram(), u"snapshot"_s, u"gpu2"_s}
                                  + common());
    QVERIFY(shell.waitForFinished(20'000));
    QCOMPARE(shell.exitCode(), 8);
    const QByteArray errors = shell.readAllStandardError();
    QVERIFY2(errors.contains("Standard output cannot be written: Bad file descriptor."), errors.constData());
}

void TstCtlSim::test_isDoneThroughout()
{
    QVERIFY(start({u"--scenario"_s, u"demo"_s}));
    const CtlResult result = run({u"test"_s, u"gpu1"_s, u"--json"_s});
    QVERIFY2(result.exitCode == 0, result.output.constData());
    const QJsonArray steps = result.json().value(0).value(u"steps"_s).toArray();
    QCOMPARE(steps.size(), 8);
    for (const QJsonValue &step : steps)
        QCOMPARE(step[u"state"].toString(), u"done"_s);
    const CtlResult table = run({u"test"_s, u"gpu2"_s});
    QCOMPARE(table.exitCode, 0);
    QCOMPARE(table.output.count('\n'), 8);
}

void TstCtlSim::fault_hasItsExitCode_data()
{
    QTest::addColumn<QString>("host");
    QTest::addColumn<int>("snapshotCode");
    QTest::addColumn<int>("testCode");
    QTest::addColumn<QString>("problem");
    QTest::newRow("no nvidia-smi") << u"nosmi"_s << 6 << 6 << u"smi.absent"_s;
    QTest::newRow("driver gone") << u"driverless"_s << 6 << 6 << QString();
    QTest::newRow("no systemd") << u"nosystemd"_s << 0 << 6 << QString();
    QTest::newRow("seven of eight") << u"seven"_s << 0 << 0 << u"gpu.missing"_s;
    QTest::newRow("needs a reset") << u"reset"_s << 0 << 6 << u"gpu.reset_required"_s;
    QTest::newRow("slow tool") << u"sleepy"_s << 0 << 0 << QString();
    QTest::newRow("lost card") << u"lost"_s << 0 << 6 << QString();
}

void TstCtlSim::fault_hasItsExitCode()
{
    QFETCH(const QString, host);
    QFETCH(const int, snapshotCode);
    QFETCH(const int, testCode);
    QFETCH(const QString, problem);
    QVERIFY(start({u"--scenario"_s, u"faults"_s}));
    const CtlResult result = run({u"snapshot"_s, host, u"--json"_s, u"--unit"_s, u"vllm"_s});
    QVERIFY2(result.exitCode == snapshotCode, result.output.constData());
    const QJsonObject snapshot = result.json().value(0);
    QCOMPARE(snapshot.value(u"gpus"_s).isNull(), snapshotCode == 6);
    QVERIFY(snapshot.value(u"processes"_s).isArray()); // printed all the same
    QStringList codes;
    for (const QJsonValue &entry : snapshot.value(u"problems"_s).toArray())
        codes += entry[u"code"].toString();
    if (!problem.isEmpty())
        QVERIFY2(codes.contains(problem), qPrintable(codes.join(u' ')));
    const CtlResult test = run({u"test"_s, host});
    QVERIFY2(test.exitCode == testCode, test.output.constData());
}

void TstCtlSim::hungTool_oneAloneSinceWhenAndRecovery()
{
    QVERIFY(start({u"--scenario"_s, u"faults"_s}));
    if (onHost(u"hung"_s, u"grep -c ' fuse ' /proc/mounts"_s) != "1")
        PILOTHOUSE_SKIP("needs /dev/fuse, for a process that nothing ends");
    const QString count = u"grep -lx nvidia-smi /proc/[0-9]*/comm | wc -l"_s;
    QDateTime since;
    for (int i = 0; i < 3; ++i) {
        const CtlResult result = run({u"snapshot"_s, u"hung"_s, u"--json"_s});
        QVERIFY2(result.exitCode == 6, result.errors.constData());
        const QJsonObject snapshot = result.json().value(0);
        const QJsonObject source = snapshot.value(u"gpu_source"_s).toObject();
        QCOMPARE(source.value(u"status"_s).toString(), u"hung"_s);
        QVERIFY(snapshot.value(u"gpus"_s).isNull());
        QVERIFY(snapshot.value(u"processes"_s).isArray());
        // The same one, of the first look.
        const QDateTime began = QDateTime::fromString(source.value(u"since"_s).toString(), Qt::ISODateWithMs);
        QVERIFY(began.isValid());
        if (!since.isValid())
            since = began;
        QVERIFY(std::abs(since.msecsTo(began)) < 500);
        QCOMPARE(onHost(u"hung"_s, count), QByteArray("1"));
        if (i > 0) // it is known, and not waited for
            QVERIFY2(result.elapsedMs < 4'000, qPrintable(QString::number(result.elapsedMs)));
    }
    const CtlResult test = run({u"test"_s, u"hung"_s});
    QCOMPARE(test.exitCode, 6);
    QVERIFY2(test.output.contains("hangs since"), test.output.constData());
    (void)onHost(u"hung"_s, u"echo 'hang = off' >>/run/pilothouse-sim/gpus.conf; sed -i '/stuck/d' /run/pilothouse-sim/gpus.conf"_s);
    QTRY_COMPARE_WITH_TIMEOUT(run({u"snapshot"_s, u"hung"_s}).exitCode, 0, 20'000);
    QCOMPARE(onHost(u"hung"_s, count), QByteArray("0"));
}

int main(int argc, char **argv)
{
    prepare();
    QCoreApplication app(argc, argv);
    // The hosts need namespaces. A machine that allows none cannot run this.
    QTemporaryDir folder;
    QProcess trial;
    trial.start(QStringLiteral(PILOTHOUSE_BINARY_DIR "/bin/pilothouse-simhost"),
                {u"--dir"_s, folder.path(), u"--scenario"_s, u"plain"_s});
    trial.closeWriteChannel();
    if (!trial.waitForFinished(60'000) || trial.exitCode() != 0) {
        std::printf("SKIP: %s\n", trial.readAllStandardError().trimmed().constData());
        return 77;
    }
    TstCtlSim test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_ctlsim.moc"
