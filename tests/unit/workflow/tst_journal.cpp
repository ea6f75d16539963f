// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// What is on disk of a run: while it lasts, after its program was killed, and after its end.
#include "core/workflow/journal.h"
#include "tests/support/testmain.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>

#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

using namespace pilothouse;
using namespace Qt::StringLiterals;

namespace {

Plan planOf()
{
    Plan plan;
    plan.host = u"gpu3"_s;
    plan.bootId = u"0123456789abcdef0123456789abcdef"_s;
    plan.belowMib = 500;
    PlanFamily left;
    left.id = u"80-1"_s;
    left.targets = {PlanTarget{SignalTarget{{Pid{80}, StartTicks{1}}, 0, {}, u"engine"_s}, {}, true, 0}};
    PlanFamily named = left;
    named.id = u"90-7"_s;
    named.included = true;
    named.targets = {PlanTarget{SignalTarget{{Pid{90}, StartTicks{18446744073709551615ULL}}, 0, {}, u"other"_s}, {}, true, 0}};
    plan.families = {left, named};
    return plan;
}

Actor actorOf(const QString &host = u"gpu3"_s)
{
    return {u"c0ffee"_s, u"ada@desk"_s, host, {}};
}

WorkflowEvent eventOf(const QString &step, const QString &text, int seconds)
{
    return {QDateTime(QDate(2026, 12, 3), QTime(2, 41, seconds), Qt::UTC), step, WorkflowEvent::State::Done, text, {}};
}

/// A program that begins a run, tells of it, and is killed. Its state folder has it then.
void runThatIsKilled(const QString &folder, const QList<WorkflowEvent> &events, const QString &host = u"gpu3"_s)
{
    const pid_t child = ::fork();
    if (child == 0) {
        const auto journal = Journal::begin(folder, planOf(), actorOf(host));
        for (const WorkflowEvent &event : events)
            (void)(*journal)->note(event);
        ::kill(::getpid(), SIGKILL);
        ::_exit(1);
    }
    ::waitpid(child, nullptr, 0);
}

} // namespace

class TstJournal final : public QObject
{
    Q_OBJECT
private slots:
    void killedProgram_leavesWhereItStood()
    {
        const QTemporaryDir state;
        runThatIsKilled(state.path(), {eventOf(u"kill"_s, u"SIGKILL."_s, 9), eventOf(u"terminate"_s, u"SIGTERM."_s, 4)});
        const QList<InterruptedRun> runs = interruptedRuns(state.path());
        QCOMPARE(runs.size(), 1);
        const InterruptedRun &run = runs.first();
        QCOMPARE(run.host, u"gpu3"_s);
        QCOMPARE(run.person, u"ada@desk"_s);
        QCOMPARE(run.bootId, planOf().bootId);
        QCOMPARE(run.planId, planOf().id());
        QVERIFY(run.startedAt.secsTo(QDateTime::currentDateTimeUtc()) < 60);
        QCOMPARE(run.options.belowMib, std::optional<qint64>(500));
        QCOMPARE(run.options.cleanShm, false);
        QCOMPARE(run.options.include, (QList<ProcessIdentity>{{Pid{90}, StartTicks{18446744073709551615ULL}}}));
        QCOMPARE(run.events.size(), 2); // in the order of their time
        QCOMPARE(run.events.last().text, u"SIGKILL."_s);
        const QString words = wordsOf(run);
        QVERIFY2(words.contains(u"ada@desk") && words.endsWith(u": SIGKILL."), qPrintable(words));
    }

    void killedAtOnce_hadDoneNothing()
    {
        const QTemporaryDir state;
        runThatIsKilled(state.path(), {});
        QVERIFY(wordsOf(interruptedRuns(state.path()).value(0)).contains(u"before it had done anything"));
    }

    void running_isNotInterrupted()
    {
        const QTemporaryDir state;
        auto journal = Journal::begin(state.path(), planOf(), actorOf());
        QVERIFY2(journal, journal ? "" : qPrintable(sentenceOf(journal.error())));
        QVERIFY((*journal)->note(eventOf(u"terminate"_s, u"SIGTERM."_s, 4)));
        QCOMPARE(interruptedRuns(state.path()).size(), 0);
        const QFileInfoList files = QDir(state.filePath(u"journal"_s)).entryInfoList(QDir::Files);
        QCOMPARE(files.size(), 1);
        QCOMPARE(files.first().permissions() & (QFile::ReadGroup | QFile::ReadOther), QFile::Permissions());
        journal->reset(); // as if its program had ended
        QCOMPARE(interruptedRuns(state.path()).size(), 1);
    }

    void ended_leavesNothing()
    {
        const QTemporaryDir state;
        auto journal = Journal::begin(state.path(), planOf(), actorOf());
        QVERIFY(journal);
        (*journal)->close();
        QVERIFY((*journal)->note(eventOf(u"result"_s, u"Late."_s, 9)));
        journal->reset();
        QVERIFY(QDir(state.filePath(u"journal"_s)).isEmpty());
    }

    void forgotten_isGone_andARunningOneStays()
    {
        const QTemporaryDir state;
        runThatIsKilled(state.path(), {});
        runThatIsKilled(state.path(), {}, u"gpu4"_s);
        QCOMPARE(interruptedRuns(state.path(), u"gpu4"_s).size(), 1);
        forgetRun(interruptedRuns(state.path(), u"gpu4"_s).first());
        QCOMPARE(interruptedRuns(state.path()).size(), 1);
        auto running = Journal::begin(state.path(), planOf(), actorOf(u"gpu5"_s));
        QVERIFY(running);
        const QDir folder(state.filePath(u"journal"_s));
        for (const QString &name : folder.entryList(QDir::Files)) {
            InterruptedRun one;
            one.file = folder.filePath(name);
            forgetRun(one);
        }
        QCOMPARE(folder.entryList(QDir::Files).size(), 1);
    }

    void whatIsNoJournal_isPassedOver_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::newRow("empty") << QByteArray();
        QTest::newRow("binary") << QByteArray(5000, '\xff');
        QTest::newRow("another recipe") << QByteArray("{\"recipe\":\"dance\",\"host\":\"gpu3\",\"started_at\":\"2026-12-03T02:41:10.000Z\"}");
        QTest::newRow("no host") << QByteArray("{\"recipe\":\"reclaim\",\"started_at\":\"2026-12-03T02:41:10.000Z\"}");
    }

    void whatIsNoJournal_isPassedOver()
    {
        QFETCH(const QByteArray, text);
        const QTemporaryDir state;
        runThatIsKilled(state.path(), {});
        QFile file(state.filePath(u"journal/x.jsonl"_s));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(text) == text.size());
        file.close();
        QCOMPARE(interruptedRuns(state.path()).size(), 1);
    }

    void lastLineCutOff_isPassedOver()
    {
        const QTemporaryDir state;
        runThatIsKilled(state.path(), {eventOf(u"terminate"_s, u"SIGTERM."_s, 4)});
        QFile file(interruptedRuns(state.path()).first().file);
        QVERIFY(file.open(QIODevice::Append) && file.write("{\"at\":\"2026-12-03T02:41:1") > 0);
        file.close();
        QCOMPARE(interruptedRuns(state.path()).first().events.size(), 1);
    }

    void hostileText_isCleaned()
    {
        const QTemporaryDir state;
        runThatIsKilled(state.path(), {eventOf(u"terminate"_s, u"a\x1b[2Jb\nc"_s, 4)});
        const QString words = wordsOf(interruptedRuns(state.path()).first());
        QVERIFY(!words.contains(u'\x1b') && !words.contains(u'\n'));
    }

    void unwritable_isALocalFailure()
    {
        const auto journal = Journal::begin(u"/proc/none"_s, planOf(), actorOf());
        QVERIFY(!journal);
        QCOMPARE(exitCodeOf(journal.error().code), 8);
    }
};

PILOTHOUSE_TEST_MAIN(TstJournal)
#include "tst_journal.moc"
