// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/probe/prober.h"

#include "tests/support/testmain.h"
#include "tests/unit/probe/fakehost.h"

#include <QSignalSpy>

using namespace pilothouse;
using namespace pilothouse::test;
using namespace Qt::StringLiterals;

namespace {

ProbeSettings settingsFor(const QString &id = u"console"_s)
{
    ProbeSettings settings;
    settings.host = u"gpu1"_s;
    settings.target = u"root@gpu1:22"_s;
    settings.consoleId = id;
    return settings;
}

/// A prober on a host, and what it said.
struct Rig
{
    explicit Rig(ShellProvider &provider, const ProbeSettings &settings = settingsFor())
        : prober(provider, settings)
    {
        QObject::connect(&prober, &Prober::snapshotTaken, &prober,
            [this](const SnapshotPtr &taken) { snapshots.append(taken); });
        QObject::connect(&prober, &Prober::requestFailed, &prober,
            [this](const Error &error) { requestErrors.append(error); });
        QObject::connect(&prober, &Prober::failed, &prober, [this](const Error &error) { errors.append(error); });
        QObject::connect(&prober, &Prober::started, &prober, [this] { ++started; });
    }
    /// Null when none came in time.
    SnapshotPtr take(Depth depth = Depth::Light, int limitMs = 20'000)
    {
        const qsizetype before = snapshots.size() + requestErrors.size() + errors.size();
        prober.requestSnapshot(depth);
        (void)QTest::qWaitFor(
            [&] { return snapshots.size() + requestErrors.size() + errors.size() > before; }, limitMs);
        return snapshots.isEmpty() || !requestErrors.isEmpty() || !errors.isEmpty() ? nullptr : snapshots.last();
    }

    Prober prober;
    QList<SnapshotPtr> snapshots;
    QList<Error> requestErrors;
    QList<Error> errors;
    int started = 0;
};

const Process *find(const SnapshotPtr &snapshot, qint64 pid)
{
    if (!snapshot || !snapshot->processes)
        return nullptr;
    const auto found = std::ranges::find_if(
        *snapshot->processes, [pid](const Process &process) { return process.pid.value == pid; });
    return found == snapshot->processes->end() ? nullptr : &*found;
}

} // namespace

class TstProber : public QObject
{
    Q_OBJECT

private slots:
    void snapshot_lightTick();
};

void TstProber::snapshot_lightTick()
{
    FakeHost host;
    host.nvidiaSmi(8);
    const qint64 worker = host.process({"VLLM::Worker_TP0"});
    host.apps("GPU-00000000-0000-0000-0000-000000000000, " + QByteArray::number(worker) + ", 96615, VLLM::Worker_TP0\n");
    LocalShellProvider provider;
    provider.environment = host.environment();
    Rig rig(provider);
    rig.prober.start();
    const SnapshotPtr snapshot = rig.take();
    QVERIFY(snapshot);
    QCOMPARE(rig.started, 1);
    QCOMPARE(provider.opened, 2);
    QCOMPARE(snapshot->gpuSource.status, GpuSource::Status::Ok);
    QVERIFY(snapshot->gpus);
    QCOMPARE(snapshot->gpus->size(), 8);
    const Process *process = find(snapshot, worker);
    QVERIFY(process);
    QCOMPARE(process->command, u"VLLM::Worker_TP0"_s);
    QCOMPARE(process->gpuMemory.size(), 1);
    QVERIFY(!snapshot->bootId.isEmpty());
    // The next tick needs no new shell.
    QVERIFY(rig.take());
    QCOMPARE(provider.opened, 2);
}

PILOTHOUSE_TEST_MAIN(TstProber)
#include "tst_prober.moc"
