// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// Cases of /proc as reproduced on Debian 12; numbers point to the collection they come from.
#include "core/probe/parse/procstat.h"
#include "tests/support/testmain.h"
#include "tests/unit/probe/parse/fixtures.h"

using namespace pilothouse;
using namespace Qt::StringLiterals;

namespace {

const QByteArray tail =
    " S 14417 14417 13267 0 -1 4194304 124 0 0 0 10 5 0 0 20 0 1 0 391883 368424 700 18446744073709551615 0\n";

} // namespace

class TstProcStat final : public QObject
{
    Q_OBJECT
private slots:
    void comm_everyShape_data();
    void comm_everyShape();
    void fields_ofALiveProcess();
    void fields_zombieLeaderWithAThread();
    void fields_exitingAndKernelThread();
    void stat_truncatedAnywhere();
    void stat_refused_data();
    void stat_refused();
    void cmdline_everyShape_data();
    void cmdline_everyShape();
    void cmdline_cutIsShown();
    void cmdline_hugeIsBounded();
};

void TstProcStat::comm_everyShape_data()
{
    QTest::addColumn<QByteArray>("raw");
    QTest::addColumn<QString>("comm");
    QTest::newRow("plain") << QByteArray("python3") << u"python3"_s;
    QTest::newRow("blank inside (107)") << QByteArray("py thon") << u"py thon"_s;
    QTest::newRow("line feed (109)") << QByteArray("x\ny") << u"x\u240ay"_s;
    QTest::newRow("brackets (host 7)") << QByteArray("(sd-pam)") << u"(sd-pam)"_s;
    QTest::newRow("empty (host 11)") << QByteArray() << QString();
    QTest::newRow("any byte (host 9)") << QByteArray("\377\376\001\033[31m") << u"\ufffd\ufffd\u2401\u241b[31m"_s;
    QTest::newRow("a whole forged tail") << QByteArray("a) R 1 1 1 0 -1 ") << u"a) R 1 1 1 0 -1 "_s;
    QTest::newRow("closing bracket, line feed") << QByteArray("R 1 2\n3") << u"R 1 2\u240a3"_s;
    QTest::newRow("kernel thread, long (111)") << QByteArray("pool_workqueue_release") << u"pool_workqueue_release"_s;
    QTest::newRow("renamed worker") << QByteArray("VLLM::Worker_TP") << u"VLLM::Worker_TP"_s;
}

void TstProcStat::comm_everyShape()
{
    QFETCH(QByteArray, raw);
    const auto stat = parseProcStat("14468 (" + raw + ')' + tail);
    QVERIFY(stat.has_value());
    QTEST(stat->comm, "comm");
    QCOMPARE(stat->pid, qint64(14468));
    QCOMPARE(stat->state, u'S');
    QCOMPARE(stat->startTicks, quint64(391'883));
}

void TstProcStat::fields_ofALiveProcess()
{
    const auto stat =
        parseProcStat("4242 (VLLM::Worker_TP) R 4100 4099 4098 0 -1 4194560 2035 0 1 0 120 30 0 0 20 0 77 0 123456 "
                      "18325504000 2500 18446744073709551615 1 1 0\n");
    QVERIFY(stat.has_value());
    QCOMPARE(stat->ppid, qint64(4100));
    QCOMPARE(stat->pgid, qint64(4099));
    QCOMPARE(stat->sid, qint64(4098));
    QCOMPARE(stat->cpuTicks, quint64(150));
    QCOMPARE(stat->threads, 77);
    QCOMPARE(stat->startTicks, quint64(123'456));
    QCOMPARE(stat->rssPages, qint64(2500));
    QVERIFY(!stat->exiting);
    QVERIFY(!stat->kernelThread);
}

void TstProcStat::fields_zombieLeaderWithAThread() // host 5
{
    const auto stat = parseProcStat(
        "14510 (a) Z 14417 14417 13267 0 -1 4227084 108 0 0 0 0 0 0 0 20 0 2 0 368424 0 0 18446744073709551615 0 0\n");
    QVERIFY(stat.has_value());
    QCOMPARE(stat->state, u'Z');
    QCOMPARE(stat->threads, 2); // not dead: may still hold GPU memory
    QVERIFY(stat->exiting);
}

void TstProcStat::fields_exitingAndKernelThread()
{
    const QByteArray rest = " 108 0 0 0 0 0 0 0 20 0 1 0 368424 0 0 0\n";
    QVERIFY(parseProcStat("1 (a) R 0 0 0 0 -1 4" + rest)->exiting);
    QVERIFY(parseProcStat("3 (kthreadd) S 2 0 0 0 -1 2129984" + rest)->kernelThread);
    QVERIFY(!parseProcStat("3 (x) S 2 0 0 0 -1 4194304" + rest)
                 ->kernelThread); // a parent 2 inside a namespace proves nothing
}

void TstProcStat::stat_truncatedAnywhere()
{
    const QByteArray whole = test::statOf(4242, "VLLM::Worker_TP");
    const auto full = parseProcStat(whole);
    QVERIFY(full.has_value());
    for (qsizetype cut = 0; cut < whole.size(); ++cut) {
        const auto stat = parseProcStat(whole.first(cut));
        if (stat)
            QCOMPARE(stat->startTicks, full->startTicks);
    }
}

void TstProcStat::stat_refused_data()
{
    QTest::addColumn<QByteArray>("stat");
    QTest::newRow("empty") << QByteArray();
    QTest::newRow("no brackets") << QByteArray("1 a S 1") + tail;
    QTest::newRow("no pid") << "(a)" + tail;
    QTest::newRow("pid is a word") << "x (a)" + tail;
    QTest::newRow("brackets the wrong way") << "1 )a(" + tail;
    QTest::newRow("state of two letters") << QByteArray("1 (a) SS 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 0 0 1 0 5 0 0\n");
    QTest::newRow("start is a word") << QByteArray("1 (a) S 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 0 0 1 0 x 0 0\n");
    QTest::newRow("start overflows") << QByteArray(
        "1 (a) S 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 0 0 1 0 18446744073709551616 0 0\n");
    QTest::newRow("threads negative") << QByteArray("1 (a) S 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 0 0 -1 0 5 0 0\n");
    QTest::newRow("zeros") << QByteArray(300, '\0');
}

void TstProcStat::stat_refused()
{
    QFETCH(QByteArray, stat);
    QVERIFY(!parseProcStat(stat));
}

void TstProcStat::cmdline_everyShape_data()
{
    QTest::addColumn<QByteArray>("raw");
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QString>("display");
    const auto row = [](const char *name, QByteArray raw, const QStringList &arguments, const QString &display) {
        QTest::newRow(name) << raw.replace('|', '\0') << arguments << display;
    };
    row("host 1 ordinary", "./a|name|arg1|arg2|", {u"./a"_s, u"name"_s, u"arg1"_s, u"arg2"_s}, u"./a name arg1 arg2"_s);
    row("blanks are quoted", "python|-c|import x; y|", {u"python"_s, u"-c"_s, u"import x; y"_s},
        u"python -c 'import x; y'"_s);
    row("host 13 empty argv[0]", "|7|", {u""_s, u"7"_s}, u"'' 7"_s);
    row("rewritten title", "VLLM::Worker_TP0|", {u"VLLM::Worker_TP0"_s}, u"VLLM::Worker_TP0"_s);
    row("title padded with NULs", "VLLM::Worker_TP0|||||||||", {u"VLLM::Worker_TP0"_s}, u"VLLM::Worker_TP0"_s);
    row("103 title padded with blanks", "ray::IDLE                   |", {u"ray::IDLE"_s}, u"ray::IDLE"_s);
    row("105 title with blanks stays as it is", "sglang::scheduler_PP2_TP0 x|", {u"sglang::scheduler_PP2_TP0 x"_s},
        u"sglang::scheduler_PP2_TP0 x"_s);
    row("kernel thread, zombie", "", {}, QString());
    row("wiped", "||||", {}, QString());
    row("wiped with blanks", "    |", {}, QString());
    row("no last NUL", "a|b", {u"a"_s, u"b"_s}, u"a b"_s);
    row("101 line feed and comma", "./py thon|1|--model|meta-llama/Llama 3,70B|multi\nline|",
        {u"./py thon"_s, u"1"_s, u"--model"_s, u"meta-llama/Llama 3,70B"_s, u"multi\u240aline"_s},
        u"'./py thon' 1 --model 'meta-llama/Llama 3,70B' multi\u240aline"_s);
    row("a forged header", "x\n==> /proc/999/cmdline <==\npython|", {u"x\u240a==> /proc/999/cmdline <==\u240apython"_s},
        u"x\u240a==> /proc/999/cmdline <==\u240apython"_s);
    row("invalid UTF-8", "a\377b|", {u"a\ufffdb"_s}, u"a\ufffdb"_s);
}

void TstProcStat::cmdline_everyShape()
{
    QFETCH(QByteArray, raw);
    const CommandLine line = parseCommandLine(raw);
    QTEST(line.arguments, "arguments");
    QTEST(line.display, "display");
}

void TstProcStat::cmdline_cutIsShown()
{
    const CommandLine line = parseCommandLine(QByteArray("a\0--model\0meta", 14), true);
    QCOMPARE(line.arguments.last(), u"meta\u2026"_s);
    QCOMPARE(line.display, u"a --model meta\u2026"_s);
    QVERIFY(parseCommandLine({}, true).arguments.isEmpty());
}

void TstProcStat::cmdline_hugeIsBounded()
{
    QByteArray raw;
    for (int i = 0; i < 20'000; ++i)
        raw += QByteArray("x\0", 2);
    const CommandLine line = parseCommandLine(raw);
    QVERIFY(line.arguments.size() <= 512);
    QVERIFY(line.display.size() <= 4096);
    QVERIFY(parseCommandLine(QByteArray(1'000'000, 'y')).display.size() <= 4096);
}

PILOTHOUSE_TEST_MAIN(TstProcStat)
#include "tst_procstat.moc"
