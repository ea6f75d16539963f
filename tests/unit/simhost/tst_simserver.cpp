// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "hostrunner.h"
#include "tests/support/testmain.h"

using namespace pilothouse;
using namespace pilothouse::test;
using namespace Qt::StringLiterals;

/// The server tree, each time in a fresh host of its own.
class TstSimserver : public QObject
{
    Q_OBJECT

    std::optional<HostRunner> m_runner;

    [[nodiscard]] QString output(const QString &command) const { return m_runner->output(command); }
    [[nodiscard]] QString used() const
    {
        return output(u"nvidia-smi --query-gpu=memory.used --format=csv,noheader,nounits"_s).replace(u'\n', u' ');
    }
    /// PID of the process of exactly this title; empty when there is none.
    [[nodiscard]] QString pidOf(const QString &title) const
    {
        return output(u"for p in /proc/[0-9]*; do [ \"$(tr '\\0' ' ' <$p/cmdline | sed 's/ *$//')\" = '%1' ] && echo "
                      "${p#/proc/}; done"_s.arg(title));
    }
    void startServer(const QString &options = {}) const
    {
        const QString command = u"/usr/bin/python3 -m vllm.entrypoints.openai.api_server --model kimi --port 8000"_s;
        QCOMPARE(m_runner->run(u"sim-server --detach --pid-file /tmp/launcher --gpus 0,1 --load 0 %1 -- %2 >/tmp/log 2>&1"_s
                                   .arg(options, command)).status, u"exit 0"_s);
        QTRY_COMPARE(used(), u"96619 96619"_s);
    }
    void kill(const QString &pid, const QString &signal = u"KILL"_s) const
    {
        QVERIFY(!pid.isEmpty());
        QCOMPARE(m_runner->run(u"kill -%1 %2"_s.arg(signal, pid)).status, u"exit 0"_s);
    }
    /// The status line of an HTTP answer, by means that every host has.
    [[nodiscard]] QString http(const QString &path) const
    {
        return output(u"bash -c 'exec 3<>/dev/tcp/127.0.0.1/8000; printf \"GET %1 HTTP/1.1\\r\\n\\r\\n\" >&3; "
                      "timeout 1 cat <&3' | head -1 | tr -d '\\r'"_s.arg(path));
    }

private slots:
    void init()
    {
        m_runner.emplace();
        PILOTHOUSE_BOOT_OR_SKIP(*m_runner, quietHost())
    }
    void cleanup() { m_runner.reset(); }

    void tree_hasTrueTitles()
    {
        startServer();
        const QString tree = output(u"ps axo comm,args --no-headers"_s);
        for (const QString &line :
             {u"python3         /usr/bin/python3 -m vllm.entrypoints.openai.api_server --model kimi --port 8000"_s,
              u"VLLM::EngineCor VLLM::EngineCore"_s, u"VLLM::Worker_TP VLLM::Worker_TP0"_s,
              u"VLLM::Worker_TP VLLM::Worker_TP1"_s})
            QVERIFY2(tree.contains(line), qPrintable(tree));
        QVERIFY(tree.contains(u"/usr/bin/python3 -c from multiprocessing.resource_tracker import main;main("_s));
        const QString worker = pidOf(u"VLLM::Worker_TP0"_s);
        QCOMPARE(output(u"ps -o ppid= -p %1"_s.arg(worker)).trimmed(), pidOf(u"VLLM::EngineCore"_s));
        // Trailing NULs kept, environment zeroed.
        QVERIFY(output(u"wc -c < /proc/%1/cmdline"_s.arg(worker)).toInt() > 60);
        QCOMPARE(output(u"tr -d '\\0' < /proc/%1/environ | wc -c"_s.arg(worker)), u"0"_s);
        QVERIFY(output(u"ls -l /proc/%1/fd"_s.arg(worker)).contains(u"/dev/nvidia0"_s));
    }

    void foundingCase_launcherKilled()
    {
        startServer();
        const QString engine = pidOf(u"VLLM::EngineCore"_s);
        const QString tracker = output(u"ps axo pid,args | grep '[r]esource_tracker' | awk '{print $1}'"_s);
        kill(output(u"cat /tmp/launcher"_s));
        // What the operator sees: one tracker, and all the memory gone.
        QTRY_COMPARE(output(u"ps axo args --no-headers | grep -E '[p]ython|[v]llm' | cut -d' ' -f1-4"_s),
                     u"/usr/bin/python3 -c from multiprocessing.resource_tracker"_s);
        QCOMPARE(used(), u"96619 96619"_s);
        QCOMPARE(output(u"ps -o ppid= -p %1"_s.arg(engine)).trimmed(), u"1"_s);
        QVERIFY(http(u"/health"_s).isEmpty());
        // The tracker cannot be asked to leave, and holds no device.
        kill(tracker, u"TERM"_s);
        kill(tracker, u"INT"_s);
        QCOMPARE(pidOf(u"VLLM::EngineCore"_s), engine);
        QVERIFY(!output(u"ps -p %1 -o pid="_s.arg(tracker)).isEmpty());
        QVERIFY(!output(u"ls -l /proc/%1/fd"_s.arg(tracker)).contains(u"nvidia"_s));
        // Its pipe names its relatives.
        const QString pipe = output(u"readlink /proc/%1/fd/* | grep pipe | tail -1"_s.arg(tracker));
        QCOMPARE(output(u"ls -l /proc/[0-9]*/fd 2>/dev/null | grep -cF '%1'"_s.arg(pipe)), u"4"_s);
        // The engine's end frees all, the tracker tidies up.
        kill(engine);
        QTRY_VERIFY(output(u"ps -p %1 -o pid="_s.arg(tracker)).isEmpty());
        QTRY_COMPARE(used(), u"4 4"_s);
        QCOMPARE(output(u"ls /dev/shm"_s), QString());
    }

    void foundingCase_trackerKilledFirstLeavesSharedMemory()
    {
        startServer();
        kill(output(u"ps axo pid,args | grep '[r]esource_tracker' | awk '{print $1}'"_s));
        kill(output(u"cat /tmp/launcher"_s));
        kill(pidOf(u"VLLM::EngineCore"_s));
        QTRY_COMPARE(used(), u"4 4"_s);
        QVERIFY(output(u"ls /dev/shm"_s).startsWith(u"psm_"_s));
    }

    void term_endsAllInOrder()
    {
        startServer();
        kill(output(u"cat /tmp/launcher"_s), u"TERM"_s);
        QTRY_COMPARE(output(u"ps axo args --no-headers | grep -cE '[V]LLM|[p]ython'"_s), u"0"_s);
        QTRY_COMPARE(used(), u"4 4"_s);
        QCOMPARE(output(u"ls /dev/shm"_s), QString());
    }

    void release_comesAfterItsDelay()
    {
        startServer(u"--release 2"_s);
        QElapsedTimer timer;
        kill(pidOf(u"VLLM::EngineCore"_s));
        QTRY_VERIFY(pidOf(u"VLLM::Worker_TP0"_s).isEmpty());
        timer.start();
        QCOMPARE(used(), u"96619 96619"_s);
        QTRY_COMPARE_WITH_TIMEOUT(used(), u"4 4"_s, 10'000);
        QVERIFY2(timer.elapsed() > 1200, qPrintable(QString::number(timer.elapsed())));
    }

    void release_never()
    {
        startServer(u"--release never"_s);
        kill(pidOf(u"VLLM::EngineCore"_s));
        QTRY_VERIFY(pidOf(u"VLLM::Worker_TP1"_s).isEmpty());
        QTRY_COMPARE(output(u"nvidia-smi --query-compute-apps=pid --format=csv,noheader"_s), QString());
        QCOMPARE(used(), u"96619 96619"_s);
    }

    void worker_ignoresTerm()
    {
        startServer(u"--worker-term ignore --death-pipe off"_s);
        const QString worker = pidOf(u"VLLM::Worker_TP0"_s);
        kill(output(u"cat /tmp/launcher"_s));
        kill(pidOf(u"VLLM::EngineCore"_s));
        kill(worker, u"TERM"_s);
        QTRY_COMPARE(output(u"ps -o ppid= -p %1"_s.arg(worker)).trimmed(), u"1"_s);
        QCOMPARE(used(), u"96619 96619"_s);
        kill(worker);
        QTRY_COMPARE(used(), u"4 96619"_s);
    }

    void http_followsTheLoad()
    {
        QCOMPARE(m_runner->run(u"sim-server --detach --gpus 0,1 --load 1.5 -- vllm serve kimi --port 8000 >/tmp/log 2>&1"_s)
                     .status, u"exit 0"_s);
        QTRY_COMPARE(http(u"/health"_s), u"HTTP/1.1 503 Service Unavailable"_s);
        QTRY_COMPARE(http(u"/health"_s), u"HTTP/1.1 200 OK"_s);
        QCOMPARE(http(u"/v1/models"_s), u"HTTP/1.1 200 OK"_s);
        QCOMPARE(http(u"/nonsense"_s), u"HTTP/1.1 404 Not Found"_s);
        QVERIFY(output(u"cat /tmp/log"_s).contains(u"Application startup complete."_s));
    }

    void http_mayLieAndStall()
    {
        QCOMPARE(m_runner->run(u"sim-server --detach --health lie --load 60 -- vllm serve a --port 8000 >/tmp/log 2>&1"_s).status,
                 u"exit 0"_s);
        QTRY_COMPARE(http(u"/health"_s), u"HTTP/1.1 200 OK"_s);
        QVERIFY(m_runner->run(u"sim-server --detach --check-free off --health stall --load 0 --port 8001 -- vllm serve b "
                              "--port 8001 >/tmp/log2 2>&1"_s).status == u"exit 0"_s);
        QTRY_VERIFY(output(u"cat /tmp/log2"_s).contains(u"startup complete"_s));
        QCOMPARE(output(u"bash -c 'exec 3<>/dev/tcp/127.0.0.1/8001; printf \"GET /health HTTP/1.1\\r\\n\\r\\n\" >&3; "
                        "timeout 1 cat <&3; echo $?'"_s), u"124"_s);
    }

    void http_endpoints_data()
    {
        QTest::addColumn<QString>("request");
        QTest::addColumn<QString>("part");
        QTest::newRow("models") << u"GET /v1/models HTTP/1.1\\r\\n\\r\\n"_s << u"\"id\":\"kimi\""_s;
        QTest::newRow("metrics") << u"GET /metrics HTTP/1.1\\r\\n\\r\\n"_s << u"vllm:num_requests_running"_s;
        QTest::newRow("version") << u"GET /version HTTP/1.0\\r\\n\\r\\n"_s << u"0.11.0"_s;
        QTest::newRow("completion") << u"POST /v1/completions HTTP/1.1\\r\\nContent-Length: 2\\r\\n\\r\\n{}"_s
                                    << u"\"text\":\"Ahoy\""_s;
        QTest::newRow("chat") << u"POST /v1/chat/completions HTTP/1.1\\r\\ncontent-length: 2\\r\\n\\r\\n{}"_s
                              << u"\"content\":\"Ahoy\""_s;
        QTest::newRow("nothing") << u"\\r\\n\\r\\n"_s << u"400 Bad Request"_s;
    }
    void http_endpoints()
    {
        startServer();
        QTRY_COMPARE(http(u"/health"_s), u"HTTP/1.1 200 OK"_s);
        QFETCH(QString, request);
        QFETCH(QString, part);
        const QString answer = output(u"bash -c 'exec 3<>/dev/tcp/127.0.0.1/8000; printf \"%1\" >&3; timeout 2 cat <&3'"_s
                                          .arg(request));
        QVERIFY2(answer.contains(part), qPrintable(answer));
    }

    void engine_takesTheLauncherAlong()
    {
        startServer();
        const QString launcher = output(u"cat /tmp/launcher"_s);
        kill(pidOf(u"VLLM::EngineCore"_s));
        QTRY_COMPARE(output(u"ps -p %1 -o pid="_s.arg(launcher)), QString());
        QVERIFY(output(u"cat /tmp/log"_s).contains(u"EngineDeadError"_s));
    }

    void engine_endsWithAWorker()
    {
        startServer();
        kill(pidOf(u"VLLM::Worker_TP1"_s));
        QTRY_COMPARE(output(u"ps axo args --no-headers | grep -cE '[V]LLM|[p]ython'"_s), u"0"_s);
    }

    void launcher_failsWhileLoading()
    {
        const CommandResult run = m_runner->run(u"sim-server --gpus 0,1 --load 60 --fail-after 0.5 -- vllm serve a"_s);
        QCOMPARE(run.status, u"exit 1"_s);
        QVERIFY(run.errors.contains(u"Engine core initialization failed"_s));
        QTRY_COMPARE(used(), u"4 4"_s);
    }

    void load_growsTheMemory()
    {
        QCOMPARE(m_runner->run(u"sim-server --detach --gpus 0,1 --load 3 -- vllm serve a >/dev/null 2>&1"_s).status, u"exit 0"_s);
        const auto first = [this] { return used().section(u' ', 0, 0).toInt(); };
        QTRY_VERIFY(first() > 600 && first() < 90'000);
        QTRY_COMPARE(used(), u"96619 96619"_s);
    }

    void workers_inSessionsOfTheirOwn()
    {
        startServer(u"--sessions own"_s);
        const QString worker = pidOf(u"VLLM::Worker_TP0"_s);
        QCOMPARE(output(u"ps -o sid= -p %1"_s.arg(worker)).trimmed(), worker);
    }

    void one_cardIsHeldByTheEngine()
    {
        QCOMPARE(m_runner->run(u"sim-server --detach --load 0 -- vllm serve a >/dev/null 2>&1"_s).status, u"exit 0"_s);
        QTRY_COMPARE(output(u"nvidia-smi --query-compute-apps=process_name --format=csv,noheader"_s), u"VLLM::EngineCore"_s);
        QCOMPARE(pidOf(u"VLLM::Worker_TP0"_s), QString());
    }

    void start_refusedOnFullCards()
    {
        startServer();
        const CommandResult second = m_runner->run(u"sim-server --gpus 0 --port 8001 -- vllm serve b"_s);
        QCOMPARE(second.status, u"exit 1"_s);
        QVERIFY(second.errors.contains(u"Free memory on device cuda:0 (0.62/95.59 GiB)"_s));
    }

    void hog_heirsKeepTheMemoryOfTheDead()
    {
        QCOMPARE(m_runner->run(u"sim-hog --detach --mib 5000 --heirs 2 --title trainer </dev/null >/dev/null 2>&1"_s).status,
                 u"exit 0"_s);
        QTRY_COMPARE(used(), u"5004 4"_s);
        const QString creator = pidOf(u"trainer"_s);
        kill(creator);
        QTRY_VERIFY(pidOf(u"trainer"_s).isEmpty());
        QCOMPARE(used(), u"5004 4"_s);
        QCOMPARE(output(u"nvidia-smi --query-compute-apps=pid,process_name --format=csv,noheader"_s),
                 creator + u", [Not Found]"_s);
        kill(pidOf(u"pt_data_worker"_s).replace(u'\n', u' '));
        QTRY_COMPARE(used(), u"4 4"_s);
    }

    void hog_zombieLeaderHoldsByItsThread()
    {
        QCOMPARE(m_runner->run(u"sim-hog --detach --mib 5000 --zombie-leader on --title undead </dev/null >/dev/null 2>&1"_s).status,
                 u"exit 0"_s);
        QTRY_COMPARE(output(u"ps axo stat,comm --no-headers | grep undead | cut -c1-2"_s), u"Zs"_s);
        QCOMPARE(used(), u"5004 4"_s);
        QVERIFY(output(u"for p in /proc/[0-9]*; do grep -qx undead $p/comm && ls -l $p/task/*/fd; done 2>/dev/null"_s)
                    .contains(u"/dev/nvidia0"_s));
    }
};

PILOTHOUSE_TEST_MAIN(TstSimserver)
#include "tst_simserver.moc"
