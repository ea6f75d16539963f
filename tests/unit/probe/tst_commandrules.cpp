// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/probe/commandrules.h"

#include "tests/support/testmain.h"

#include <QSet>

using namespace pilothouse;
using namespace Qt::StringLiterals;

class TstCommandRules : public QObject
{
    Q_OBJECT

private slots:
    void match_eachRuleHasItsCase_data();
    void match_eachRuleHasItsCase();
    void words_coverEveryRule();
    void parse_bad_data();
    void parse_bad();
    void parse_anchorsAndWords();
};

// Command lines as published for these programs; NUL is written as "|" here.
void TstCommandRules::match_eachRuleHasItsCase_data()
{
    QTest::addColumn<QByteArray>("cmdline");
    QTest::addColumn<QByteArray>("role");
    const auto row = [](const char *cmdline, const char *role) {
        QTest::newRow(cmdline) << QByteArray(cmdline) << QByteArray(role);
    };
    row("/opt/v/bin/python3|/opt/v/bin/vllm|serve|m", "vllm.server");
    row("python3|-m|vllm.entrypoints.openai.api_server|--model|m", "vllm.server");
    row("python3|-m|vllm|serve", "vllm.server");
    row("VLLM::EngineCore_DP0", "vllm.process");
    row("VLLM::Worker_PP0_TP3", "vllm.process");
    row("my-prefix::EngineCore", "vllm.engine");
    row("my-prefix::Worker_TP0", "vllm.worker");
    row("my-prefix::APIServer_0", "vllm.frontend");
    row("my-prefix::DPCoordinator", "vllm.frontend");
    row("sglang::scheduler_TP0", "sglang.process");
    row("sgl_diffusion::scheduler_U0", "sglang.process");
    row("python3|-m|sglang.launch_server|--model-path|m", "sglang.server");
    row("/usr/bin/python3|/usr/bin/sglang|serve", "sglang.server");
    row("ray::IDLE", "ray.process");
    row("ray::RayWorkerWrapper.execute_method", "ray.process");
    row("/v/ray/core/src/ray/raylet/raylet|--raylet_socket_name=x", "ray.runtime");
    row("/v/ray/core/src/ray/gcs/gcs_server|--log_dir=x", "ray.runtime");
    row("python3|/v/ray/_private/workers/default_worker.py", "ray.runtime");
    row("/usr/bin/python3|/usr/local/bin/trtllm-serve|m", "trtllm.server");
    row("python3|-m|tensorrt_llm.commands.serve", "trtllm.server");
    row("python|-R|-m|mpi4py.futures.server", "trtllm.worker");
    row("trtllm-llmapi-launch|x", "trtllm.launcher");
    row("tritonserver|--model-repository=/m", "triton.server");
    row("/opt/tritonserver/backends/python/triton_python_backend_stub|/m/1/model.py|r|1",
        "triton.server");
    row("/b/python/triton_python_backend_stub|/m/1/model.py", "triton.stub");
    row("text-generation-launcher|--model-id|m", "tgi.process");
    row("llama-server|-m|m.gguf", "llamacpp.server");
    row("/usr/local/bin/ollama|runner|--model|m", "ollama.process");
    row("/v/bin/python|/v/bin/lmdeploy|serve|api_server", "lmdeploy.server");
    row("lmcache|server", "lmcache.server");
    row("python3|-m|dynamo.frontend", "dynamo.process");
    row("mooncake_master|--port|1", "mooncake.process");
    row("python3|-c|from multiprocessing.resource_tracker import main;main(42)", "python.tracker");
    row("python3|-c|from multiprocessing.semaphore_tracker import main;main(5)", "python.tracker");
    row("python3|-m|joblib.externals.loky.backend.resource_tracker|5", "python.tracker");
    row("python3|-c|from multiprocessing.forkserver import main; main(5)", "python.forkserver");
    row("python3|-c|from multiprocessing.spawn import spawn_main; spawn_main(tracker_fd=5)",
        "python.spawned");
    row("x|--multiprocessing-fork", "python.spawned");
    row("/v/torch/bin/torch_shm_manager", "torch.helper");
    row("pt_data_worker", "torch.helper");
    row("python3|/v/torch/_inductor/compile_worker/__main__.py", "torch.helper");
    row("/v/bin/python|/v/bin/torchrun|train.py", "torch.launcher");
    row("python|-m|torch.distributed.run|train.py", "torch.launcher");
    row("/v/bin/python|/v/bin/accelerate|launch|train.py", "torch.launcher");
    row("python|-u|-m|deepspeed.launcher.launch", "torch.launcher");
    row("python3|-m|ipykernel_launcher|-f|kernel-1.json", "notebook.kernel");
    row("python|/home/u/ComfyUI/main.py|--listen", "comfyui.server");
    row("nvidia-cuda-mps-server", "mps.daemon");
    row("bash", "");
    row("python3|train.py", "");
    row("vim|VLLM.txt", "");
    row("nvidia-smi", "");
    row("", "");
}

void TstCommandRules::match_eachRuleHasItsCase()
{
    QFETCH(QByteArray, cmdline);
    QFETCH(QByteArray, role);
    cmdline.replace('|', '\0');
    const CommandRule *rule = CommandRules::builtIn().match(cmdline);
    QCOMPARE(rule ? rule->role : QByteArray(), role);
    // What matches must be found by the host's grep, which sees NULs between the arguments.
    if (rule) {
        bool found = false;
        const QList<QByteArray> words = CommandRules::builtIn().words();
        for (const QByteArray &word : words)
            found = found || cmdline.contains(word);
        QVERIFY(found);
    }
}

void TstCommandRules::words_coverEveryRule()
{
    const CommandRules &rules = CommandRules::builtIn();
    QVERIFY(rules.rules().size() > 40);
    const QList<QByteArray> words = rules.words();
    QCOMPARE(QSet<QByteArray>(words.begin(), words.end()).size(), words.size());
    for (const CommandRule &rule : rules.rules()) {
        QVERIFY(!rule.word.contains(' '));
        const bool covered = std::ranges::any_of(
            words, [&rule](const QByteArray &word) { return rule.word.contains(word); });
        QVERIFY2(covered, rule.word.constData());
    }
    // None is so short that it would list half the host.
    for (const QByteArray &word : words)
        QVERIFY2(word.size() >= 4, word.constData());
}

void TstCommandRules::parse_bad_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::newRow("no pattern") << QByteArray("vllm.server\n");
    QTest::newRow("empty pattern") << QByteArray("vllm.server | \n");
    QTest::newRow("empty role") << QByteArray(" | vllm\n");
    QTest::newRow("blank without a word") << QByteArray("a | vllm serve\n");
    QTest::newRow("word not in the pattern") << QByteArray("a | vllm serve | sglang\n");
    QTest::newRow("a quote") << QByteArray("a | it's\n");
    QTest::newRow("an expression") << QByteArray("a | vllm.*serve\n");
    QTest::newRow("four columns") << QByteArray("a | b | b | b\n");
}

void TstCommandRules::parse_bad()
{
    QFETCH(QByteArray, text);
    const auto rules = CommandRules::parse(QByteArray("# comment\n\nok | good-one\n" + text));
    QVERIFY(!rules);
    QCOMPARE(rules.error().code, ErrorCode::Internal);
}

void TstCommandRules::parse_anchorsAndWords()
{
    const auto rules = CommandRules::parse("# comment\n a | ^VLLM:: \nb|x vllm y|vllm\n");
    QVERIFY(rules);
    QCOMPARE(rules->rules().size(), 2);
    QVERIFY(rules->match("VLLM::Worker"));
    QVERIFY(!rules->match("vim VLLM::Worker"));
    QVERIFY(rules->match(QByteArray("x\0vllm\0y", 8)));
    QCOMPARE(rules->words(), (QList<QByteArray>{"VLLM::", "vllm"}));
}

PILOTHOUSE_TEST_MAIN(TstCommandRules)
#include "tst_commandrules.moc"
