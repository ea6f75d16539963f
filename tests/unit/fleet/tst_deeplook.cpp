// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// When a deep look is taken by itself: what counts as memory without a holder, and how often it is
// looked for.
#include "core/fleet/deeplook.h"
#include "tests/support/testmain.h"

using namespace pilothouse;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

constexpr int threshold = 1000;

Snapshot hostWith(const QList<int> &unattributedMib)
{
    Snapshot snapshot;
    snapshot.gpus = QList<Gpu>();
    for (int i = 0; i < unattributedMib.size(); ++i) {
        Gpu gpu;
        gpu.index = i;
        gpu.uuid = u"GPU-"_s + QString::number(i);
        gpu.unattributedMib = unattributedMib.at(i);
        snapshot.gpus->append(gpu);
    }
    snapshot.processes = QList<Process>();
    return snapshot;
}

Process ghost(qint64 pid, qint64 mib)
{
    Process process;
    process.pid = Pid{pid};
    process.gpuMemory = {{0, u"GPU-0"_s, mib}};
    return process;
}

DeepLook lookAt(const QList<Snapshot> &answers)
{
    DeepLook look(60s);
    look.setThreshold(threshold);
    for (const Snapshot &answer : answers)
        look.learn(answer);
    return look;
}

} // namespace

class TstDeepLook final : public QObject
{
    Q_OBJECT
private slots:
    void holder_missing_data();
    void holder_missing();
    void due_onTheSecondAnswer();
    void due_notWithoutAThreshold();
    void due_onceUntilThePictureChanges();
    void kept_whileTheMemoryHasNoHolder();
    void kept_isWhatOnlyADeepLookSays_data();
    void kept_isWhatOnlyADeepLookSays();
    void due_againAfterAWhile();
};

void TstDeepLook::holder_missing_data()
{
    QTest::addColumn<Snapshot>("snapshot");
    QTest::addColumn<QSet<QString>>("names");
    QTest::newRow("nothing is unattributed") << hostWith({0, 0}) << QSet<QString>();
    QTest::newRow("079 the driver's own overhead") << hostWith({4, 554, 999}) << QSet<QString>();
    QTest::newRow("what is at the threshold counts") << hostWith({999, 1000}) << QSet<QString>{u"GPU-1"_s};
    QTest::newRow("a card") << hostWith({4, 96'615}) << QSet<QString>{u"GPU-1"_s};
    Snapshot faulty = hostWith({0});
    faulty.gpus->first().unattributedMib = Quantity<qint64>::unknown(UnknownReason::Failed);
    QTest::newRow("not known is not unattributed") << faulty << QSet<QString>();
    Snapshot unnamed = hostWith({2000});
    unnamed.gpus->first().uuid.clear();
    unnamed.gpus->first().busId = u"0000:01:00.0"_s;
    QTest::newRow("a card without a uuid") << unnamed << QSet<QString>{u"0000:01:00.0"_s};
    Snapshot haunted = hostWith({0});
    haunted.processes = QList<Process>{ghost(4242, 96'615), ghost(4243, 12)};
    Snapshot little = hostWith({0});
    little.processes = QList<Process>{ghost(4242, 999), ghost(4243, 1000)};
    QTest::newRow("a ghost at the threshold") << little << QSet<QString>{u"pid 4243"_s};
    QTest::newRow("a ghost") << haunted << QSet<QString>{u"pid 4242"_s};
    Snapshot alive = haunted;
    (*alive.processes)[0].state = u'S';
    QTest::newRow("a living one") << alive << QSet<QString>();
    Snapshot rows = haunted;
    (*rows.processes)[0].rowsUnreadable = true;
    QTest::newRow("rows without PIDs") << rows << QSet<QString>();
    Snapshot container = haunted;
    container.system.container = true;
    QTest::newRow("in a container nobody else is seen") << container << QSet<QString>();
    Snapshot hidden = haunted;
    hidden.system.hidepid = true;
    QTest::newRow("hidden from this account") << hidden << QSet<QString>();
    hidden.system.root = true;
    QTest::newRow("not from root") << hidden << QSet<QString>{u"pid 4242"_s};
    QTest::newRow("nothing is known") << Snapshot() << QSet<QString>();
}

void TstDeepLook::holder_missing()
{
    QFETCH(Snapshot, snapshot);
    QTEST(memoryWithoutHolder(snapshot, threshold), "names");
}

void TstDeepLook::due_onTheSecondAnswer()
{
    QVERIFY(!lookAt({}).isDue(0));
    QVERIFY(!lookAt({hostWith({96'615})})
                 .isDue(0)); // a reading of its own each: the list may only lag behind
    QVERIFY(!lookAt({hostWith({96'615, 0}), hostWith({0, 96'615})}).isDue(0));
    QVERIFY(lookAt({hostWith({96'615}), hostWith({96'615})}).isDue(0));
    QVERIFY(!lookAt({hostWith({96'615}), hostWith({96'615}), hostWith({4})}).isDue(0));
}

void TstDeepLook::due_notWithoutAThreshold()
{
    DeepLook look(60s);
    look.learn(hostWith({96'615}));
    Snapshot deep = hostWith({96'615});
    deep.depth = Depth::Deep;
    deep.problems = {{u"gpu.xid"_s, Problem::Severity::Warning, 0, u"Xid 31."_s, {}}};
    look.learn(deep);
    QVERIFY(!look.isDue(0));
    QVERIFY(look.kept().isEmpty());
    DeepLook changed = lookAt({hostWith({96'615}), hostWith({96'615})});
    changed.setThreshold(0); // taken away
    QVERIFY(!changed.isDue(0));
}

void TstDeepLook::due_onceUntilThePictureChanges()
{
    const Snapshot one = hostWith({96'615, 4});
    DeepLook look = lookAt({one, one});
    look.begin(1000);
    QVERIFY(!look.isDue(1000));
    look.learn(one);
    QVERIFY(!look.isDue(3000));
    look.learn(hostWith({96'615, 96'615}));
    QVERIFY(!look.isDue(5000));
    look.learn(hostWith({96'615, 96'615})); // another card
    QVERIFY(look.isDue(7000));
    look.begin(7000);
    look.learn(hostWith({4, 4})); // freed, and lost again
    look.learn(one);
    look.learn(one);
    QVERIFY(look.isDue(9000));
}

void TstDeepLook::kept_whileTheMemoryHasNoHolder()
{
    DeepLook look = lookAt({hostWith({96'615}), hostWith({96'615})});
    Snapshot deep = hostWith({96'615});
    deep.depth = Depth::Deep;
    deep.problems = {{u"gpu.xid"_s, Problem::Severity::Warning, 0, u"Xid 31."_s, {}},
                     {u"smi.noise"_s, Problem::Severity::Notice, {}, u"One line."_s, {}}};
    look.learn(deep);
    QCOMPARE(look.kept(), QList<Problem>{deep.problems.first()}); // what a light answer says itself is its own
    Snapshot light = hostWith({96'615});
    light.problems = {{u"gpu.sxid"_s, Problem::Severity::Warning, {}, u"Another."_s, {}}};
    look.learn(light);
    QCOMPARE(look.kept().size(), 1);
    deep.problems.clear();
    look.learn(deep);
    QVERIFY(look.kept().isEmpty());
    deep.problems = {{u"host.not_root"_s, Problem::Severity::Notice, {}, u"t"_s, {}}};
    look.learn(deep);
    QCOMPARE(look.kept().size(), 1);
    look.learn(hostWith({4}));
    QVERIFY(look.kept().isEmpty());
    Snapshot well = hostWith({4});
    well.depth = Depth::Deep;
    well.problems = deep.problems;
    look.learn(well); // all memory has its holder: what was seen is the snapshot's own
    QVERIFY(look.kept().isEmpty());
}

void TstDeepLook::kept_isWhatOnlyADeepLookSays_data()
{
    QTest::addColumn<QString>("code");
    QTest::addColumn<bool>("kept");
    for (const char *code : {"gpu.xid", "gpu.sxid", "gpu.off_the_bus", "host.oom_kill", "host.hung_task",
                             "host.not_root", "section.shm", "section.listening", "section.kernel_log"})
        QTest::newRow(code) << QString::fromLatin1(code) << true;
    for (const char *code : {"gpu.missing", "smi.noise", "host.container", "section.processes", "section", ""})
        QTest::newRow(*code ? code : "none") << QString::fromLatin1(code) << false;
}

void TstDeepLook::kept_isWhatOnlyADeepLookSays()
{
    QFETCH(QString, code);
    QFETCH(bool, kept);
    Snapshot deep = hostWith({96'615});
    deep.depth = Depth::Deep;
    deep.problems = {{code, Problem::Severity::Warning, {}, u"Words."_s, {}}};
    QCOMPARE(lookAt({deep}).kept(), kept ? deep.problems : QList<Problem>());
}

void TstDeepLook::due_againAfterAWhile()
{
    const Snapshot one = hostWith({96'615});
    DeepLook look = lookAt({one, one});
    look.begin(1000);
    look.learn(one);
    QVERIFY(!look.isDue(60'999));
    QVERIFY(look.isDue(61'000));
}

PILOTHOUSE_TEST_MAIN(TstDeepLook)
#include "tst_deeplook.moc"
