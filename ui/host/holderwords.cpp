// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/host/holderwords.h"

#include "ui/host/processcolumns.h"
#include "ui/text/formatter.h"
#include "ui/text/ownertext.h"
#include "ui/text/verdicttext.h"

#include <QCoreApplication>
#include <QSet>

#include <algorithm>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

struct Tr
{
    Q_DECLARE_TR_FUNCTIONS(Holders)
};

const Unit *unitNamed(const Snapshot &snapshot, const QString &name)
{
    if (!snapshot.units || name.isEmpty())
        return nullptr;
    const auto at = std::ranges::find(*snapshot.units, name, &Unit::name);
    return at == snapshot.units->cend() ? nullptr : &*at;
}

/// Only what the host has a record of.
QString endWords(const Family &family, const Findings &findings, const QDateTime &now)
{
    const Unit *unit = unitNamed(*findings.snapshot, family.unit);
    if (unit && family.modifiers.contains("UNIT_STOPPED"_L1)) {
        constexpr int killed = 2;
        const QString at = unit->hostSince.isValid() ? format::localTime(unit->hostSince, now) : QString();
        if (unit->execMainCode.valueOr(0) == killed && !at.isEmpty())
            return Tr::tr("whose server was killed at %1").arg(at);
        if (unit->active == "failed"_L1)
            return at.isEmpty() ? Tr::tr("whose unit failed") : Tr::tr("whose unit failed at %1").arg(at);
        return at.isEmpty() ? Tr::tr("whose unit was stopped") : Tr::tr("whose unit was stopped at %1").arg(at);
    }
    if (family.modifiers.contains("REMEMBERED"_L1) && findings.diagnosis.host.since.isValid())
        return Tr::tr("whose server ended after %1").arg(format::localTime(findings.diagnosis.host.since, now));
    return Tr::tr("whose server is gone");
}

/// The engine's name as most of its members have it.
QString engineOf(const Family &family, const Diagnosis &diagnosis)
{
    for (const ProcessVerdict &verdict : diagnosis.processes) {
        if (verdict.family == family.id && verdict.verdict == family.verdict && !verdict.role.isEmpty()
            && !verdict.role.startsWith("python."_L1))
            return engineText(verdict.role);
    }
    return {};
}

QString whatOf(const Family &family, const Findings &findings)
{
    const QString engine = engineOf(family, findings.diagnosis);
    return engine.isEmpty() ? Tr::tr("of a program") : Tr::tr("of a %1 engine").arg(engine);
}

QString freedWords(const HostVerdict &host)
{
    if (!host.reclaimableMib.isKnown() || !host.heldMib.isKnown())
        return Tr::tr("how much of it can be freed is unknown");
    if (host.reclaimableMib.value() == 0)
        return Tr::tr("nothing of it is freed by default");
    constexpr qint64 rounding = 64; // MiB that nobody sees
    if (host.reclaimableMib.value() + rounding >= host.heldMib.value())
        return Tr::tr("can be freed");
    return Tr::tr("%1 of it can be freed").arg(format::memory(host.reclaimableMib));
}

/// As the deep look saw it: its age goes with the time of that look.
Process asSeen(const Process &process, const Findings &findings)
{
    const QString key = rowKeyOf(process);
    for (const Process &seen : findings.snapshot->processes.value_or(QList<Process>())) {
        if (seen.pid == process.pid && rowKeyOf(seen) == key)
            return seen;
    }
    return process;
}

QStringList storyLines(const Family &family, const QDateTime &now)
{
    QStringList lines;
    for (const StoryLine &line : family.story) {
        const QString at = line.at.isValid() ? format::localTime(line.at, now) : format::unknownMark();
        lines << at + u"  "_s + line.text;
    }
    return lines;
}

} // namespace

QString leftoverWords(const Findings &findings, const QDateTime &now)
{
    QList<const Family *> left;
    for (const Family &family : findings.diagnosis.families) {
        if (family.verdict == Verdict::Leftover)
            left << &family;
    }
    const QString freed = freedWords(findings.diagnosis.host);
    if (left.isEmpty())
        return freed;
    const auto mostGpus = [](const Family *family) { return family->gpus.size(); };
    const Family &family = **std::ranges::max_element(left, {}, mostGpus);
    QString words = whatOf(family, findings) + u' ' + endWords(family, findings, now);
    if (left.size() > 1)
        words = Tr::tr("%1, and of %n more", nullptr, static_cast<int>(left.size()) - 1).arg(words);
    return words + u"; "_s + freed;
}

QString countWords(const Diagnosis &diagnosis)
{
    QHash<Verdict, int> counts;
    QSet<QString> families;
    for (const ProcessVerdict &verdict : diagnosis.processes) {
        if (verdict.family.isEmpty() && verdict.verdict != Verdict::Gone && verdict.verdict != Verdict::Stuck)
            continue;
        ++counts[verdict.verdict];
        if (verdict.verdict == Verdict::Leftover)
            families.insert(verdict.family);
    }
    QStringList words;
    if (const int count = counts.value(Verdict::Leftover)) {
        const QString in = families.size() == 1 ? Tr::tr("1 family") : Tr::tr("%1 families").arg(families.size());
        words << (count == 1 ? Tr::tr("1 leftover in %1").arg(in) : Tr::tr("%1 leftovers in %2").arg(count).arg(in));
    }
    for (const Verdict verdict : {Verdict::Stuck, Verdict::Exiting, Verdict::Gone, Verdict::Unknown, Verdict::Starting,
                                  Verdict::Serving, Verdict::InUse, Verdict::Foreign}) {
        if (const int count = counts.value(verdict))
            words << Tr::tr("%1 %2").arg(count).arg(textOf(verdict));
    }
    if (const int count = counts.value(Verdict::Helper))
        words << (count == 1 ? Tr::tr("1 helper") : Tr::tr("%1 helpers").arg(count));
    return words.join(u" · "_s);
}

QString holderText(const Process &shown, const ProcessVerdict &verdict, const Findings &findings, const QDateTime &now)
{
    const Process process = asSeen(shown, findings);
    QStringList head{Tr::tr("%1 (PID %2): %3").arg(shortNameOf(process)).arg(process.pid.value)
                         .arg(textOf(verdict.verdict))};
    head << roleText(verdict.role) << textOf(process.owner);
    if (process.elapsedS.isKnown()) {
        const auto age = static_cast<qint64>(process.elapsedS.value() * 1000);
        head << Tr::tr("since %1").arg(format::localTime(findings.snapshot->takenAt.addMSecs(-age), now));
    }
    if (process.rssKib.isKnown())
        head << Tr::tr("%1 of host memory").arg(format::hostMemory(process.rssKib));
    head.removeAll(QString());
    QStringList lines{head.join(u" · "_s), evidenceText(verdict)};
    for (const Family &family : findings.diagnosis.families) {
        if (family.id != verdict.family)
            continue;
        QStringList pids;
        for (const Pid pid : family.members)
            pids << QString::number(pid.value);
        lines << Tr::tr("Its family: PID %1").arg(pids.join(u", "_s)) << storyLines(family, now);
    }
    lines << Tr::tr("Looked at %1").arg(format::localTime(findings.snapshot->takenAt, now));
    return lines.join(u'\n');
}

QStringList ticketLines(const Findings &findings, const QDateTime &now)
{
    QStringList lines{findings.diagnosis.host.text};
    const QList<Process> processes = findings.snapshot->processes.value_or(QList<Process>());
    for (const Family &family : findings.diagnosis.families) {
        if (family.verdict == Verdict::Helper)
            continue;
        lines << Tr::tr("Family %1: %2").arg(family.id, textOf(family.verdict));
        QStringList evidence;
        for (qsizetype at = 0; at < std::min(processes.size(), findings.diagnosis.processes.size()); ++at) {
            const ProcessVerdict &verdict = findings.diagnosis.processes.at(at);
            if (verdict.family != family.id)
                continue;
            const Process &process = processes.at(at);
            const QString memory = process.gpuMemory.isEmpty() ? QString() : format::memory(gpuMemoryOf(process));
            QStringList parts{u"  %1"_s.arg(process.pid.value), shortNameOf(process), textOf(verdict.verdict), memory,
                              textOf(process.owner)};
            parts.removeAll(QString());
            lines << parts.join(u"  "_s);
            if (evidence.isEmpty() && verdict.verdict == family.verdict)
                evidence = verdict.evidence;
        }
        for (const QString &line : evidence + storyLines(family, now))
            lines << u"  "_s + line;
    }
    return lines;
}

} // namespace pilothouse
