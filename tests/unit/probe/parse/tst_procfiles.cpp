// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/probe/parse/procfiles.h"
#include "tests/support/testmain.h"

using namespace pilothouse;
using namespace Qt::StringLiterals;

class TstProcFiles final : public QObject
{
    Q_OBJECT
private slots:
    void meminfo_figures();
    void meminfo_oldKernel();
    void meminfo_nonsense();
    void load_forms();
    void oomKills_forms();
    void pci_nvidiaDisplaysOnly();
    void status_ofAProcess();
    void status_nonsense();
    void sessions_ofLogind();
};

void TstProcFiles::meminfo_figures()
{
    const HostMemory memory = parseMeminfo(
        "MemTotal:       527824436 kB\nMemFree:        1234 kB\nMemAvailable:   501824436 kB\nSwapTotal: 0 kB\n");
    QCOMPARE(memory.totalKib, Quantity<qint64>(527'824'436));
    QCOMPARE(memory.availableKib, Quantity<qint64>(501'824'436));
}

void TstProcFiles::meminfo_oldKernel()
{
    const HostMemory memory = parseMeminfo("MemTotal:       1024 kB\nMemFree:        512 kB\n");
    QCOMPARE(memory.totalKib, Quantity<qint64>(1024));
    QVERIFY(!memory.availableKib.isKnown()); // never guessed from MemFree
    QCOMPARE(memory.availableKib.reason(), UnknownReason::Absent);
}

void TstProcFiles::meminfo_nonsense()
{
    for (const char *text :
         {"", "MemTotal:", "MemTotal: x kB", "MemTotal: -1 kB", "MemTotal: 5 MB", "MemTotal: 99999999999999999999 kB"})
        QVERIFY2(!parseMeminfo(text).totalKib.isKnown(), text);
}

void TstProcFiles::load_forms()
{
    QCOMPARE(parseLoad1("0.52 0.58 0.59 1/2034 4243\n"), Quantity<double>(0.52));
    QCOMPARE(parseLoad1("0.00 0.00 0.00"), Quantity<double>(0.0));
    for (const char *text : {"", "0.52", "x 1 2 3", "-1 0 0", "nan 0 0 1/2 3"}) {
        QVERIFY2(!parseLoad1(text).isKnown(), text);
        QCOMPARE(parseLoad1(text).reason(), UnknownReason::Unparsable);
    }
}

void TstProcFiles::oomKills_forms()
{
    QCOMPARE(parseOomKills("nr_free_pages 5\noom_kill 3\n"), Quantity<qint64>(3));
    QCOMPARE(parseOomKills("oom_kill 0\n"), Quantity<qint64>(0));
    QCOMPARE(parseOomKills("nr_free_pages 5\n").reason(), UnknownReason::Absent);
    QVERIFY(!parseOomKills("nr_free_pages 5\n").isKnown());
    QCOMPARE(parseOomKills("oom_kill x\n").reason(), UnknownReason::Unparsable);
}

void TstProcFiles::pci_nvidiaDisplaysOnly()
{
    QCOMPARE(
        parsePciGpus(
            "0000:41:00.0 0x10de 0x030200\n0000:01:00.0 0x10de 0x030000\n0000:01:00.1 0x10de 0x040300\n"
            "0000:c5:00.0 0x10de 0x068000\n0000:03:00.0 0x1a03 0x030000\n10000:01:00.0 0x10de 0x030200\n"
            "0000:41:00.0 0x10de 0x030200\nnonsense 0x10de 0x030200\n0000:05:00.0 0x10de\n0000:06:00.0 10de 038000\n"),
        (QStringList{u"0000:01:00.0"_s, u"0000:06:00.0"_s, u"0000:41:00.0"_s, u"10000:01:00.0"_s}));
    QVERIFY(parsePciGpus({}).isEmpty());
}

void TstProcFiles::status_ofAProcess()
{
    ProcStatus status = parseProcStatus("PPid:\t1\nVmLck:\t       8 kB\nVmPin:\t   16384 kB\nSigPnd:\t0000000000000000\n"
                                        "ShdPnd:\t0000000000004000\nwchan:futex_wait_queue\n");
    QCOMPARE(status.lockedKib, qint64(16'392));
    QCOMPARE(status.killPending, false); // SIGTERM
    QCOMPARE(status.waitsIn, u"futex_wait_queue"_s);
    status = parseProcStatus("SigPnd:\t0000000000000100\nShdPnd:\t0000000000000000\nwchan:0\n");
    QCOMPARE(status.killPending, true);
    QVERIFY(!status.lockedKib && !status.waitsIn); // a kernel thread's; not told to this account
}

void TstProcFiles::status_nonsense()
{
    const ProcStatus status = parseProcStatus("SigPnd\nSigPnd:\nShdPnd:\tx\nVmLck:\t-8 kB\nVmLck:\t8 MB\nVmPin:\t9223372036854775807 kB\n"
                                              "VmPin:\t99999999999999999999 kB\nwchan:\n:\n\n");
    QVERIFY(!status.killPending && !status.lockedKib && !status.waitsIn);
}

void TstProcFiles::sessions_ofLogind()
{
    const QList<LoginSession> sessions =
        parseSessions("/run/systemd/sessions/3:USER=alice\n/run/systemd/sessions/3:STATE=active\n/run/systemd/sessions/3:TTY=pts/0\n"
                      "/run/systemd/sessions/3:SCOPE=session-3.scope\n/run/systemd/sessions/3:CLASS=user\n"
                      "/run/systemd/sessions/4:USER=bob\\x1b\n/run/systemd/sessions/4:STATE=closing\n/run/systemd/sessions/4:TTY=pts/1\n"
                      "/run/systemd/sessions/5:USER=root\n/run/systemd/sessions/5:CLASS=manager\n"
                      "/run/systemd/sessions/6:USER=carol\n/run/systemd/sessions/6:STATE=online\n"
                      "/run/systemd/sessions/7:STATE=online\n/run/systemd/sessions/8\n"
                      "/run/systemd/sessions/9:USER=dave\n/run/systemd/sessions/9:UID=1009\n"
                      "1796237400 1001 /dev/pts/0\n1796237400 1002 /dev/pts/1\nx 0 /dev/pts/2\n1796237000 1009 /dev/pts/3\n"
                      "1796237460 1009 /dev/pts/4\n1796237470 1008 /dev/pts/5\n1796237472 0 /proc/self/stat\n");
    QCOMPARE(sessions, (QList<LoginSession>{{u"session-3.scope"_s, u"alice"_s, 72.0}, {u"session-6.scope"_s, u"carol"_s, {}},
                                            {u"session-9.scope"_s, u"dave"_s, 12.0}}));
    QVERIFY(!parseSessions("/run/systemd/sessions/3:USER=a\n/run/systemd/sessions/3:TTY=pts/0\n5 0 /dev/pts/0\n").first().idleS.isKnown());
}

PILOTHOUSE_TEST_MAIN(TstProcFiles)
#include "tst_procfiles.moc"
