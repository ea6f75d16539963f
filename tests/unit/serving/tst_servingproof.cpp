// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/serving/servingproof.h"
#include "tests/support/testmain.h"

using namespace pilothouse;
using namespace Qt::StringLiterals;
using Verdict = ServingProof::Verdict;
using Outcome = HttpAnswer::Outcome;
using Name = ServingStep::Name;
using State = ServingStep::State;

/// A host that the proof asks: composed, one process of a vLLM unit on two cards.
class TstServingProof final : public QObject
{
    Q_OBJECT
private slots:
    void init();
    void goodStart_serves();
    void commandLine_saysWhereAndWhat_data();
    void commandLine_saysWhereAndWhat();
    void wish_standsAboveTheCommandLine();
    void healthyWithoutMemory_isEngineGone();
    void strangersPort_isNamedWithItsPid();
    void key_readsAlive();
    void tokenless200_isNotServing();
    void otherModel_isNotServing();
    void lazyLoader_isNeverMadeToLoad();
    void restartMeanwhile_isNotServing();
    void counter_isNotServing();
    void newXid_isNotServing();
    void oldProcess_isNotServing();
    void redirectAndFlood_areNotServing_data();
    void redirectAndFlood_areNotServing();
    void unreadable_isUnprovedNotDone();
    void lowMemory_isNotServing();

private:
    void run(qint64 untilMs = 200'000);
    [[nodiscard]] Snapshot look() const;
    [[nodiscard]] HttpAnswer answer(const HttpRequest &request) const;
    static HttpAnswer said(int status, const QByteArray &body = {})
    {
        HttpAnswer answer;
        answer.outcome = Outcome::Answered;
        answer.status = status;
        answer.body = body;
        answer.isWhole = true;
        answer.words = u"answers HTTP %1."_s.arg(status);
        return answer;
    }

    ServingSetup m_setup;
    std::optional<ServingProof> m_proof;
    QStringList m_command;
    QHash<QByteArray, HttpAnswer> m_answers;
    QList<QByteArray> m_asked;
    ServingUnit m_unit;
    qint64 m_mib = 90'000;
    qint64 m_portPid = 100;
    QList<Problem> m_problems;
    bool m_readable = true;
    qint64 m_now = 0;
    qint64 m_upAt = 3'000;
};

void TstServingProof::init()
{
    m_setup = {};
    m_setup.wish.unit = u"vllm.service"_s;
    m_setup.invocationBefore = u"aaaa"_s;
    m_command = {u"/usr/bin/python3"_s, u"-m"_s, u"vllm.entrypoints.openai.api_server"_s, u"--model"_s, u"org/kimi"_s,
                 u"--port"_s, u"8001"_s};
    m_answers = {{"/health", said(200)},
                 {"/v1/models", said(200, R"({"object":"list","data":[{"id":"org/kimi"}]})")},
                 {"/v1/completions", said(200, R"({"choices":[{"text":"a"}],"usage":{"completion_tokens":1}})")}};
    m_asked.clear();
    m_unit = {u"active"_s, u"running"_s, u"success"_s, u"bbbb"_s, 0};
    m_mib = 90'000;
    m_portPid = 100;
    m_problems.clear();
    m_readable = true;
    m_now = 0;
    m_upAt = 3'000;
}

Snapshot TstServingProof::look() const
{
    Snapshot snapshot;
    snapshot.depth = Depth::Deep;
    snapshot.gpuSource.status = GpuSource::Status::Ok;
    snapshot.gpus = QList<Gpu>();
    Process process;
    process.pid = Pid{100};
    process.startTicks = quint64(5000);
    process.comm = u"python3"_s;
    process.arguments = m_command;
    process.owner = {Owner::Kind::Unit, u"vllm.service"_s};
    for (int card = 0; card < 2; ++card) {
        Gpu gpu;
        gpu.index = card;
        *snapshot.gpus += gpu;
        if (m_mib > 0)
            process.gpuMemory += ProcessGpuMemory{card, {}, m_mib};
    }
    Process other;
    other.pid = Pid{77};
    other.startTicks = quint64(10);
    other.comm = u"nginx"_s;
    snapshot.processes = QList<Process>{process, other};
    if (m_readable) {
        snapshot.listening = QList<ListeningPort>();
        if (m_now >= m_upAt)
            *snapshot.listening += ListeningPort{u"0.0.0.0"_s, 8001, m_portPid};
    } else {
        snapshot.gpuSource.status = GpuSource::Status::Timeout;
        snapshot.gpus.reset();
    }
    snapshot.problems = m_problems;
    return snapshot;
}

HttpAnswer TstServingProof::answer(const HttpRequest &request) const
{
    HttpAnswer nobody;
    nobody.outcome = Outcome::NothingListens;
    nobody.words = u"Nothing listens."_s;
    return m_now < m_upAt ? nobody : m_answers.value(request.path, said(404));
}

/// Drives it as a recipe would, each answer after 50 ms.
void TstServingProof::run(qint64 untilMs)
{
    m_proof.emplace(m_setup);
    m_proof->begin(m_now);
    while (m_now < untilMs) {
        const ServingNeed need = m_proof->next(m_now);
        m_now += need.kind == ServingNeed::Kind::Wait ? qint64(need.wait.count()) : 50;
        if (need.kind == ServingNeed::Kind::Unit)
            m_proof->takeUnit(m_unit, m_now);
        else if (need.kind == ServingNeed::Kind::Snapshot)
            m_proof->takeSnapshot(look(), m_now);
        else if (need.kind == ServingNeed::Kind::Http) {
            m_asked += need.request.path;
            m_proof->takeAnswer(answer(need.request), m_now);
        } else if (need.kind == ServingNeed::Kind::Over) {
            return;
        }
    }
}

void TstServingProof::goodStart_serves()
{
    run();
    QVERIFY2(m_proof->verdict() == Verdict::Serves, qPrintable(m_proof->words()));
    for (const ServingStep &step : m_proof->steps())
        QVERIFY2(step.state == State::Done, qPrintable(nameOf(step.name) + u": "_s + step.words));
    QCOMPARE(m_proof->endpoint().port, 8001);
    QCOMPARE(m_proof->model(), u"org/kimi"_s);
    // The ten seconds run beside the rest, and no longer.
    QVERIFY2(m_now >= 10'000 && m_now < 13'000, qPrintable(QString::number(m_now)));
    QCOMPARE(m_asked.count("/v1/completions"), 1);
}

void TstServingProof::commandLine_saysWhereAndWhat_data()
{
    QTest::addColumn<QString>("command");
    QTest::addColumn<QString>("where");
    QTest::addColumn<QString>("model");
    QTest::addColumn<bool>("key");
    QTest::newRow("vllm serve") << u"/usr/bin/python3 /opt/bin/vllm serve org/m --port=9"_s
                                << u"http://127.0.0.1:9/health"_s << u"org/m"_s << false;
    QTest::newRow("vllm tls, key") << u"vllm serve m --served_model_name k --ssl-keyfile a --api-key s --host ::"_s
                                   << u"https://[::1]:8000/health"_s << u"k"_s << true;
    QTest::newRow("vllm socket") << u"vllm serve m --uds /run/v.sock"_s << u"unix:/run/v.sock /health"_s << u"m"_s
                                 << false;
    QTest::newRow("sglang") << u"python3 -m sglang.launch_server --model-path q"_s
                            << u"http://127.0.0.1:30000/health"_s << u"q"_s << false;
    QTest::newRow("trtllm") << u"trtllm-serve org/m --host 10.0.0.2"_s << u"http://10.0.0.2:8000/health"_s
                            << u"org/m"_s << false;
    QTest::newRow("triton") << u"tritonserver --http-port 81"_s << u"http://127.0.0.1:81/v2/health/ready"_s << QString()
                            << false;
    QTest::newRow("tgi") << u"text-generation-launcher --model-id t -p 80"_s << u"http://127.0.0.1:80/health"_s
                         << u"t"_s << false;
    QTest::newRow("llama") << u"llama-server -m /m/a.gguf --api-key-file k"_s << u"http://127.0.0.1:8080/health"_s
                           << u"/m/a.gguf"_s << true;
    QTest::newRow("ollama") << u"ollama serve"_s << u"http://127.0.0.1:11434/api/version"_s << QString() << false;
    QTest::newRow("comfy") << u"python3 /o/ComfyUI/main.py --listen 0.0.0.0"_s
                           << u"http://127.0.0.1:8188/system_stats"_s << QString() << false;
}

void TstServingProof::commandLine_saysWhereAndWhat()
{
    QFETCH(QString, command);
    QFETCH(QString, where);
    QFETCH(QString, model);
    QFETCH(bool, key);
    Process process;
    process.arguments = command.split(u' ');
    const Endpoint endpoint = endpointOfCommand(process);
    QCOMPARE(addressOf(endpoint.ask(endpoint.health)), where);
    QCOMPARE(endpoint.model, model);
    QCOMPARE(endpoint.keyNeeded, key);
}

void TstServingProof::wish_standsAboveTheCommandLine()
{
    m_setup.wish.health = u"https://localhost:444/up?x=1"_s;
    m_setup.wish.model = u"other"_s;
    const Endpoint endpoint = endpointOf(m_setup.wish, look());
    QCOMPARE(addressOf(endpoint.ask(endpoint.health)), u"https://127.0.0.1:444/up?x=1"_s);
    QCOMPARE(endpoint.model, u"other"_s);
    QCOMPARE(endpoint.engine, Engine::Vllm);
}

void TstServingProof::healthyWithoutMemory_isEngineGone()
{
    m_mib = 0;
    m_answers.insert("/v1/completions", said(500, R"({"error":"engine dead"})"));
    run();
    QVERIFY2(m_proof->verdict() == Verdict::EngineGone, qPrintable(m_proof->words()));
    QVERIFY2(m_proof->words().contains(u"the engine is gone"_s), qPrintable(m_proof->words()));
}

void TstServingProof::strangersPort_isNamedWithItsPid()
{
    m_portPid = 77;
    run();
    QCOMPARE(m_proof->verdict(), Verdict::NotServing);
    QVERIFY2(m_proof->words().contains(u"PID 77 (nginx)"_s), qPrintable(m_proof->words()));
    QVERIFY(m_asked.isEmpty());
}

void TstServingProof::key_readsAlive()
{
    m_answers.insert("/v1/models", said(401));
    run();
    QCOMPARE(m_proof->verdict(), Verdict::KeyNeeded);
    QVERIFY2(m_proof->words().startsWith(u"Alive, key needed"_s), qPrintable(m_proof->words()));
    QVERIFY(!m_asked.contains("/v1/completions"));
}

void TstServingProof::tokenless200_isNotServing()
{
    m_answers.insert("/v1/completions", said(200, "<html>fine</html>"));
    run();
    QCOMPARE(m_proof->verdict(), Verdict::NotServing);
    QVERIFY2(m_proof->words().contains(u"no token is in it"_s), qPrintable(m_proof->words()));
}

void TstServingProof::otherModel_isNotServing()
{
    m_setup.wish.model = u"llama"_s;
    run();
    QCOMPARE(m_proof->verdict(), Verdict::NotServing);
    QVERIFY2(m_proof->words().contains(u"It serves org/kimi, not llama"_s), qPrintable(m_proof->words()));
}

void TstServingProof::lazyLoader_isNeverMadeToLoad()
{
    m_command = {u"ollama"_s, u"serve"_s};
    m_portPid = 100;
    m_mib = 0;
    m_setup.wish.model = u"llama3"_s;
    m_setup.wish.health = u"http://127.0.0.1:8001"_s;
    m_answers = {{"/api/version", said(200, "{}")},
                 {"/api/ps", said(200, R"({"models":[]})")},
                 {"/api/tags", said(200, R"({"models":[{"name":"llama3:latest"}]})")}};
    run();
    QVERIFY2(m_proof->verdict() == Verdict::Alive, qPrintable(m_proof->words()));
    QVERIFY(!m_asked.contains("/api/generate"));
    QVERIFY2(m_proof->words().contains(u"would load the model"_s), qPrintable(m_proof->words()));
}

void TstServingProof::restartMeanwhile_isNotServing()
{
    m_upAt = 60'000;
    run(5'000);
    m_unit.invocation = u"cccc"_s;
    ServingProof &proof = *m_proof;
    proof.takeUnit(m_unit, m_now);
    QCOMPARE(proof.verdict(), Verdict::NotServing);
    QVERIFY2(proof.words().contains(u"started again meanwhile"_s), qPrintable(proof.words()));
    QCOMPARE(proof.next(m_now).kind, ServingNeed::Kind::Over);
}

void TstServingProof::counter_isNotServing()
{
    m_setup.restarts = 0;
    m_unit.restarts = 2;
    run();
    QCOMPARE(m_proof->verdict(), Verdict::NotServing);
    QCOMPARE(m_proof->step(Name::Restarts).state, State::Failed);
}

void TstServingProof::newXid_isNotServing()
{
    m_setup.xidsBefore = QStringList{u"Xid 31 before"_s};
    m_problems = {Problem{u"gpu.xid"_s, {}, {}, u"Xid 31 before"_s, {}}};
    run();
    QCOMPARE(m_proof->verdict(), Verdict::Serves);
    m_problems += Problem{u"gpu.xid"_s, {}, 1, u"Xid 79 now"_s, {}};
    m_now = 0;
    run();
    QCOMPARE(m_proof->verdict(), Verdict::NotServing);
    QVERIFY2(m_proof->words().contains(u"Xid 79 now"_s), qPrintable(m_proof->words()));
}

void TstServingProof::oldProcess_isNotServing()
{
    m_setup.processesBefore = {ProcessIdentity{Pid{100}, StartTicks{5000}}};
    run();
    QCOMPARE(m_proof->verdict(), Verdict::NotServing);
    QVERIFY2(m_proof->words().contains(u"PID 100"_s), qPrintable(m_proof->words()));
}

void TstServingProof::redirectAndFlood_areNotServing_data()
{
    QTest::addColumn<HttpAnswer>("health");
    QTest::newRow("redirect") << said(302);
    HttpAnswer flood = said(200);
    flood.outcome = Outcome::TooLarge;
    QTest::newRow("flood") << flood;
    HttpAnswer endless = said(200);
    endless.outcome = Outcome::TimedOut;
    QTest::newRow("endless") << endless;
}

void TstServingProof::redirectAndFlood_areNotServing()
{
    QFETCH(HttpAnswer, health);
    m_answers.insert("/health", health);
    run();
    QCOMPARE(m_proof->verdict(), Verdict::NotServing);
    QCOMPARE(m_proof->step(Name::Health).state, State::Failed);
    QCOMPARE(m_proof->step(Name::Token).state, State::Pending);
}

void TstServingProof::unreadable_isUnprovedNotDone()
{
    m_readable = false;
    m_problems = {Problem{u"section.kernel_log"_s, {}, {}, u"no log"_s, {}}};
    m_unit.restarts.reset();
    run();
    QVERIFY2(m_proof->verdict() == Verdict::Serves, qPrintable(m_proof->words()));
    for (const Name name : {Name::Port, Name::Memory, Name::Xid, Name::Restarts})
        QCOMPARE(m_proof->step(name).state, State::Unproved);
}

void TstServingProof::lowMemory_isNotServing()
{
    m_setup.gpus = {ServingGpu{0, {}, qint64(90'000)}, ServingGpu{1, {}, qint64(120'000)}};
    run();
    QCOMPARE(m_proof->verdict(), Verdict::NotServing);
    QVERIFY2(m_proof->words().contains(u"GPU 1: 90000 of 108000 MiB"_s), qPrintable(m_proof->words()));
}

PILOTHOUSE_TEST_MAIN(TstServingProof)
#include "tst_servingproof.moc"
