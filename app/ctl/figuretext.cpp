// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/figuretext.h"

namespace pilothouse {

using namespace Qt::StringLiterals;

QString wordFor(UnknownReason reason)
{
    switch (reason) {
    case UnknownReason::NotSupported:
        return u"n/a"_s;
    case UnknownReason::NoPermission:
        return u"hidden"_s;
    case UnknownReason::Failed:
        return u"failed"_s;
    case UnknownReason::Absent:
        return u"–"_s;
    case UnknownReason::Unparsable:
        return u"?"_s;
    }
    return {};
}

QString shown(const Quantity<qint64> &quantity)
{
    return shown(quantity, [](qint64 value) { return QString::number(value); });
}

QString rounded(const Quantity<double> &quantity, const QString &unit)
{
    return shown(quantity, [&](double value) -> QString { return QString::number(value, 'f', 0) + unit; });
}

QString duration(double seconds)
{
    const qint64 s = qint64(seconds);
    if (s >= 86'400)
        return u"%1d %2h"_s.arg(s / 86'400).arg(s % 86'400 / 3600);
    if (s >= 3600)
        return u"%1h %2m"_s.arg(s / 3600).arg(s % 3600 / 60);
    return s >= 60 ? u"%1m %2s"_s.arg(s / 60).arg(s % 60) : u"%1s"_s.arg(s);
}

QString gib(const Quantity<qint64> &kib)
{
    return shown(kib, [](qint64 value) { return QString::number(double(value) / (1024 * 1024), 'f', 1); });
}

QString headLine(const Snapshot &snapshot, const Output &output)
{
    QString line = output.inked(snapshot.host, Ink::Heading);
    line += u"  %1  %2"_s.arg(snapshot.target, snapshot.takenAt.toLocalTime().toString(u"yyyy-MM-dd HH:mm:ss"_s));
    if (snapshot.uptimeS.isKnown())
        line += u"  up "_s + duration(snapshot.uptimeS.value());
    if (snapshot.system.load1.isKnown())
        line += u"  load "_s + QString::number(snapshot.system.load1.value(), 'f', 2);
    line += u"  memory %1 of %2 GiB free"_s.arg(gib(snapshot.system.memoryAvailableKib),
                                               gib(snapshot.system.memoryTotalKib));
    if (!snapshot.gpuSource.driverVersion.isEmpty())
        line += u"  driver "_s + snapshot.gpuSource.driverVersion;
    return line + u'\n';
}

QString gpuMemoryOf(const Process &process)
{
    QStringList parts;
    for (const ProcessGpuMemory &memory : process.gpuMemory) {
        const QString gpu = memory.gpu >= 0 ? QString::number(memory.gpu) : u"?"_s;
        parts += u"%1: %2"_s.arg(gpu, shown(memory.mib));
    }
    return parts.join(u", "_s);
}

} // namespace pilothouse
