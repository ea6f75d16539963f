// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a snapshot costs on the host, beside the commands of the founding case, in the same run.
// Processes are started for it in a PID namespace of their own; nvidia-smi is a script whose cost
// is measured and taken out.

#include "tests/unit/probe/ownprocesses.h"
#include "tests/unit/probe/proberrig.h"

#include <QElapsedTimer>

#include <algorithm>
#include <cstdio>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>

using namespace pilothouse;
using namespace pilothouse::test;
using namespace Qt::StringLiterals;

namespace {

constexpr int rounds = 7;

double median(QList<double> values)
{
    std::ranges::sort(values);
    return values.isEmpty() ? 0 : values[values.size() / 2];
}

double millisecondsOf(const rusage &usage)
{
    return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e3
           + static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e3;
}

/// CPU of one run of a shell command, its children included.
double cpuOfCommand(const char *command, int runs)
{
    double sum = 0;
    for (int i = 0; i < runs; ++i) {
        const pid_t child = fork();
        if (child == 0) {
            const int nowhere = open("/dev/null", O_WRONLY);
            dup2(nowhere, STDOUT_FILENO);
            dup2(nowhere, STDERR_FILENO);
            execl("/bin/sh", "sh", "-c", command, nullptr);
            _exit(127);
        }
        rusage usage{};
        int status = 0;
        wait4(child, &status, 0, &usage);
        sum += millisecondsOf(usage);
    }
    return sum / runs;
}

/// CPU of the probe's shells so far with all that they started, by the kernel's precise sums (read
/// in steps of 10 ms).
double cpuOfShells()
{
    double sum = 0;
    for (const qint64 pid : processesWith(QByteArray("\0pilothouse-probe\0", 18))) {
        QFile file(u"/proc/%1/stat"_s.arg(pid));
        if (!file.open(QIODevice::ReadOnly))
            continue;
        const QByteArray stat = file.readAll();
        const QList<QByteArray> words = stat.sliced(stat.lastIndexOf(')') + 2).split(' ');
        for (int i = 11; i <= 14 && i < words.size(); ++i)
            sum += words[i].toDouble() * 10;
    }
    return sum;
}

struct TickCost
{
    double hostCpuMs = 0;
    double clientCpuMs = 0;
    double wallMs = 0;
    qint64 bytes = 0;
};

TickCost costOf(ProberRig &rig, Depth depth, int ticks)
{
    TickCost cost;
    const double before = cpuOfShells();
    rusage own{};
    getrusage(RUSAGE_SELF, &own);
    QElapsedTimer clock;
    clock.start();
    for (int i = 0; i < ticks; ++i) {
        const SnapshotPtr snapshot = rig.take(depth);
        if (!snapshot)
            qFatal("no snapshot");
        cost.bytes = snapshot->bytes;
    }
    cost.wallMs = static_cast<double>(clock.nsecsElapsed()) / 1e6 / ticks;
    const double ownBefore = millisecondsOf(own);
    getrusage(RUSAGE_SELF, &own);
    cost.clientCpuMs = (millisecondsOf(own) - ownBefore) / ticks;
    cost.hostCpuMs = (cpuOfShells() - before) / ticks;
    return cost;
}

void row(const char *key, const char *what, double value, const char *unit, double limit,
         const char *limitText)
{
    const char *verdict = limit <= 0 ? "" : value <= limit ? "ok" : "OVER";
    std::printf("| %-58s | %9.2f %-4s | %-24s | %-4s |\n", what, value, unit, limitText, verdict);
    std::fprintf(stderr, "%s=%.3f\n", key, value);
}

void addTree(FakeHost &host)
{
    host.process({"/opt/venv/bin/python3", "/opt/venv/bin/vllm", "serve", "moonshotai/Kimi-K2.5",
                  "--port", "8000", "--tensor-parallel-size", "8", "--max-model-len", "131072",
                  "--trust-remote-code"});
    host.process({"VLLM::EngineCore"});
    host.process({"/opt/venv/bin/python3", "-c",
                  "from multiprocessing.resource_tracker import main;main(42)"});
    QByteArray apps;
    for (int i = 0; i < 8; ++i) {
        const QByteArray title = "VLLM::Worker_TP" + QByteArray::number(i);
        const qint64 pid = host.process({title});
        apps += "GPU-00000000-0000-0000-0000-00000000000" + QByteArray::number(i) + ", "
                + QByteArray::number(pid) + ", 96615, " + title + '\n';
    }
    host.apps(apps);
}

void measureTicks()
{
    FakeHost host;
    host.nvidiaSmi(8);
    addTree(host);
    host.process({"sleeper"}, {u"children=485"_s});
    LocalShellProvider provider;
    provider.environment = host.environment();
    ProberRig rig(provider);
    if (!rig.start() || !rig.take() || !rig.take(Depth::Deep))
        qFatal("no snapshot");
    const auto count = static_cast<double>(processesWith({}).size());
    QList<double> founding, light, deep, lightClient, lightRatio, deepRatio, lightWall, deepWall;
    TickCost last;
    TickCost lastDeep;
    qputenv("PATH", host.environment().value(u"PATH"_s).toUtf8());
    for (int i = 0; i < rounds; ++i) {
        const double smi =
            cpuOfCommand("nvidia-smi "
                         "--query-gpu=index,uuid,pci.bus_id,driver_version,memory.total,memory."
                         "used,memory.free,"
                         "memory.reserved,utilization.gpu,temperature.gpu,power.draw,persistence_"
                         "mode,mig.mode.current,"
                         "gpu_recovery_action,name; nvidia-smi --query-compute-apps=pid",
                         10)
            - cpuOfCommand(":", 10);
        const double peer = cpuOfCommand("ps aux | grep -E 'python|vllm'", 10);
        last = costOf(rig, Depth::Light, 30);
        lastDeep = costOf(rig, Depth::Deep, 10);
        founding.append(peer);
        light.append(last.hostCpuMs - smi);
        deep.append(lastDeep.hostCpuMs - smi);
        lightRatio.append((last.hostCpuMs - smi) / peer);
        deepRatio.append((lastDeep.hostCpuMs - smi) / peer);
        lightClient.append(last.clientCpuMs);
        lightWall.append(last.wallMs);
        deepWall.append(lastDeep.wallMs);
    }
    row("probe.processes", "processes on the host", count, "", 0, "");
    row("probe.founding_cpu_ms", "founding ps and grep, host CPU", median(founding), "ms", 0, "peer");
    row("probe.light_cpu_ms", "light tick, host CPU without nvidia-smi", median(light), "ms", 0,
        "");
    row("probe.light_ratio", "light tick / founding", median(lightRatio), "", 0.7, "<= 0.7");
    row("probe.deep_cpu_ms", "deep tick, host CPU without nvidia-smi", median(deep), "ms", 0, "");
    row("probe.deep_ratio", "deep tick / founding", median(deepRatio), "", 2, "<= 2");
    row("probe.light_bytes", "light tick, answer", static_cast<double>(last.bytes), "B", 16384,
        "<= 16384");
    row("probe.deep_bytes", "deep tick, answer", static_cast<double>(lastDeep.bytes), "B", 0, "");
    row("probe.light_wall_ms", "light tick, request to snapshot (local shell)", median(lightWall),
        "ms", 0, "");
    row("probe.deep_wall_ms", "deep tick, request to snapshot (local shell)", median(deepWall),
        "ms", 0, "");
    row("probe.client_cpu_ms", "light tick, console's CPU, pipes included", median(lightClient),
        "ms", 1, "<= 1");
}

void measureLargeScan()
{
    FakeHost host;
    host.nvidiaSmi(8);
    host.process({"sleeper"}, {u"copies=40"_s, u"open=/dev/null"_s, u"children=2999"_s});
    LocalShellProvider provider;
    provider.environment = host.environment();
    ProberRig rig(provider);
    if (!rig.start() || !rig.take())
        qFatal("no snapshot");
    QList<double> seconds;
    for (int i = 0; i < 3; ++i)
        seconds.append(costOf(rig, Depth::Deep, 1).wallMs / 1000);
    row("probe.scan_s", "deep scan of 3,000 processes x 40 descriptors", median(seconds), "s", 3,
        "<= 3");
}

} // namespace

int main(int argc, char **argv)
{
    enterOwnProcesses(argc, argv);
    prepare();
    const QCoreApplication app(argc, argv);
    std::printf("| %-58s | %-14s | %-24s | %-4s |\n|---|---|---|---|\n",
                "probe, medians of 7 rounds", "measured", "figure", "");
    measureTicks();
    measureLargeScan();
    return 0;
}
