// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// Every blocker of a GPU reset, and what nobody could see.
#include "core/diagnosis/resetreadiness.h"
#include "tests/support/testmain.h"

using namespace pilothouse;
using namespace Qt::StringLiterals;

class TstResetReadiness final : public QObject
{
    Q_OBJECT
private slots:
    void nothingInTheWay()
    {
        const ResetReadiness card = resetReadinessOf(host(), {}).first();
        QCOMPARE(card.blockers, QStringList());
        QCOMPARE(card.unknown, QStringList());
        QCOMPARE(card.recoveryAction.value(), u"none"_s);
        QVERIFY(resetLines(host(), {}).contains(u"  Nothing is known to be in the way."_s));
    }

    void blockers_data()
    {
        QTest::addColumn<Verdict>("verdict");
        QTest::addColumn<QString>("words");
        QTest::newRow("leftover") << Verdict::Leftover << u"has it open (leftover)."_s;
        QTest::newRow("exporter") << Verdict::Infrastructure << u"stop it before, start it after."_s;
        QTest::newRow("stuck") << Verdict::Stuck << u"only a reboot helps."_s;
        QTest::newRow("exiting") << Verdict::Exiting << u"wait."_s;
        QTest::newRow("gone") << Verdict::Gone << u"a handle lives on."_s;
        QTest::newRow("in use") << Verdict::InUse << u"has it open (in use)."_s;
    }
    void blockers()
    {
        QFETCH(const Verdict, verdict);
        QFETCH(const QString, words);
        Snapshot snapshot = host();
        Process process;
        process.pid = Pid{7};
        process.comm = u"dcgm-exporter"_s;
        process.devices = QStringList{u"/dev/nvidia0"_s};
        snapshot.processes = QList<Process>{process};
        Diagnosis diagnosis;
        ProcessVerdict judged;
        judged.verdict = verdict;
        diagnosis.processes = {judged};
        const ResetReadiness card = resetReadinessOf(snapshot, diagnosis).first();
        QCOMPARE(card.blockers.size(), 1);
        QVERIFY2(card.blockers.first().endsWith(words), qPrintable(card.blockers.first()));
        (*snapshot.processes)[0].devices = QStringList{u"/dev/nvidia1"_s}; // another card's
        QVERIFY(resetReadinessOf(snapshot, diagnosis).first().blockers.isEmpty());
    }

    void rightsAndModes()
    {
        Snapshot snapshot = host();
        snapshot.system.root = false;
        (*snapshot.gpus)[0].persistence = true;
        (*snapshot.gpus)[0].mig = true;
        QCOMPARE(resetReadinessOf(snapshot, {}).first().blockers.size(), 3);
    }

    void whatCouldNotBeSeen()
    {
        Snapshot snapshot = host();
        snapshot.depth = Depth::Light;
        snapshot.system.container = true;
        snapshot.gpus->append(snapshot.gpus->first());
        QCOMPARE(resetReadinessOf(snapshot, {}).first().unknown.size(), 3);
        snapshot.gpus.reset();
        QVERIFY(resetReadinessOf(snapshot, {}).isEmpty());
        QCOMPARE(resetLines(snapshot, {}).size(), 1);
    }

private:
    static Snapshot host()
    {
        Snapshot snapshot;
        snapshot.depth = Depth::Deep;
        snapshot.system.root = true;
        Gpu gpu;
        gpu.index = 0;
        gpu.uuid = u"GPU-0"_s;
        gpu.persistence = false;
        gpu.mig = false;
        gpu.recoveryAction = u"none"_s;
        snapshot.gpus = QList<Gpu>{gpu};
        snapshot.processes = QList<Process>();
        return snapshot;
    }
};

PILOTHOUSE_TEST_MAIN(TstResetReadiness)
#include "tst_resetreadiness.moc"
