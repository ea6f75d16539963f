// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/cleantext.h"
#include "core/diagnosis/rules.h"

#include "tests/support/testmain.h"

using namespace pilothouse;
using namespace Qt::StringLiterals;

class TstRoles : public QObject
{
    Q_OBJECT

private slots:
    void roleOf_eachRule_data();
    void roleOf_eachRule();
    void roleOf_imitations_data();
    void roleOf_imitations();
    void roleOf_coversEveryRuleOfTheFile();
    void parse_bad_data();
    void parse_bad();
    void builtIn_isThere();

private:
    static Process processOf(const QString &line, const QString &comm = {});
    QSet<const RoleRule *> m_used;
};

/// Arguments are divided by "|", and cleaned as the probe cleans them.
Process TstRoles::processOf(const QString &line, const QString &comm)
{
    Process process;
    for (const QString &word : line.split(u'|'))
        process.arguments += cleanLine(QStringView(word));
    process.comm = comm.isEmpty() ? process.arguments.first().section(u'/', -1).left(15) : comm;
    return process;
}

void TstRoles::roleOf_eachRule_data()
{
    QTest::addColumn<QString>("line");
    QTest::addColumn<QString>("comm");
    QTest::addColumn<QString>("rule");
    QTest::addColumn<QString>("role");
    const auto row = [](const char *line, const char *rule, const char *role, const char *comm = "") {
        QTest::addRow("%s %s", line, comm) << QString::fromUtf8(line) << QString::fromUtf8(comm) << QString::fromUtf8(rule) << QString::fromUtf8(role);
    };
    // Rules by the kernel's name have nothing to misread: their own text is the case.
    for (const RoleRule &rule : Rules::builtIn().roles()) {
        if (rule.match == RoleRule::Match::Comm)
            row("/any/program|x", qPrintable(rule.id), qPrintable(rule.role), qPrintable(rule.text));
    }
    row("/usr/bin/python3|/v/bin/nvitop", "R1", "nvidia.monitor");
    row("/usr/bin/python3|/v/bin/gpustat|-i", "R1", "nvidia.monitor");
    row("/usr/bin/nvidia-cuda-mps-server|-t|1", "R2", "mps.daemon");
    row("nvidia-cuda-mps-control|-d", "R2", "mps.daemon");
    row("python3|-c|from multiprocessing.resource_tracker import main;main(42)", "R3", "python.tracker");
    row("/v/bin/python3.12|-s|-X|dev|-c|from multiprocessing.semaphore_tracker import main;main(5)", "R3", "python.tracker");
    row("python3|-m|joblib.externals.loky.backend.resource_tracker|5", "R3", "python.tracker");
    row("python3|-c|from joblib.externals.loky.backend.resource_tracker import main; main(4, False)", "R3", "python.tracker");
    row("python3|-c|from multiprocessing.forkserver import main; main(5)", "R4", "python.forkserver");
    row("/v/lib/torch/bin/torch_shm_manager", "R4", "torch.helper");
    row("python3|/v/torch/_inductor/compile_worker/__main__.py|--parent=4", "R4", "torch.helper");
    row("VLLM::Worker", "R5", "vllm.worker");
    row("VLLM::Worker_DP1_PP0_TP3_EP3", "R5", "vllm.worker");
    row("VLLM::Worker_TP0||", "R5", "vllm.worker");
    row("acme-prod::Worker_PCP1_DCP2", "R5", "vllm.worker");
    row("org/model::Worker_TP1", "R5", "vllm.worker");
    row("VLLM::EngineCore", "R6", "vllm.engine");
    row("VLLM::EngineCore_DP12", "R6", "vllm.engine");
    row("VLLM::EngineCore_3", "R6", "vllm.engine");
    row("VLLM::EngineCoreProc_0", "R6", "vllm.engine");
    row("VLLM::APIServer_2", "R7", "vllm.frontend");
    row("VLLM::DPCoordinator", "R7", "vllm.frontend");
    row("/opt/v/bin/python3|/opt/v/bin/vllm|serve|m", "R8", "vllm.server");
    row("python3|-u|-m|vllm.entrypoints.openai.api_server|--model|m", "R8", "vllm.server");
    row("python3|-m|vllm|serve|m", "R8", "vllm.server");
    row("sglang::scheduler_DP0_TP1", "R9", "sglang.worker");
    row("sglang::gpu_worker_0", "R9", "sglang.worker");
    row("sgl_diffusion::scheduler_U0", "R9", "sglang.worker");
    row("sglang::detokenizer", "R10", "sglang.control");
    row("sglang::http_server/multi_tokenizer_router", "R10", "sglang.control");
    row("python3|-m|sglang.launch_server|--model-path|m", "R10", "sglang.server");
    row("python3|/v/bin/sglang|serve", "R10", "sglang.server");
    row("ray::IDLE", "R11", "ray.worker");
    row("ray::RayWorkerWrapper.execute_method", "R11", "ray.worker");
    row("python3|/v/ray/_private/workers/default_worker.py|--node-ip=1", "R11", "ray.worker");
    row("python3|-u|/v/ray/_private/log_monitor.py", "R12", "ray.runtime");
    row("python3|/v/ray/dashboard/agent.py", "R12", "ray.runtime");
    row("python3|-m|ray.util.client.server", "R12", "ray.runtime");
    row("python3|/usr/local/bin/trtllm-serve|m", "R13", "trtllm.server");
    row("python3|-m|tensorrt_llm.commands.serve|m", "R13", "trtllm.server");
    row("python|-R|-m|mpi4py.futures.server", "R13", "trtllm.worker");
    row("/v/bin/trtllm-llmapi-launch|x", "R14", "mpi.runtime");
    row("/opt/tritonserver/bin/tritonserver|--model-repository=/m", "R15", "triton.server");
    row("/b/python/triton_python_backend_stub|/m/1/model.py|r|77", "R15", "triton.stub");
    row("/opt/conda/bin/python3.11|/opt/conda/bin/text-generation-server|serve|m|--uds-path|/tmp/x", "R16", "tgi.worker", "text-generation");
    row("text-generation-launcher|--model-id|m", "R16", "tgi.server", "text-generation");
    row("text-generation-router|--port|80", "R16", "tgi.router", "text-generation");
    row("/usr/local/bin/ollama|runner|--model|/m", "R17", "ollama.runner");
    row("/tmp/ollama1/runners/cuda_v12/ollama_llama_server|--model|m", "R17", "ollama.runner");
    row("/usr/local/lib/ollama/llama-server|--port|1", "R17", "ollama.runner");
    row("/usr/local/bin/llama-server|-m|m.gguf", "R17", "llamacpp.server");
    row("/usr/local/bin/ollama|serve", "R18", "ollama.server");
    row("python3|/v/bin/lmcache|server", "R19", "lmcache.server");
    row("python3|-m|lmcache.v1.server", "R19", "lmcache.server");
    row("mooncake_master|--port|1", "R19", "mooncake.server");
    row("python3|-m|ipykernel_launcher|-f|kernel-1.json", "R20", "notebook.kernel");
    row("python3|/v/bin/torchrun|train.py", "R21", "training.launcher");
    row("python3|-m|torch.distributed.run|train.py", "R21", "training.launcher");
    row("python3|/v/bin/accelerate|launch|train.py", "R21", "training.launcher");
    row("python3|/v/bin/deepspeed|train.py", "R21", "training.launcher");
    row("python3|-u|-m|deepspeed.launcher.launch|--world_info=x", "R21", "training.launcher");
    row("python3|/opt/ComfyUI/main.py|--listen", "R22", "comfyui.server");
    row("python3|/v/bin/vllm|run-batch|x", "R22", "vllm.batch");
    row("python3|/v/bin/lmdeploy|serve|api_server", "R22", "lmdeploy.server");
    row("python3|-m|dynamo.vllm", "R22", "dynamo.server");
    row("python3|-c|from multiprocessing.spawn import spawn_main; spawn_main(tracker_fd=5, pipe_handle=7)|--multiprocessing-fork", "R23", "python.spawned");
    row("python3|-c|from multiprocessing.spawn import spawn_main; spawn_main(tracker_fd=5)|--multiprocessing-fork_TP0", "R23", "python.spawned");
    row("pt_data_worker", "R23", "torch.dataloader");
    row("/usr/bin/qemu-system-x86_64|-name|g", "R24", "vm.guest");
    row("/usr/libexec/qemu-kvm|-name|g", "R24", "vm.guest");
}

void TstRoles::roleOf_eachRule()
{
    QFETCH(QString, line);
    QFETCH(QString, comm);
    QFETCH(QString, rule);
    QFETCH(QString, role);
    const RoleRule *found = Rules::builtIn().roleOf(processOf(line, comm));
    QVERIFY(found);
    QCOMPARE(found->id, rule);
    QCOMPARE(found->role, role);
    m_used.insert(found);
}

void TstRoles::roleOf_imitations_data()
{
    QTest::addColumn<QString>("line");
    QTest::addColumn<QString>("role");
    const auto row = [](const char *name, const QString &line, const char *role) {
        QTest::newRow(name) << line << QString::fromUtf8(role);
    };
    row("a shell whose argument mentions a worker", u"/bin/bash|-c|VLLM::Worker_TP0"_s, "system.shell");
    row("an argument behind a renamed program", u"VLLM::Worker_TP0|100"_s, "");
    row("a blank in the name", u"VLLM::Worker_TP0 sleep"_s, "");
    row("a name inside a longer word", u"x/VLLM::Worker_TP0.log"_s, "");
    row("a python program that mentions one", u"python3|tool.py|VLLM::EngineCore"_s, "");
    row("python -c that mentions the tracker", u"python3|-c|print('multiprocessing.resource_tracker')"_s, "");
    row("a new line", u"VLLM::Worker_TP0\nroot"_s, "");
    row("a new line before", u"x\nVLLM::Worker_TP0"_s, "");
    row("HTML", u"<b>VLLM::Worker_TP0</b>"_s, "");
    row("HTML before", u"<img>::Worker_TP0"_s, "");
    row("right to left", u"VLLM::Worker_TP0\u202e0"_s, "");
    row("escape", u"VLLM::Worker_TP0\x1b[2K"_s, "");
    row("lower case", u"VLLM::worker_tp0"_s, "");
    row("rank without number", u"VLLM::Worker_TP"_s, "");
    row("unknown rank", u"VLLM::Worker_XP0"_s, "");
    row("no prefix", u"::Worker_TP0"_s, "");
    row("grep for it", u"grep|VLLM::Worker_TP0"_s, "");
    row("vllm without serve is no server", u"python3|/v/bin/vllm|bench|serve"_s, "vllm.batch");
    row("a model called serve", u"python3|load.py|vllm|serve"_s, "");
    row("empty", u""_s, "");
    row("python alone", u"python3"_s, "");
    row("python -m at the end", u"python3|-m"_s, "");
    row("python -c at the end", u"python3|-c"_s, "");
    row("a module that only begins so", u"python3|-m|vllm.entrypointsx"_s, "");
}

void TstRoles::roleOf_imitations()
{
    QFETCH(QString, line);
    QFETCH(QString, role);
    const RoleRule *found = Rules::builtIn().roleOf(processOf(line));
    QCOMPARE(found ? found->role : QString(), role);
}

void TstRoles::roleOf_coversEveryRuleOfTheFile()
{
    for (const RoleRule &rule : Rules::builtIn().roles())
        QVERIFY2(m_used.contains(&rule), qPrintable(rule.id + u' ' + rule.role + u' ' + rule.text));
}

void TstRoles::parse_bad_data()
{
    QTest::addColumn<QByteArray>("roles");
    QTest::addColumn<QByteArray>("modifiers");
    const auto row = [](const char *name, const char *roles, const char *modifiers) {
        QTest::newRow(name) << QByteArray(roles) << QByteArray(modifiers);
    };
    row("too short", "R5 | vllm.worker | worker\n", "");
    row("unknown class", "R5 | vllm.worker | wörker | comm x\n", "");
    row("unknown match", "R5 | vllm.worker | worker | name x\n", "");
    row("no text", "R5 | vllm.worker | worker | comm\n", "");
    row("a broken expression", "R5 | vllm.worker | worker | title (x\n", "");
    row("unknown effect", "", "X | kills | Words.\n");
    row("unknown verdict", "", "X | decides dead | Words.\n");
    row("no sentence", "", "X | note\n");
}

void TstRoles::parse_bad()
{
    QFETCH(QByteArray, roles);
    QFETCH(QByteArray, modifiers);
    const auto rules = Rules::parse(roles, modifiers);
    QVERIFY(!rules);
    QVERIFY(rules.error().detail.contains(QString::fromLatin1((roles + modifiers).first(1))));
}

void TstRoles::builtIn_isThere()
{
    QVERIFY(Rules::builtIn().roles().size() > 80);
    QVERIFY(Rules::builtIn().modifier(u"ORPHAN"));
    QVERIFY(!Rules::builtIn().modifier(u"NONE"));
}

PILOTHOUSE_TEST_MAIN(TstRoles)
#include "tst_roles.moc"
