// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/snapshottext.h"

#include "app/ctl/figuretext.h"
#include "app/ctl/texttable.h"
#include "core/base/counted.h"
#include "core/host/gpusourcewords.h"
#include "core/host/unitwords.h"

#include <algorithm>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

using Align = TextTable::Align;

QString noteOf(const Gpu &gpu)
{
    QStringList notes;
    if (!gpu.fault.isEmpty())
        notes += gpu.fault;
    if (gpu.recoveryAction.isKnown() && gpu.recoveryAction.value().compare(u"none", Qt::CaseInsensitive) != 0)
        notes += u"driver asks: "_s + gpu.recoveryAction.value();
    if (gpu.mig.valueOr(false))
        notes += gpu.migDevices.isEmpty() ? u"MIG"_s : u"MIG, "_s + counted(gpu.migDevices.size(), "device"_L1);
    if (gpu.unifiedMemory)
        notes += u"shares the host's memory"_s;
    if (!gpu.persistence.valueOr(true))
        notes += u"persistence off"_s;
    return notes.join(u"; "_s);
}

QString gpuTable(const Snapshot &snapshot, const Output &output)
{
    if (!snapshot.gpus)
        return output.inked(u"GPUs unknown"_s, Ink::Bad) + u'\n';
    if (snapshot.gpus->isEmpty())
        return u"No GPUs.\n"_s;
    TextTable table({{u"GPU"_s, Align::Right},
                     {u"NAME"_s, Align::Left, 32},
                     {u"USED MIB"_s, Align::Right},
                     {u"TOTAL MIB"_s, Align::Right},
                     {u"LOAD"_s, Align::Right},
                     {u"TEMP"_s, Align::Right},
                     {u"POWER"_s, Align::Right},
                     {u"NOTE"_s}});
    for (const Gpu &gpu : *snapshot.gpus) {
        const bool bad = !gpu.fault.isEmpty();
        table.add({{gpu.index >= 0 ? QString::number(gpu.index) : u"–"_s},
                   {gpu.name},
                   {shown(gpu.memoryUsedMib), bad ? Ink::Bad : Ink::Plain},
                   {shown(gpu.memoryTotalMib)},
                   {rounded(gpu.utilizationPct, u" %"_s)},
                   {rounded(gpu.temperatureC, u" °C"_s)},
                   {rounded(gpu.powerW, u" W"_s)},
                   {noteOf(gpu), bad ? Ink::Bad : Ink::Dim}});
    }
    return table.text(output);
}

/// Those with GPU memory, by GPU and PID.
QList<Process> gpuProcesses(const QList<Process> &all)
{
    QList<Process> processes;
    std::ranges::copy_if(all, std::back_inserter(processes), [](const Process &p) { return !p.gpuMemory.isEmpty(); });
    std::ranges::sort(processes, {}, [](const Process &p) { return std::pair(p.gpuMemory.first().gpu, p.pid); });
    return processes;
}

QString processTable(const Snapshot &snapshot, const Output &output)
{
    if (!snapshot.processes)
        return u'\n' + output.inked(u"Processes unknown"_s, Ink::Bad) + u'\n';
    TextTable table({{u"PID"_s, Align::Right},
                     {u"USER"_s, Align::Left, 16},
                     {u"ST"_s},
                     {u"AGE"_s, Align::Right},
                     {u"GPU: MIB"_s, Align::Left, 48},
                     {u"OWNER"_s, Align::Left, 32},
                     {u"COMMAND"_s, Align::Left, 80}});
    for (const Process &process : gpuProcesses(*snapshot.processes)) {
        const QString uid = shown(process.uid);
        const QString command = process.command.isEmpty() ? process.comm : process.command;
        table.add({{process.rowsUnreadable ? u"?"_s : QString::number(process.pid.value)},
                   {process.user.isEmpty() ? uid : process.user},
                   {process.state ? QString(*process.state) : u"gone"_s, process.state ? Ink::Plain : Ink::Warning},
                   {shown(process.elapsedS, duration)},
                   {gpuMemoryOf(process)},
                   {process.owner.name},
                   {command.isEmpty() ? process.driverName : command}});
    }
    const auto all = snapshot.processes->size();
    const auto holds = [](const Process &process) { return !process.gpuMemory.isEmpty(); };
    const auto onGpus = std::ranges::count_if(*snapshot.processes, holds);
    if (!table.isEmpty()) {
        const QString counts = all > onGpus ? u"%1 on GPUs, %2 related\n"_s.arg(onGpus).arg(all - onGpus) : QString();
        return u'\n' + table.text(output) + counts;
    }
    const QString others = all > 0 ? u" %1 related."_s.arg(all) : QString();
    const QString unknown = unknownHoldersText(snapshot);
    return u'\n' + (unknown.isEmpty() ? u"No process has GPU memory."_s : unknown) + others + u'\n';
}

/// Why the snapshot says nothing about a unit that was asked for.
QString whyUnknown(const Snapshot &snapshot, const QString &unit)
{
    QString general;
    for (const Problem &problem : snapshot.problems) {
        if (problem.code == "unit.unanswered"_L1 && problem.text.contains(unit))
            return problem.text;
        const bool ofUnits = problem.code.startsWith("systemd."_L1) || problem.code.endsWith("units"_L1);
        if (general.isEmpty() && ofUnits)
            general = problem.text;
    }
    if (general.isEmpty() && snapshot.unknown.value(u"units"_s, UnknownReason::Failed) == UnknownReason::Absent)
        general = u"This host does not run systemd."_s;
    return general.isEmpty() ? u"The host does not say."_s : general;
}

QString unitTable(const Snapshot &snapshot, const QStringList &asked, const Output &output)
{
    const QList<Unit> units = snapshot.units.value_or(QList<Unit>());
    TextTable table({{u"UNIT"_s}, {u"STATE"_s, Align::Left, 120}, {u"SYSTEMD SAYS"_s}, {u"MAIN PID"_s, Align::Right},
                     {u"RESTARTS"_s, Align::Right}});
    for (const Unit &unit : units) {
        const Ink ink = isInTrouble(unit) ? Ink::Bad : unit.active == u"active" ? Ink::Good : Ink::Plain;
        const QString active = unit.sub.isEmpty() ? unit.active : u"%1 (%2)"_s.arg(unit.active, unit.sub);
        table.add({{unit.name},
                   {stateWordsOf(unit), ink},
                   {active, Ink::Dim},
                   {shown(unit.mainPid)},
                   {shown(unit.restarts, [](int count) { return QString::number(count); })}});
    }
    for (const QString &name : asked) {
        const auto is = [&name](const Unit &unit) { return unit.name == name || unit.name == name + ".service"_L1; };
        if (std::ranges::none_of(units, is))
            table.add({{name}, {u"unknown: "_s + whyUnknown(snapshot, name), Ink::Warning}});
    }
    return table.isEmpty() ? QString() : QString(u'\n' + table.text(output));
}

QString deepTables(const Snapshot &snapshot, const Output &output)
{
    QString text;
    if (snapshot.listening && !snapshot.listening->isEmpty()) {
        TextTable table({{u"LISTENING"_s}, {u"PORT"_s, Align::Right}, {u"PID"_s, Align::Right}});
        for (const ListeningPort &port : *snapshot.listening)
            table.add({{port.address}, {QString::number(port.port)}, {shown(port.pid)}});
        text += u'\n' + table.text(output);
    }
    if (snapshot.shm && !snapshot.shm->isEmpty()) {
        TextTable table({{u"SHARED MEMORY"_s}, {u"KIB"_s, Align::Right}, {u"UID"_s, Align::Right}, {u"MAPPED BY"_s}});
        for (const ShmFile &file : *snapshot.shm) {
            QStringList pids;
            for (const qint64 pid : file.mappedBy.value_or(QList<qint64>()))
                pids += QString::number(pid);
            QString by = pids.isEmpty() ? u"nobody"_s : pids.join(u", "_s);
            if (!file.mappedBy)
                by = file.mappedByUnknown == UnknownReason::NoPermission ? u"not known for all"_s
                                                                         : wordFor(file.mappedByUnknown);
            table.add({{file.path}, {QString::number(file.kib)}, {QString::number(file.uid)}, {by}});
        }
        text += u'\n' + table.text(output);
    }
    return text;
}

QString wordFor(Problem::Severity severity)
{
    switch (severity) {
    case Problem::Severity::Notice:
        return u"notice"_s;
    case Problem::Severity::Warning:
        return u"warning"_s;
    case Problem::Severity::Critical:
        return u"critical"_s;
    }
    return {};
}

} // namespace

QString snapshotText(const Snapshot &snapshot, const QStringList &asked, const Output &output)
{
    return headLine(snapshot, output) + gpuTable(snapshot, output) + processTable(snapshot, output)
        + unitTable(snapshot, asked, output) + deepTables(snapshot, output);
}

QStringList problemLines(const Snapshot &snapshot)
{
    QList<Problem> problems = snapshot.problems;
    std::ranges::stable_sort(problems, std::ranges::greater(), &Problem::severity);
    QStringList lines;
    if (!snapshot.gpus) {
        problems.removeIf(isAboutGpuSource);
        lines += u"%1 %2"_s.arg(missingGpusText(snapshot), missingGpusAdvice(snapshot)).trimmed();
    }
    for (const Problem &problem : problems) {
        const QString advice = problem.advice.isEmpty() ? QString() : QString(u' ' + problem.advice);
        lines += u"%1: %2%3"_s.arg(wordFor(problem.severity), problem.text, advice);
    }
    return lines;
}

} // namespace pilothouse
