// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/restarttext.h"

#include "app/ctl/reclaimtext.h"
#include "core/workflow/restartsteps.h"

#include <QJsonArray>

#include <utility>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

using Weight = RestartCheck::Weight;

std::pair<QString, Ink> markOf(Weight weight)
{
    switch (weight) {
    case Weight::Good:
        return {u"ok"_s, Ink::Good};
    case Weight::Notice:
        return {u"note"_s, Ink::Dim};
    case Weight::Warning:
        return {u"warning"_s, Ink::Heading};
    case Weight::Blocks:
        return {u"stops it"_s, Ink::Bad};
    }
    return {};
}

} // namespace

QString restartText(const RestartPlan &plan, const Output &output, bool goesOn)
{
    QString text = output.inked(u"Plan %1"_s.arg(plan.id()), Ink::Heading)
        + u" for %1: restart %2%3.\n"_s.arg(plan.host, plan.options.unit,
                                            goesOn ? u", which was cut off: what is done already is not done again"_s : QString());
    for (const RestartCheck &check : plan.checks) {
        const auto [word, ink] = markOf(check.weight);
        text += output.inked(word.leftJustified(9), ink) + check.text + (check.advice.isEmpty() ? QString() : u' ' + check.advice) + u'\n';
    }
    text += u'\n';
    int number = 0;
    for (const PlanStep &step : stepsOf(plan))
        text += u"%1. %2\n"_s.arg(++number).arg(step.text);
    if (!plan.reclaim.families.isEmpty())
        text += familiesText(plan.reclaim, output);
    return text;
}

QJsonObject toJson(const RestartPlan &plan)
{
    static constexpr const char16_t *weights[] = {u"good", u"notice", u"warning", u"blocks"};
    QJsonArray checks;
    for (const RestartCheck &check : plan.checks) {
        checks += QJsonObject{{u"weight"_s, QString::fromUtf16(weights[int(check.weight)])}, {u"text"_s, check.text}, {u"advice"_s, check.advice}};
    }
    QJsonArray steps;
    for (const PlanStep &step : stepsOf(plan))
        steps += step.text;
    QJsonArray gpus;
    for (const int gpu : plan.gpus)
        gpus += gpu;
    return {{u"id"_s, plan.id()},
            {u"unit"_s, plan.options.unit},
            {u"service"_s, plan.options.service},
            {u"gpus"_s, gpus},
            {u"checks"_s, checks},
            {u"steps"_s, steps},
            {u"reclaim"_s, toJson(plan.reclaim)}};
}

} // namespace pilothouse
