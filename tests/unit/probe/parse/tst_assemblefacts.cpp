// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/testmain.h"
#include "tests/unit/probe/parse/fixtures.h"

using namespace pilothouse;
using namespace pilothouse::test;

namespace {

/// 10.0.0.N:PORT as the kernel writes it.
QByteArray end(int n, int port)
{
    return QByteArray::number(n, 16).rightJustified(2, '0').toUpper() + "00000A:"
        + QByteArray::number(port, 16).rightJustified(4, '0').toUpper();
}

QByteArray row(const QByteArray &local, const QByteArray &remote, int inode)
{
    return "   0: " + local + ' ' + remote + " 01 00000000:00000000 00:00000000 00000000     0        0 "
        + QByteArray::number(inode) + " 1 0000000000000000 20 4 30 10 -1\n";
}

/// wellHost() with descriptors of its workers.
HostAnswer deepHost()
{
    HostAnswer answer = wellHost();
    answer.depth = Depth::Deep;
    for (RawProcess &process : *answer.processes) {
        process.devices.emplace();
        process.ends.emplace();
        process.network = "self";
    }
    answer.connections.insert("self", {});
    return answer;
}

std::optional<QStringList> peers(const HostAnswer &answer, qint64 pid)
{
    const Snapshot snapshot = assembled(answer);
    const Process *process = processCalled(snapshot, pid);
    return process ? process->deep.peers : std::nullopt;
}

} // namespace

class TstAssembleFacts final : public QObject
{
    Q_OBJECT
private slots:
    void peers_ofItsOwnSockets();
    void peers_onThisHostAreNone();
    void peers_unknown_data();
    void peers_unknown();
    void trackerPipes_ofItsRelatives();
    void trackerPipes_titlesProveNothing_data();
    void trackerPipes_titlesProveNothing();
    void status_andParents();
    void sessions_ofTheHost();
};

void TstAssembleFacts::peers_ofItsOwnSockets()
{
    HostAnswer answer = deepHost();
    answer.connections["self"] = row(end(5, 40'001), end(9, 5001), 71) + row(end(5, 40'002), end(8, 5001), 72)
        + row(end(5, 40'003), end(7, 5001), 73) + row(end(5, 40'004), end(9, 5001), 74);
    answer.processes->first().ends = {{4, false, 71}, {5, false, 72}, {6, false, 74}, {7, true, 73}, {8, false, 99}};
    QCOMPARE(peers(answer, 4242), (QStringList{u"10.0.0.8:5001"_s, u"10.0.0.9:5001"_s}));
    QCOMPARE(peers(answer, 4243), QStringList());
}

void TstAssembleFacts::peers_onThisHostAreNone()
{
    HostAnswer answer = deepHost();
    RawProcess &first = answer.processes->first();
    RawProcess &second = answer.processes->last();
    // Loopback; two ranks over the host's outward address; a container's rank and a process of the host.
    second.network = "4243";
    answer.connections["self"] = row("00000000000000000000000001000000:1F40", "00000000000000000000000001000000:9C40", 70)
        + row(end(5, 40'001), end(5, 5001), 71) + row(end(5, 5001), end(5, 40'001), 72) + row(end(3, 29'500), end(4, 40'009), 73)
        + row(end(5, 40'010), end(5, 6000), 74); // its other end has closed its half
    answer.connections["4243"] = row(end(4, 40'009), end(3, 29'500), 81);
    first.ends = {{3, false, 70}, {4, false, 71}, {5, false, 72}, {6, false, 73}, {7, false, 74}};
    second.ends = {{3, false, 81}};
    QCOMPARE(peers(answer, 4242), QStringList());
    QCOMPARE(peers(answer, 4243), QStringList());
    answer.connections["self"].clear(); // now nobody here is at the other end
    first.ends.emplace();
    QCOMPARE(peers(answer, 4243), QStringList{u"10.0.0.3:29500"_s});
}

void TstAssembleFacts::peers_unknown_data()
{
    QTest::addColumn<int>("what");
    QTest::newRow("descriptors") << 0;
    QTest::newRow("network") << 1;
    QTest::newRow("connections") << 2;
    QTest::newRow("a light look") << 3;
}

void TstAssembleFacts::peers_unknown()
{
    QFETCH(int, what);
    HostAnswer answer = deepHost();
    answer.connections["self"] = row(end(5, 40'001), end(9, 5001), 71);
    if (what == 0)
        answer.processes->first().ends.reset();
    else if (what == 1)
        answer.processes->first().network.clear();
    else if (what == 2)
        answer.connections.clear();
    else
        answer.depth = Depth::Light;
    QVERIFY(!peers(answer, 4242));
}

void TstAssembleFacts::trackerPipes_ofItsRelatives()
{
    HostAnswer answer = deepHost();
    RawProcess tracker = processOf(4231, "", "python3");
    tracker.cmdline = QByteArrayList{"/opt/v/bin/python3", "-s", "-c", "from multiprocessing.resource_tracker import main;main(42)", ""}.join('\0');
    tracker.ends = {{2, true, 5}, {42, true, 77}};
    tracker.network = "self";
    answer.processes->append(tracker);
    (*answer.processes)[0].ends = {{1, true, 5}, {9, true, 77}, {10, true, 78}, {11, false, 77}};
    (*answer.processes)[1].ends = {{1, true, 5}};
    const auto pipes = [&](qint64 pid) { return processCalled(assembled(answer), pid)->deep.trackerPipes; };
    QCOMPARE(pipes(4231), QList<quint64>{77});
    QCOMPARE(pipes(4242), QList<quint64>{77});
    QCOMPARE(pipes(4243), QList<quint64>()); // what it shares is where both write to
    (*answer.processes)[1].ends.reset();
    QVERIFY(!pipes(4243));
}

void TstAssembleFacts::trackerPipes_titlesProveNothing_data()
{
    QTest::addColumn<QByteArray>("code");
    QTest::addColumn<qint64>("uid");
    QTest::addColumn<bool>("counts");
    QTest::newRow("Python's") << QByteArray("from multiprocessing.resource_tracker import main;main(42)") << qint64(0) << true;
    QTest::newRow("of old") << QByteArray("from multiprocessing.semaphore_tracker import main;main(42)") << qint64(0) << true;
    QTest::newRow("loky's")
        << QByteArray("from joblib.externals.loky.backend.resource_tracker import main; main(42, False)") << qint64(0) << true;
    QTest::newRow("another user's") << QByteArray("from multiprocessing.resource_tracker import main;main(42)") << qint64(1000) << false;
    QTest::newRow("another descriptor") << QByteArray("from multiprocessing.resource_tracker import main;main(4)") << qint64(0) << false;
    QTest::newRow("no number") << QByteArray("from multiprocessing.resource_tracker import main;main(99999999999)") << qint64(0) << false;
    QTest::newRow("other code") << QByteArray("print(1);from multiprocessing.resource_tracker import main;main(42)") << qint64(0) << false;
}

void TstAssembleFacts::trackerPipes_titlesProveNothing()
{
    QFETCH(QByteArray, code);
    QFETCH(qint64, uid);
    QFETCH(bool, counts);
    HostAnswer answer = deepHost();
    RawProcess tracker = processOf(4231, "", "python3");
    tracker.cmdline = QByteArray("python3\0-c\0", 11) + code + '\0';
    tracker.uid = uid;
    tracker.ends = {{42, true, 77}};
    answer.processes->append(tracker);
    answer.processes->first().ends = {{9, true, 77}};
    QCOMPARE(!processCalled(assembled(answer), 4242)->deep.trackerPipes->isEmpty(), counts);
}

void TstAssembleFacts::status_andParents()
{
    HostAnswer answer = deepHost();
    RawProcess &process = answer.processes->first();
    process.stat = statOf(4242, "VLLM::Worker_TP", 50'000, 'D', 555);
    process.status = "PPid:\t555\nSigPnd:\t0000000000000000\nShdPnd:\t0000000000000100\nVmLck:\t       8 kB\nVmPin:\t      4 kB\n"
                     "wchan:uvm_gpu_destroy\x1b[2J\n";
    answer.names = {{555, "ba\x1bsh"}, {1, "systemd"}};
    const Snapshot snapshot = assembled(answer);
    const DeepFacts &facts = processCalled(snapshot, 4242)->deep;
    QCOMPARE(facts.killPending, true);
    QCOMPARE(facts.lockedKib, qint64(12));
    QVERIFY(facts.waitsIn->startsWith(u"uvm_gpu_destroy"_s) && !facts.waitsIn->contains(QChar(0x1b)));
    QVERIFY(facts.parentName->startsWith(u"ba"_s) && !facts.parentName->contains(QChar(0x1b)));
    const DeepFacts &other = processCalled(snapshot, 4243)->deep;
    QCOMPARE(other.parentName, u"systemd"_s);
    QVERIFY(!other.killPending && !other.lockedKib && !other.waitsIn);
}

void TstAssembleFacts::sessions_ofTheHost()
{
    HostAnswer answer = deepHost();
    QVERIFY(!assembled(answer).system.sessions);
    answer.sessions = sectionOf({});
    QCOMPARE(assembled(answer).system.sessions, QList<LoginSession>());
    answer.sessions = sectionOf("/run/systemd/sessions/3:USER=alice\n");
    QCOMPARE(assembled(answer).system.sessions->size(), 1);
    answer.depth = Depth::Light;
    QVERIFY(!assembled(answer).system.sessions);
}

PILOTHOUSE_TEST_MAIN(TstAssembleFacts)
#include "tst_assemblefacts.moc"
