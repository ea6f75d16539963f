// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/host/gpusourcewords.h"

namespace pilothouse {

using namespace Qt::StringLiterals;

QString missingGpusText(const Snapshot &snapshot)
{
    const GpuSource &source = snapshot.gpuSource;
    QString text = u"The GPU data is missing"_s;
    switch (source.status) {
    case GpuSource::Status::Absent:
        text += u": there is no %1 on the host"_s.arg(source.tool);
        break;
    case GpuSource::Status::Hung:
        text += u": %1 hangs"_s.arg(source.tool);
        break;
    case GpuSource::Status::Timeout:
        text += u": %1 took too long"_s.arg(source.tool);
        break;
    case GpuSource::Status::Ok:
    case GpuSource::Status::Failed:
        text += u": %1 failed"_s.arg(source.tool);
        break;
    }
    if (source.since.isValid())
        text += u" since "_s + source.since.toLocalTime().toString(u"yyyy-MM-dd HH:mm:ss"_s);
    QString said = source.message;
    if (source.status == GpuSource::Status::Absent || source.status == GpuSource::Status::Hung)
        said.clear(); // our own words, said already
    while (said.endsWith(u'.'))
        said.chop(1);
    return said.isEmpty() ? QString(text + u'.') : u"%1 (%2)."_s.arg(text, said);
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
