// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/workflow/planwords.h"

#include "core/workflow/plansteps.h"
#include "core/workflow/reclaimwords.h"
#include "ui/text/formatter.h"
#include "ui/text/verdicttext.h"

#include <QCoreApplication>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

struct Tr
{
    Q_DECLARE_TR_FUNCTIONS(Plan)
};

constexpr int wordWidth = 9;
constexpr int pidWidth = 9;
constexpr int roleWidth = 18;

QString lineOf(const QString &word, qint64 pid, const QString &role, const QString &name)
{
    return u"  "_s + word.leftJustified(wordWidth) + QString::number(pid).leftJustified(pidWidth)
        + role.leftJustified(roleWidth) + u' ' + name;
}

QStringList familyLines(const PlanFamily &family)
{
    const QString verdict = textOf(family.verdict);
    const QString kind = family.included ? Tr::tr("%1, ticked by you").arg(verdict) : verdict;
    QStringList lines{QString(), Tr::tr("Family %1 (%2): %3").arg(family.id, kind, family.why)};
    if (!family.stopUnit.isEmpty())
        lines << Tr::tr("  Its unit %1 is stopped first; it would start it again.").arg(family.stopUnit);
    for (const PlanTarget &target : family.targets) {
        lines << lineOf(target.first ? u"SIGTERM"_s : Tr::tr("follows"), target.process.identity.pid.value,
                        roleText(target.role), target.process.name);
    }
    for (const QString &spared : family.spared)
        lines << u"  "_s + Tr::tr("spared").leftJustified(wordWidth) + spared;
    return lines;
}

QStringList peopleLines(const Snapshot &seen)
{
    if (!seen.system.sessions)
        return {Tr::tr("Who else is logged in was not told; the first step asks.")};
    if (seen.system.sessions->isEmpty())
        return {Tr::tr("Nobody else is logged in.")};
    QStringList lines{Tr::tr("Logged in on the host:")};
    for (const LoginSession &session : *seen.system.sessions) {
        const QString idle = session.idleS.isKnown()
            ? Tr::tr("idle %1").arg(format::duration(static_cast<qint64>(session.idleS.value() * 1000)))
            : Tr::tr("idle time unknown");
        lines << u"  %1 (%2), %3"_s.arg(session.user, session.name, idle);
    }
    return lines;
}

} // namespace

QString planSentence(const Plan &plan)
{
    QList<int> gpus;
    for (const PlanGpu &gpu : plan.gpus)
        gpus << gpu.gpu;
    const qsizetype count = plan.families.size();
    const QString families = count == 1 ? Tr::tr("1 family") : Tr::tr("%1 families").arg(count);
    const Quantity<qint64> held = heldBy(plan);
    const QString amount = held.isKnown() ? format::memory(held) : Tr::tr("an unknown amount");
    if (gpus.isEmpty())
        return Tr::tr("Ends %1 of %2.").arg(processesInWords(plan.targets().size()), families);
    return Tr::tr("Ends %1 of %2, which hold %3 on GPU %4.")
        .arg(processesInWords(plan.targets().size()), families, amount, format::ranges(gpus));
}

QStringList planLines(const Plan &plan, const Snapshot &seen)
{
    QStringList lines{Tr::tr("Plan %1 on %2. %3").arg(plan.id(), plan.host, planSentence(plan)),
                      Tr::tr("Grace: %1 between SIGTERM and SIGKILL.").arg(secondsOf(graceOf(plan)))};
    for (const PlanFamily &family : plan.families)
        lines << familyLines(family);
    if (!plan.left.isEmpty())
        lines << QString() << Tr::tr("Left alone:");
    for (const QString &left : plan.left)
        lines << u"  "_s + left;
    lines << QString() << peopleLines(seen);
    return lines;
}

} // namespace pilothouse
