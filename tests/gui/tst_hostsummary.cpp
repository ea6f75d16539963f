// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/host/hostsummary.h"

#include "tests/gui/scenes.h"
#include "tests/support/testmain.h"
#include "ui/host/hoststore.h"

#include <QSignalSpy>

using namespace pilothouse;
using namespace pilothouse::test;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

HostData hostWith(const LinkState &state, std::optional<Snapshot> snapshot = {})
{
    HostData host;
    host.spec = spec(u"gpu3"_s);
    host.state = state;
    if (snapshot) {
        host.snapshot = shared(*snapshot);
        host.history.add(*snapshot);
    }
    return host;
}

HostData live(const Snapshot &snapshot)
{
    return hostWith(connected(), snapshot);
}

LinkState waiting()
{
    LinkState state = connecting(u"host key unknown"_s);
    state.phase = LinkState::Phase::Waiting;
    return state;
}

Snapshot withUnit(const Snapshot &base, const QString &active, const QString &sub)
{
    Snapshot snapshot = base;
    Unit unit;
    unit.name = u"vllm.service"_s;
    unit.load = u"loaded"_s;
    unit.active = active;
    unit.sub = sub;
    snapshot.units = QList<Unit>{unit};
    return snapshot;
}

Snapshot withTool(GpuSource::Status status)
{
    Snapshot snapshot = bareSnapshot(u"gpu3"_s);
    snapshot.gpus.reset();
    snapshot.gpuSource.status = status;
    snapshot.gpuSource.message = status == GpuSource::Status::Failed ? u"Driver/library version mismatch"_s : QString();
    return snapshot;
}

Snapshot withFault(const QString &word)
{
    Snapshot snapshot = faultHost(u"gpu3"_s);
    (*snapshot.gpus)[3].fault = word;
    return snapshot;
}

Snapshot withoutOneCard(std::optional<int> index)
{
    Snapshot snapshot = servingHost(u"gpu3"_s);
    snapshot.problems << Problem{u"gpu.missing"_s, Problem::Severity::Warning, index,
                                 u"The GPU at 00000000:08:00.0 is missing: it is gone."_s, {}};
    return snapshot;
}

} // namespace

class TstHostSummary : public QObject
{
    Q_OBJECT
private slots:
    void summary_data()
    {
        QTest::addColumn<HostData>("host");
        QTest::addColumn<Severity>("severity");
        QTest::addColumn<QString>("word");
        QTest::addColumn<QString>("sentence");
        const auto row = [](const char *name, const HostData &host, Severity severity, const QString &word,
                            const QString &sentence) { QTest::newRow(name) << host << severity << word << sentence; };
        using enum Severity;
        row("idle", hostWith({}), Stale, u"not connected"_s, u"Not connected "_s);
        row("connecting", hostWith(connecting(u"key exchange"_s)), Notice, u"key exchange"_s,
            u"Connecting key exchange"_s);
        row("waiting", hostWith(waiting()), Warning, u"waits for your answer"_s,
            u"Waits for your answer host key unknown"_s);
        row("refused", hostWith(retrying({ErrorCode::ConnectRefused, {}, {}}, 8)), Critical, u"refused"_s,
            u"The host refuses the connection since 22:51:59 (12 min)"_s);
        row("changed key", hostWith(stopped({ErrorCode::HostKeyChanged, {}, {}})), Critical, u"host key CHANGED"_s,
            u"The host key has changed since 22:51:59 (12 min)"_s);
        row("declined", hostWith(stopped({ErrorCode::Cancelled, {}, {}})), Stale, u"stopped"_s,
            u"Stopped on request since 22:51:59 (12 min)"_s);
        row("no snapshot yet", hostWith(connected()), Notice, u"reading"_s,
            u"Connected, reading the first snapshot since 22:04:33 (1 h 0 min)"_s);
        row("free", live(freeHost(u"gpu2"_s)), Ok, u"free"_s, u"Free 0.0 of 764.7 GiB in use"_s);
        row("serving", live(servingHost(u"gpu1"_s)), Quiet, u"in use"_s,
            u"707.8 of 764.7 GiB in use on all 8 GPUs"_s);
        row("failed unit", live(leftoverHost(u"gpu3"_s)), Warning, u"failed: vllm-kimi-k25"_s,
            u"vllm-kimi-k25.service failed 754.8 of 764.7 GiB in use on all 8 GPUs"_s);
        row("waiting unit", live(withUnit(freeHost(u"a"_s), u"activating"_s, u"start-pre"_s)), Notice,
            u"activating: vllm"_s,
            u"vllm.service activating (start-pre) Free 0.0 of 764.7 GiB in use"_s);
        row("stopped unit is no news", live(withUnit(freeHost(u"a"_s), u"inactive"_s, u"dead"_s)), Ok, u"free"_s,
            u"Free 0.0 of 764.7 GiB in use"_s);
        row("unified", live(unifiedHost(u"gb10"_s)), Quiet, u"50.9 GiB held by GPU processes"_s,
            u"50.9 GiB held by GPU processes the GPU has no memory of its own, it uses the host's"_s);
        row("no GPUs listed", live(bareSnapshot(u"a"_s)), Notice, u"no GPUs"_s,
            u"No GPUs listed the driver answers and lists none"_s);
        row("fault", live(faultHost(u"gpu17"_s)), Critical, u"GPU 3 requires reset"_s,
            u"GPU 3 at 00000000:04:00.0 reports a fault: GPU requires reset 529.7 of 573.6 GiB in use on 6 of 7 GPUs, "
            u"memory of 1 unknown"_s);
        row("fault without a subject", live(withFault(u"Unknown Error"_s)), Critical, u"Unknown Error: GPU 3"_s,
            u"GPU 3 at 00000000:04:00.0 reports a fault: GPU requires reset 529.7 of 573.6 GiB in use on 6 of 7 GPUs, "
            u"memory of 1 unknown"_s);
        row("missing card", live(withoutOneCard({})), Warning, u"GPU missing"_s,
            u"The GPU at 00000000:08:00.0 is missing: it is gone 707.8 of 764.7 GiB in use on all 8 GPUs"_s);
        row("missing card that was seen", live(withoutOneCard(7)), Warning, u"GPU 7 missing"_s,
            u"The GPU at 00000000:08:00.0 is missing: it is gone 707.8 of 764.7 GiB in use on all 8 GPUs"_s);
        row("hung", live(hungHost(u"gpu4"_s)), Warning, u"nvidia-smi hung 41 s"_s,
            u"nvidia-smi hangs since 23:03:52 (41 s); processes and units are still read"_s);
        row("absent", live(withTool(GpuSource::Status::Absent)), Notice, u"no nvidia-smi"_s,
            u"No nvidia-smi on this host no GPU figures; processes and units are read"_s);
        row("failed tool", live(withTool(GpuSource::Status::Failed)), Critical, u"nvidia-smi fails"_s,
            u"nvidia-smi fails Driver/library version mismatch"_s);
        row("timeout", live(withTool(GpuSource::Status::Timeout)), Warning, u"nvidia-smi too slow"_s,
            u"nvidia-smi does not answer in time processes and units are still read"_s);
        row("stale", live(servingHost(u"gpu1"_s, 14'000)), Stale, u"stale 14 s"_s,
            u"Stale 14 s no newer snapshot has come"_s);
    }
    void summary()
    {
        QFETCH(HostData, host);
        QFETCH(QString, word);
        QFETCH(QString, sentence);
        QFETCH(Severity, severity);
        const HostSummary summary = summaryOf(host, sceneNow());
        QCOMPARE(summary.word, word);
        QCOMPARE(summary.headline + u' ' + summary.rest, sentence);
        QCOMPARE(static_cast<int>(summary.severity), static_cast<int>(severity));
    }

    void stale_followsTheInterval_data()
    {
        QTest::addColumn<int>("ageS");
        QTest::addColumn<int>("intervalS");
        QTest::addColumn<bool>("stale");
        QTest::newRow("in view") << 13 << 2 << false;
        QTest::newRow("in view, late") << 15 << 2 << true;
        QTest::newRow("in the background") << 21 << 10 << false;
        QTest::newRow("slow tool, between two ticks") << 19 << 20 << false;
        QTest::newRow("slow tool, late") << 33 << 20 << true;
        QTest::newRow("as slow as it gets") << 70 << 60 << false;
        QTest::newRow("only on request") << 13 << 0 << true;
    }

    void stale_followsTheInterval()
    {
        QFETCH(int, ageS);
        QFETCH(int, intervalS);
        HostData host = live(servingHost(u"gpu1"_s, ageS * 1000));
        host.interval = std::chrono::seconds(intervalS);
        QTEST(host.isStale(sceneNow()), "stale");
        host.state = retrying({ErrorCode::ConnectionLost, {}, {}}, 3);
        QVERIFY(host.isStale(sceneNow()));
    }

    void stale_knowsTheIntervalFromTheLink()
    {
        HostStore store(&sceneNow);
        store.add(spec(u"a"_s));
        const HostData *host = store.find(u"a"_s);
        LinkState state = connected();
        state.interval = 2s;
        store.setState(u"a"_s, state);
        store.addSnapshot(u"a"_s, shared(servingHost(u"a"_s, 19'000)));
        QVERIFY(host->isStale(sceneNow()));
        state.interval = 20s; // went to the background, with a slow tool
        store.setState(u"a"_s, state);
        QVERIFY(!host->isStale(sceneNow()));
        state.interval = 4s; // and comes back into view: what is shown was asked for in the longer one
        store.setState(u"a"_s, state);
        QVERIFY(!host->isStale(sceneNow()));
        store.addSnapshot(u"a"_s, shared(servingHost(u"a"_s, 17'000)));
        QVERIFY(host->isStale(sceneNow()));
    }

    void failure_ofARequestBeforeTheFirstSnapshot()
    {
        HostData host = hostWith(connected());
        host.lastFailure = Error{ErrorCode::ShellUnusable, u"The login shell ended at once."_s, {}};
        const HostSummary summary = summaryOf(host, sceneNow());
        QCOMPARE(summary.word, u"no usable shell"_s);
        QCOMPARE(summary.rest, u"The login shell ended at once."_s);
    }

    void facts_line()
    {
        QCOMPARE(factsLine(live(leftoverHost(u"gpu3"_s))),
                 u"8 × RTX PRO 6000 Blackwell Server Edition · driver 590.48.01 · up 41 d · root@gpu3.example:22"_s);
        QCOMPARE(factsLine(hostWith(connecting({}))), u"gpu3"_s);
    }

    void gpuWords_mixedAndMissing()
    {
        Snapshot snapshot = migHost(u"m"_s);
        snapshot.gpus->append(gpu(2, 0));
        QCOMPARE(gpuWords(snapshot), u"2 × H100 80GB HBM3, 1 × RTX PRO 6000 Blackwell Server Edition"_s);
        snapshot.gpus.reset();
        QCOMPARE(gpuWords(snapshot), u"GPUs unknown"_s);
    }

    void units_line()
    {
        QCOMPARE(unitsLine(leftoverHost(u"gpu3"_s), sceneNow()),
                 u"vllm-kimi-k25.service failed, exit-code since 22:52:33"_s);
        Snapshot snapshot = withUnit(freeHost(u"a"_s), u"active"_s, u"running"_s);
        (*snapshot.units)[0].load = u"not-found"_s;
        QCOMPARE(unitsLine(snapshot, sceneNow()), u"vllm.service not-found"_s);
    }

    void text_forATicket()
    {
        const QString text = summaryText(live(faultHost(u"gpu17"_s)), sceneNow());
        QVERIFY(text.startsWith(u"gpu3: GPU 3 at 00000000:04:00.0 reports a fault: GPU requires reset"_s));
        QVERIFY(text.contains(u"End what uses it"_s));
        QVERIFY(text.contains(u"GPU 3  – GiB  –  –  GPU requires reset"_s));
        QVERIFY(text.contains(u"UTC"_s));
    }

    void store_keepsWhatItIsTold()
    {
        HostStore store(&sceneNow);
        QSignalSpy changed(&store, &HostStore::changed);
        QVERIFY(store.add(spec(u"a"_s)));
        QVERIFY(!store.add(spec(u"a"_s)));
        const HostData *host = store.find(u"a"_s);
        store.setState(u"a"_s, connected());
        store.addSnapshot(u"a"_s, shared(servingHost(u"a"_s, 2800)));
        store.addSnapshot(u"a"_s, shared(servingHost(u"a"_s, 800)));
        store.addFailure(u"a"_s, {ErrorCode::Timeout, {}, {}});
        QCOMPARE(store.find(u"a"_s), host);
        QVERIFY(host->lastFailure);
        QVERIFY(host->history.series().front().samples.back().isGap());
        QCOMPARE(changed.size(), 5);
        store.remove(u"a"_s);
        QVERIFY(!store.find(u"a"_s));
        store.addSnapshot(u"a"_s, shared(servingHost(u"a"_s)));
        QVERIFY(store.names().isEmpty());
    }
};

PILOTHOUSE_TEST_MAIN(TstHostSummary)
#include "tst_hostsummary.moc"
