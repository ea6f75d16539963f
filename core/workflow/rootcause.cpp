// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workflow/rootcause.h"

#include <QRegularExpression>

#include <algorithm>
#include <array>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype mostLine = 500;

struct Kind
{
    const char16_t *words; ///< a part of the line, in any case
    const char16_t *advice;
};

/// From what the engines print (vLLM, SGLang, TensorRT-LLM, NCCL, systemd); the more special one stands first.
constexpr std::array kinds{
    Kind{u"less than desired gpu memory utilization", u"Somebody else holds memory on that GPU, or --gpu-memory-utilization asks for more than is free: see pilothousectl holders."},
    Kind{u"no available memory for the cache blocks", u"The weights leave no room for the KV cache: raise --gpu-memory-utilization, or use more GPUs."},
    Kind{u"larger than the maximum number of tokens", u"Lower --max-model-len, or raise --gpu-memory-utilization."},
    Kind{u"cuda out of memory", u"See pilothousectl holders for who else holds memory; else lower --gpu-memory-utilization or --max-num-seqs."},
    Kind{u"outofmemoryerror", u"See pilothousectl holders for who else holds memory; else lower --gpu-memory-utilization or --max-num-seqs."},
    Kind{u"no space left on device", u"A file system is full: look at df on the host for /, /dev/shm, /tmp and the model's caches."},
    Kind{u"bus error", u"Often a full /dev/shm: look at df /dev/shm on the host."},
    Kind{u"address already in use", u"Another process has the port: ss -ltnp on the host names it."},
    Kind{u"driver version is insufficient", u"The driver is older than this engine's CUDA: update the driver, or use a build for the older CUDA."},
    Kind{u"driver/library version mismatch", u"The driver was updated while its module is loaded: reboot, or reload the module with all GPUs idle."},
    Kind{u"no kernel image is available", u"The engine was not built for this GPU's architecture."},
    Kind{u"no cuda-capable device", u"The process sees no GPU: check CUDA_VISIBLE_DEVICES, device rights and PrivateDevices= of the unit."},
    Kind{u"no cuda gpus are available", u"The process sees no GPU: check CUDA_VISIBLE_DEVICES, device rights and PrivateDevices= of the unit."},
    Kind{u"gatedrepo", u"The model is gated: a token with access is needed (HF_TOKEN)."},
    Kind{u"401 client error", u"The model's host refused the sign-in: check its token (HF_TOKEN)."},
    Kind{u"couldn't connect to", u"The model's host cannot be reached: fetch the model first, or set HF_HUB_OFFLINE=1 where it is in the cache."},
    Kind{u"nccl", u"Ranks could not reach each other: look at the first NCCL WARN, the interfaces (NCCL_SOCKET_IFNAME) and /dev/shm."},
    Kind{u"no module named", u"The Python environment of the unit lacks that module: check ExecStart's interpreter."},
    Kind{u"no such file or directory", u"Check the path, and whether its file system is mounted."},
    Kind{u"permission denied", u"Check the rights of the unit's User=."},
    Kind{u"unrecognized arguments", u"This version of the engine does not know that option."},
    Kind{u"out of memory", u"See pilothousectl holders for GPU memory, free -h on the host for its own."},
    Kind{u"oom-kill", u"The host ran out of memory: free -h, and the unit's MemoryMax=."},
    Kind{u"xid", u"The driver reports a fault of the GPU: see the problems of this host."},
};

/// Words that make a line look like an error and mean none, or tell only that another one failed.
constexpr std::array<const char16_t *, 8> consequences{u"engine core initialization failed", u"engine process failed to start", u"see root cause above",
                                                       u"workerproc initialization failed", u"failed core proc", u"enginedeaderror",
                                                       u"shutting down", u"application startup failed"};

struct Line
{
    QString rank;
    QString text;
};

/// "(EngineCore_DP0 pid=812) ERROR 12-03 04:11:09 [core.py:708] Traceback …": what the process itself said.
Line unwrapped(const QString &line)
{
    static const QRegularExpression rank(u"^\\((?:[A-Za-z]+ )?([A-Za-z][\\w:.-]*)(?: pid=\\d+)?[^)]*\\)\\s?"_s);
    static const QRegularExpression bracket(u"^\\[(?:rank)?([A-Za-z]*\\d+)\\]:?\\s?"_s);
    static const QRegularExpression level(
        u"^(?:\\[?\\d{4}-\\d\\d-\\d\\d[T ][\\d:.,+Z]+\\]?\\s)?(?:(?:DEBUG|INFO|WARNING|ERROR|CRITICAL|FATAL)\\s+\\d\\d-\\d\\d [\\d:.]+ (?:\\[[^\\]]*\\] ?)?)"_s);
    Line read{{}, line.left(mostLine)};
    for (const QRegularExpression *one : {&rank, &bracket}) {
        if (const auto match = one->match(read.text); match.hasMatch()) {
            read.rank = match.captured(1);
            read.text = read.text.mid(match.capturedLength());
            break;
        }
    }
    if (const auto match = level.match(read.text); match.hasMatch())
        read.text = read.text.mid(match.capturedLength());
    return read;
}

bool isError(const QString &line)
{
    static const QRegularExpression word(u"\\b(ERROR|CRITICAL|FATAL|Fatal|\\w*[Ee]rror:|fatal:|Killed|Segmentation fault|core dumped|panicked at|terminate called)"_s);
    return word.match(line).hasMatch();
}

bool isConsequence(const QString &text)
{
    return std::ranges::any_of(consequences, [&](const char16_t *words) {
        return text.contains(QStringView(words), Qt::CaseInsensitive);
    });
}

/// "torch.OutOfMemoryError: …": how a Python traceback ends.
bool isException(const QString &text)
{
    static const QRegularExpression exception(u"^[A-Za-z_][\\w.]*(?:Error|Exception|Exit|Interrupt|Timeout|Refused|Failure)(?::|$)"_s);
    return exception.match(text).hasMatch();
}

QString adviceFor(const QString &text)
{
    const auto at = std::ranges::find_if(kinds, [&](const Kind &kind) { return text.contains(QStringView(kind.words), Qt::CaseInsensitive); });
    return at == kinds.end() ? QString() : QString::fromUtf16(at->advice);
}

} // namespace

std::optional<RootCause> rootCauseOf(const QStringList &lines)
{
    struct Found
    {
        qsizetype at = -1;
        Line line;
    };
    Found exception;
    Found error;
    Found consequence;
    QStringList open; // ranks inside a traceback
    QStringList failed;
    for (qsizetype at = 0; at < lines.size(); ++at) {
        const Line line = unwrapped(lines.at(at));
        if (line.text.startsWith("Traceback (most recent call last)"_L1)) {
            if (!open.contains(line.rank))
                open += line.rank;
            continue;
        }
        if (open.contains(line.rank) && isException(line.text)) {
            open.removeAll(line.rank);
            if (isConsequence(line.text)) {
                if (consequence.at < 0)
                    consequence = {at, line};
                continue;
            }
            if (exception.at < 0)
                exception = {at, line};
            else if (line.text != exception.line.text && !failed.contains(line.text))
                failed += line.text;
            continue;
        }
        if (open.contains(line.rank) && (line.text.startsWith(u' ') || line.text.isEmpty()))
            continue; // the frames of a traceback
        if (isError(lines.at(at)) && !line.text.trimmed().isEmpty()) {
            Found &into = isConsequence(line.text) ? consequence : error;
            if (into.at < 0)
                into = {at, line};
        }
    }
    // An error of a known kind before the first traceback is its reason (a full disk, a port in use).
    const bool earlier = error.at >= 0 && (exception.at < 0 || (error.at < exception.at && !adviceFor(error.line.text).isEmpty()));
    const Found &found = earlier ? error : exception.at >= 0 ? exception : consequence;
    if (found.at < 0)
        return std::nullopt;
    return RootCause{found.line.text.trimmed(), found.line.rank, adviceFor(found.line.text), found.at, int(failed.size())};
}

QString loadPhaseOf(const QString &line)
{
    struct Phase
    {
        const char16_t *words;
        const char16_t *name;
    };
    static constexpr std::array phases{
        Phase{u"loading safetensors checkpoint shards", u"loads weights"},
        Phase{u"loading pt checkpoint shards", u"loads weights"},
        Phase{u"multi-thread loading shards", u"loads weights"},
        Phase{u"load weight begin", u"loads weights"},
        Phase{u"loading weights took", u"weights are loaded"},
        Phase{u"model loading took", u"weights are loaded"},
        Phase{u"load weight end", u"weights are loaded"},
        Phase{u"starting to load model", u"loads weights"},
        Phase{u"torch.compile takes", u"compiled"},
        Phase{u"dynamo bytecode transform", u"compiles"},
        Phase{u"compiling a graph", u"compiles"},
        Phase{u"memory profiling takes", u"profiles memory"},
        Phase{u"available kv cache memory", u"sets the KV cache up"},
        Phase{u"gpu kv cache size", u"sets the KV cache up"},
        Phase{u"kv cache is allocated", u"sets the KV cache up"},
        Phase{u"capturing cuda graph", u"captures CUDA graphs"},
        Phase{u"capture cuda graph begin", u"captures CUDA graphs"},
        Phase{u"graph capturing finished", u"graphs are captured"},
        Phase{u"capture cuda graph end", u"graphs are captured"},
        Phase{u"init engine", u"engine is up"},
        Phase{u"starting vllm api server", u"opens its port"},
        Phase{u"uvicorn running on", u"opens its port"},
        Phase{u"application startup complete", u"opens its port"},
        Phase{u"the server is fired up", u"opens its port"},
        Phase{u"downloading", u"downloads"},
    };
    const auto at = std::ranges::find_if(phases, [&](const Phase &phase) { return line.contains(QStringView(phase.words), Qt::CaseInsensitive); });
    if (at == phases.end())
        return {};
    static const QRegularExpression percent(u"(\\d{1,3})\\s?%"_s);
    const auto match = percent.match(line);
    return match.hasMatch() ? u"%1, %2 %"_s.arg(QString::fromUtf16(at->name), match.captured(1)) : QString::fromUtf16(at->name);
}

} // namespace pilothouse
