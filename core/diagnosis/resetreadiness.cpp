// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diagnosis/resetreadiness.h"

#include "core/diagnosis/evidence.h"

#include <algorithm>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

/// "/dev/nvidia3" is of card 3; those without a number are of all.
bool opens(const Process &process, const Gpu &gpu)
{
    const auto holds = [&](const ProcessGpuMemory &memory) {
        return memory.gpu == gpu.index || (!gpu.uuid.isEmpty() && memory.gpuUuid == gpu.uuid);
    };
    if (std::ranges::any_of(process.gpuMemory, holds))
        return true;
    return process.devices && process.devices->contains(u"/dev/nvidia%1"_s.arg(gpu.index));
}

QString blockerOf(const Process &process, const ProcessVerdict &verdict)
{
    const QString who = nameOf(process);
    switch (verdict.verdict) {
    case Verdict::Stuck: return who + u" is stuck inside the kernel: the reset will be refused, only a reboot helps."_s;
    case Verdict::Infrastructure: return who + u" belongs to the host and has it open: stop it before, start it after."_s;
    case Verdict::Exiting: return who + u" is on its way out: wait."_s;
    case Verdict::Gone: return who + u" is on the driver's books and not on the host: a handle lives on."_s;
    default: return who + u" has it open ("_s + nameOf(verdict.verdict).replace(u'_', u' ') + u")."_s;
    }
}

} // namespace

QList<ResetReadiness> resetReadinessOf(const Snapshot &snapshot, const Diagnosis &diagnosis)
{
    QList<ResetReadiness> cards;
    const QList<Process> processes = snapshot.processes.value_or(QList<Process>());
    for (const Gpu &gpu : snapshot.gpus.value_or(QList<Gpu>())) {
        ResetReadiness card;
        card.gpu = gpu.index;
        card.name = gpu.name;
        card.recoveryAction = gpu.recoveryAction;
        bool hidden = !snapshot.processes;
        for (qsizetype at = 0; at < processes.size(); ++at) {
            const Process &process = processes.at(at);
            if (opens(process, gpu))
                card.blockers += blockerOf(process, diagnosis.processes.value(at));
            hidden = hidden || process.devicesUnknown.has_value();
        }
        if (!snapshot.system.root)
            card.blockers += u"A reset needs root; this login is not, and sudo was not used."_s;
        if (gpu.persistence.valueOr(false))
            card.blockers += u"Persistence mode keeps it open: nvidia-smi -pm 0 -i %1 before, -pm 1 after."_s.arg(gpu.index);
        if (gpu.mig.valueOr(false))
            card.blockers += u"MIG is on: its instances have to be empty, and vanish with the reset."_s;
        if (snapshot.gpus->size() > 1)
            card.unknown += u"Whether it is linked to other cards by NVLink; the driver names those that have to go with it."_s;
        if (hidden || snapshot.depth != Depth::Deep)
            card.unknown += u"Descriptors of some processes could not be listed; one of them may have it open."_s;
        if (snapshot.system.container)
            card.unknown += u"Processes outside of this container."_s;
        cards += card;
    }
    return cards;
}

QStringList resetLines(const Snapshot &snapshot, const Diagnosis &diagnosis)
{
    QStringList lines;
    const QList<ResetReadiness> cards = resetReadinessOf(snapshot, diagnosis);
    if (cards.isEmpty())
        return {u"The cards could not be read, so nobody knows what a reset would meet."_s};
    for (const ResetReadiness &card : cards) {
        const QString says = card.recoveryAction.isKnown() ? card.recoveryAction.value() : u"not told by this driver"_s;
        lines += u"GPU %1  %2"_s.arg(card.gpu).arg(card.name);
        lines += u"  recovery action: "_s + says;
        for (const QString &blocker : card.blockers)
            lines += u"  - "_s + blocker;
        if (card.blockers.isEmpty())
            lines += u"  Nothing is known to be in the way."_s;
        for (const QString &unknown : card.unknown)
            lines += u"  ? "_s + unknown;
    }
    lines += QString();
    lines += u"A reset affects everybody on the card. This console executes none."_s;
    return lines;
}

} // namespace pilothouse
