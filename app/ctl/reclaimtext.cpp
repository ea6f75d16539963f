// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/reclaimtext.h"

#include "app/ctl/texttable.h"
#include "core/actions/actionscript.h"
#include "core/workflow/reclaimwords.h"

#include <QJsonArray>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

using Align = TextTable::Align;
using Kind = ActionRequest::Kind;

QString gpusInWords(const QList<PlanGpu> &gpus)
{
    QStringList names;
    for (const PlanGpu &gpu : gpus) {
        names += u"%1 (%2)"_s.arg(gpu.gpu).arg(gpu.heldMib.isKnown() ? QString::number(gpu.heldMib.value()) + u" MiB"_s
                                                                       : u"an unknown amount"_s);
    }
    return names.join(u", "_s);
}

QStringList stepsOf(const Plan &plan)
{
    QStringList steps{u"Take the host's lock and see who else is here."_s};
    steps += u"Keep evidence of the processes, for at most 10 s, unless --no-evidence."_s;
    QStringList units;
    for (const PlanFamily &family : plan.families) {
        if (!family.stopUnit.isEmpty() && !units.contains(family.stopUnit))
            units += family.stopUnit;
    }
    if (!units.isEmpty())
        steps += u"systemctl stop %1, which would start it again."_s.arg(units.join(u", "_s));
    std::chrono::milliseconds grace{0};
    for (const PlanFamily &family : plan.families)
        grace = std::max(grace, family.grace);
    steps += u"SIGTERM to the %1 marked so, then up to %2 of grace."_s.arg(processesInWords(plan.heads().size()), secondsOf(grace));
    steps += u"SIGKILL to those of the %1 that are left then; each is looked at again in the command that signals it."_s.arg(
        processesInWords(plan.targets().size()));
    steps += u"Wait until what they held is back on GPU %1, by three readings alike%2."_s.arg(
        gpusInWords(plan.gpus), plan.belowMib ? u", each below %1 MiB"_s.arg(*plan.belowMib) : QString());
    if (!plan.shm.isEmpty())
        steps += u"Remove %1 files of /dev/shm, each only if nobody uses it."_s.arg(plan.shm.size());
    steps += u"Look once more, and give the lock back."_s;
    return steps;
}

ActionRequest requestFor(const Plan &plan, Kind kind, const QList<SignalTarget> &targets, const QString &what)
{
    ActionRequest request;
    request.kind = kind;
    request.bootId = plan.bootId;
    request.asRoot = plan.asRoot;
    request.targets = targets;
    request.what = what;
    return request;
}

} // namespace

QString planText(const Plan &plan, const Output &output)
{
    QString text = output.inked(u"Plan %1"_s.arg(plan.id()), Ink::Heading)
        + u" for %1: end %2.\n"_s.arg(plan.host, processesInWords(plan.targets().size()));
    int number = 0;
    for (const QString &step : stepsOf(plan))
        text += u"%1. %2\n"_s.arg(++number).arg(step);
    for (const PlanFamily &family : plan.families) {
        text += u'\n' + output.inked(u"Family %1"_s.arg(family.id), Ink::Heading)
            + u" (%1%2): %3\n"_s.arg(nameOf(family.verdict), family.included ? u", included by name"_s : QString(), family.why);
        TextTable table({{u""_s}, {u"PID"_s, Align::Right}, {u"START"_s, Align::Right}, {u"UID"_s, Align::Right}, {u"ROLE"_s}, {u"COMMAND"_s, Align::Left, 80}});
        for (const PlanTarget &target : family.targets) {
            table.add({{target.first ? u"SIGTERM"_s : u"follows"_s, target.first ? Ink::Bad : Ink::Plain},
                       {QString::number(target.process.identity.pid.value)},
                       {QString::number(target.process.identity.start.value)},
                       {target.process.uid ? QString::number(*target.process.uid) : u"–"_s},
                       {target.role},
                       {target.process.name}});
        }
        text += table.text(output);
        for (const QString &helper : family.spared)
            text += u"spared   %1\n"_s.arg(helper);
    }
    for (const ShmTarget &file : plan.shm)
        text += u"\n/dev/shm/%1 (inode %2)"_s.arg(file.name).arg(file.inode);
    if (!plan.shm.isEmpty())
        text += u'\n';
    if (!plan.left.isEmpty())
        text += u"\nLeft alone:\n"_s;
    for (const QString &line : plan.left)
        text += u"  "_s + line + u'\n';
    return text;
}

Result<QString> planScripts(const Plan &plan, const Actor &actor)
{
    QString text = u"\n# Each script begins with a line N=<nonce>, drawn anew. Its arguments and its own part stand below; between\n"
                   "# them stands the part that all share, printed first.\n# ---- shared\n"_s
        + QString::fromUtf8(sharedScript());
    QList<ActionRequest> requests{requestFor(plan, Kind::Begin, {}, u"reclaim %1 begins"_s.arg(plan.id())),
                                  requestFor(plan, Kind::Evidence, plan.targets(), {})};
    for (const PlanFamily &family : plan.families) {
        if (family.stopUnit.isEmpty())
            continue;
        ActionRequest stop = requestFor(plan, Kind::StopUnit, {}, u"systemctl stop %1"_s.arg(family.stopUnit));
        stop.unit = family.stopUnit;
        stop.userUnit = family.userUnit;
        requests += stop;
    }
    requests += requestFor(plan, Kind::Terminate, plan.heads(), u"SIGTERM to %1 of plan %2"_s.arg(processesInWords(plan.heads().size()), plan.id()));
    requests += requestFor(plan, Kind::Kill, plan.targets(), u"SIGKILL to %1 of plan %2"_s.arg(processesInWords(plan.targets().size()), plan.id()));
    if (!plan.shm.isEmpty()) {
        requests += requestFor(plan, Kind::CleanShm, {}, u"clean /dev/shm of plan %1"_s.arg(plan.id()));
        requests.last().files = plan.shm;
    }
    for (const ActionRequest &request : std::as_const(requests)) {
        const auto excerpt = actionExcerpt(request, actor);
        if (!excerpt)
            return fail(excerpt.error());
        text += u"# ---- %1\n"_s.arg(nameOf(request.kind)) + QString::fromUtf8(*excerpt);
    }
    return text;
}

QJsonObject toJson(const Plan &plan)
{
    QJsonArray families;
    for (const PlanFamily &family : plan.families) {
        QJsonArray targets;
        for (const PlanTarget &target : family.targets) {
            targets += QJsonObject{{u"pid"_s, target.process.identity.pid.value},
                                   {u"start_ticks"_s, qint64(target.process.identity.start.value)},
                                   {u"role"_s, target.role},
                                   {u"command"_s, target.process.name},
                                   {u"sigterm"_s, target.first}};
        }
        families += QJsonObject{{u"id"_s, family.id},
                                {u"verdict"_s, nameOf(family.verdict)},
                                {u"included"_s, family.included},
                                {u"why"_s, family.why},
                                {u"stop_unit"_s, family.stopUnit.isEmpty() ? QJsonValue() : QJsonValue(family.stopUnit)},
                                {u"grace_ms"_s, qint64(family.grace.count())},
                                {u"processes"_s, targets},
                                {u"spared"_s, QJsonArray::fromStringList(family.spared)}};
    }
    QJsonArray gpus;
    for (const PlanGpu &gpu : plan.gpus) {
        gpus += QJsonObject{{u"gpu"_s, gpu.gpu}, {u"uuid"_s, gpu.uuid},
                            {u"held_mib"_s, gpu.heldMib.isKnown() ? QJsonValue(gpu.heldMib.value()) : QJsonValue()}};
    }
    return {{u"id"_s, plan.id()},
            {u"steps"_s, QJsonArray::fromStringList(stepsOf(plan))},
            {u"families"_s, families},
            {u"gpus"_s, gpus},
            {u"left"_s, QJsonArray::fromStringList(plan.left)}};
}

QString lineOf(const WorkflowEvent &event, const Output &output)
{
    static constexpr Ink inks[] = {Ink::Dim, Ink::Dim, Ink::Good, Ink::Dim, Ink::Bad, Ink::Bad};
    return event.at.toLocalTime().toString(u"HH:mm:ss"_s) + u"  "_s
        + output.inked(nameOf(event.state).leftJustified(9), inks[int(event.state)]) + event.text + u'\n';
}

} // namespace pilothouse
