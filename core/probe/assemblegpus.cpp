// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/cleantext.h"
#include "core/base/counted.h"
#include "core/probe/assembleparts.h"
#include "core/probe/parse/smicsv.h"

#include <algorithm>
#include <climits>
#include <cmath>

namespace pilothouse {

using namespace Qt::StringLiterals;
using Kind = SmiMessage::Kind;
using Status = GpuSource::Status;

namespace {

const char16_t *codeOf(Kind kind)
{
    switch (kind) {
    case Kind::DriverNotLoaded:
        return u"driver.not_loaded";
    case Kind::VersionMismatch:
        return u"driver.mismatch";
    case Kind::LibraryMissing:
        return u"driver.library_missing";
    case Kind::Blocked:
        return u"driver.blocked";
    case Kind::NoPermission:
        return u"driver.no_permission";
    case Kind::InvalidField:
        return u"smi.field_unknown";
    case Kind::BadArguments:
        return u"smi.bad_arguments";
    case Kind::Crashed:
        return u"smi.crashed";
    default:
        return u"driver.init_failed";
    }
}

/// `condemned`: the driver's own verdict is that the card is down.
QString problemCodeOfFault(const QString &fault, bool condemned)
{
    if (fault.contains("lost"_L1, Qt::CaseInsensitive) || fault.contains("fallen off"_L1, Qt::CaseInsensitive))
        return u"gpu.lost"_s;
    return condemned || fault.contains("reset"_L1, Qt::CaseInsensitive) ? u"gpu.reset_required"_s : u"gpu.fault"_s;
}

QString calledGpu(const Gpu &gpu)
{
    const QString bus = gpu.busId.isEmpty() ? QString() : u" at "_s + gpu.busId;
    if (gpu.index >= 0)
        return u"GPU "_s + QString::number(gpu.index) + bus;
    return bus.isEmpty() ? u"A GPU"_s : u"The GPU"_s + bus;
}

const AssembleMemory::SeenGpu *seenAt(const AssembleMemory &memory, const QString &busId, int index)
{
    const auto found = std::find_if(memory.seenGpus.begin(), memory.seenGpus.end(), [&](const auto &seen) {
        return busId.isEmpty() ? index >= 0 && seen.index == index : seen.busId == busId;
    });
    return found == memory.seenGpus.end() ? nullptr : &*found;
}

/// A card of which only the trouble is known; what it was called comes from earlier ticks.
Gpu faultyCard(const AssembleContext &c, const QString &busId, int index, const QString &word)
{
    Gpu gpu;
    gpu.index = index;
    gpu.busId = busId;
    if (const auto *seen = seenAt(c.memory, busId, index)) {
        gpu.index = gpu.index < 0 ? seen->index : gpu.index;
        gpu.busId = seen->busId;
        gpu.uuid = seen->uuid;
        gpu.name = seen->name;
    }
    taint(gpu, word.isEmpty() ? u"Unknown Error"_s : word.simplified());
    gpu.temperatureC = gpu.powerW = Quantity<double>::unknown(UnknownReason::Failed, gpu.fault);
    gpu.persistence = gpu.mig = Quantity<bool>::unknown(UnknownReason::Failed, gpu.fault);
    gpu.recoveryAction = Quantity<QString>::unknown(UnknownReason::Failed, gpu.fault);
    return gpu;
}

/// Cards that answer nothing at all; a row of the same card is tainted instead.
QList<Gpu> silentCards(const AssembleContext &c, const SmiGpus &read, QList<Gpu> &rows)
{
    QList<Gpu> silent;
    int handles = 0;
    for (const SmiMessage &message : read.messages) {
        if (message.kind != Kind::DeviceHandle)
            continue;
        ++handles;
        const auto same = [&](const Gpu &gpu) {
            return message.busId.isEmpty() ? message.index >= 0 && gpu.index == message.index
                                           : gpu.busId == message.busId;
        };
        const auto row = std::find_if(rows.begin(), rows.end(), same);
        if (row != rows.end())
            taint(*row, message.word.isEmpty() ? u"Unknown Error"_s : message.word.simplified());
        else if (std::none_of(silent.begin(), silent.end(), same))
            silent += faultyCard(c, message.busId, message.index, message.word);
    }
    // Each such line has its row of error words; more rows are cards that no line names.
    for (int i = handles; i < read.faultRows; ++i) {
        QStringList open = c.snapshot.system.pciBusIds;
        for (const QList<Gpu> &known : {rows, silent}) {
            for (const Gpu &gpu : known)
                open.removeAll(gpu.busId);
        }
        silent += faultyCard(c, open.size() == 1 ? open.first() : QString(), -1, read.faultWord);
    }
    return silent;
}

/// One card in trouble is one problem, whether its readings say so, the driver's own verdict, or both. The verdict may
/// condemn a card whose readings still look well.
void judgeCard(AssembleContext &c, Gpu &gpu, bool silent)
{
    const QString action = gpu.recoveryAction.valueOr({});
    const bool wanted = !action.isEmpty() && action != "none"_L1;
    const bool drain = action.contains("drain"_L1);
    const bool condemned = wanted && !drain && (action.contains("reset"_L1) || action.contains("reboot"_L1));
    const QString asks = u"the driver asks for \""_s + action + u"\"."_s;
    if (!gpu.fault.isEmpty()) {
        c.add(problemCodeOfFault(gpu.fault, condemned),
              calledGpu(gpu) + u" reports a fault: "_s
                  + (condemned ? gpu.fault + u"; "_s + asks : sentence(gpu.fault)),
              gpu.index, silent ? std::optional(Problem::Severity::Critical) : std::nullopt);
        if (condemned)
            return;
    } else if (condemned) {
        taint(gpu, u"recovery action: "_s + action);
    }
    const QString code = condemned ? u"gpu.reset_required"_s : u"gpu.recovery_action"_s;
    if (wanted)
        c.add(code, calledGpu(gpu) + u": "_s + asks, gpu.index);
}

void judge(AssembleContext &c, QList<Gpu> &gpus, bool silent)
{
    for (Gpu &gpu : gpus) {
        judgeCard(c, gpu, silent);
        if (gpu.unifiedMemory)
            c.add(u"gpu.unified_memory"_s, calledGpu(gpu) + u" has no memory of its own; it shares the host's."_s,
                  gpu.index);
    }
}

QString messageOf(const SmiGpus &read, const RawSection &section)
{
    QStringList texts;
    for (const SmiMessage &message : read.messages) {
        if (!texts.contains(message.text) && texts.size() < 6)
            texts += message.text;
    }
    if (texts.isEmpty() && read.gpus.isEmpty()) {
        const QString errors = cleanLine(QByteArrayView(section.errors).trimmed(), 300);
        if (!errors.isEmpty())
            texts += errors;
        else if (!read.firstIgnored.isEmpty())
            texts += read.firstIgnored;
    }
    return texts.join(u' ');
}

void nameOddLines(AssembleContext &c, const SmiGpus &read)
{
    if (read.unreadableRows > 0) {
        c.add(u"gpu.row_unreadable"_s,
            counted(read.unreadableRows, "row"_L1) + u" of nvidia-smi with the wrong number of cells."_s);
    }
    if (read.repeatedRows > 0)
        c.add(u"gpu.row_repeated"_s, u"nvidia-smi named a card or an index twice; the first row counts."_s);
    if (read.ignoredLines > 0) {
        const bool one = read.ignoredLines == 1;
        c.add(u"smi.noise"_s, (one ? u"A line that is no data stood in nvidia-smi's answer: "_s
                : QString::number(read.ignoredLines) + u" lines that are no data stood in nvidia-smi's answer, the first: "_s)
                + sentence(read.firstIgnored));
    }
    for (const SmiMessage &message : read.messages) {
        if (message.kind != Kind::InfoRom)
            continue;
        int index = -1;
        for (const Gpu &gpu : c.snapshot.gpus.value_or(QList<Gpu>())) {
            if (!message.busId.isEmpty() && gpu.busId == message.busId)
                index = gpu.index;
        }
        c.add(u"gpu.inforom"_s, sentence(message.text), index);
    }
}

bool isSignal(int exitStatus)
{
    return exitStatus > 128 && exitStatus < 192;
}

void nameExit(AssembleContext &c, const SmiGpus &read, int exitStatus)
{
    const bool explained = std::any_of(read.messages.begin(), read.messages.end(), [](const SmiMessage &message) {
        return message.kind == Kind::InfoRom || message.kind == Kind::DeviceHandle || message.kind == Kind::NoDevices;
    });
    if (exitStatus != 0 && !explained && !isSignal(exitStatus)) {
        c.add(u"smi.exit_code"_s,
            u"nvidia-smi gave data, yet reported an error (exit code "_s + QString::number(exitStatus) + u")."_s);
    }
}

/// More than every eighth character is none that a text has.
bool isBinary(const QByteArray &output)
{
    const QString text = cleanText(output, 8192);
    const auto odd = std::count_if(text.begin(), text.end(), [](QChar character) {
        return character == QChar::ReplacementCharacter || (character >= u'\u2400' && character <= u'\u243f');
    });
    return odd * 8 > text.size();
}

/// No row, no card: why.
void nameFailure(AssembleContext &c, SmiGpus &read, GpuSource &source)
{
    const auto whole = std::find_if(read.messages.begin(), read.messages.end(),
        [](const SmiMessage &message) { return message.isWholeFailure(); });
    if (whole != read.messages.end()) {
        c.add(QString::fromUtf16(codeOf(whole->kind)), sentence(whole->text));
    } else if (isBinary(c.answer.smi.gpus.output)) {
        source.message = u"What nvidia-smi printed is not text."_s;
        read.ignoredLines = 0; // no use in showing it
        c.add(u"smi.not_text"_s, source.message);
    } else if (source.message.isEmpty()) {
        source.message = u"nvidia-smi printed nothing."_s;
        c.add(u"smi.empty"_s, source.message);
    } else {
        c.add(u"smi.failed"_s, sentence(source.message));
    }
}

void readRows(AssembleContext &c)
{
    const SmiRun &run = c.answer.smi;
    GpuSource &source = c.snapshot.gpuSource;
    SmiGpus read = parseSmiGpus(run.askedFields, run.gpus.output, run.gpus.errors, c.memory.read.gpus);
    source.exitCode = run.gpus.exitStatus;
    source.driverVersion = read.driverVersion;
    source.message = messageOf(read, run.gpus);

    const bool goodRows = !read.gpus.isEmpty();
    const auto has = [&](Kind kind) {
        return std::any_of(read.messages.begin(), read.messages.end(),
                           [&](const SmiMessage &m) { return m.kind == kind; });
    };
    const bool crashed = isSignal(run.gpus.exitStatus) || has(Kind::Crashed);
    QList<Gpu> silent = silentCards(c, read, read.gpus);
    judge(c, read.gpus, false);
    judge(c, silent, true);
    if (!silent.isEmpty() && goodRows)
        c.add(u"gpu.new_processes_may_fail"_s, u"A GPU does not answer; new GPU processes may fail on this host."_s);
    QList<Gpu> gpus = std::move(read.gpus);
    gpus += std::move(silent);
    const auto before = [](const Gpu &a, const Gpu &b) {
        return (a.index < 0 ? INT_MAX : a.index) < (b.index < 0 ? INT_MAX : b.index);
    };
    if (!std::is_sorted(gpus.cbegin(), gpus.cend(), before))
        std::stable_sort(gpus.begin(), gpus.end(), before);

    const bool none = gpus.isEmpty() && has(Kind::NoDevices);
    source.status = (goodRows || none) && !crashed ? Status::Ok : Status::Failed;
    const bool anyCard = !gpus.isEmpty();
    if (anyCard || none)
        c.snapshot.gpus = std::move(gpus);
    if (crashed)
        c.add(u"smi.crashed"_s, u"nvidia-smi crashed (exit code "_s + QString::number(run.gpus.exitStatus) + u")."_s);
    else if (goodRows)
        nameExit(c, read, run.gpus.exitStatus);
    else if (!anyCard && !none)
        nameFailure(c, read, source);
    nameOddLines(c, read);
}

void nameSilence(AssembleContext &c, const SmiRun &run)
{
    GpuSource &source = c.snapshot.gpuSource;
    source.message = cleanLine(QStringView(run.gpus.trouble), 300);
    if (source.status == Status::Absent) {
        if (source.message.isEmpty())
            source.message = u"nvidia-smi is not installed."_s;
        const qsizetype cards = c.snapshot.system.pciBusIds.size();
        const QString seen = cards == 0 ? QString()
                                        : u" The PCI bus has NVIDIA GPUs ("_s + QString::number(cards) + u")."_s;
        c.add(u"smi.absent"_s, sentence(source.message) + seen, -1,
            cards > 0 ? std::optional(Problem::Severity::Warning) : std::nullopt);
        return;
    }
    if (source.status == Status::Hung) {
        if (run.stuckPid)
            source.stuckPid = *run.stuckPid;
        if (source.message.isEmpty())
            source.message = u"nvidia-smi does not end."_s;
        c.add(u"smi.hung"_s, u"nvidia-smi is stuck"_s
                + (run.stuckPid ? u" (PID "_s + QString::number(*run.stuckPid) + u")"_s : QString())
                + u"; the state of the GPUs is not known."_s);
        return;
    }
    if (source.status == Status::Timeout) {
        if (source.message.isEmpty())
            source.message = u"nvidia-smi did not answer in time."_s;
        c.add(u"smi.timeout"_s, sentence(source.message));
        return;
    }
    source.status = Status::Failed;
    if (run.tooLong) {
        source.message = u"nvidia-smi's answer is far too long."_s;
        c.add(u"smi.too_long"_s, source.message);
        return;
    }
    if (source.message.isEmpty())
        source.message = u"The answer of nvidia-smi did not come whole."_s;
    c.add(u"smi.failed"_s, sentence(source.message));
}

/// Hung and timed out are one trouble, failed another.
Status groupOf(Status status)
{
    return status == Status::Hung ? Status::Timeout : status == Status::Absent ? Status::Ok : status;
}

void rememberSince(AssembleContext &c)
{
    GpuSource &source = c.snapshot.gpuSource;
    const Status group = groupOf(source.status);
    if (group == Status::Ok) {
        c.memory.smiStatus = Status::Ok;
        c.memory.smiSince = {};
        return;
    }
    if (c.memory.smiStatus != group || !c.memory.smiSince.isValid()) {
        c.memory.smiStatus = group;
        c.memory.smiSince = c.takenAt;
    }
    const auto &stuckSince = c.answer.smi.stuckSinceUptime;
    if (source.status == Status::Hung && stuckSince && *stuckSince >= 0 && *stuckSince <= c.answer.uptimeAfter) {
        const QDateTime since = c.takenAt.addMSecs(qint64((*stuckSince - c.answer.uptimeAfter) * 1000));
        if (since < c.memory.smiSince)
            c.memory.smiSince = since;
    }
    source.since = c.memory.smiSince;
}

} // namespace

void assembleGpus(AssembleContext &c)
{
    const SmiRun &run = c.answer.smi;
    GpuSource &source = c.snapshot.gpuSource;
    source.status = run.status;
    if (run.gpus.usable() && run.gpus.endedAt >= run.gpus.startedAt)
        source.durationMs = std::round((run.gpus.endedAt - run.gpus.startedAt) * 100) * 10;
    const bool answered = run.status == Status::Ok || run.status == Status::Failed;
    if (answered && run.gpus.usable())
        readRows(c);
    else
        nameSilence(c, run);
    if (!c.snapshot.gpus) {
        const bool absent = source.status == Status::Absent;
        c.snapshot.unknown.insert(u"gpus"_s, absent ? UnknownReason::Absent : UnknownReason::Failed);
    }
    rememberSince(c);
}

} // namespace pilothouse
