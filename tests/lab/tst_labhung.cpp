// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// A GPU tool that hangs, also beyond SIGKILL: one such process on the host whatever we do, the rest of the snapshot keeps
// coming, and all is well again by itself. Built twice: PILOTHOUSE_LAB_LONG holds it for a minute with the real limits.
#include "tests/lab/lablink.h"
#include "tests/lab/labmain.h"
#include "tests/lab/shot.h"

#include <QElapsedTimer>

using namespace pilothouse;
using namespace pilothouse::test;
using namespace Qt::StringLiterals;

namespace {

#ifdef PILOTHOUSE_LAB_LONG
constexpr auto hold = 60s;
constexpr auto smiLimit = 5s;
#else
constexpr auto hold = 12s;
constexpr auto smiLimit = 1s;
#endif

} // namespace

class TstLabHung : public QObject
{
    Q_OBJECT

    const LabHost m_host{1};

    void configure(const QByteArray &lines) const
    {
        m_host.sh(u"{ cat /etc/pilothouse-sim/gpus.conf; echo '%1'; } >/run/pilothouse-sim/new && "
                  "mv /run/pilothouse-sim/new /run/pilothouse-sim/gpus.conf"_s.arg(QString::fromLatin1(lines)));
    }
    [[nodiscard]] QList<qint64> tools() const { return m_host.processes(u"nvidia-smi --query"_s); }

    [[nodiscard]] static LabLink::Options options()
    {
        return {.cadence = 250ms, .units = {u"honest.service"_s}, .smiTimeout = smiLimit, .snapshotTimeout = 10s, .target = {}};
    }

private slots:
    void initTestCase()
    {
        QTest::failOnWarning(QRegularExpression(u".*"_s));
        m_host.sh(u"systemd-run --quiet --unit=honest sim-hog --gpus 0 --mib 5000 --title VLLM::Worker_TP7; sleep 0.3"_s);
    }
    void cleanup()
    {
        configure("");
        QTRY_VERIFY_WITH_TIMEOUT(tools().isEmpty(), 10'000);
    }

    void toolThatIgnoresTerm_isEndedAndReportedAsTimeout()
    {
        LabLink link(m_host, options());
        QTRY_VERIFY_WITH_TIMEOUT(link.snapshots() >= 2 && link.smiStatus() == GpuSource::Status::Ok, 10'000);
        configure("hang = ignore-term");
        QTRY_VERIFY_WITH_TIMEOUT(link.smiStatus() == GpuSource::Status::Timeout, 20'000);
        QVERIFY(!link.latest()->gpus);
        QVERIFY(link.latest()->gpuSource.since.isValid());
        QVERIFY(link.latest()->processes);
        QVERIFY(tools().size() <= 1);
        configure("");
        QTRY_VERIFY_WITH_TIMEOUT(link.smiStatus() == GpuSource::Status::Ok, 20'000);
        QCOMPARE(link.latest()->gpus->size(), 8);
        QCOMPARE(link.errors().size(), 0);
    }

    void frozenTool_isOneProcessAndTheRestGoesOn()
    {
        auto link = std::make_unique<LabLink>(m_host, options());
        QTRY_VERIFY_WITH_TIMEOUT(link->snapshots() >= 2 && link->smiStatus() == GpuSource::Status::Ok, 10'000);
        configure("hang = sleep");
        qint64 outside = 0;
        QTRY_VERIFY_WITH_TIMEOUT(!tools().isEmpty() && (outside = m_host.outsidePid(tools().first())) != 0, 10'000);
        Frozen frozen(outside);
        QTRY_VERIFY(frozen.isFrozen());
        // From now on it is the only one, whoever asks: this link, its reconnects, one-shot commands of others.
        QTRY_VERIFY_WITH_TIMEOUT(link->smiStatus() == GpuSource::Status::Hung, int(std::chrono::milliseconds(smiLimit).count()) + 8'000);
        QVERIFY(!link->latest()->gpus);
        QVERIFY(link->latest()->gpuSource.since.isValid());
        QCOMPARE(tools().size(), 1);
        const qint64 stuck = tools().first();
        QCOMPARE(link->latest()->gpuSource.stuckPid.valueOr(0), stuck);
        const QDateTime since = link->latest()->gpuSource.since;

        QElapsedTimer clock;
        clock.start();
        int round = 0;
        while (clock.elapsed() < std::chrono::milliseconds(hold).count()) {
            const int before = link->snapshots();
            QTRY_VERIFY_WITH_TIMEOUT(link->snapshots() >= before + 2, 8'000);
            const SnapshotPtr snapshot = link->latest();
            QVERIFY2(snapshot->gpuSource.status == GpuSource::Status::Hung, link->story().constData());
            QVERIFY(snapshot->processes && !snapshot->processes->isEmpty());
            QVERIFY(snapshot->units && snapshot->units->first().active == u"active"_s);
            QVERIFY(qAbs(snapshot->gpuSource.since.msecsTo(since)) < 2'000);
            QCOMPARE(tools(), QList<qint64>{stuck});
            if (round % 3 == 0) {
                const Shot shot = Shot::of(m_host.name());
                QVERIFY2(shot.exitCode() == 6, shot.story().constData());
                QCOMPARE(shot.gpuSource().value(u"status"_s).toString(), u"hung"_s);
                QVERIFY(!shot.gpuSource().value(u"since"_s).toString().isEmpty());
                QVERIFY(shot.list(u"processes"_s));
                QVERIFY(!shot.list(u"gpus"_s));
                QCOMPARE(tools(), QList<qint64>{stuck});
            }
            if (round % 3 == 1) { // a reconnect
                link = std::make_unique<LabLink>(m_host, options());
                QTRY_VERIFY_WITH_TIMEOUT(link->smiStatus() == GpuSource::Status::Hung, 15'000);
                QCOMPARE(tools(), QList<qint64>{stuck});
            }
            ++round;
        }
        configure("");
        frozen.thaw();
        QTRY_VERIFY_WITH_TIMEOUT(link->smiStatus() == GpuSource::Status::Ok, 20'000);
        QCOMPARE(link->latest()->gpus->size(), 8);
        QVERIFY(!link->latest()->gpuSource.since.isValid());
    }

    void disconnectWhileHung_leavesThatOneOnly()
    {
        auto link = std::make_unique<LabLink>(m_host, options());
        QTRY_VERIFY_WITH_TIMEOUT(link->snapshots() >= 2 && link->smiStatus() == GpuSource::Status::Ok, 10'000);
        configure("hang = sleep");
        qint64 outside = 0;
        QTRY_VERIFY_WITH_TIMEOUT(!tools().isEmpty() && (outside = m_host.outsidePid(tools().first())) != 0, 10'000);
        Frozen frozen(outside);
        QTRY_VERIFY(frozen.isFrozen());
        link.reset();
        QTRY_COMPARE_WITH_TIMEOUT(m_host.processes(u"pilothouse-probe"_s).size(), 0, 10'000);
        QCOMPARE(tools().size(), 1);
    }
};

PILOTHOUSE_LAB_TEST_MAIN(TstLabHung)
#include "tst_labhung.moc"
