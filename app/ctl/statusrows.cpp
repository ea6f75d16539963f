// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/statusrows.h"

#include "app/ctl/texttable.h"
#include "core/fleet/hostdiagnosis.h"
#include "core/fleet/servicediscovery.h"
#include "core/host/gpusourcewords.h"
#include "core/host/unitwords.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>
#include <array>
#include <functional>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

const QString unknownMark = u"–"_s;

constexpr std::array fromGoodToBad{0, 1, 6, 4, 5, 3};

bool isActive(const QString &active)
{
    return active == u"active" || active == u"reloading" || active == u"refreshing";
}

QString missingUnitText(const Snapshot &snapshot)
{
    if (!snapshot.units && snapshot.unknown.value(u"units"_s) == UnknownReason::Absent)
        return u"There is no systemd on the host, or no systemctl."_s;
    return u"systemd on the host did not answer for it."_s;
}

StatusRow rowOf(const QString &host, const ServiceSpec &service, const Snapshot &snapshot)
{
    StatusRow row;
    row.host = host;
    row.service = service;
    row.memoryMib = gpuMemoryOf(snapshot, service);
    const Unit *unit = unitOf(snapshot, service);
    if (!unit) {
        row.state = u"unknown"_s;
        row.text = missingUnitText(snapshot);
        row.error = ErrorCode::ToolMissing;
        row.exitCode = exitCodeOf(ErrorCode::ToolMissing);
        return row;
    }
    row.state = stateWordsOf(*unit);
    row.active = unit->active;
    row.hostSince = unit->hostSince;
    row.exitCode = isActive(unit->active) ? 0 : 1;
    return row;
}

void missGpus(StatusRow &row, const Snapshot &snapshot)
{
    const QString text = missingGpusText(snapshot);
    row.text = row.text.isEmpty() ? text : QString(row.text + u' ' + text);
    row.error = ErrorCode::ToolMissing;
    row.exitCode = worstOf(row.exitCode, exitCodeOf(ErrorCode::ToolMissing));
}

/// A host that is read well may be in trouble all the same. The missing GPU data are said by themselves.
void sayCritical(StatusRow &row, const Snapshot &snapshot)
{
    QStringList texts{row.text};
    for (const Problem &problem : snapshot.problems) {
        if (problem.severity == Problem::Severity::Critical && snapshot.gpus)
            texts << problem.text;
    }
    texts.removeAll(QString());
    row.text = texts.join(u' ');
}

bool isLeft(const Family &family)
{
    return family.verdict == Verdict::Leftover || family.verdict == Verdict::Stuck;
}

bool mayBeLeft(const Family &family)
{
    return family.verdict == Verdict::Starting && family.modifiers.contains(u"ORPHAN"_s);
}

/// Of the families that `counts` takes.
Quantity<qint64> leftoversOf(const Snapshot &snapshot, const Diagnosis &diagnosis, const std::function<bool(const Family &)> &counts)
{
    if (!snapshot.gpus || !snapshot.processes || !unknownHoldersText(snapshot).isEmpty())
        return Quantity<qint64>::unknown(snapshot.unknown.value(u"gpus"_s, UnknownReason::Failed));
    qint64 sum = 0;
    for (const Family &family : diagnosis.families) {
        if (mayBeLeft(family))
            return Quantity<qint64>::unknown(UnknownReason::Failed);
        if (!isLeft(family) || !counts(family))
            continue;
        for (const Process &process : *snapshot.processes) {
            if (!family.members.contains(process.pid))
                continue;
            for (const ProcessGpuMemory &memory : process.gpuMemory) {
                if (!memory.mib.isKnown())
                    return memory.mib;
                sum += memory.mib.value();
            }
        }
    }
    return sum;
}

QString figure(const Quantity<qint64> &mib)
{
    return mib.isKnown() ? QString::number(mib.value()) : unknownMark;
}

QJsonValue textOrNull(const QString &text)
{
    return text.isEmpty() ? QJsonValue() : QJsonValue(text);
}

QJsonObject toJson(const StatusRow &row)
{
    QJsonObject unknown;
    const auto mibOrNull = [&](const QString &key, const Quantity<qint64> &mib) {
        if (mib.isKnown())
            return QJsonValue(mib.value());
        unknown.insert(key, nameOf(mib.reason()));
        return QJsonValue();
    };
    const ServiceSpec service = row.service.value_or(ServiceSpec());
    QJsonObject object{
        {u"host"_s, row.host},
        {u"service"_s, textOrNull(service.name)},
        {u"unit"_s, textOrNull(service.unit)},
        {u"scope"_s, row.service ? QJsonValue(service.userScope ? u"user"_s : u"system"_s) : QJsonValue()},
        {u"found"_s, row.found},
        {u"state"_s, row.state},
        {u"active"_s, textOrNull(row.active)},
        {u"host_since"_s,
         row.hostSince.isValid() ? QJsonValue(row.hostSince.toUTC().toString(Qt::ISODateWithMs)) : QJsonValue()},
        {u"memory_mib"_s, mibOrNull(u"memory_mib"_s, row.memoryMib)},
        {u"leftovers_mib"_s, mibOrNull(u"leftovers_mib"_s, row.leftoversMib)},
        {u"error"_s, row.error ? QJsonValue(nameOf(*row.error)) : QJsonValue()},
        {u"text"_s, textOrNull(row.text)},
        {u"exit_code"_s, row.exitCode}};
    if (!unknown.isEmpty())
        object.insert(u"unknown"_s, unknown);
    return object;
}

Ink inkOf(const StatusRow &row)
{
    if (row.exitCode == 0)
        return row.service ? Ink::Good : Ink::Dim;
    return row.exitCode == 1 && row.active == u"inactive" ? Ink::Warning : Ink::Bad;
}

} // namespace

QList<StatusRow> statusRows(const QString &host, const QList<ServiceSpec> &services, bool found,
                            const Snapshot &snapshot)
{
    QList<StatusRow> rows;
    for (const ServiceSpec &service : services) {
        rows += rowOf(host, service, snapshot);
        rows.last().found = found;
    }
    if (rows.isEmpty()) {
        StatusRow row;
        row.host = host;
        row.state = snapshot.processes ? u"no service found"_s : u"unknown"_s;
        rows += row;
    }
    if (!snapshot.gpus) {
        for (StatusRow &row : rows)
            missGpus(row, snapshot);
    }
    for (StatusRow &row : rows)
        sayCritical(row, snapshot);
    return rows;
}

void tellLeftovers(QList<StatusRow> &rows, const HostSpec &host, const Snapshot &snapshot, const Diagnosis &diagnosis)
{
    const auto concernsRow = [&](const Family &family, const StatusRow &row) {
        return !row.service || concernsUnit(family, row.service->unit, host, snapshot);
    };
    const auto concernsNone = [&](const Family &family) {
        return std::ranges::none_of(rows, [&](const StatusRow &row) { return concernsRow(family, row); });
    };
    for (StatusRow &row : rows)
        row.leftoversMib = leftoversOf(snapshot, diagnosis, [&](const Family &family) { return concernsRow(family, row); });
    const bool young = snapshot.gpus && std::ranges::any_of(diagnosis.families, mayBeLeft);
    for (StatusRow &row : rows) { // in all of them: what is the same is printed once
        if (young) {
            row.text += (row.text.isEmpty() ? QString() : u" "_s)
                + u"An orphan is so young that it may be loading: look again in a minute for leftovers."_s;
        }
    }
    const bool others = std::ranges::any_of(diagnosis.families, [&](const Family &family) { return isLeft(family) && concernsNone(family); });
    if (others) {
        StatusRow row;
        row.host = host.name;
        row.state = u"leftovers of no service"_s;
        row.leftoversMib = leftoversOf(snapshot, diagnosis, concernsNone);
        rows += row;
    }
}

StatusRow statusRow(const QString &host, const Error &error)
{
    StatusRow row;
    row.host = host;
    row.state = summaryOf(error.code);
    row.text = sentenceOf(error);
    row.error = error.code;
    row.exitCode = exitCodeOf(error.code);
    return row;
}

int worstOf(int a, int b)
{
    const auto rank = [](int code) { return std::ranges::find(fromGoodToBad, code) - fromGoodToBad.begin(); };
    return rank(a) >= rank(b) ? a : b;
}

QString statusText(const QList<StatusRow> &rows, const Output &output)
{
    using Align = TextTable::Align;
    TextTable table({{u"HOST"_s}, {u"SERVICE"_s}, {u"STATE"_s, Align::Left, 80}, {u"SINCE"_s},
                     {u"MEMORY MIB"_s, Align::Right}, {u"LEFTOVERS MIB"_s, Align::Right}});
    for (const StatusRow &row : rows) {
        table.add(
            {{row.host},
             {row.service ? row.service->name : unknownMark},
             {row.state, inkOf(row)},
             {row.hostSince.isValid() ? row.hostSince.toLocalTime().toString(u"yyyy-MM-dd HH:mm"_s) : unknownMark},
             {figure(row.memoryMib)},
             {figure(row.leftoversMib)}});
    }
    return table.text(output);
}

QString statusJson(const QList<StatusRow> &rows)
{
    QJsonArray services;
    for (const StatusRow &row : rows)
        services += toJson(row);
    const QJsonObject document{{u"schema"_s, 1}, {u"services"_s, services}};
    return QString::fromUtf8(QJsonDocument(document).toJson(QJsonDocument::Compact)) + u'\n';
}

} // namespace pilothouse
