// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/host/processcolumns.h"

#include "ui/text/formatter.h"
#include "ui/text/ownertext.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>
#include <cmath>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

struct Tr
{
    Q_DECLARE_TR_FUNCTIONS(ProcessTable)
};

QList<int> gpusOf(const Process &process)
{
    QList<int> gpus;
    for (const ProcessGpuMemory &part : process.gpuMemory) {
        if (part.gpu >= 0 && !gpus.contains(part.gpu))
            gpus << part.gpu;
    }
    std::ranges::sort(gpus);
    return gpus;
}

QString gpuMemory(const Process &process)
{
    return process.gpuMemory.isEmpty() ? QString() : format::memory(gpuMemoryOf(process));
}

QVariant gpuMemorySort(const Process &process)
{
    const Quantity<qint64> sum = gpuMemoryOf(process);
    constexpr double tenthsPerMib = 10.0 / 1024.0;
    return sum.isKnown() ? std::llround(static_cast<double>(sum.value()) * tenthsPerMib) : -1LL;
}

QString gpuMemoryHint(const Process &process)
{
    QStringList lines;
    for (const ProcessGpuMemory &part : process.gpuMemory) {
        const QString gpu = part.gpu >= 0 ? QString::number(part.gpu) : part.gpuUuid;
        const QString value = part.mib.isKnown() ? format::exactMib(part.mib) : format::reason(part.mib);
        lines << Tr::tr("GPU %1: %2").arg(gpu, value);
    }
    return lines.join(u'\n');
}

QString gpus(const Process &process)
{
    const QList<int> list = gpusOf(process);
    return list.isEmpty() && !process.gpuMemory.isEmpty() ? format::unknownMark() : format::ranges(list);
}

QVariant gpusSort(const Process &process)
{
    constexpr int last = 1 << 20;
    const QList<int> list = gpusOf(process);
    return list.isEmpty() ? last : list.first();
}

QString pid(const Process &process)
{
    return process.rowsUnreadable ? format::unknownMark() : QString::number(process.pid.value);
}

QVariant pidSort(const Process &process)
{
    return process.pid.value;
}

QString pidHint(const Process &process)
{
    if (process.rowsUnreadable)
        return Tr::tr("The driver does not tell these PIDs to this account.");
    if (!process.state)
        return Tr::tr("The driver lists this PID, but the host does not show such a process.");
    return Tr::tr("Parent %1, group %2, session %3")
        .arg(format::count(process.ppid), format::count(process.pgid), format::count(process.sid));
}

QString user(const Process &process)
{
    return process.user.isEmpty() ? format::count(process.uid) : process.user;
}

QString userHint(const Process &process)
{
    return process.uid.isKnown() ? Tr::tr("User id %1").arg(process.uid.value()) : format::reason(process.uid);
}

QString owner(const Process &process)
{
    return textOf(process.owner);
}

QString ownerHint(const Process &process)
{
    return process.cgroup.isEmpty() ? QString() : Tr::tr("Control group:\n%1").arg(process.cgroup);
}

qint64 elapsedMs(const Process &process)
{
    return process.elapsedS.isKnown() ? static_cast<qint64>(process.elapsedS.value() * 1000) : -1;
}

QString running(const Process &process)
{
    return process.elapsedS.isKnown() ? format::duration(elapsedMs(process)) : format::unknownMark();
}

QVariant runningSort(const Process &process)
{
    // By the start: the longest running first stays where it is while all grow older.
    return process.startTicks.isKnown() ? QVariant(process.startTicks.value()) : QVariant(quint64{0});
}

QString runningHint(const Process &process)
{
    return process.cpuS.isKnown()
        ? Tr::tr("Processor time %1").arg(format::duration(static_cast<qint64>(process.cpuS.value() * 1000)))
        : format::reason(process.cpuS);
}

QString hostMemory(const Process &process)
{
    return format::hostMemory(process.rssKib);
}

QVariant hostMemorySort(const Process &process)
{
    return process.rssKib.isKnown() ? process.rssKib.value() / 1024 : -1LL;
}

QString command(const Process &process)
{
    if (!process.command.isEmpty())
        return process.command;
    return process.driverName.isEmpty() ? QString() : Tr::tr("the driver calls it %1").arg(process.driverName);
}

QString commandHint(const Process &process)
{
    const QString text = command(process);
    if (text.isEmpty())
        return {};
    QString hint = Tr::tr("Command line:") + u'\n' + text;
    if (process.devices && !process.devices->isEmpty())
        hint += u'\n' + Tr::tr("Holds open: %1").arg(process.devices->join(u", "_s));
    return hint;
}

QString noHint(const Process &)
{
    return {};
}

template <QString (*display)(const Process &)>
QVariant sameAsDisplayed(const Process &process)
{
    return display(process);
}

#define T(text) QT_TRANSLATE_NOOP("ProcessTable", text)
using enum ProcessColumn;
constexpr std::array columns{
    ProcessColumnInfo{Name, T("Process"), u"VLLM::Worker_TP00", false, shortNameOf, sameAsDisplayed<shortNameOf>,
                      commandHint},
    ProcessColumnInfo{GpuMemory, T("GPU memory"), u"GPU memory", true, gpuMemory, gpuMemorySort, gpuMemoryHint},
    ProcessColumnInfo{Gpus, T("GPU"), u"GPU ______", false, gpus, gpusSort, gpuMemoryHint},
    ProcessColumnInfo{ProcessId, T("PID"), u"4194304", true, pid, pidSort, pidHint},
    ProcessColumnInfo{User, T("User"), u"inference", false, user, sameAsDisplayed<user>, userHint},
    ProcessColumnInfo{Owner, T("Owner"), u"vllm-kimi-k25.service", false, owner, sameAsDisplayed<owner>, ownerHint},
    ProcessColumnInfo{State, T("State"), u"not on the host", false, stateTextOf, sameAsDisplayed<stateTextOf>, noHint},
    ProcessColumnInfo{Running, T("Running"), u"23 h 59 min", true, running, runningSort, runningHint},
    ProcessColumnInfo{HostMemory, T("Host memory"), u"Host memory", true, hostMemory, hostMemorySort, noHint},
    ProcessColumnInfo{Command, T("Command"), u"", false, command, sameAsDisplayed<command>, commandHint},
};
#undef T
static_assert(columns.size() == static_cast<std::size_t>(ProcessColumn::Count));
constexpr std::array yielding{HostMemory, User, Running};

} // namespace

std::span<const ProcessColumnInfo> processColumns()
{
    return columns;
}

const ProcessColumnInfo &infoOf(ProcessColumn column)
{
    return columns[static_cast<std::size_t>(column)];
}

std::span<const ProcessColumn> yieldingColumns()
{
    return yielding;
}

Quantity<qint64> gpuMemoryOf(const Process &process)
{
    if (process.gpuMemory.isEmpty())
        return {};
    qint64 sum = 0;
    for (const ProcessGpuMemory &part : process.gpuMemory) {
        if (!part.mib.isKnown())
            return part.mib;
        sum += part.mib.value();
    }
    return sum;
}

QString rowKeyOf(const Process &process)
{
    if (process.rowsUnreadable)
        return u"unreadable"_s;
    const QString start = process.startTicks.isKnown() ? QString::number(process.startTicks.value()) : u"?"_s;
    return QString::number(process.pid.value) + u'.' + start;
}

} // namespace pilothouse
