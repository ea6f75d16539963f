// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/lab/shot.h"

#include <QJsonArray>
#include <QRegularExpression>

namespace pilothouse::test {

using namespace Qt::StringLiterals;

Shot Shot::of(const QString &target, const QStringList &options, std::chrono::milliseconds limit)
{
    return Shot(ctl(QStringList{u"snapshot"_s, target, u"--json"_s} + options, limit));
}

Shot::Shot(const QByteArray &document)
    : Shot(Ran{.exitCode = 0, .output = document, .errors = {}, .tookMs = 0})
{
}

Shot::Shot(Ran ran)
    : m_ran(std::move(ran))
    , m_json(m_ran.json())
{
}

std::optional<QList<QJsonObject>> Shot::list(const QString &key) const
{
    if (!m_json.value(key).isArray())
        return std::nullopt;
    QList<QJsonObject> objects;
    const QJsonArray array = m_json.value(key).toArray();
    for (const QJsonValue &value : array)
        objects.append(value.toObject());
    return objects;
}

QList<QJsonObject> Shot::processes(const QString &expression) const
{
    const QRegularExpression wanted(expression);
    QList<QJsonObject> found;
    const QList<QJsonObject> all = processes();
    for (const QJsonObject &process : all) {
        if (wanted.match(process.value(u"command"_s).toString()).hasMatch())
            found.append(process);
    }
    return found;
}

QJsonObject Shot::process(qint64 pid) const
{
    const QList<QJsonObject> all = processes();
    for (const QJsonObject &process : all) {
        if (process.value(u"pid"_s).toInteger() == pid)
            return process;
    }
    return {};
}

QJsonObject Shot::unit(const QString &name) const
{
    const QList<QJsonObject> all = list(u"units"_s).value_or(QList<QJsonObject>());
    for (const QJsonObject &unit : all) {
        if (unit.value(u"name"_s).toString() == name)
            return unit;
    }
    return {};
}

QStringList Shot::problemCodes() const
{
    QStringList codes;
    const QList<QJsonObject> all = list(u"problems"_s).value_or(QList<QJsonObject>());
    for (const QJsonObject &problem : all)
        codes.append(problem.value(u"code"_s).toString());
    return codes;
}

QStringList Shot::problemTexts() const
{
    QStringList texts;
    const QList<QJsonObject> all = list(u"problems"_s).value_or(QList<QJsonObject>());
    for (const QJsonObject &problem : all)
        texts.append(problem.value(u"text"_s).toString());
    return texts;
}

qint64 mibOf(const QJsonObject &process)
{
    qint64 sum = 0;
    const QJsonArray rows = process.value(u"gpu_memory"_s).toArray();
    for (const QJsonValue &row : rows)
        sum += row.toObject().value(u"mib"_s).toInteger();
    return sum;
}

} // namespace pilothouse::test
