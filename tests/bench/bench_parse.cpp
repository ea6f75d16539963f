// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// CPU and wall time of assemble() and toJson() for 8 GPUs and 300 processes; medians, in milliseconds.
#include "core/host/snapshotjson.h"
#include "core/probe/assemble.h"
#include "core/probe/parse/smicsv.h"

#include <QElapsedTimer>
#include <QJsonDocument>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <functional>
#include <vector>

using namespace pilothouse;
using namespace Qt::StringLiterals;

namespace {

constexpr int gpuCount = 8;
constexpr int processCount = 300;
constexpr int rounds = 301;

RawSection sectionOf(QByteArray output)
{
    RawSection section;
    section.asked = section.complete = true;
    section.exitStatus = 0;
    section.startedAt = 1000.01;
    section.endedAt = 1000.06;
    section.output = std::move(output);
    return section;
}

QByteArray numbered(const char *format, int number)
{
    char buffer[512];
    std::snprintf(buffer, sizeof buffer, format, number, number, number); // NOLINT: the formats stand below
    return buffer;
}

RawProcess processOf(int i)
{
    RawProcess process;
    process.pid = 10'000 + i;
    process.uid = 0;
    process.stat = numbered("%d (VLLM::Worker_TP) S 1 4242 4242 0 -1 4194560 2035 0 1 0 120 30 0 0 20 0 77 0 50000 "
                            "18325504000 2500 18446744073709551615 1 1 0\n",
                            10'000 + i);
    process.cmdline = QByteArray("/opt/venv/bin/python3\0-m\0vllm.entrypoints.openai.api_server\0--model\0moonshotai/"
                                 "Kimi-K2.5\0--tensor-parallel-size\0008\0--port\08000\0",
                                 130);
    process.cgroup = "0::/system.slice/vllm-kimi-k25.service\n";
    return process;
}

HostAnswer hostAnswer()
{
    HostAnswer answer;
    answer.bootId = u"boot"_s;
    answer.uptimeBefore = 1000;
    answer.uptimeAfter = 1000.06;
    answer.users = {{0, u"root"_s}};
    answer.processes = QList<RawProcess>();
    QByteArray rows;
    QByteArray apps;
    QByteArray pci;
    for (int i = 0; i < processCount; ++i)
        answer.processes->append(processOf(i));
    for (int i = 0; i < gpuCount; ++i) {
        rows += numbered("%d, GPU-0000000%d-1111-2222-3333-444444444444, 00000000:1%d:00.0, 590.48.01, 97887, 96619, "
                         "630, 638, 100, 61, 431.95, Enabled, Disabled, None, NVIDIA H100\n",
                         i);
        for (int p = 0; p < 4; ++p)
            apps += numbered("GPU-0000000%d-1111-2222-3333-444444444444, ", i) + QByteArray::number(10'000 + 4 * i + p)
                    + ", 24000, VLLM::Worker_TP0\n";
        pci += numbered("0000:1%d:00.0 0x10de 0x030200\n", i);
    }
    answer.smi.status = GpuSource::Status::Ok;
    answer.smi.askedFields = smiGpuFields();
    answer.smi.gpus = sectionOf(rows);
    answer.smi.apps = sectionOf(apps);
    answer.pci = sectionOf(pci);
    answer.meminfo = sectionOf("MemTotal:       527824436 kB\nMemAvailable:   501824436 kB\n");
    answer.loadavg = sectionOf("0.52 0.58 0.59 1/2034 4243\n");
    answer.vmstat = sectionOf("oom_kill 0\n");
    answer.units =
        sectionOf("Id=vllm-kimi-k25.service\nLoadState=loaded\nActiveState=active\nSubState=running\nMainPID=10000\n");
    return answer;
}

double cpuMs()
{
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return double(time.tv_sec) * 1e3 + double(time.tv_nsec) / 1e6;
}

void measure(const char *what, const std::function<void()> &work)
{
    std::vector<double> cpu;
    std::vector<double> wall;
    for (int i = 0; i < rounds; ++i) {
        QElapsedTimer timer;
        timer.start();
        const double before = cpuMs();
        work();
        cpu.push_back(cpuMs() - before);
        wall.push_back(double(timer.nsecsElapsed()) / 1e6);
    }
    std::sort(cpu.begin(), cpu.end());
    std::sort(wall.begin(), wall.end());
    std::printf("| %-34s | %8.3f | %8.3f |\n", what, cpu[cpu.size() / 2], wall[wall.size() / 2]);
}

} // namespace

int main()
{
    const HostAnswer answer = hostAnswer();
    ProbeSettings settings;
    settings.units = QStringList{u"vllm-kimi-k25.service"_s};
    AssembleMemory memory;
    const QDateTime now = QDateTime::currentDateTimeUtc();
    Snapshot snapshot = assemble(answer, settings, memory, now);
    if (snapshot.gpus.value_or(QList<Gpu>()).size() != gpuCount || snapshot.processes->size() != processCount
        || !snapshot.problems.isEmpty()) {
        std::fprintf(stderr, "the composed answer was not read whole\n");
        return 1;
    }
    std::printf("| %d GPUs, %d processes             |  CPU, ms | wall, ms |\n|---|---|---|\n", gpuCount, processCount);
    measure("assemble", [&] { snapshot = assemble(answer, settings, memory, now); });
    measure("toJson", [&] { (void)toJson(snapshot); });
    measure("toJson and text", [&] { (void)QJsonDocument(toJson(snapshot)).toJson(QJsonDocument::Compact); });
    return 0;
}
