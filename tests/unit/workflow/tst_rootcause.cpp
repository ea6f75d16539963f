// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// Which line of a failed start's log says why. Logs composed from the words that the engines print.
#include "core/workflow/rootcause.h"
#include "tests/support/testmain.h"

using namespace pilothouse;
using namespace Qt::StringLiterals;

class TstRootCause final : public QObject
{
    Q_OBJECT
private slots:
    void cause_data();
    void cause();
    void none_whereNothingFailed();
    void otherRanks_areCounted();
    void phase_data();
    void phase();
};

void TstRootCause::cause_data()
{
    QTest::addColumn<QStringList>("log");
    QTest::addColumn<QString>("line");
    QTest::addColumn<QString>("rank");
    QTest::addColumn<QString>("advice");
    QTest::newRow("traceback of a rank, its consequence last")
        << QStringList{u"(EngineCore_DP0 pid=812) INFO 12-03 04:11:01 [core.py:77] Initializing"_s,
                       u"(Worker_TP3 pid=819) ERROR 12-03 04:11:09 [multiproc_executor.py:708] Traceback (most recent call last):"_s,
                       u"(Worker_TP3 pid=819) ERROR 12-03 04:11:09 [multiproc_executor.py:708]   File \"x.py\", line 7, in load"_s,
                       u"(Worker_TP3 pid=819) ERROR 12-03 04:11:09 [multiproc_executor.py:708] torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB"_s,
                       u"(APIServer pid=700) Traceback (most recent call last):"_s, u"(APIServer pid=700)   File \"y.py\", line 1"_s,
                       u"(APIServer pid=700) RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {}"_s}
        << u"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB"_s << u"Worker_TP3"_s << u"holders"_s;
    QTest::newRow("memory asked for is not free")
        << QStringList{u"Traceback (most recent call last):"_s, u"  File \"x.py\", line 7"_s,
                       u"ValueError: Free memory on device (20.0/95.6 GiB) on startup is less than desired GPU memory utilization (0.9, 86.0 GiB)."_s}
        << u"ValueError: Free memory on device (20.0/95.6 GiB) on startup is less than desired GPU memory utilization (0.9, 86.0 GiB)."_s
        << QString() << u"Somebody else holds memory"_s;
    QTest::newRow("a full disk before the traceback that it causes")
        << QStringList{u"OSError: [Errno 28] No space left on device: '/dev/shm/psm_1'"_s, u"Traceback (most recent call last):"_s,
                       u"  File \"x.py\", line 7"_s, u"KeyError: 'a'"_s}
        << u"OSError: [Errno 28] No space left on device: '/dev/shm/psm_1'"_s << QString() << u"df"_s;
    QTest::newRow("port in use")
        << QStringList{u"[2026-12-03 04:11:09] INFO: starting"_s, u"ERROR:    [Errno 98] error while attempting to bind on address ('0.0.0.0', 8000): address already in use"_s}
        << u"ERROR:    [Errno 98] error while attempting to bind on address ('0.0.0.0', 8000): address already in use"_s << QString()
        << u"ss -ltnp"_s;
    QTest::newRow("only a consequence is there")
        << QStringList{u"RuntimeError: Engine core initialization failed. See root cause above."_s}
        << u"RuntimeError: Engine core initialization failed. See root cause above."_s << QString() << QString();
    QTest::newRow("systemd's own words")
        << QStringList{u"Started a.service."_s, u"a.service: Main process exited, code=exited, status=203/EXEC"_s,
                       u"a.service: Failed at step EXEC spawning /opt/x: No such file or directory error: x"_s}
        << u"a.service: Failed at step EXEC spawning /opt/x: No such file or directory error: x"_s << QString() << u"Check the path"_s;
    QTest::newRow("NCCL")
        << QStringList{u"[rank3]: Traceback (most recent call last):"_s, u"[rank3]:   File \"x\""_s,
                       u"[rank3]: torch.distributed.DistBackendError: NCCL error in: ProcessGroupNCCL.cpp:77, unhandled system error"_s}
        << u"torch.distributed.DistBackendError: NCCL error in: ProcessGroupNCCL.cpp:77, unhandled system error"_s << u"rank3"_s
        << u"Ranks could not reach"_s;
}

void TstRootCause::cause()
{
    QFETCH(const QStringList, log);
    QFETCH(const QString, line);
    QFETCH(const QString, rank);
    QFETCH(const QString, advice);
    const auto found = rootCauseOf(log);
    QVERIFY(found);
    QCOMPARE(found->line, line);
    QVERIFY2(rank.isEmpty() || rank.contains(found->rank), qPrintable(found->rank));
    QVERIFY2(advice.isEmpty() ? found->advice.isEmpty() : found->advice.contains(advice), qPrintable(found->advice));
}

void TstRootCause::none_whereNothingFailed()
{
    QVERIFY(!rootCauseOf({}));
    QVERIFY(!rootCauseOf({u"INFO 12-03 04:11:01 [a.py:1] loaded 3 errors_file.json"_s, u"Started a.service."_s}));
}

void TstRootCause::otherRanks_areCounted()
{
    const auto found = rootCauseOf({u"(Worker_TP0 pid=1) Traceback (most recent call last):"_s, u"(Worker_TP1 pid=2) Traceback (most recent call last):"_s,
                                    u"(Worker_TP0 pid=1)   File \"a\""_s, u"(Worker_TP1 pid=2) ValueError: second rank, first to say"_s,
                                    u"(Worker_TP0 pid=1) TimeoutError: waited for rank 1"_s});
    QVERIFY(found);
    QCOMPARE(found->line, u"ValueError: second rank, first to say"_s);
    QCOMPARE(found->rank, u"Worker_TP1"_s);
    QCOMPARE(found->others, 1);
}

void TstRootCause::phase_data()
{
    QTest::addColumn<QString>("line");
    QTest::addColumn<QString>("words");
    QTest::newRow("shards") << u"Loading safetensors checkpoint shards:  45% Completed | 9/20 [00:10<00:12]"_s << u"loads weights, 45 %"_s;
    QTest::newRow("graphs") << u"Capturing CUDA graphs (mixed prefill-decode, PIECEWISE):  10%|#"_s << u"captures CUDA graphs, 10 %"_s;
    QTest::newRow("up") << u"INFO:     Application startup complete."_s << u"opens its port"_s;
    QTest::newRow("nothing") << u"INFO something else"_s << QString();
}

void TstRootCause::phase()
{
    QFETCH(const QString, line);
    QFETCH(const QString, words);
    QCOMPARE(loadPhaseOf(line), words);
}

PILOTHOUSE_TEST_MAIN(TstRootCause)
#include "tst_rootcause.moc"
