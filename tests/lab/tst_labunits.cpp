// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// Units in every state that real systemd gives them, and whose a process is.
#include "tests/lab/labmain.h"
#include "tests/lab/shot.h"

using namespace pilothouse::test;
using namespace Qt::StringLiterals;

class TstLabUnits : public QObject
{
    Q_OBJECT

    const LabHost m_host{1};
    QStringList m_options;
    QJsonObject m_units; // by name, of one snapshot of all of them

private slots:
    void initTestCase()
    {
        QTest::failOnWarning(QRegularExpression(u".*"_s));
        m_host.sh(u"systemctl start vllm-kimi"_s);
        QTRY_COMPARE(m_host.sh(u"nvidia-smi --query-gpu=memory.used --format=csv,noheader,nounits"_s), QByteArray("96619\n").repeated(8));
        m_host.sh(u"systemctl start unit-oneshot; systemctl start --no-block unit-exits unit-killed unit-pre-fails "
                  "unit-restarts vllm-loose unit-broken || :"_s);
        QTRY_COMPARE(m_host.sh(u"systemctl show -P SubState vllm-loose"_s).trimmed(), QByteArray("start-pre"));
        QTRY_COMPARE(m_host.sh(u"systemctl show -P SubState unit-restarts"_s).trimmed(), QByteArray("auto-restart"));
        QTRY_COMPARE(m_host.sh(u"systemctl show -P ActiveState unit-killed"_s).trimmed(), QByteArray("failed"));
        QTRY_COMPARE(m_host.processes(u"^VLLM::Worker_TP"_s).size(), 8);
        const QStringList names{u"vllm-kimi.service"_s, u"unit-oneshot.service"_s, u"unit-exits.service"_s,
                                u"unit-killed.service"_s, u"unit-pre-fails.service"_s, u"unit-restarts.service"_s,
                                u"vllm-loose.service"_s, u"unit-broken.service"_s, u"unit-masked.service"_s,
                                u"no-such-thing.service"_s, u"vllm@3.service"_s};
        for (const QString &name : names)
            m_options << u"--unit"_s << name;
        const Shot shot = Shot::of(u"lab1"_s, m_options);
        QVERIFY2(shot.exitCode() == 0, shot.story().constData());
        for (const QString &name : names)
            m_units.insert(name, shot.unit(name));
    }

    void unit_isToldAsSystemdDoes_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("load");
        QTest::addColumn<QString>("active");
        QTest::addColumn<QString>("sub");
        QTest::addColumn<QString>("result");
        const auto row = [](const char16_t *name, const char16_t *load, const char16_t *active, const char16_t *sub,
                            const char16_t *result) {
            QTest::newRow(qPrintable(QString::fromUtf16(name)))
                << QString::fromUtf16(name) + u".service"_s << QString::fromUtf16(load) << QString::fromUtf16(active)
                << QString::fromUtf16(sub) << QString::fromUtf16(result);
        };
        row(u"vllm-kimi", u"loaded", u"active", u"running", u"success");
        row(u"unit-oneshot", u"loaded", u"active", u"exited", u"success");
        row(u"unit-exits", u"loaded", u"failed", u"failed", u"exit-code");
        row(u"unit-killed", u"loaded", u"failed", u"failed", u"core-dump");
        row(u"unit-pre-fails", u"loaded", u"failed", u"failed", u"exit-code");
        row(u"unit-restarts", u"loaded", u"activating", u"auto-restart", u"exit-code");
        row(u"vllm-loose", u"loaded", u"activating", u"start-pre", u"success");
        row(u"unit-broken", u"bad-setting", u"inactive", u"dead", u"success");
        row(u"unit-masked", u"masked", u"inactive", u"dead", u"success");
        row(u"no-such-thing", u"not-found", u"inactive", u"dead", u"success");
        row(u"vllm@3", u"loaded", u"inactive", u"dead", u"success");
    }

    void unit_isToldAsSystemdDoes()
    {
        QFETCH(const QString, name);
        QFETCH(const QString, load);
        QFETCH(const QString, active);
        QFETCH(const QString, sub);
        QFETCH(const QString, result);
        const QJsonObject unit = m_units.value(name).toObject();
        QCOMPARE(unit.value(u"name"_s).toString(), name);
        QCOMPARE(unit.value(u"load"_s).toString(), load);
        QCOMPARE(unit.value(u"active"_s).toString(), active);
        QCOMPARE(unit.value(u"sub"_s).toString(), sub);
        if (name != u"unit-killed.service"_s) // "signal" where core dumps are off
            QCOMPARE(unit.value(u"result"_s).toString(), result);
    }

    void runningUnit_hasItsPidGroupAndTimes()
    {
        const QJsonObject unit = m_units.value(u"vllm-kimi.service"_s).toObject();
        QCOMPARE(unit.value(u"main_pid"_s).toInteger(),
                 m_host.sh(u"systemctl show -P MainPID vllm-kimi"_s).trimmed().toLongLong());
        QCOMPARE(unit.value(u"control_group"_s).toString(), u"/system.slice/vllm-kimi.service"_s);
        QCOMPARE(unit.value(u"type"_s).toString(), u"simple"_s);
        QCOMPARE(unit.value(u"kill_mode"_s).toString(), u"control-group"_s);
        const QDateTime since = QDateTime::fromString(unit.value(u"host_since"_s).toString(), Qt::ISODateWithMs);
        QVERIFY(since.isValid());
        QVERIFY(qAbs(since.secsTo(QDateTime::currentDateTimeUtc())) < 120);
        QCOMPARE(m_units.value(u"vllm-loose.service"_s).toObject().value(u"kill_mode"_s).toString(), u"process"_s);
    }

    void unitsWithoutProcess_haveNoPid()
    {
        for (const QString &name : {u"unit-exits.service"_s, u"unit-oneshot.service"_s, u"no-such-thing.service"_s}) {
            const QJsonValue pid = m_units.value(name).toObject().value(u"main_pid"_s);
            QVERIFY2(pid.isNull(), qPrintable(name));
        }
    }

    void membersOfNamedUnit_areAllListed()
    {
        // A child without any telling name belongs to the unit all the same.
        m_host.sh(u"systemd-run --quiet --unit=plain sh -c 'sleep 4321 & exec sleep 5432'; sleep 0.2"_s);
        const Shot without = Shot::of(u"lab1"_s);
        QVERIFY(without.processes(u"sleep (4321|5432)$"_s).isEmpty());
        const Shot with = Shot::of(u"lab1"_s, {u"--unit"_s, u"plain.service"_s});
        QVERIFY2(with.exitCode() == 0, with.story().constData());
        QCOMPARE(with.processes(u"sleep (4321|5432)$"_s).size(), 2);
        for (const QJsonObject &process : with.processes(u"sleep (4321|5432)$"_s))
            QCOMPARE(process.value(u"owner"_s).toObject().value(u"name"_s).toString(), u"plain.service"_s);
    }

    void owner_isUnitSessionOrUserUnit()
    {
        m_host.sh(u"systemctl stop vllm-loose vllm-kimi"_s);
        QTRY_VERIFY(m_host.processes(u"^VLLM::"_s).isEmpty());
        m_host.sh(u"systemd-run --quiet --unit=as-unit sim-hog --gpus 0 --mib 100 -- python3 as-unit"_s);
        const auto ssh = [this](const QString &command) {
            return run(u"ssh"_s, {u"-F"_s, labFolder() + u"/ssh_config"_s, u"-l"_s, u"ops"_s, m_host.name(), command});
        };
        const Ran byHand = ssh(u"sim-hog --detach --gpus 1 --mib 100 -- python3 by-hand </dev/null >/dev/null 2>&1"_s);
        QVERIFY2(byHand.exitCode == 0, byHand.summary().constData());
        const Ran userUnit = ssh(u"systemctl --user start vllm-user"_s);
        QVERIFY2(userUnit.exitCode == 0, userUnit.summary().constData());
        QTRY_COMPARE(m_host.sh(u"nvidia-smi --query-compute-apps=pid --format=csv,noheader"_s).trimmed().split('\n').size(), 3);

        const Shot shot = Shot::of(u"lab1"_s);
        QVERIFY2(shot.exitCode() == 0, shot.story().constData());
        const auto owner = [&shot](const QString &expression) {
            return shot.processes(expression).value(0).value(u"owner"_s).toObject();
        };
        QCOMPARE(owner(u"as-unit"_s).value(u"kind"_s).toString(), u"unit"_s);
        QCOMPARE(owner(u"as-unit"_s).value(u"name"_s).toString(), u"as-unit.service"_s);
        QCOMPARE(owner(u"by-hand"_s).value(u"kind"_s).toString(), u"session"_s);
        QVERIFY2(QRegularExpression(u"^session-[0-9]+\\.scope$"_s).match(owner(u"by-hand"_s).value(u"name"_s).toString()).hasMatch(),
                 shot.story().constData());
        QCOMPARE(owner(u"^VLLM::EngineCore$"_s).value(u"kind"_s).toString(), u"user_unit"_s);
        QCOMPARE(owner(u"^VLLM::EngineCore$"_s).value(u"name"_s).toString(), u"vllm-user.service"_s);
    }

    void looseUnit_waitsForMemoryThatItsOwnWorkersHold()
    {
        m_host.sh(u"systemctl stop as-unit || :; systemctl --user --machine=ops@.host stop vllm-user || :"_s);
        for (const qint64 pid : m_host.processes(u"^(VLLM::|python3 by-hand)"_s))
            m_host.sh(u"kill -9 %1 || :"_s.arg(pid));
        QTRY_VERIFY(m_host.sh(u"nvidia-smi --query-compute-apps=pid --format=csv,noheader"_s).trimmed().isEmpty());
        m_host.sh(u"systemctl stop vllm-loose; systemctl start vllm-loose"_s);
        QTRY_COMPARE(m_host.processes(u"^VLLM::Worker_TP"_s).size(), 2);
        QTRY_VERIFY(m_host.sh(u"nvidia-smi --query-gpu=memory.used --format=csv,noheader,nounits"_s).startsWith("96619\n96619\n"));
        // The main process alone dies; KillMode=process leaves the rest, and the next start waits for them.
        m_host.sh(u"kill -9 $(systemctl show -P MainPID vllm-loose)"_s);
        QTRY_COMPARE(m_host.sh(u"systemctl show -P ActiveState vllm-loose"_s).trimmed(), QByteArray("failed"));
        m_host.sh(u"systemctl start --no-block vllm-loose"_s);
        QTRY_COMPARE(m_host.sh(u"systemctl show -P SubState vllm-loose"_s).trimmed(), QByteArray("start-pre"));
        const Shot shot = Shot::of(u"lab1"_s, {u"--unit"_s, u"vllm-loose.service"_s});
        QVERIFY2(shot.exitCode() == 0, shot.story().constData());
        QCOMPARE(shot.unit(u"vllm-loose.service"_s).value(u"sub"_s).toString(), u"start-pre"_s);
        QCOMPARE(shot.processes(u"^VLLM::Worker_TP"_s).size(), 2);
        for (const QJsonObject &worker : shot.processes(u"^VLLM::Worker_TP"_s)) {
            QCOMPARE(worker.value(u"owner"_s).toObject().value(u"name"_s).toString(), u"vllm-loose.service"_s);
            QCOMPARE(mibOf(worker), 96615);
        }
        // Freed, it starts by itself.
        for (const qint64 pid : m_host.processes(u"^VLLM::EngineCore"_s))
            m_host.sh(u"kill -9 %1"_s.arg(pid));
        QTRY_COMPARE_WITH_TIMEOUT(m_host.sh(u"systemctl show -P SubState vllm-loose"_s).trimmed(), QByteArray("running"), 10'000);
        m_host.sh(u"systemctl kill -s KILL vllm-loose"_s);
    }

    void restartedUnit_countsAndStaysReadable()
    {
        m_host.sh(u"systemd-run --quiet --unit=flapping -p Restart=always -p RestartSec=50ms -p StartLimitIntervalSec=0 "
                  "/bin/sh -c 'sleep 0.05; exit 1'"_s);
        QTRY_VERIFY(m_host.sh(u"systemctl show -P NRestarts flapping"_s).trimmed().toInt() >= 3);
        const Shot shot = Shot::of(u"lab1"_s, {u"--unit"_s, u"flapping.service"_s});
        m_host.sh(u"systemctl stop flapping"_s);
        QVERIFY2(shot.exitCode() == 0, shot.story().constData());
        QVERIFY(shot.unit(u"flapping.service"_s).value(u"restarts"_s).toInteger() >= 3);
    }

    void unitNameThatIsNone_isRefusedAlone()
    {
        const Shot shot = Shot::of(u"lab1"_s, {u"--unit"_s, u"--version"_s, u"--unit"_s, u"unit-oneshot.service"_s});
        QVERIFY2(shot.exitCode() == 2 || shot.unit(u"unit-oneshot.service"_s).value(u"active"_s).toString() == u"active"_s,
                 shot.story().constData());
    }
};

PILOTHOUSE_LAB_TEST_MAIN(TstLabUnits)
#include "tst_labunits.moc"
