// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a snapshot costs on the host, beside the commands of the founding case, in the same run and in turn, so that
// what else the machine does meets all alike. Processes are started for it in a PID namespace of their own; nvidia-smi
// is a script whose cost is measured and taken out.

#include "tests/unit/probe/ownprocesses.h"
#include "tests/unit/probe/proberrig.h"

#include <QElapsedTimer>

#include <algorithm>
#include <cstdio>
#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace pilothouse;
using namespace pilothouse::test;
using namespace Qt::StringLiterals;

namespace {

constexpr int rounds = 9;
constexpr int turns = 6; // of each round: 2 founding runs, 4 light ticks, 2 deep ones

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

/// CPU of some runs of a shell command, its children included.
double cpuOfCommand(const char *command, int runs)
{
    double sum = 0;
    for (int i = 0; i < runs; ++i) {
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
        const char *words[] = {"/bin/sh", "-c", command, nullptr};
        pid_t child = -1;
        // Not fork: this program's own pages would be on the command's bill.
        if (posix_spawn(&child, words[0], &actions, nullptr, const_cast<char **>(words), environ) != 0)
            qFatal("no shell");
        posix_spawn_file_actions_destroy(&actions);
        rusage usage{};
        int status = 0;
        wait4(child, &status, 0, &usage);
        sum += millisecondsOf(usage);
    }
    return sum;
}

/// CPU so far of one console's probe shells with all that they started: their own in nanoseconds, their children's
/// in steps of 10 ms.
double cpuOfShells(const QString &consoleId)
{
    double sum = 0;
    const QByteArray id = markOf(settingsFor(consoleId));
    const double step = 1000.0 / static_cast<double>(sysconf(_SC_CLK_TCK));
    for (const qint64 pid : processesWith(QByteArray("\0pilothouse-probe\0", 18) + id)) {
        QFile own(u"/proc/%1/schedstat"_s.arg(pid));
        QFile file(u"/proc/%1/stat"_s.arg(pid));
        if (!own.open(QIODevice::ReadOnly) || !file.open(QIODevice::ReadOnly))
            continue;
        sum += own.readAll().split(' ').first().toDouble() / 1e6;
        const QByteArray stat = file.readAll();
        const QList<QByteArray> words = stat.sliced(stat.lastIndexOf(')') + 2).split(' ');
        sum += (words.value(13).toDouble() + words.value(14).toDouble()) * step;
    }
    return sum;
}

double ownCpu()
{
    rusage own{};
    getrusage(RUSAGE_SELF, &own);
    return millisecondsOf(own);
}

/// What the ticks of one console have cost.
struct Ticks
{
    Ticks(ShellProvider &provider, const QString &console, Depth which)
        : consoleId(console), depth(which), rig(provider, settingsFor(console))
    {
        if (!rig.start() || !rig.take() || !rig.take(depth))
            qFatal("no snapshot");
        forget();
    }
    void take(int ticks)
    {
        const double before = ownCpu();
        QElapsedTimer clock;
        clock.start();
        for (int i = 0; i < ticks; ++i) {
            const SnapshotPtr snapshot = rig.take(depth);
            if (!snapshot)
                qFatal("no snapshot");
            bytes = snapshot->bytes;
        }
        wallMs += static_cast<double>(clock.nsecsElapsed()) / 1e6;
        clientMs += ownCpu() - before;
        taken += ticks;
    }
    [[nodiscard]] double hostMs() const { return (cpuOfShells(consoleId) - hostBefore) / taken; }
    void forget()
    {
        hostBefore = cpuOfShells(consoleId);
        clientMs = wallMs = 0;
        taken = 0;
    }

    QString consoleId;
    Depth depth;
    ProberRig rig;
    double hostBefore = 0;
    double clientMs = 0;
    double wallMs = 0;
    qint64 bytes = 0;
    int taken = 0;
};

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

constexpr char smiCommand[] =
    "nvidia-smi --query-gpu=index,uuid,pci.bus_id,driver_version,memory.total,memory.used,memory.free,"
    "memory.reserved,utilization.gpu,temperature.gpu,power.draw,persistence_mode,mig.mode.current,"
    "gpu_recovery_action,name; nvidia-smi --query-compute-apps=pid";

void measureTicks()
{
    FakeHost host;
    host.nvidiaSmi(8);
    addTree(host);
    host.process({"sleeper"}, {u"children=485"_s});
    LocalShellProvider provider;
    provider.environment = host.environment();
    Ticks light(provider, u"bench0000000light"_s, Depth::Light);
    Ticks deep(provider, u"bench00000000deep"_s, Depth::Deep);
    const auto count = static_cast<double>(processesWith({}).size());
    QList<double> founding, lights, deeps, lightClient, lightRatio, deepRatio, lightWall, deepWall;
    qputenv("PATH", host.environment().value(u"PATH"_s).toUtf8());
    for (int i = 0; i < rounds; ++i) {
        double smi = 0;
        double peer = 0;
        light.forget();
        deep.forget();
        for (int turn = 0; turn < turns; ++turn) {
            smi += cpuOfCommand(smiCommand, 1) - cpuOfCommand(":", 1);
            peer += cpuOfCommand("ps aux | grep -E 'python|vllm'", 2);
            light.take(4);
            deep.take(2);
        }
        smi /= turns;
        peer /= 2 * turns;
        founding.append(peer);
        lights.append(light.hostMs() - smi);
        deeps.append(deep.hostMs() - smi);
        lightRatio.append(lights.last() / peer);
        deepRatio.append(deeps.last() / peer);
        lightClient.append(light.clientMs / light.taken);
        lightWall.append(light.wallMs / light.taken);
        deepWall.append(deep.wallMs / deep.taken);
    }
    row("probe.processes", "processes on the host", count, "", 0, "");
    row("probe.founding_cpu_ms", "founding ps and grep, host CPU", median(founding), "ms", 0, "peer");
    row("probe.light_cpu_ms", "light tick, host CPU without nvidia-smi", median(lights), "ms", 0, "");
    row("probe.light_ratio", "light tick / founding", median(lightRatio), "", 0.7, "<= 0.7");
    row("probe.deep_cpu_ms", "deep tick, host CPU without nvidia-smi", median(deeps), "ms", 0, "");
    row("probe.deep_ratio", "deep tick / founding", median(deepRatio), "", 2, "<= 2");
    row("probe.light_bytes", "light tick, answer", static_cast<double>(light.bytes), "B", 16384, "<= 16384");
    row("probe.deep_bytes", "deep tick, answer", static_cast<double>(deep.bytes), "B", 0, "");
    row("probe.light_wall_ms", "light tick, request to snapshot (local shell)", median(lightWall), "ms", 0, "");
    row("probe.deep_wall_ms", "deep tick, request to snapshot (local shell)", median(deepWall), "ms", 0, "");
    row("probe.client_cpu_ms", "light tick, console's CPU, pipes included", median(lightClient), "ms", 1, "<= 1");
}

void measureLargeScan()
{
    FakeHost host;
    host.nvidiaSmi(8);
    host.process({"sleeper"}, {u"copies=40"_s, u"open=/dev/null"_s, u"children=2999"_s});
    LocalShellProvider provider;
    provider.environment = host.environment();
    Ticks scan(provider, u"bench00000000scan"_s, Depth::Deep);
    QList<double> seconds;
    for (int i = 0; i < 3; ++i) {
        scan.take(1);
        seconds.append(scan.wallMs / 1000);
        scan.forget();
    }
    row("probe.scan_s", "deep scan of 3,000 processes x 40 descriptors", median(seconds), "s", 3, "<= 3");
}

} // namespace

int main(int argc, char **argv)
{
    enterOwnProcesses(argc, argv);
    prepare();
    const QCoreApplication app(argc, argv);
    std::printf("| %-58s | %-14s | %-24s | %-4s |\n|---|---|---|---|\n",
                "probe, medians of 9 rounds", "measured", "figure", "");
    measureTicks();
    measureLargeScan();
    return 0;
}
