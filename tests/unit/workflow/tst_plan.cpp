// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a plan names and what it never does, over the table of cases.
#include "core/workflow/plan.h"
#include "tests/support/testmain.h"
#include "tests/unit/diagnosis/casefile.h"

#include <QDir>
#include <QFile>

#include <algorithm>

using namespace pilothouse;
using namespace pilothouse::test;
using namespace Qt::StringLiterals;

namespace {

const QString folder = QStringLiteral(PILOTHOUSE_TEST_DATA "/cases");

Case caseOf(const QString &name)
{
    QFile file(folder + u'/' + name);
    return file.open(QIODevice::ReadOnly) ? parseCase(file.readAll()) : Case();
}

/// Somebody looked for connections, and there were none.
void lookForPeers(Snapshot &snapshot)
{
    QList<Process> processes = snapshot.processes.value_or(QList<Process>());
    for (Process &process : processes) {
        if (!process.deep.peers)
            process.deep.peers = QStringList();
    }
    snapshot.processes = processes;
}

} // namespace

class TstPlan final : public QObject
{
    Q_OBJECT
private slots:
    void foundingCase_namesEngineAndWorkers();
    void onlyLeftovers_everyCase_data();
    void onlyLeftovers_everyCase();
    void peersNotAsked_leavesTheFamily();
    void oneMemberLeft_leavesTheFamilyWhole();
    void id_isTheSameAsLongAsTheDeedsAre();
    void family_hasItsIdInAnyOrder();
    void sharedMemory_ofTheTargetsAlone();
    void gpus_narrow();
    void include_takesAFamilyByName();
    void only_takesOneProcess();
    void include_forbidden_data();
    void include_forbidden();
    void grace_followsTheHead();
    void withoutGpus_noPlan();
    void difference_isTold();

private:
    struct Made
    {
        Case one;
        Diagnosis diagnosis;
        [[nodiscard]] Result<Plan> plan(const PlanOptions &options = {}) const { return makePlan(one.now, diagnosis, options); }
        [[nodiscard]] ProcessIdentity identityOf(qint64 pid) const
        {
            const auto at = std::ranges::find(*one.now.processes, Pid{pid}, &Process::pid);
            return at == one.now.processes->end() ? ProcessIdentity{} : at->identity().value_or(ProcessIdentity{});
        }
    };
    /// The family's processes within one clock tick.
    static void startTogether(Made &m)
    {
        QList<Process> processes = *m.one.now.processes;
        for (Process &process : processes) {
            if (process.pid.value >= 4231 && process.pid.value <= 4249)
                process.startTicks = quint64(500'000);
        }
        m.one.now.processes = processes;
        m.diagnosis = diagnosed(m.one, false);
    }
    [[nodiscard]] static Made made(const QString &name, bool asked = true)
    {
        Made made{caseOf(name), {}};
        if (asked)
            lookForPeers(made.one.now);
        made.diagnosis = diagnosed(made.one, false);
        return made;
    }
};

void TstPlan::foundingCase_namesEngineAndWorkers()
{
    const auto plan = made(u"founding.case"_s).plan();
    QVERIFY(plan);
    QCOMPARE(plan->families.size(), 1);
    const PlanFamily &family = plan->families.first();
    QCOMPARE(family.targets.size(), 9);
    QCOMPARE(family.targets.first().process.identity.pid.value, 4240);
    QCOMPARE(plan->heads().size(), 1);
    QCOMPARE(plan->heads().first().identity.pid.value, 4240);
    QCOMPARE(family.spared.size(), 1);
    QVERIFY(family.spared.first().startsWith(u"4231 "_s));
    QCOMPARE(plan->gpus.size(), 8);
    QCOMPARE(plan->gpus.at(3).heldMib.valueOr(-1), 96615);
    QVERIFY(family.stopUnit.isEmpty()); // the unit waits for the memory: it is not what restarts them
    QVERIFY(!plan->bootId.isEmpty());
}

void TstPlan::onlyLeftovers_everyCase_data()
{
    QTest::addColumn<QString>("name");
    for (const QString &name : QDir(folder).entryList({u"*.case"_s}, QDir::Files, QDir::Name))
        QTest::newRow(qPrintable(name)) << name;
}

void TstPlan::onlyLeftovers_everyCase()
{
    QFETCH(const QString, name);
    for (const bool asked : {true, false}) {
        const Made m = made(name, asked);
        const auto plan = m.plan();
        if (!plan)
            continue; // no GPUs, no processes
        for (const PlanFamily &family : plan->families) {
            QCOMPARE(family.verdict, Verdict::Leftover);
            for (const PlanTarget &target : family.targets) {
                const auto at = std::ranges::find(m.diagnosis.processes, std::optional(target.process.identity), &ProcessVerdict::identity);
                QVERIFY(at != m.diagnosis.processes.end());
                QCOMPARE(at->verdict, Verdict::Leftover);
                QVERIFY(at->preselected);
                QVERIFY(target.process.identity.pid.value > 1);
            }
        }
    }
}

void TstPlan::peersNotAsked_leavesTheFamily()
{
    Made m = made(u"founding.case"_s);
    QList<Process> processes = *m.one.now.processes;
    for (Process &process : processes) {
        if (process.pid.value == 4245)
            process.deep.peers.reset();
    }
    m.one.now.processes = processes;
    const auto plan = m.plan();
    QVERIFY(plan);
    QVERIFY(plan->families.isEmpty());
    QVERIFY(plan->leftBySafety);
    QCOMPARE(plan->left.size(), 1);
    QVERIFY2(plan->left.first().contains(u"connections to other hosts"_s), qPrintable(plan->left.first()));
}

void TstPlan::oneMemberLeft_leavesTheFamilyWhole()
{
    Made m = made(u"founding.case"_s);
    for (ProcessVerdict &verdict : m.diagnosis.processes) {
        if (verdict.pid.value == 4243)
            verdict.preselected = false;
    }
    const auto plan = m.plan();
    QVERIFY(plan && plan->families.isEmpty());
    QCOMPARE(plan->left.size(), 1);
}

void TstPlan::id_isTheSameAsLongAsTheDeedsAre()
{
    Made m = made(u"founding.case"_s);
    startTogether(m);
    const QString id = m.plan()->id();
    QCOMPARE(id.size(), 12);
    // Figures and titles change by themselves.
    QList<Process> processes = *m.one.now.processes;
    for (Process &process : processes) {
        process.rssKib = process.rssKib.valueOr(0) + 100;
        process.command += u'x';
        for (ProcessGpuMemory &memory : process.gpuMemory)
            memory.mib = memory.mib.valueOr(0) + 2;
    }
    m.one.now.processes = processes;
    QCOMPARE(m.plan()->id(), id);
    // And the order of a list is no order of deeds.
    std::ranges::reverse(processes);
    m.one.now.processes = processes;
    std::ranges::reverse(*m.one.now.gpus);
    std::ranges::reverse(m.diagnosis.processes);
    std::ranges::reverse(m.diagnosis.families);
    QCOMPARE(m.plan()->id(), id);
    // Another start is another process.
    for (ProcessVerdict &verdict : m.diagnosis.processes) {
        if (verdict.pid.value == 4249)
            verdict.identity->start.value += 1;
    }
    QVERIFY(m.plan()->id() != id);
    PlanOptions below;
    below.belowMib = 1000;
    QVERIFY(made(u"founding.case"_s).plan(below)->id() != id);
    PlanOptions grace;
    grace.grace = std::chrono::milliseconds(1);
    QVERIFY(made(u"founding.case"_s).plan(grace)->id() != id);
}

/// Siblings start within one clock tick, and a snapshot lists processes in any order.
void TstPlan::family_hasItsIdInAnyOrder()
{
    Made m = made(u"founding.case"_s);
    startTogether(m);
    const QString id = diagnosed(m.one, false).families.first().id;
    std::ranges::reverse(*m.one.now.processes);
    QCOMPARE(diagnosed(m.one, false).families.first().id, id);
}

void TstPlan::sharedMemory_ofTheTargetsAlone()
{
    Made m = made(u"founding.case"_s);
    const auto file = [](const QString &name, const std::optional<QList<qint64>> &by) {
        ShmFile one;
        one.path = u"/dev/shm/"_s + name;
        one.device = 26;
        one.inode = 7;
        one.uid = 0;
        one.mappedBy = by;
        return one;
    };
    m.one.now.shm = QList<ShmFile>{file(u"psm_a"_s, QList<qint64>{4242, 4240}), file(u"psm_shared"_s, QList<qint64>{4242, 300}),
                                   file(u"psm_nobody"_s, QList<qint64>{}), file(u"psm_unknown"_s, std::nullopt),
                                   file(u"sub/psm_b"_s, QList<qint64>{4242}), file(u"..x"_s, QList<qint64>{4242}),
                                   file(u"a;reboot"_s, QList<qint64>{4242})};
    QVERIFY(m.plan()->shm.isEmpty()); // only when asked for
    PlanOptions options;
    options.cleanShm = true;
    const auto plan = m.plan(options);
    QCOMPARE(plan->shm, (QList<ShmTarget>{{u"psm_a"_s, 26, 7, 0}}));
    QVERIFY(plan->id() != m.plan()->id());
}

void TstPlan::gpus_narrow()
{
    const Made m = made(u"founding.case"_s);
    PlanOptions options;
    options.gpus = {3};
    QCOMPARE(m.plan(options)->targets().size(), 9); // a family is ended or left whole
    options.gpus = {9};
    QVERIFY(m.plan(options)->families.isEmpty());
    options.gpus.clear();
    options.concerns = [](const Family &) { return false; };
    QVERIFY(m.plan(options)->families.isEmpty());
}

void TstPlan::include_takesAFamilyByName()
{
    Made m = made(u"headless-rank.case"_s);
    QVERIFY(m.plan()->families.isEmpty());
    const auto held = std::ranges::find_if(m.diagnosis.processes, [](const ProcessVerdict &one) { return one.verdict == Verdict::InUse && one.identity; });
    QVERIFY(held != m.diagnosis.processes.end());
    PlanOptions options;
    options.include = {*held->identity};
    const auto plan = m.plan(options);
    QVERIFY2(plan, plan ? "" : qPrintable(sentenceOf(plan.error())));
    QCOMPARE(plan->families.size(), 1);
    QVERIFY(plan->families.first().included);
    QCOMPARE(plan->families.first().id, held->family);
}

void TstPlan::only_takesOneProcess()
{
    const Made m = made(u"founding.case"_s);
    PlanOptions options;
    options.only = m.identityOf(4243);
    const auto plan = m.plan(options);
    QVERIFY2(plan, plan ? "" : qPrintable(sentenceOf(plan.error())));
    QCOMPARE(plan->targets().size(), 1);
    QCOMPARE(plan->targets().first().identity.pid.value, 4243);
    QCOMPARE(plan->heads().size(), 1);
    QCOMPARE(plan->gpus.size(), 1); // the others' memory is not waited for
    QVERIFY(!plan->left.isEmpty());
    options.only = m.identityOf(4231); // the tracker
    const auto helper = m.plan(options);
    QVERIFY(!helper);
    QCOMPARE(exitCodeOf(helper.error().code), 7);
}

void TstPlan::include_forbidden_data()
{
    QTest::addColumn<qint64>("pid");
    QTest::addColumn<quint64>("later");
    QTest::newRow("persistence daemon") << qint64(300) << quint64(0);
    QTest::newRow("the tracker") << qint64(4231) << quint64(0);
    QTest::newRow("its number is another's now") << qint64(4242) << quint64(1);
    QTest::newRow("nobody") << qint64(99'999) << quint64(0);
}

void TstPlan::include_forbidden()
{
    QFETCH(const qint64, pid);
    QFETCH(const quint64, later);
    const Made m = made(u"founding.case"_s);
    PlanOptions options;
    ProcessIdentity identity = m.identityOf(pid);
    identity.start.value += later;
    options.include = {identity};
    const auto plan = m.plan(options);
    QVERIFY(!plan);
    QCOMPARE(exitCodeOf(plan.error().code), 7);
}

void TstPlan::grace_followsTheHead()
{
    QCOMPARE(made(u"founding.case"_s).plan()->families.first().grace.count(), 5'000); // its server is gone
    PlanOptions options;
    options.grace = std::chrono::milliseconds(700);
    QCOMPARE(made(u"founding.case"_s).plan(options)->families.first().grace.count(), 700);
    Made m = made(u"founding.case"_s);
    QList<Process> processes = *m.one.now.processes;
    for (Process &process : processes) {
        if (process.pid.value == 4240) {
            process.command = u"python3 /opt/v/bin/vllm serve m"_s;
            process.arguments = {u"python3"_s, u"/opt/v/bin/vllm"_s, u"serve"_s, u"m"_s};
            process.comm = u"python3"_s;
        }
    }
    m.one.now.processes = processes;
    QCOMPARE(m.plan()->families.first().grace.count(), 15'000); // a server can clean up
}

void TstPlan::withoutGpus_noPlan()
{
    Made m = made(u"founding.case"_s);
    m.one.now.gpus.reset();
    const auto plan = m.plan();
    QVERIFY(!plan);
    QCOMPARE(exitCodeOf(plan.error().code), 6);
}

void TstPlan::difference_isTold()
{
    QCOMPARE(differenceOf({u"a"_s, u"b"_s}, {u"b"_s, u"c"_s}), (QStringList{u"- a"_s, u"+ c"_s}));
    QVERIFY(differenceOf({u"a"_s}, {u"a"_s}).isEmpty());
}

PILOTHOUSE_TEST_MAIN(TstPlan)
#include "tst_plan.moc"
