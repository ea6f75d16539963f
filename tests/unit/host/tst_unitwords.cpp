// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// What units say of themselves against what a person must read; numbers are those of the collected
// answers.
#include "core/host/unitwords.h"
#include "tests/support/testmain.h"

using namespace pilothouse;
using namespace Qt::StringLiterals;

namespace {

/// "LoadState ActiveState/SubState Result ExecMainCode/ExecMainStatus NRestarts"; "?" is not known.
Unit unitFrom(const QString &brief)
{
    const QStringList words = brief.split(u' ');
    const auto figure = [](const QString &word) {
        return word == u"?" ? Quantity<int>() : Quantity<int>(word.toInt());
    };
    Unit unit;
    unit.name = u"x.service"_s;
    unit.load = words.at(0);
    unit.active = words.at(1).section(u'/', 0, 0);
    unit.sub = words.at(1).section(u'/', 1);
    unit.result = words.at(2);
    unit.execMainCode = figure(words.at(3).section(u'/', 0, 0));
    unit.execMainStatus = figure(words.at(3).section(u'/', 1));
    unit.restarts = figure(words.at(4));
    return unit;
}

} // namespace

class TstUnitWords final : public QObject
{
    Q_OBJECT
private slots:
    void state_isSaidForPeople_data();
    void state_isSaidForPeople();
    void signal_hasItsNameAndItsMeaning_data();
    void signal_hasItsNameAndItsMeaning();
    void load_errorIsShown();
};

void TstUnitWords::state_isSaidForPeople_data()
{
    QTest::addColumn<QString>("brief");
    QTest::addColumn<QString>("words");
    QTest::addColumn<bool>("trouble");
    const auto row = [](const char *name, const char *brief, const char *words, bool trouble) {
        QTest::newRow(name) << QString::fromLatin1(brief) << QString::fromLatin1(words) << trouble;
    };
    row("117 running", "loaded active/running success ?/? 0", "running", false);
    row("119, host 23 masked", "masked inactive/dead success ?/? 0", "masked by an administrator",
        true);
    row("host 21 not found", "not-found inactive/dead success ?/? 0", "no such unit", true);
    row("121, host 25 exited non-zero", "loaded failed/failed exit-code 1/7 0",
        "exited with status 7", true);
    row("123 waiting to restart", "loaded activating/auto-restart exit-code 1/3 0",
        "exited with status 3, restarting", true);
    row("123 newer sub-state", "loaded activating/auto-restart-queued exit-code 1/3 2",
        "exited with status 3, restarting", true);
    row("125 start limit", "loaded failed/failed start-limit-hit 1/0 3",
        "exits at once with status 0, gave up after 3 restarts", true);
    row("a crash loop that gave up", "loaded failed/failed exit-code 1/3 5",
        "exited with status 3, gave up after 5 restarts", true);
    row("127 segmentation fault", "loaded failed/failed signal 2/11 0", "crashed: SIGSEGV", true);
    row("host 27 killed", "loaded failed/failed signal 2/9 0",
        "killed by SIGKILL (possibly out of memory: see the kernel log)", true);
    row("host 27 core dump", "loaded failed/failed core-dump 3/6 0", "crashed: SIGABRT", true);
    row("host 27 watchdog", "loaded failed/failed watchdog 2/6 0",
        "gave no sign of life, ended by systemd's watchdog", true);
    row("a signal without a name", "loaded failed/failed signal 2/42 0", "killed by signal 42",
        true);
    row("129 still loading", "loaded activating/start success ?/? 0", "starting", false);
    row("the wait before the start", "loaded activating/start-pre success ?/? 0",
        "starting: a command before its main program runs", false);
    row("host 29 start timeout", "loaded failed/failed timeout 2/15 0",
        "did not become ready or end in time, stopped by systemd", true);
    row("131 203/EXEC", "loaded failed/failed exit-code 1/203 0",
        "program not found or not executable (203/EXEC)", true);
    row("133 one-shot", "loaded active/exited success 1/0 0", "done", false);
    row("135 dependency failed", "loaded inactive/dead success ?/? 0", "stopped", false);
    row("host 31 protocol", "loaded failed/failed protocol 1/0 0", "ended before it reported ready",
        true);
    row("host 33 out of memory", "loaded failed/failed oom-kill 2/9 0", "out of host memory", true);
    row("host 33 ended by TERM and still that", "loaded failed/failed oom-kill 2/15 0",
        "out of host memory", true);
    row("host 35 start-pre failed", "loaded failed/failed exit-code ?/? 0",
        "a command before its main program failed", true);
    row("host 37 start-pre failed, again", "loaded activating/auto-restart exit-code ?/? 1",
        "a command before its main program failed, restarting", true);
    row("host 39 sub-state of a newer version",
        "loaded inactive/dead-resources-pinned success ?/? 0", "inactive (dead-resources-pinned)",
        false);
    row("host 39 in failed", "loaded failed/final-watchdog strange ?/? 0", "failed (strange)",
        true);
    row("stopping", "loaded deactivating/stop-sigterm success ?/? 0", "stopping", false);
    row("reloading", "loaded reloading/reload success ?/? 0", "reloading (reload)", false);
    row("a timer", "loaded active/waiting success ?/? ?", "active (waiting)", false);
    row("host 33 no means", "loaded failed/failed resources ?/? 0", "systemd lacked the means to start it", true);
    row("131 200/CHDIR", "loaded failed/failed exit-code 1/200 0", "working directory cannot be entered (200/CHDIR)",
        true);
    row("131 216/GROUP", "loaded failed/failed exit-code 1/216 0", "group cannot be set (216/GROUP)", true);
    row("131 217/USER", "loaded failed/failed exit-code 1/217 2",
        "user cannot be set (217/USER), gave up after 2 restarts", true);
    row("131 226/NAMESPACE", "loaded failed/failed exit-code 1/226 0",
        "mount namespace cannot be set up (226/NAMESPACE)", true);
    row("a code that no kernel has", "loaded failed/failed exit-code 9/1 0",
        "a command before its main program failed", true);
    row("ended well, and failed afterwards", "loaded failed/failed exit-code 1/0 0", "failed (exit-code)", true);
    row("125 start limit without restarts", "loaded failed/failed start-limit-hit 1/0 0",
        "exits at once with status 0, gave up", true);
    row("failed without a result", "loaded failed/failed success ?/? 0", "failed", true);
    row("a result of a newer version", "loaded failed/failed strange ?/? 4",
        "failed (strange), gave up after 4 restarts", true);
    row("ended well, and restarts", "loaded activating/auto-restart success 1/0 0", "ended, restarting", true);
    row("no sub-state", "loaded activating/ success ?/? 0", "starting", false);
    row("after the start", "loaded activating/start-post success ?/? 0", "starting (start-post)", false);
    row("stopped without a sub-state", "loaded inactive/ success ?/? 0", "stopped", false);
    row("state and sub-state alike", "loaded maintenance/maintenance success ?/? 0", "maintenance", false);
    row("no load state", " failed/failed exit-code 1/7 0", "exited with status 7", true);
    row("a running one without a file", "not-found active/running success ?/? 0", "running", false);
}

void TstUnitWords::state_isSaidForPeople()
{
    QFETCH(QString, brief);
    QFETCH(bool, trouble);
    const Unit unit = unitFrom(brief);
    QTEST(stateWordsOf(unit), "words");
    QCOMPARE(isInTrouble(unit), trouble);
}

void TstUnitWords::signal_hasItsNameAndItsMeaning_data()
{
    QTest::addColumn<int>("number");
    QTest::addColumn<QString>("words");
    const char *names[] = {"", "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE",
                           "KILL", "USR1", "SEGV", "USR2", "PIPE", "ALRM", "TERM"};
    const QSet<int> crashes{4, 6, 7, 8, 11};
    for (int number = 1; number < 16; ++number) {
        const QString name = u"SIG"_s + QString::fromLatin1(names[number]);
        if (number != 9) // has words of its own
            QTest::newRow(names[number]) << number
                                         << QString((crashes.contains(number) ? u"crashed: "_s : u"killed by "_s)
                                                    + name);
    }
    QTest::newRow("SYS") << 31 << u"killed by SIGSYS"_s;
}

void TstUnitWords::signal_hasItsNameAndItsMeaning()
{
    QFETCH(int, number);
    QFETCH(QString, words);
    QCOMPARE(stateWordsOf(unitFrom(u"loaded failed/failed signal 2/%1 0"_s.arg(number))), words);
    QCOMPARE(stateWordsOf(unitFrom(u"loaded failed/failed core-dump 3/%1 0"_s.arg(number))),
             QString(u"crashed: "_s + words.section(u' ', -1)));
}

void TstUnitWords::load_errorIsShown()
{
    Unit unit = unitFrom(u"bad-setting inactive/dead success ?/? 0"_s);
    unit.loadError = u"Unit x.service has a bad unit file setting."_s;
    QCOMPARE(
        stateWordsOf(unit),
        u"its file cannot be used (bad-setting): Unit x.service has a bad unit file setting."_s);
    QVERIFY(isInTrouble(unit));
}

PILOTHOUSE_TEST_MAIN(TstUnitWords)
#include "tst_unitwords.moc"
