// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/probe/assemble.h"

#include "core/probe/assembleparts.h"

#include <algorithm>
#include <cmath>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr double clockStep = 0.01; // seconds, of /proc/uptime

/// Between the first and the last section's start, in steps of the host's clock.
Quantity<int> skewOf(const HostAnswer &answer)
{
    double first = answer.uptimeBefore > 0 ? answer.uptimeBefore : HUGE_VAL;
    double last = answer.uptimeBefore;
    int stamped = 0;
    for (const RawSection *section :
         {&answer.units, &answer.userUnits, &answer.meminfo, &answer.loadavg, &answer.vmstat, &answer.pci,
          &answer.smi.gpus, &answer.smi.apps, &answer.smi.mig, &answer.tcp, &answer.kernelLog}) {
        // A section may stand for an earlier reading of what hardly changes (the PCI bus).
        if (!section->usable() || section->startedAt <= 0 || section->startedAt + clockStep < answer.uptimeBefore)
            continue;
        first = std::min(first, section->startedAt);
        last = std::max(last, section->startedAt);
        ++stamped;
    }
    const double spread = std::round((last - first) * 100) * 10;
    if (stamped == 0 || !std::isfinite(spread) || spread < 0 || spread > 1e9)
        return {};
    return int(spread);
}

void noticeReboot(AssembleMemory &memory, const QString &bootId)
{
    if (!bootId.isEmpty() && !memory.bootId.isEmpty() && bootId != memory.bootId)
        memory = {};
    if (!bootId.isEmpty())
        memory.bootId = bootId;
}

} // namespace

QString sentence(const QString &text)
{
    const QString plain = text.trimmed();
    return plain.isEmpty() || plain.endsWith(u'.') || plain.endsWith(u'?') || plain.endsWith(u'!') ? plain
                                                                                                   : plain + u'.';
}

Snapshot assemble(const HostAnswer &answer, const ProbeSettings &settings, AssembleMemory &memory,
    const QDateTime &takenAt)
{
    noticeReboot(memory, answer.bootId);
    Snapshot snapshot;
    snapshot.host = settings.host;
    snapshot.target = settings.target;
    snapshot.depth = answer.depth;
    snapshot.tick = answer.tick;
    snapshot.bootId = answer.bootId;
    snapshot.kernel = answer.kernel;
    if (answer.uptimeAfter > 0)
        snapshot.uptimeS = answer.uptimeAfter;
    snapshot.takenAt = takenAt.toUTC();
    snapshot.durationMs = std::max(0.0, std::round((answer.uptimeAfter - answer.uptimeBefore) * 100) * 10);
    snapshot.skewMs = skewOf(answer);
    snapshot.roundTripMs = answer.roundTripMs;
    snapshot.bytes = answer.bytes;

    AssembleContext context{answer, settings, memory, snapshot.takenAt, snapshot, {}, false};
    assembleSystem(context);
    assembleGpus(context);
    assembleMig(context);
    assembleMissingGpus(context);
    assembleApps(context);
    assembleProcesses(context);
    assembleFacts(context);
    assembleAttribution(context);
    assembleUnits(context);
    assembleDeep(context);
    return snapshot;
}

} // namespace pilothouse
