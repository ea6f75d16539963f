// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/host/hostsummary.h"

#include "ui/host/holderwords.h"
#include "ui/text/errortext.h"
#include "ui/text/formatter.h"

#include <QCoreApplication>

#include <algorithm>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

struct Tr
{
    Q_DECLARE_TR_FUNCTIONS(Host)
};

QString sinceWords(const QDateTime &since, const QDateTime &now)
{
    if (!since.isValid())
        return {};
    return Tr::tr("since %1 (%2)").arg(format::localTime(since, now), format::duration(since.msecsTo(now)));
}

QString firstNonEmpty(const QString &a, const QString &b)
{
    return a.isEmpty() ? b : a;
}

QString joined(QStringList parts, const QString &separator)
{
    parts.removeAll(QString());
    return parts.join(separator);
}

HostSummary failedSummary(const HostData &host, const QDateTime &now)
{
    const ErrorText text = textOf(host.state.error.value_or(Error{ErrorCode::ConnectionLost, {}, {}}));
    HostSummary summary{Severity::Critical, text.word, text.what, sinceWords(host.state.since, now)};
    if (host.state.held || (host.state.error && host.state.error->code == ErrorCode::Cancelled))
        summary.severity = Severity::Stale;
    return summary;
}

HostSummary connectingSummary(const HostData &host)
{
    switch (host.state.phase) {
    case LinkState::Phase::Idle: return {Severity::Stale, Tr::tr("not connected"), Tr::tr("Not connected"), {}};
    case LinkState::Phase::Waiting:
        return {Severity::Warning, Tr::tr("waits for your answer"), Tr::tr("Waits for your answer"), host.state.words};
    default: break;
    }
    const QString words = firstNonEmpty(host.state.words, Tr::tr("connecting"));
    return {Severity::Notice, words, Tr::tr("Connecting"), host.state.words};
}

HostSummary unreadSummary(const HostData &host, const QDateTime &now)
{
    if (host.lastFailure) {
        const ErrorText text = textOf(*host.lastFailure);
        return {Severity::Warning, text.word, text.what, text.why};
    }
    return {Severity::Notice, Tr::tr("reading"), Tr::tr("Connected, reading the first snapshot"),
            sinceWords(host.state.since, now)};
}

HostSummary toolSummary(const GpuSource &source, const QDateTime &now)
{
    const QString &tool = source.tool;
    const QString since = sinceWords(source.since, now);
    const QString still = Tr::tr("processes and units are still read");
    switch (source.status) {
    case GpuSource::Status::Hung: {
        const QString lasting = source.since.isValid() ? format::duration(source.since.msecsTo(now)) : QString();
        return {Severity::Warning, Tr::tr("%1 hung %2").arg(tool, lasting).trimmed(), Tr::tr("%1 hangs").arg(tool),
                joined({since, still}, u"; "_s)};
    }
    case GpuSource::Status::Timeout:
        return {Severity::Warning, Tr::tr("%1 too slow").arg(tool), Tr::tr("%1 does not answer in time").arg(tool),
                joined({since, still}, u"; "_s)};
    case GpuSource::Status::Failed:
        return {Severity::Critical, Tr::tr("%1 fails").arg(tool), Tr::tr("%1 fails").arg(tool),
                joined({since, source.message}, u"; "_s)};
    case GpuSource::Status::Absent:
        return {Severity::Notice, Tr::tr("no %1").arg(tool), Tr::tr("No %1 on this host").arg(tool),
                Tr::tr("no GPU figures; processes and units are read")};
    case GpuSource::Status::Ok: break;
    }
    return {};
}

const Problem *worstProblem(const Snapshot &snapshot)
{
    const auto it = std::ranges::max_element(snapshot.problems, {}, &Problem::severity);
    return it == snapshot.problems.end() || it->severity == Problem::Severity::Notice ? nullptr : &*it;
}

QString stateOf(const Unit &unit)
{
    const bool loaded = unit.load.isEmpty() || unit.load == "loaded"_L1;
    QString state = loaded ? unit.active : unit.load;
    if (loaded && !unit.sub.isEmpty() && unit.sub != unit.active)
        state += u" ("_s + unit.sub + u')';
    return state;
}

/// For the list, where the state must not be cut off.
QString shortName(const Unit &unit)
{
    const QString suffix = u".service"_s;
    return unit.name.endsWith(suffix) ? unit.name.chopped(suffix.size()) : unit.name;
}

QString withoutStop(QString sentence)
{
    if (sentence.endsWith(u'.'))
        sentence.chop(1);
    return sentence;
}

/// For the list, where the end is cut off: what is wrong stands before where it is.
QString wordOf(const Problem &problem, const Snapshot &snapshot)
{
    const int index = problem.gpu.value_or(-1);
    const QString gpu = index >= 0 ? Tr::tr("GPU %1").arg(index) : QString();
    if (problem.code == "gpu.missing"_L1)
        return gpu.isEmpty() ? Tr::tr("GPU missing") : Tr::tr("%1 missing").arg(gpu);
    const QList<Gpu> gpus = snapshot.gpus.value_or(QList<Gpu>());
    const auto card = std::ranges::find_if(
        gpus, [index](const Gpu &each) { return index >= 0 && each.index == index && !each.fault.isEmpty(); });
    if (card == gpus.end())
        return withoutStop(problem.text);
    const QString own = u"GPU "_s; // "GPU requires reset"
    return card->fault.startsWith(own) ? QString(gpu + u' ' + card->fault.sliced(own.size()))
                                       : Tr::tr("%1: %2").arg(card->fault, gpu);
}

HostSummary unknownMemorySummary(const Snapshot &snapshot)
{
    if (std::ranges::any_of(*snapshot.gpus, &Gpu::unifiedMemory)) {
        qint64 held = 0;
        for (const Gpu &gpu : *snapshot.gpus)
            held += gpu.attributedMib.valueOr(0);
        const QString own = Tr::tr("the GPU has no memory of its own, it uses the host's");
        if (held == 0)
            return {Severity::Quiet, Tr::tr("unified memory"), Tr::tr("Unified memory"), own};
        const QString text = Tr::tr("%1 held by GPU processes").arg(format::memory(static_cast<double>(held)));
        return {Severity::Quiet, text, text, own};
    }
    return {Severity::Quiet, Tr::tr("memory unknown"), Tr::tr("GPU memory unknown"),
            Tr::tr("the reason stands at each GPU")};
}

HostSummary memorySummary(const HostData &host)
{
    const Snapshot &snapshot = *host.snapshot;
    const MemorySum sum = memoryOf(snapshot);
    const qsizetype cards = snapshot.gpus ? snapshot.gpus->size() : 0;
    if (cards == 0) {
        return {Severity::Notice, Tr::tr("no GPUs"), Tr::tr("No GPUs listed"),
                Tr::tr("the driver answers and lists none")};
    }
    if (sum.known == 0)
        return unknownMemorySummary(snapshot);
    const auto busy = std::ranges::count_if(*snapshot.gpus, [&host](const Gpu &gpu) {
        return gpu.memoryUsedMib.isKnown() && gpu.memoryUsedMib.value() >= host.spec.thresholdMib;
    });
    const QString used = Tr::tr("%1 of %2 GiB in use").arg(format::gib(sum.usedMib), format::gib(sum.totalMib));
    const QString unknown = sum.unknown > 0 ? Tr::tr("memory of %1 unknown").arg(sum.unknown) : QString();
    if (busy == 0 && sum.unknown == 0)
        return {Severity::Ok, Tr::tr("free"), Tr::tr("Free"), used};
    const QString part = cards == 1    ? QString()
        : busy == cards ? Tr::tr("on all %1 GPUs").arg(cards)
                                       : Tr::tr("on %1 of %2 GPUs").arg(busy).arg(cards);
    return {Severity::Quiet, Tr::tr("in use"), used, joined({part, unknown}, u", "_s)};
}

/// What the last deep look came to, where it says more than the figures do.
std::optional<HostSummary> verdictSummary(const HostData &host, const HostSummary &memory, const QDateTime &now)
{
    if (!host.findings || !host.findingsHold)
        return std::nullopt;
    const HostVerdict &verdict = host.findings->diagnosis.host;
    const QString figures = joined({memory.headline, memory.rest}, u" "_s);
    const QString amount = verdict.heldMib.isKnown() ? format::memory(verdict.heldMib) : Tr::tr("memory");
    constexpr double mibPerGib = 1024.0;
    switch (verdict.state) {
    case HostState::Stuck:
        return HostSummary{Severity::Critical, Tr::tr("STUCK: only a reboot helps"), Tr::tr("Stuck: %1").arg(amount),
                           withoutStop(verdict.text)};
    case HostState::Leftover: {
        const QString word = verdict.heldMib.isKnown()
            ? Tr::tr("LEFTOVER %1 GiB").arg(qRound64(static_cast<double>(verdict.heldMib.value()) / mibPerGib))
            : Tr::tr("LEFTOVER");
        return HostSummary{Severity::Critical, word, Tr::tr("Leftover %1").arg(amount),
                           leftoverWords(*host.findings, now)};
    }
    case HostState::Releasing:
        return HostSummary{Severity::Notice, Tr::tr("releasing memory"), Tr::tr("Releasing memory"), figures};
    case HostState::Starting:
        return HostSummary{Severity::Notice, Tr::tr("starting"), Tr::tr("Starting"), figures};
    case HostState::Serving: return HostSummary{Severity::Ok, Tr::tr("serving"), Tr::tr("Serving"), figures};
    case HostState::Busy:
    case HostState::Free:
    case HostState::Unknown: break;
    }
    return std::nullopt;
}

/// The watched units that are neither up nor down on purpose, the failed ones first.
std::optional<HostSummary> unitSummary(const Snapshot &snapshot)
{
    std::optional<HostSummary> summary;
    for (const Unit &unit : snapshot.units.value_or(QList<Unit>())) {
        if (unit.active == "failed"_L1) {
            return HostSummary{Severity::Warning, Tr::tr("failed: %1").arg(shortName(unit)),
                               Tr::tr("%1 failed").arg(unit.name), {}};
        }
        if (!summary && (unit.active == "activating"_L1 || unit.active == "deactivating"_L1)) {
            summary = {Severity::Notice, unit.active + u": "_s + shortName(unit), unit.name + u' ' + stateOf(unit), {}};
        }
    }
    return summary;
}

HostSummary freshSummary(const HostData &host, const QDateTime &now)
{
    const Snapshot &snapshot = *host.snapshot;
    const bool read = snapshot.gpuSource.status == GpuSource::Status::Ok;
    HostSummary summary = read ? memorySummary(host) : toolSummary(snapshot.gpuSource, now);
    if (const auto verdict = read ? verdictSummary(host, summary, now) : std::nullopt)
        summary = *verdict;
    if (std::optional<HostSummary> unit = unitSummary(snapshot); unit && unit->severity > summary.severity) {
        unit->rest = joined({summary.headline, summary.rest}, u" "_s);
        summary = *unit;
    }
    const Problem *problem = worstProblem(snapshot);
    if (!problem)
        return summary;
    const Severity worst = problem->severity == Problem::Severity::Critical ? Severity::Critical : Severity::Warning;
    // A tool that does not answer explains the other problems; it stays the answer unless something is worse.
    if (worst <= summary.severity)
        return summary;
    return {worst, wordOf(*problem, snapshot), withoutStop(problem->text),
            joined({summary.headline, summary.rest}, u" "_s), problem->text};
}

} // namespace

HostSummary summaryOf(const HostData &host, const QDateTime &now)
{
    using Phase = LinkState::Phase;
    if (host.state.phase == Phase::Retrying || host.state.phase == Phase::Stopped)
        return failedSummary(host, now);
    if (!host.isConnected())
        return connectingSummary(host);
    if (!host.snapshot)
        return unreadSummary(host, now);
    if (host.isStale(now)) {
        const QString age = format::duration(host.ageMs(now));
        const QString why = host.lastFailure ? paragraphOf(*host.lastFailure) : Tr::tr("no newer snapshot has come");
        return {Severity::Stale, Tr::tr("stale %1").arg(age), Tr::tr("Stale %1").arg(age), why};
    }
    return freshSummary(host, now);
}

MemorySum memoryOf(const Snapshot &snapshot)
{
    MemorySum sum;
    if (!snapshot.gpus)
        return sum;
    for (const Gpu &gpu : *snapshot.gpus) {
        if (!gpu.memoryUsedMib.isKnown() || !gpu.memoryTotalMib.isKnown()) {
            ++sum.unknown;
            continue;
        }
        ++sum.known;
        sum.usedMib += static_cast<double>(gpu.memoryUsedMib.value());
        sum.totalMib += static_cast<double>(gpu.memoryTotalMib.value());
    }
    return sum;
}

QString memoryWords(const HostData &host)
{
    if (!host.snapshot)
        return {};
    const MemorySum sum = memoryOf(*host.snapshot);
    if (sum.known == 0)
        return format::unknownMark();
    constexpr double mibPerGib = 1024.0;
    return Tr::tr("%1 / %2 GiB").arg(qRound64(sum.usedMib / mibPerGib)).arg(qRound64(sum.totalMib / mibPerGib));
}

QString gpuWords(const Snapshot &snapshot)
{
    if (!snapshot.gpus)
        return Tr::tr("GPUs unknown");
    QStringList names;
    QHash<QString, int> counts;
    for (const Gpu &gpu : *snapshot.gpus) {
        QString name = gpu.name;
        name.remove(u"NVIDIA "_s);
        if (name.isEmpty())
            name = Tr::tr("GPU without a name");
        if (++counts[name] == 1)
            names << name;
    }
    if (names.isEmpty())
        return Tr::tr("no GPUs");
    for (QString &name : names)
        name = QStringLiteral("%1 × ").arg(counts.value(name)) + name;
    return names.join(u", "_s);
}

QString ageWords(const HostData &host, const QDateTime &now)
{
    return host.snapshot ? format::duration(host.ageMs(now)) : QString();
}

QString factsLine(const HostData &host)
{
    QStringList facts;
    if (host.snapshot) {
        const Snapshot &snapshot = *host.snapshot;
        facts << gpuWords(snapshot);
        if (!snapshot.gpuSource.driverVersion.isEmpty())
            facts << Tr::tr("driver %1").arg(snapshot.gpuSource.driverVersion);
        if (snapshot.uptimeS.isKnown())
            facts << Tr::tr("up %1").arg(format::duration(static_cast<qint64>(snapshot.uptimeS.value() * 1000)));
        if (snapshot.system.container)
            facts << Tr::tr("inside a container");
    }
    const QString peer = host.snapshot ? host.snapshot->target : host.state.peer;
    facts << firstNonEmpty(peer, host.spec.ssh);
    return facts.join(u" · "_s);
}

QString unitsLine(const Snapshot &snapshot, const QDateTime &now)
{
    if (!snapshot.units)
        return {};
    QStringList parts;
    for (const Unit &unit : *snapshot.units) {
        QString state = stateOf(unit);
        if (!unit.result.isEmpty() && unit.result != "success"_L1)
            state += u", "_s + unit.result;
        if (unit.hostSince.isValid())
            state += u' ' + Tr::tr("since %1").arg(format::localTime(unit.hostSince, now));
        parts << unit.name + u' ' + state;
    }
    return parts.join(u" · "_s);
}

QString summaryText(const HostData &host, const QDateTime &now)
{
    const HostSummary summary = summaryOf(host, now);
    QStringList lines{QString(host.spec.name + u": "_s + joined({summary.headline, summary.rest}, u" "_s)),
                      factsLine(host)};
    if (!host.snapshot)
        return lines.join(u'\n');
    lines << Tr::tr("snapshot of %1").arg(format::utcAndAge(host.snapshot->takenAt, now));
    const QString units = unitsLine(*host.snapshot, now);
    if (!units.isEmpty())
        lines << units;
    for (const Problem &problem : host.snapshot->problems)
        lines << joined({problem.text, problem.advice}, u" "_s);
    for (const Gpu &gpu : host.snapshot->gpus.value_or(QList<Gpu>())) {
        const QString memory = format::usedOfTotal(gpu.memoryUsedMib, gpu.memoryTotalMib) + u" GiB"_s;
        lines << joined({QStringLiteral("GPU %1").arg(gpu.index), memory, format::percent(gpu.utilizationPct),
                         format::celsius(gpu.temperatureC), gpu.fault},
                        u"  "_s);
    }
    if (host.findings)
        lines << ticketLines(*host.findings, now);
    return lines.join(u'\n');
}

} // namespace pilothouse
