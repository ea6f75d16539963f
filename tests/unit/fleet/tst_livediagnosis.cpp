// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/fleet/livediagnosis.h"
#include "tests/support/testmain.h"
#include "tests/unit/fleet/fakelink.h"

#include <QSignalSpy>

#include <algorithm>

using namespace pilothouse;
using namespace pilothouse::test;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

/// When a live host is looked at closely, and what is made of it.
class TstLiveDiagnosis final : public QObject
{
    Q_OBJECT
private slots:
    void init();
    void cleanup();
    void nobodyThere_needsNoDeepLook();
    void holder_isLookedAtAndJudged();
    void samePicture_isLookedAtAgainAfterAWhile();
    void changedPicture_isLookedAtSoon();
    void request_looksWhateverIsThere();
    void foundUnits_areWatched();
    void serverThatDies_leavesItsWorkersBehind();
    void findings_holdAsLongAsTheirHoldersDo();

private:
    void make(LiveDiagnosis::Times times);
    [[nodiscard]] qsizetype deepLooks() const { return m_host->requests().count(Depth::Deep); }
    [[nodiscard]] static Process worker(qint64 pid, int gpu);
    [[nodiscard]] static Snapshot card(qint64 usedMib);
    [[nodiscard]] static Snapshot leftovers();

    std::shared_ptr<FakeHost> m_host;
    LinkEnvironment m_environment;
    std::unique_ptr<HostLink> m_link;
    std::unique_ptr<LiveDiagnosis> m_live;
    QList<FindingsPtr> m_found;
};

void TstLiveDiagnosis::init()
{
    m_host = std::make_shared<FakeHost>();
    m_environment = fakeEnvironment(m_host);
    m_found.clear();
}

void TstLiveDiagnosis::cleanup()
{
    m_live.reset();
    m_link.reset();
    QVERIFY(m_environment.threads->waitForEnd(5s));
}

void TstLiveDiagnosis::make(LiveDiagnosis::Times times)
{
    HostSpec spec;
    spec.name = u"gpu1"_s;
    ProbeSettings probe;
    probe.host = spec.name;
    m_link = std::make_unique<HostLink>(spec, ConnectionSettings(), probe, m_environment);
    m_live = std::make_unique<LiveDiagnosis>(*m_link, times);
    m_live->setInView(true);
    connect(m_live.get(), &LiveDiagnosis::diagnosed, this, [this](const FindingsPtr &found) { m_found += found; });
    m_link->setCadence(20ms);
    m_link->open();
}

Process TstLiveDiagnosis::worker(qint64 pid, int gpu)
{
    Process process;
    process.pid = Pid{pid};
    process.startTicks = quint64(pid * 10);
    process.ppid = qint64(1);
    process.pgid = process.sid = qint64(84);
    process.uid = qint64(0);
    process.user = u"root"_s;
    process.state = u'S';
    process.threads = 70;
    process.comm = u"VLLM::Worker_TP"_s;
    process.command = u"VLLM::Worker_TP%1"_s.arg(gpu);
    process.arguments = QStringList{process.command};
    process.elapsedS = 7800.0;
    process.rssKib = qint64(6'000'000);
    process.cpuS = 5000.0;
    process.cgroup = u"/user.slice/user-0.slice/session-3.scope"_s;
    process.owner = {Owner::Kind::Session, u"session-3.scope"_s};
    process.gpuMemory = {ProcessGpuMemory{gpu, u"GPU-%1"_s.arg(gpu), qint64(90'000)}};
    process.devices = QStringList{u"/dev/nvidia%1"_s.arg(gpu)};
    process.deep.peers = QStringList();
    process.deep.parentName = u"systemd"_s;
    return process;
}

Snapshot TstLiveDiagnosis::card(qint64 usedMib)
{
    Snapshot snapshot;
    snapshot.bootId = u"b00t"_s;
    snapshot.takenAt = QDateTime::currentDateTimeUtc();
    snapshot.gpuSource.status = GpuSource::Status::Ok;
    snapshot.gpuSource.durationMs = 10.0;
    snapshot.system.root = true;
    Gpu gpu;
    gpu.index = 0;
    gpu.uuid = u"GPU-0"_s;
    gpu.memoryTotalMib = qint64(97'000);
    gpu.memoryUsedMib = usedMib;
    gpu.attributedMib = usedMib;
    gpu.unattributedMib = qint64(0);
    gpu.utilizationPct = 0.0;
    gpu.persistence = true;
    snapshot.gpus = QList<Gpu>{gpu};
    snapshot.processes = QList<Process>();
    snapshot.units = QList<Unit>();
    snapshot.listening = QList<ListeningPort>();
    snapshot.shm = QList<ShmFile>();
    return snapshot;
}

Snapshot TstLiveDiagnosis::leftovers()
{
    Snapshot snapshot = card(90'000);
    snapshot.processes = QList<Process>{worker(4242, 0)};
    return snapshot;
}

void TstLiveDiagnosis::nobodyThere_needsNoDeepLook()
{
    m_host->setAnswer(card(4));
    make({});
    QTRY_VERIFY(m_host->requests().size() > 10);
    QCOMPARE(deepLooks(), 0);
    QVERIFY(m_found.isEmpty());
}

void TstLiveDiagnosis::holder_isLookedAtAndJudged()
{
    m_host->setAnswer(leftovers());
    make({});
    QTRY_COMPARE(m_found.size(), 1);
    const Findings &found = *m_found.first();
    QCOMPARE(found.snapshot->depth, Depth::Deep);
    QCOMPARE(found.diagnosis.processes.first().verdict, Verdict::Leftover);
    QCOMPARE(found.diagnosis.host.state, HostState::Leftover);
    QCOMPARE(found.plan.families.size(), 1);
    QCOMPARE(m_live->latest(), m_found.first());
}

void TstLiveDiagnosis::samePicture_isLookedAtAgainAfterAWhile()
{
    m_host->setAnswer(leftovers());
    LiveDiagnosis::Times times;
    times.inView = 300ms;
    make(times);
    QTRY_COMPARE(deepLooks(), 1);
    QTest::qWait(150);
    QCOMPARE(deepLooks(), 1);
    QTRY_COMPARE(deepLooks(), 2);
    m_live->setInView(false); // once a minute now
    const qsizetype before = deepLooks();
    QTest::qWait(500);
    QCOMPARE(deepLooks(), before);
}

void TstLiveDiagnosis::changedPicture_isLookedAtSoon()
{
    m_host->setAnswer(leftovers());
    LiveDiagnosis::Times times;
    times.changed = 100ms;
    make(times);
    QTRY_COMPARE(m_found.size(), 1);
    Snapshot next = leftovers();
    next.processes->append(worker(4243, 0));
    m_host->setAnswer(next);
    QTRY_COMPARE(m_found.size(), 2);
    QCOMPARE(m_found.last()->diagnosis.processes.size(), 2);
    m_host->setAnswer(card(4));
    QTRY_COMPARE(m_found.size(), 3);
    QCOMPARE(m_found.last()->diagnosis.host.state, HostState::Free);
    const qsizetype looks = deepLooks();
    QTest::qWait(300);
    QCOMPARE(deepLooks(), looks); // nobody is there any more
}

void TstLiveDiagnosis::request_looksWhateverIsThere()
{
    m_host->setAnswer(card(4));
    make({});
    QTRY_VERIFY(m_host->requests().size() > 3);
    m_live->look();
    QTRY_COMPARE(m_found.size(), 1);
    QCOMPARE(m_found.first()->diagnosis.host.state, HostState::Free);
}

void TstLiveDiagnosis::foundUnits_areWatched()
{
    Snapshot snapshot = leftovers();
    Process server = worker(4300, 0);
    server.owner = {Owner::Kind::Unit, u"other.service"_s};
    snapshot.processes->append(server);
    m_host->setAnswer(snapshot);
    make({});
    QTRY_COMPARE(m_host->probeSettings().units, QStringList{u"other.service"_s});
}

void TstLiveDiagnosis::serverThatDies_leavesItsWorkersBehind()
{
    Snapshot whole = leftovers();
    Process server = worker(4230, 0);
    server.comm = u"python3"_s;
    server.arguments = {u"/usr/bin/python3"_s, u"-m"_s, u"vllm.entrypoints.openai.api_server"_s};
    server.command = server.arguments.join(u' ');
    server.gpuMemory.clear();
    (*whole.processes)[0].ppid = qint64(4230);
    (*whole.processes)[0].deep.parentName = u"python3"_s;
    whole.processes->append(server);
    m_host->setAnswer(whole);
    LiveDiagnosis::Times times;
    times.changed = 100ms;
    make(times);
    QTRY_COMPARE(m_found.size(), 1);
    QVERIFY(m_found.last()->diagnosis.host.state != HostState::Leftover);
    m_host->setAnswer(leftovers());
    QTRY_VERIFY(!m_found.isEmpty() && m_found.last()->diagnosis.host.state == HostState::Leftover);
    const QStringList facts = m_found.last()->diagnosis.families.first().modifiers;
    QVERIFY2(facts.contains(u"REMEMBERED"_s), qPrintable(facts.join(u' ')));
}

void TstLiveDiagnosis::findings_holdAsLongAsTheirHoldersDo()
{
    m_host->setAnswer(leftovers());
    make({});
    QTRY_COMPARE(m_found.size(), 1);
    const Findings &found = *m_found.first();
    Snapshot now = leftovers();
    QVERIFY(stillHolds(found, now));
    now.processes->append(worker(9, 0)); // somebody more changes nothing of it
    QVERIFY(stillHolds(found, now));
    (*now.processes)[0].startTicks = quint64(1); // another process has its number
    QVERIFY(!stillHolds(found, now));
    now = leftovers();
    now.processes->clear();
    QVERIFY(!stillHolds(found, now));
    now = leftovers();
    now.bootId = u"another"_s;
    QVERIFY(!stillHolds(found, now));
    now = leftovers();
    now.gpus.reset();
    QVERIFY(!stillHolds(found, now));
}

PILOTHOUSE_TEST_MAIN(TstLiveDiagnosis)
#include "tst_livediagnosis.moc"
