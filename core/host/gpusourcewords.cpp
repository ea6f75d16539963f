// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/host/gpusourcewords.h"

#include "core/base/counted.h"

namespace pilothouse {

using namespace Qt::StringLiterals;

QString missingGpusText(const Snapshot &snapshot)
{
    const GpuSource &source = snapshot.gpuSource;
    QString text = u"The GPU data is missing"_s;
    switch (source.status) {
    case GpuSource::Status::Absent:
        text += u": there is no %1 on the host"_s.arg(source.tool);
        if (const qsizetype cards = snapshot.system.pciBusIds.size(); cards > 0)
            text += u", though its PCI bus has "_s + counted(cards, "NVIDIA GPU"_L1);
        break;
    case GpuSource::Status::Hung:
        text += u": "_s + source.tool;
        if (source.stuckPid.isKnown())
            text += u" (PID %1)"_s.arg(source.stuckPid.value());
        text += u" hangs"_s;
        break;
    case GpuSource::Status::Timeout:
        text += u": %1 took too long"_s.arg(source.tool);
        break;
    case GpuSource::Status::Ok:
    case GpuSource::Status::Failed:
        text += u": %1 failed"_s.arg(source.tool);
        break;
    }
    QString since;
    if (source.since.isValid())
        since = u" since "_s + source.since.toLocalTime().toString(u"yyyy-MM-dd HH:mm:ss"_s);
    QString said = source.message;
    if (source.status == GpuSource::Status::Absent || source.status == GpuSource::Status::Hung)
        said.clear(); // our own words, said already
    while (said.endsWith(u'.'))
        said.chop(1);
    // The tool's own "NVIDIA-SMI has failed because ..." says all of it, but not since when.
    const bool same = said.startsWith(source.tool, Qt::CaseInsensitive) && source.status == GpuSource::Status::Failed;
    if (same)
        return u"The GPU data is missing%1: %2."_s.arg(since, said);
    text += since;
    return said.isEmpty() ? QString(text + u'.') : u"%1 (%2)."_s.arg(text, said);
}

bool isAboutGpuSource(const Problem &problem)
{
    return problem.code.startsWith("smi."_L1) || problem.code.startsWith("driver."_L1);
}

QString missingGpusAdvice(const Snapshot &snapshot)
{
    for (const Problem &problem : snapshot.problems) {
        if (!problem.advice.isEmpty() && isAboutGpuSource(problem))
            return problem.advice;
    }
    return {};
}

QString unknownHoldersText(const Snapshot &snapshot)
{
    if (!snapshot.gpus)
        return u"Who has GPU memory is unknown."_s;
    QStringList unknown;
    for (const Gpu &gpu : *snapshot.gpus) {
        if (!gpu.attributedMib.isKnown())
            unknown += QString::number(gpu.index);
    }
    if (unknown.size() == snapshot.gpus->size())
        return unknown.isEmpty() ? QString() : u"Who has GPU memory is unknown."_s;
    return unknown.isEmpty() ? QString() : u"Who has memory of GPU %1 is unknown."_s.arg(unknown.join(u", "_s));
}

} // namespace pilothouse
