// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "hostrunner.h"
#include "tests/support/testmain.h"

#include <QRegularExpression>

using namespace pilothouse;
using namespace pilothouse::test;
using namespace Qt::StringLiterals;

/// The hosts of the demo and of the faults, each as somebody finds it who signs in and looks.
class TstPresets final : public QObject
{
    Q_OBJECT

    std::optional<HostRunner> m_runner;

    [[nodiscard]] static ScenarioHost hostNamed(const QString &scenario, const QString &name)
    {
        const QList<ScenarioHost> hosts = presetHosts(scenario).value();
        for (const ScenarioHost &host : hosts) {
            if (host.name == name)
                return host;
        }
        return {};
    }
    [[nodiscard]] QString output(const QString &command) const { return m_runner->output(command); }
    [[nodiscard]] QString query(const QString &fields) const
    {
        return output(u"nvidia-smi --query-gpu=%1 --format=csv,noheader,nounits"_s.arg(fields));
    }
    [[nodiscard]] QStringList column(const QString &field) const { return query(field).split(u'\n'); }

private slots:
    void init() { m_runner.emplace(); }
    void cleanup() { m_runner.reset(); }

    void fault_isOnOneCardAlone_data()
    {
        QTest::addColumn<QString>("host");
        QTest::addColumn<int>("card");
        QTest::addColumn<QString>("words");
        QTest::newRow("lost") << u"lost"_s << 3 << u"[GPU is lost]"_s;
        QTest::newRow("handle") << u"handle"_s << 2 << u"[Unknown Error]"_s;
    }
    void fault_isOnOneCardAlone()
    {
        QFETCH(const QString, host);
        QFETCH(const int, card);
        QFETCH(const QString, words);
        PILOTHOUSE_BOOT_OR_SKIP(*m_runner, hostNamed(u"faults"_s, host))
        const QStringList lines = column(u"temperature.gpu"_s);
        const QStringList values = lines.filter(QRegularExpression(u"^([0-9]+|\\[.*\\])$"_s));
        QCOMPARE(values.size(), 8);
        for (int i = 0; i < 8; ++i)
            QCOMPARE(values.at(i) == words, i == card);
    }

    void fault_ofTheReset_hidesBehindAZero()
    {
        PILOTHOUSE_BOOT_OR_SKIP(*m_runner, hostNamed(u"faults"_s, u"reset"_s))
        QCOMPARE(column(u"memory.used"_s).at(3), u"0"_s); // the trap: it looks free
        QCOMPARE(column(u"temperature.gpu"_s).at(3), u"[GPU requires reset]"_s);
    }

    void fault_ofTheHandle_hasItsLineAndCode()
    {
        PILOTHOUSE_BOOT_OR_SKIP(*m_runner, hostNamed(u"faults"_s, u"handle"_s))
        const CommandResult run = m_runner->run(u"nvidia-smi --query-gpu=index --format=csv"_s);
        QCOMPARE(run.status, u"exit 255"_s);
        QVERIFY(run.output.contains(u"Unable to determine the device handle for GPU2"_s));
    }

    void seven_theBusKnowsTheEighth()
    {
        PILOTHOUSE_BOOT_OR_SKIP(*m_runner, hostNamed(u"faults"_s, u"seven"_s))
        QCOMPARE(column(u"index"_s), (QStringList{u"0"_s, u"1"_s, u"2"_s, u"3"_s, u"4"_s, u"6"_s, u"7"_s}));
        QCOMPARE(output(u"cat /sys/bus/pci/devices/*/vendor | sort | uniq -c"_s).simplified(), u"8 0x10de"_s);
    }

    void driverless_saysSoWithItsCode()
    {
        PILOTHOUSE_BOOT_OR_SKIP(*m_runner, hostNamed(u"faults"_s, u"driverless"_s))
        for (const QString &arguments : {u"-L"_s, u"-q"_s, u"--query-gpu=index --format=csv"_s, QString()}) {
            const CommandResult run = m_runner->run(u"nvidia-smi "_s + arguments);
            QCOMPARE(run.status, u"exit 9"_s);
            QVERIFY(run.output.startsWith(u"NVIDIA-SMI has failed because"_s));
        }
    }

    void nosmi_isNowhere()
    {
        PILOTHOUSE_BOOT_OR_SKIP(*m_runner, hostNamed(u"faults"_s, u"nosmi"_s))
        QCOMPARE(m_runner->run(u"nvidia-smi"_s).status, u"exit 127"_s);
        QVERIFY(m_runner->run(u"/usr/bin/nvidia-smi"_s).status != u"exit 0"_s);
        QCOMPARE(output(u"ls /sys/bus/pci/devices | wc -l"_s), u"8"_s); // the cards are there
    }

    void nosystemd_isNowhere()
    {
        PILOTHOUSE_BOOT_OR_SKIP(*m_runner, hostNamed(u"faults"_s, u"nosystemd"_s))
        QVERIFY(m_runner->run(u"systemctl is-system-running"_s).status != u"exit 0"_s);
        QVERIFY(m_runner->run(u"test -d /run/systemd/system"_s).status != u"exit 0"_s);
        QCOMPARE(column(u"index"_s).size(), 8);
    }

    void olddriver_knowsFewerFields()
    {
        PILOTHOUSE_BOOT_OR_SKIP(*m_runner, hostNamed(u"faults"_s, u"olddriver"_s))
        QCOMPARE(column(u"driver_version"_s).first(), u"470.82.01"_s);
        for (const QString &field : {u"memory.reserved"_s, u"gpu_recovery_action"_s}) {
            const CommandResult run = m_runner->run(u"nvidia-smi --query-gpu=index,%1 --format=csv"_s.arg(field));
            QCOMPARE(run.status, u"exit 2"_s);
            QVERIFY(run.output.contains(u"Field \"%1\" is not a valid field to query."_s.arg(field)));
            QVERIFY(!output(u"nvidia-smi --help-query-gpu"_s).contains(u'"' + field + u'"'));
        }
    }

    void sleepy_takesItsTime()
    {
        PILOTHOUSE_BOOT_OR_SKIP(*m_runner, hostNamed(u"faults"_s, u"sleepy"_s))
        QElapsedTimer timer;
        timer.start();
        QCOMPARE(column(u"persistence_mode"_s).first(), u"Disabled"_s);
        QVERIFY2(timer.elapsed() >= 1'400, qPrintable(QString::number(timer.elapsed())));
    }

    void mig_hasItsSlices()
    {
        PILOTHOUSE_BOOT_OR_SKIP(*m_runner, hostNamed(u"faults"_s, u"mig"_s))
        QCOMPARE(column(u"mig.mode.current"_s).first(), u"Enabled"_s);
        QCOMPARE(column(u"utilization.gpu"_s).first(), u"[N/A]"_s);
        QCOMPARE(output(u"nvidia-smi -L | grep -c 'MIG 3g.71gb'"_s), u"8"_s);
    }

    void everyFault_hasItsTrainingProcess()
    {
        PILOTHOUSE_BOOT_OR_SKIP(*m_runner, hostNamed(u"faults"_s, u"seven"_s))
        QTRY_COMPARE(output(u"nvidia-smi --query-compute-apps=used_memory --format=csv,noheader,nounits"_s), u"40000"_s);
        QCOMPARE(output(u"ps axo args --no-headers | grep -cx '/usr/bin/python3 train.py'"_s), u"1"_s);
    }

    void free_hasACrowdButNobodyOnTheCards()
    {
        PILOTHOUSE_BOOT_OR_SKIP(*m_runner, hostNamed(u"demo"_s, u"gpu2"_s))
        const QStringList used = column(u"memory.used"_s);
        QCOMPARE(used.count(u"4"_s), 8);
        QCOMPARE(output(u"nvidia-smi --query-compute-apps=pid --format=csv,noheader"_s), QString());
        const QString titles = output(u"ps axo args --no-headers"_s);
        for (const QString &title : {u"/usr/sbin/cron -f"_s, u"/lib/systemd/systemd-journald"_s,
                                     u"/usr/bin/nvidia-persistenced --user nvidia-persistenced"_s})
            QVERIFY2(titles.contains(title), qPrintable(titles));
        // Each in the control group of its service.
        const QString pid = output(u"ps axo pid,args --no-headers | grep '[c]ron -f' | awk '{print $1}'"_s);
        QTRY_COMPARE(output(u"cat /proc/%1/cgroup"_s.arg(pid)), u"0::/system.slice/cron.service"_s);
    }

    void leftover_unitWaitsAndServesOnceFreed()
    {
        PILOTHOUSE_BOOT_OR_SKIP(*m_runner, hostNamed(u"demo"_s, u"gpu3"_s))
        const auto held = [this] { return column(u"memory.used"_s).count(u"96619"_s); };
        QTRY_COMPARE_WITH_TIMEOUT(held(), 8, 20'000);
        QTRY_COMPARE(output(u"systemctl show -P SubState vllm-kimi-k25"_s), u"start-pre"_s);
        QCOMPARE(output(u"systemctl show -P MainPID vllm-kimi-k25"_s), u"0"_s);
        // The leftover belongs to a login session, not to the unit.
        const QString owners = u"for p in $(nvidia-smi --query-compute-apps=pid --format=csv,noheader); do "
                               "cat /proc/$p/cgroup; done | sort -u"_s;
        QTRY_COMPARE(output(owners), u"0::/user.slice/user-0.slice/session-2.scope"_s);
        // The engine alone is ended: the rest follows it, memory comes back, the unit goes on by itself.
        const QString engine = output(u"grep -lx 'VLLM::EngineCor' /proc/[0-9]*/comm | cut -d/ -f3"_s);
        QCOMPARE(m_runner->run(u"kill -9 "_s + engine).status, u"exit 0"_s);
        QTRY_VERIFY_WITH_TIMEOUT(output(u"systemctl show -P SubState vllm-kimi-k25"_s) == u"running", 20'000);
    }
};

PILOTHOUSE_TEST_MAIN(TstPresets)
#include "tst_presets.moc"
