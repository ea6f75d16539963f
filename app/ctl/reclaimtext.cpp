// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/reclaimtext.h"

#include "app/ctl/texttable.h"
#include "core/workflow/plansteps.h"
#include "core/workflow/reclaimwords.h"

#include <QJsonArray>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

using Align = TextTable::Align;

} // namespace

QString planText(const Plan &plan, const Output &output)
{
    QString text = output.inked(u"Plan %1"_s.arg(plan.id()), Ink::Heading)
        + u" for %1: end %2.\n"_s.arg(plan.host, processesInWords(plan.targets().size()));
    int number = 0;
    for (const PlanStep &step : stepsOf(plan))
        text += u"%1. %2\n"_s.arg(++number).arg(step.text);
    return text + familiesText(plan, output);
}

QString familiesText(const Plan &plan, const Output &output)
{
    QString text;
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
    QJsonArray steps;
    for (const PlanStep &step : stepsOf(plan))
        steps += step.text;
    return {{u"id"_s, plan.id()},
            {u"steps"_s, steps},
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
