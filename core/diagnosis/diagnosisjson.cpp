// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diagnosis/diagnosisjson.h"

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

QJsonValue jsonOf(const QDateTime &at)
{
    return at.isValid() ? QJsonValue(at.toUTC().toString(Qt::ISODateWithMs)) : QJsonValue();
}

QJsonValue textOrNull(const QString &text)
{
    return text.isEmpty() ? QJsonValue() : QJsonValue(text);
}

void setFigure(QJsonObject &object, QJsonObject &unknown, const QString &key, const Quantity<qint64> &value)
{
    object.insert(key, value.isKnown() ? QJsonValue(value.value()) : QJsonValue());
    if (!value.isKnown())
        unknown.insert(key, nameOf(value.reason()));
}

void noteUnknown(QJsonObject &object, const QJsonObject &unknown)
{
    if (!unknown.isEmpty())
        object.insert(u"unknown"_s, unknown);
}

QJsonObject toJson(const GpuHolding &holding)
{
    QJsonObject object{{u"gpu"_s, holding.gpu >= 0 ? QJsonValue(holding.gpu) : QJsonValue()}, {u"uuid"_s, textOrNull(holding.uuid)}};
    QJsonObject unknown;
    setFigure(object, unknown, u"held_mib"_s, holding.heldMib);
    setFigure(object, unknown, u"reclaimable_mib"_s, holding.reclaimableMib);
    setFigure(object, unknown, u"unattributed_mib"_s, holding.unattributedMib);
    noteUnknown(object, unknown);
    return object;
}

} // namespace

QJsonObject toJson(const Family &family)
{
    QJsonArray members;
    for (const Pid pid : family.members)
        members += pid.value;
    QJsonArray gpus;
    for (const int gpu : family.gpus)
        gpus += gpu;
    QJsonArray story;
    for (const StoryLine &line : family.story)
        story += QJsonObject{{u"at"_s, jsonOf(line.at)}, {u"text"_s, line.text}};
    return {{u"id"_s, family.id},
            {u"head"_s, family.head ? QJsonValue(family.head->value) : QJsonValue()},
            {u"members"_s, members},
            {u"service"_s, textOrNull(family.service)},
            {u"unit"_s, textOrNull(family.unit)},
            {u"verdict"_s, nameOf(family.verdict)},
            {u"causes"_s, QJsonArray::fromStringList(family.causes)},
            {u"gpus"_s, gpus},
            {u"story"_s, story}};
}

QJsonObject toJson(const HostVerdict &verdict)
{
    QJsonObject object{{u"state"_s, nameOf(verdict.state)},
                       {u"since"_s, jsonOf(verdict.since)},
                       {u"text"_s, verdict.text},
                       {u"causes"_s, QJsonArray::fromStringList(verdict.causes)}};
    QJsonObject unknown;
    setFigure(object, unknown, u"held_mib"_s, verdict.heldMib);
    setFigure(object, unknown, u"reclaimable_mib"_s, verdict.reclaimableMib);
    noteUnknown(object, unknown);
    return object;
}

QJsonObject withDiagnosis(QJsonObject snapshot, const Diagnosis &diagnosis)
{
    const QString key = u"processes"_s;
    if (snapshot.value(key).isArray()) {
        QJsonArray processes = snapshot.value(key).toArray();
        const qsizetype judged = std::min(processes.size(), diagnosis.processes.size());
        for (qsizetype at = 0; at < judged; ++at) {
            const ProcessVerdict &verdict = diagnosis.processes.at(at);
            QJsonObject process = processes.at(at).toObject();
            process.insert(u"role"_s, verdict.role);
            process.insert(u"rule"_s, verdict.rule);
            process.insert(u"verdict"_s, nameOf(verdict.verdict));
            process.insert(u"evidence"_s, QJsonArray::fromStringList(verdict.evidence));
            process.insert(u"action"_s, nameOf(verdict.action));
            process.insert(u"family"_s, textOrNull(verdict.family));
            process.insert(u"preselected"_s, verdict.preselected);
            processes[at] = process;
        }
        snapshot.insert(key, processes);
    }
    QJsonArray families;
    for (const Family &family : diagnosis.families)
        families += toJson(family);
    QJsonArray holdings;
    for (const GpuHolding &holding : diagnosis.gpus)
        holdings += toJson(holding);
    snapshot.insert(u"families"_s, families);
    snapshot.insert(u"holdings"_s, holdings);
    snapshot.insert(u"verdict"_s, toJson(diagnosis.host));
    return snapshot;
}

} // namespace pilothouse
