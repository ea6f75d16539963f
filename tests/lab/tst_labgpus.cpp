// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a real host with a simulated driver says when cards or the driver fail: named, and never shown as free.
#include "tests/lab/labmain.h"
#include "tests/lab/shot.h"

#include <QJsonArray>

using namespace pilothouse::test;
using namespace Qt::StringLiterals;

class TstLabGpus : public QObject
{
    Q_OBJECT

    const LabHost m_host{1};

    void configure(const QByteArray &lines) const
    {
        m_host.sh(u"{ cat /etc/pilothouse-sim/gpus.conf; printf '%1\\n'; } >/run/pilothouse-sim/new && "
                  "mv /run/pilothouse-sim/new /run/pilothouse-sim/gpus.conf"_s.arg(QString::fromLatin1(lines)));
    }

private slots:
    void initTestCase()
    {
        QTest::failOnWarning(QRegularExpression(u".*"_s));
        m_host.sh(u"systemd-run --quiet --unit=holder sim-hog --gpus 3 --mib 5000 -- python3 train.py; sleep 0.3"_s);
    }
    void cleanup() { configure(""); }

    void wellHost_hasEightCardsByBusId()
    {
        const Shot shot = Shot::of(u"lab1"_s, {u"--deep"_s});
        QVERIFY2(shot.exitCode() == 0, shot.story().constData());
        QStringList buses;
        for (const QJsonObject &gpu : shot.gpus())
            buses.append(gpu.value(u"bus_id"_s).toString());
        QCOMPARE(buses, (QStringList{u"0000:01:00.0"_s, u"0000:21:00.0"_s, u"0000:41:00.0"_s, u"0000:61:00.0"_s, u"0000:81:00.0"_s,
                                     u"0000:a1:00.0"_s, u"0000:c1:00.0"_s, u"0000:e1:00.0"_s}));
        QCOMPARE(shot.json().value(u"system"_s).toObject().value(u"pci_gpus"_s).toInteger(), 8);
        QCOMPARE(shot.json().value(u"boot_id"_s).toString().toLatin1(), m_host.sh(u"cat /proc/sys/kernel/random/boot_id"_s).trimmed());
    }

    void missingCard_isNamedByItsBusId()
    {
        configure("gpu.5.missing = 1");
        const Shot shot = Shot::of(u"lab1"_s, {u"--deep"_s});
        QCOMPARE(shot.gpus().size(), 7);
        QVERIFY2(shot.problemCodes().contains(u"gpu.missing"_s), shot.story().constData());
        QVERIFY2(shot.problemTexts().join(u'\n').contains(u"0000:a1:00.0"_s), shot.story().constData());
    }

    void missingCard_isNamedInLightSnapshotToo()
    {
        configure("gpu.5.missing = 1");
        const Shot shot = Shot::of(u"lab1"_s);
        QVERIFY2(shot.problemTexts().join(u'\n').contains(u"0000:a1:00.0"_s), shot.story().constData());
    }

    void lostCard_neverLooksFree()
    {
        configure("gpu.2.fault = [GPU is lost]");
        const Shot shot = Shot::of(u"lab1"_s);
        QVERIFY2(shot.exitCode() == 0 || shot.exitCode() == 6, shot.story().constData());
        const QJsonObject gpu = shot.gpus().value(2);
        QVERIFY2(!gpu.value(u"fault"_s).toString().isEmpty(), shot.story().constData());
        QVERIFY(gpu.value(u"memory_used_mib"_s).isNull());
        QCOMPARE(gpu.value(u"unknown"_s).toObject().value(u"memory_used_mib"_s).toString(), u"failed"_s);
        QVERIFY2(shot.problemCodes().contains(u"gpu.lost"_s), shot.story().constData());
        QCOMPARE(shot.gpus().value(3).value(u"memory_used_mib"_s).toInteger(), 5004);
    }

    void driverThatFails_isExit6()
    {
        configure("failure = NVIDIA-SMI has failed because it could not communicate with the NVIDIA driver.");
        const Shot shot = Shot::of(u"lab1"_s);
        QVERIFY2(shot.exitCode() == 6, shot.story().constData());
        QCOMPARE(shot.gpuSource().value(u"status"_s).toString(), u"failed"_s);
        QVERIFY2(shot.gpuSource().value(u"message"_s).toString().contains(u"could not communicate"_s), shot.story().constData());
        QVERIFY(!shot.list(u"gpus"_s));
    }

    void lyingExitCodeAndProse_doNotHideTheRows()
    {
        configure("exit_code = 14\\nprose_before = WARNING: infoROM is corrupted at gpu 0000:01:00.0");
        const Shot shot = Shot::of(u"lab1"_s);
        QCOMPARE(shot.gpus().size(), 8);
        QCOMPARE(shot.gpus().value(3).value(u"memory_used_mib"_s).toInteger(), 5004);
    }

    void unknownField_isLeftOut()
    {
        configure("unknown_fields = memory.reserved,gpu_recovery_action");
        const Shot shot = Shot::of(u"lab1"_s);
        QVERIFY2(shot.exitCode() == 0, shot.story().constData());
        QCOMPARE(shot.gpus().size(), 8);
        QVERIFY(shot.gpus().first().value(u"memory_reserved_mib"_s).isNull());
        QCOMPARE(shot.gpus().first().value(u"unknown"_s).toObject().value(u"memory_reserved_mib"_s).toString(), u"absent"_s);
        QCOMPARE(shot.gpus().value(3).value(u"memory_used_mib"_s).toInteger(), 5004);
    }

    void hiddenPids_areNamed()
    {
        configure("pids = not_found");
        const Shot shot = Shot::of(u"lab1"_s);
        QVERIFY2(shot.exitCode() == 0, shot.story().constData());
        QVERIFY2(shot.problemCodes().contains(u"process.not_visible"_s), shot.story().constData());
    }

    void heirOfDeadHolder_isFoundByItsDescriptors()
    {
        m_host.sh(u"systemd-run --quiet --unit=ghost -p KillMode=process sim-hog --gpus 6 --mib 4000 --heirs 1 -- python3 parent.py; sleep 0.3; "
                  "kill -9 $(systemctl show -P MainPID ghost); sleep 0.2"_s);
        const Shot shot = Shot::of(u"lab1"_s, {u"--deep"_s});
        QVERIFY2(shot.exitCode() == 0, shot.story().constData());
        QCOMPARE(shot.gpus().value(6).value(u"memory_used_mib"_s).toInteger(), 4004);
        const QList<QJsonObject> heirs = shot.processes(u"^pt_data_worker"_s);
        QVERIFY2(!heirs.isEmpty(), shot.story().constData());
        QVERIFY2(heirs.first().value(u"devices"_s).toArray().contains(u"/dev/nvidia6"_s), shot.story().constData());
    }
};

PILOTHOUSE_LAB_TEST_MAIN(TstLabGpus)
#include "tst_labgpus.moc"
