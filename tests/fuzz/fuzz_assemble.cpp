// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// A whole answer from one input, cut at form feeds: sections in a fixed order, three times through the same memory.
#include "core/host/snapshotjson.h"
#include "core/probe/assemble.h"
#include "core/probe/parse/smicsv.h"

#include <QJsonDocument>

#include <cstdlib>

using namespace pilothouse;

namespace {

RawSection sectionOf(const QByteArray &bytes)
{
    RawSection section;
    section.asked = true;
    section.complete = !bytes.startsWith('!');
    section.exitStatus = bytes.startsWith('?') ? 14 : 0;
    section.startedAt = 1000.01;
    section.endedAt = 1000.05;
    section.output = section.exitStatus == 0 ? bytes : bytes.sliced(1);
    return section;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const QByteArray bytes(reinterpret_cast<const char *>(data), qsizetype(size));
    const QList<QByteArray> parts = bytes.split('\f');
    HostAnswer answer;
    answer.depth = Depth::Deep;
    answer.uptimeBefore = 1000;
    answer.uptimeAfter = 1000.06;
    answer.container = parts.value(0) == "c";
    answer.hidepid = parts.value(0) == "h";
    answer.smi.status = GpuSource::Status::Ok;
    answer.smi.askedFields = smiGpuFields();
    answer.smi.gpus = sectionOf(parts.value(1));
    answer.smi.apps = sectionOf(parts.value(2));
    answer.smi.mig = sectionOf(parts.value(3));
    answer.units = sectionOf(parts.value(4));
    answer.meminfo = sectionOf(parts.value(5));
    answer.pci = sectionOf(parts.value(6));
    answer.tcp = sectionOf(parts.value(7));
    answer.kernelLog = sectionOf(parts.value(8));
    answer.processes = QList<RawProcess>();
    for (qsizetype i = 9; i + 2 < parts.size() && i < 60; i += 3) {
        RawProcess process;
        process.pid = parts.at(i).toLongLong();
        process.stat = parts.at(i + 1);
        process.cmdline = parts.at(i + 2);
        process.cgroup = parts.at(i + 2);
        process.readable = !process.cmdline.isEmpty();
        answer.processes->append(process);
    }
    ProbeSettings settings;
    settings.units = QStringList{QStringLiteral("vllm.service")};
    settings.expectedGpus = 2;
    AssembleMemory memory;
    for (int tick = 0; tick < 3; ++tick) {
        const QDateTime noon(QDate(2026, 12, 1), QTime(12, 0), Qt::UTC);
        AssembleMemory forgetful = memory;
        forgetful.read = {};
        const Snapshot plain = assemble(answer, settings, forgetful, noon);
        const Snapshot snapshot = assemble(answer, settings, memory, noon);
        if (snapshot.gpus != plain.gpus || snapshot.processes != plain.processes)
            std::abort(); // what was read of an earlier tick shows
        if (tick == 1) {
            for (RawProcess &process : *answer.processes)
                std::swap(process.cmdline, process.stat);
            std::swap(answer.smi.gpus, answer.smi.apps);
        }
        for (const Gpu &gpu : snapshot.gpus.value_or(QList<Gpu>())) {
            if (!gpu.fault.isEmpty() && (gpu.memoryUsedMib.isKnown() || gpu.unattributedMib.isKnown()))
                std::abort();
        }
        if (QJsonDocument(toJson(snapshot)).toJson().isEmpty())
            std::abort();
    }
    return 0;
}
