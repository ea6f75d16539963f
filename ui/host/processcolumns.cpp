// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/host/processcolumns.h"

#include "ui/text/formatter.h"
#include "ui/text/ownertext.h"
#include "ui/text/verdicttext.h"

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

/// What a column shows of the process alone.
template <auto function>
auto of(const Holder &holder)
{
    return function(holder.process);
}

template <QString (*display)(const Process &)>
QVariant sameAsDisplayed(const Holder &holder)
{
    return display(holder.process);
}

QString verdict(const Holder &holder)
{
    return holder.verdict ? textOf(holder.verdict->verdict) : format::unknownMark();
}

/// The worst first; a helper stays with its family.
int rankOf(Verdict verdict)
{
    static constexpr std::array order{Verdict::Leftover, Verdict::Stuck,    Verdict::Exiting, Verdict::Gone,
                                      Verdict::Unknown,  Verdict::Starting, Verdict::Serving, Verdict::InUse,
                                      Verdict::Foreign,  Verdict::Helper,   Verdict::Infrastructure};
    return static_cast<int>(std::ranges::find(order, verdict) - order.begin());
}

QVariant verdictSort(const Holder &holder)
{
    constexpr qint64 families = qint64{1} << 32;
    constexpr qint64 ranks = 32;
    if (!holder.verdict) // those that hold nothing last, as with a verdict
        return 10 * families * ranks + (holder.process.gpuMemory.isEmpty() ? 1 : 0);
    const qint64 family = holder.verdict->family.section(u'-', 0, 0).toLongLong() % families;
    return (rankOf(holder.family) * families + family) * ranks + rankOf(holder.verdict->verdict);
}

QString verdictHint(const Holder &holder)
{
    return holder.verdict ? evidenceText(*holder.verdict)
                          : Tr::tr("Not told yet: the host is looked at more closely first.");
}

QString role(const Holder &holder)
{
    return holder.verdict ? roleText(holder.verdict->role) : QString();
}

QVariant roleSort(const Holder &holder)
{
    return role(holder);
}

QString why(const Holder &holder)
{
    return holder.verdict ? holder.verdict->evidence.value(0) : QString();
}

QVariant whySort(const Holder &holder)
{
    return why(holder);
}

QString nameHint(const Holder &holder)
{
    QStringList lines{role(holder), commandHint(holder.process)};
    lines.removeAll(QString());
    return lines.join(u'\n');
}

QString roleHint(const Holder &holder)
{
    return holder.verdict && !holder.verdict->rule.isEmpty() ? Tr::tr("Rule %1").arg(holder.verdict->rule) : QString();
}

#define T(text) QT_TRANSLATE_NOOP("ProcessTable", text)
using enum ProcessColumn;
constexpr std::array columns{
    ProcessColumnInfo{Name, T("Process"), u"VLLM::Worker_TP00 __", false, of<shortNameOf>,
                      sameAsDisplayed<shortNameOf>, nameHint},
    ProcessColumnInfo{Judged, T("Verdict"), u"leftover_______", false, verdict, verdictSort, verdictHint},
    ProcessColumnInfo{GpuMemory, T("GPU memory"), u"GPU memory", true, of<gpuMemory>, of<gpuMemorySort>,
                      of<gpuMemoryHint>},
    ProcessColumnInfo{Gpus, T("GPU"), u"GPU ______", false, of<gpus>, of<gpusSort>, of<gpuMemoryHint>},
    ProcessColumnInfo{ProcessId, T("PID"), u"4194304", true, of<pid>, of<pidSort>, of<pidHint>},
    ProcessColumnInfo{Owner, T("Owner"), u"vllm-kimi-k25.service", false, of<owner>, sameAsDisplayed<owner>,
                      of<ownerHint>},
    ProcessColumnInfo{Running, T("Running"), u"23 h 59 min", true, of<running>, of<runningSort>, of<runningHint>},
    ProcessColumnInfo{HostMemory, T("Host memory"), u"Host memory", true, of<hostMemory>, of<hostMemorySort>,
                      of<noHint>},
    ProcessColumnInfo{Role, T("Role"), u"TensorRT-LLM worker", false, role, roleSort, roleHint},
    ProcessColumnInfo{User, T("User"), u"inference", false, of<user>, sameAsDisplayed<user>, of<userHint>},
    ProcessColumnInfo{State, T("State"), u"not on the host", false, of<stateTextOf>, sameAsDisplayed<stateTextOf>,
                      of<noHint>},
    ProcessColumnInfo{Command, T("Command"), u"/usr/bin/python3 -m vllm.entrypoints", false, of<command>,
                      sameAsDisplayed<command>, of<commandHint>},
    ProcessColumnInfo{Why, T("Why"), u"", false, why, whySort, verdictHint},
};
#undef T
static_assert(columns.size() == static_cast<std::size_t>(ProcessColumn::Count));
constexpr std::array yielding{State, User, Command, Role, HostMemory, Running};

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

Severity severityOf(Verdict verdict)
{
    switch (verdict) {
    case Verdict::Leftover:
    case Verdict::Stuck: return Severity::Critical;
    case Verdict::Unknown:
    case Verdict::Gone: return Severity::Warning;
    case Verdict::Starting:
    case Verdict::Exiting:
    case Verdict::Foreign: return Severity::Notice;
    case Verdict::Serving: return Severity::Ok;
    case Verdict::InUse:
    case Verdict::Helper:
    case Verdict::Infrastructure: break;
    }
    return Severity::Quiet;
}

QString evidenceText(const ProcessVerdict &verdict)
{
    QStringList lines = verdict.evidence;
    if (const QString action = textOf(verdict.action); !action.isEmpty())
        lines << Tr::tr("To do: %1").arg(action);
    return lines.join(u'\n');
}

QString rowKeyOf(const Process &process)
{
    if (process.rowsUnreadable)
        return u"unreadable"_s;
    const QString start = process.startTicks.isKnown() ? QString::number(process.startTicks.value()) : u"?"_s;
    return QString::number(process.pid.value) + u'.' + start;
}

} // namespace pilothouse
