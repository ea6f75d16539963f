// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a list of cards does not say itself: which are missing, and the slices of MIG cards.

#include "core/probe/assembleparts.h"
#include "core/probe/parse/procfiles.h"
#include "core/probe/parse/smimig.h"

#include <algorithm>

namespace pilothouse {

using namespace Qt::StringLiterals;
using SeenGpu = AssembleMemory::SeenGpu;

namespace {

bool isSame(const SeenGpu &seen, const Gpu &gpu)
{
    if (!seen.busId.isEmpty() && !gpu.busId.isEmpty())
        return seen.busId == gpu.busId;
    return !seen.uuid.isEmpty() && seen.uuid == gpu.uuid;
}

SeenGpu *seenOf(AssembleMemory &memory, const Gpu &gpu)
{
    const auto found = std::find_if(memory.seenGpus.begin(), memory.seenGpus.end(),
        [&](const SeenGpu &seen) { return isSame(seen, gpu); });
    return found == memory.seenGpus.end() ? nullptr : &*found;
}

void remember(AssembleMemory &memory, const QList<Gpu> &gpus)
{
    for (const Gpu &gpu : gpus) {
        if ((gpu.busId.isEmpty() && gpu.uuid.isEmpty()) || memory.seenGpus.size() >= 1024)
            continue;
        SeenGpu *seen = seenOf(memory, gpu);
        if (!seen && !gpu.fault.isEmpty())
            continue; // nothing is known of it but its trouble
        if (!seen)
            seen = &memory.seenGpus.emplace_back();
        if (gpu.index >= 0)
            seen->index = gpu.index;
        if (!gpu.uuid.isEmpty())
            seen->uuid = gpu.uuid;
        if (!gpu.name.isEmpty())
            seen->name = gpu.name;
        if (!gpu.busId.isEmpty())
            seen->busId = gpu.busId;
    }
}

void nameMissing(AssembleContext &c, const QString &busId, const SeenGpu *seen)
{
    QString text = u"The GPU at "_s + busId + u" is missing: "_s;
    if (busId.isEmpty())
        text = u"A GPU is missing: "_s;
    if (seen)
        text += u"nvidia-smi listed it before"_s
            + (seen->name.isEmpty() ? QString() : u" ("_s + seen->name + u", "_s + seen->uuid + u")"_s) + u"."_s;
    else if (c.answer.container)
        text += u"the PCI bus has it, this container does not see it."_s;
    else
        text += u"the PCI bus has it, nvidia-smi does not list it."_s;
    std::optional<Problem::Severity> severity;
    if (seen)
        severity = Problem::Severity::Critical;
    else if (c.answer.container)
        severity = Problem::Severity::Notice;
    c.add(u"gpu.missing"_s, text, seen ? seen->index : -1, severity);
}

/// Figures of an earlier tick are not live; which slices there are may stand.
QList<MigDevice> withoutFigures(QList<MigDevice> devices)
{
    for (MigDevice &device : devices) {
        device.memoryUsedMib = Quantity<qint64>();
        device.memoryFreeMib = Quantity<qint64>();
    }
    return devices;
}

} // namespace

void assembleMissingGpus(AssembleContext &c)
{
    if (!c.snapshot.gpus)
        return;
    const QList<Gpu> &gpus = *c.snapshot.gpus;
    QStringList missing = c.snapshot.system.pciBusIds;
    qsizetype unnamed = 0; // cards without a bus id may be any of them
    for (const Gpu &gpu : gpus) {
        missing.removeAll(gpu.busId);
        unnamed += gpu.busId.isEmpty() ? 1 : 0;
    }
    qsizetype named = 0;
    for (const SeenGpu &seen : std::as_const(c.memory.seenGpus)) {
        const bool here = std::any_of(gpus.begin(), gpus.end(), [&](const Gpu &gpu) { return isSame(seen, gpu); });
        if (here || unnamed > 0)
            continue;
        missing.removeAll(seen.busId);
        nameMissing(c, seen.busId, &seen);
        ++named;
    }
    if (missing.size() > unnamed) {
        for (const QString &busId : std::as_const(missing))
            nameMissing(c, busId, nullptr);
        named += missing.size();
    }
    const int expected = c.settings.expectedGpus;
    if (expected > gpus.size() + named) {
        c.add(u"gpu.missing"_s, u"Only "_s + QString::number(gpus.size()) + u" of "_s + QString::number(expected)
                + u" expected GPUs are there."_s);
    }
    remember(c.memory, gpus);
}

void assembleMig(AssembleContext &c)
{
    if (!c.snapshot.gpus)
        return;
    const RawSection &section = c.answer.smi.mig;
    if (section.asked && !section.complete)
        c.add(u"section.mig"_s, u"The list of MIG devices could not be read: "_s + sentence(section.trouble));
    const SmiMig read = section.usable() ? parseSmiMig(section.output) : SmiMig();
    for (Gpu &gpu : *c.snapshot.gpus) {
        if (!gpu.mig.valueOr(false))
            continue;
        SeenGpu *seen = seenOf(c.memory, gpu);
        const auto devices = read.byBusId.constFind(gpu.busId);
        if (devices == read.byBusId.cend()) {
            if (seen)
                gpu.migDevices = withoutFigures(seen->migDevices);
            continue;
        }
        gpu.migDevices = *devices;
        const QStringList uuids = read.uuidsByGpu.value(gpu.uuid);
        for (MigDevice &device : gpu.migDevices) {
            if (device.uuid.isEmpty())
                device.uuid = uuids.value(device.index);
        }
        remember(c.memory, {gpu});
        if ((seen = seenOf(c.memory, gpu)))
            seen->migDevices = gpu.migDevices;
    }
}

} // namespace pilothouse
