// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workflow/servicerecord.h"

#include "core/base/localfile.h"

#include <QCryptographicHash>
#include <QDir>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 mostBytes = 1024 * 1024;
constexpr qsizetype mostLoads = 7;
constexpr qsizetype mostLines = 12; ///< told of what differs in a list

QString pathOf(const QString &stateFolder, const QString &host, const QString &unit)
{
    const QByteArray key = (host + u'\n' + unit).toUtf8(); // either may hold what a file name must not
    const QString name = QString::fromLatin1(QCryptographicHash::hash(key, QCryptographicHash::Sha256).toHex().first(24));
    return QDir(stateFolder).filePath(u"services/"_s + name + u".json"_s);
}

template <class T>
QJsonObject objectOf(const QMap<QString, T> &map)
{
    QJsonObject object;
    for (auto at = map.cbegin(); at != map.cend(); ++at)
        object.insert(at.key(), at.value());
    return object;
}

QStringList textsOf(const QJsonValue &value)
{
    QStringList texts;
    for (const QJsonValue &one : value.toArray())
        texts += one.toString();
    return texts;
}

class Comparison
{
public:
    QStringList lines;

    void texts(QLatin1StringView what, const QString &before, const QString &now)
    {
        if (!before.isEmpty() && !now.isEmpty() && before != now)
            lines += u"%1 was %2 and is %3."_s.arg(what, before.left(200), now.left(200));
    }

    void unitText(const QStringList &before, const QStringList &now)
    {
        if (before.isEmpty() || now.isEmpty() || before == now)
            return;
        QStringList differences;
        for (const QString &line : before) {
            if (!now.contains(line) && !line.trimmed().isEmpty())
                differences += u"- "_s + line;
        }
        for (const QString &line : now) {
            if (!before.contains(line) && !line.trimmed().isEmpty())
                differences += u"+ "_s + line;
        }
        if (differences.isEmpty())
            lines += u"The order of the unit's lines has changed."_s;
        else
            lines += u"The unit's text has changed: %1"_s.arg(shortened(differences).join(u"; "_s));
    }

    void variables(const QMap<QString, QString> &before, const QMap<QString, QString> &now)
    {
        if (before.isEmpty() || now.isEmpty())
            return;
        QStringList added;
        QStringList changed;
        QStringList gone;
        for (auto at = now.cbegin(); at != now.cend(); ++at) {
            if (!before.contains(at.key()))
                added += at.key();
            else if (before.value(at.key()) != at.value())
                changed += at.key();
        }
        for (auto at = before.cbegin(); at != before.cend(); ++at) {
            if (!now.contains(at.key()))
                gone += at.key();
        }
        for (const auto &[words, names] : {std::pair(u"has new variables"_s, added), std::pair(u"has other values of"_s, changed),
                                           std::pair(u"lacks"_s, gone)}) {
            if (!names.isEmpty())
                lines += u"Its environment %1: %2."_s.arg(words, shortened(names).join(u", "_s));
        }
    }

    void cards(const QMap<QString, qint64> &before, const QMap<QString, qint64> &now)
    {
        if (before.isEmpty() || now.isEmpty())
            return;
        for (const QString &uuid : before.keys()) {
            if (!now.contains(uuid))
                lines += u"GPU %1 was in use by it and is not now."_s.arg(uuid);
        }
        for (const QString &uuid : now.keys()) {
            if (!before.contains(uuid))
                lines += u"GPU %1 is new to it."_s.arg(uuid);
        }
    }

private:
    static QStringList shortened(QStringList all)
    {
        const qsizetype more = all.size() - mostLines;
        if (more > 0)
            all = all.mid(0, mostLines) + QStringList{u"%1 more"_s.arg(more)};
        return all;
    }
};

} // namespace

std::optional<std::chrono::milliseconds> ServiceRecord::usualLoad() const
{
    if (loadMs.isEmpty())
        return std::nullopt;
    QList<qint64> sorted = loadMs;
    std::ranges::sort(sorted);
    return std::chrono::milliseconds(sorted.at(sorted.size() / 2));
}

std::optional<qint64> ServiceRecord::allUsedMib() const
{
    if (usedMib.isEmpty())
        return std::nullopt;
    qint64 sum = 0;
    for (const qint64 mib : usedMib)
        sum += mib;
    return sum;
}

QStringList whatChanged(const ServiceRecord &before, const ServiceRecord &now)
{
    Comparison comparison;
    comparison.unitText(before.unitLines, now.unitLines);
    comparison.texts("The command line"_L1, before.commandLine, now.commandLine);
    comparison.variables(before.environment, now.environment);
    comparison.texts("The engine's version"_L1, before.engineVersion, now.engineVersion);
    comparison.texts("The model's path"_L1, before.modelPath, now.modelPath);
    comparison.texts("The driver"_L1, before.driver, now.driver);
    comparison.texts("The kernel"_L1, before.kernel, now.kernel);
    comparison.cards(before.usedMib, now.usedMib);
    return comparison.lines;
}

std::optional<ServiceRecord> recordOf(const QString &stateFolder, const QString &host, const QString &unit)
{
    const auto text = readLocalFile(pathOf(stateFolder, host, unit), mostBytes);
    if (!text)
        return std::nullopt;
    const QJsonObject object = QJsonDocument::fromJson(*text).object();
    ServiceRecord record;
    record.host = object.value(u"host"_s).toString();
    record.unit = object.value(u"unit"_s).toString();
    record.provedAt = QDateTime::fromString(object.value(u"proved_at"_s).toString(), Qt::ISODateWithMs);
    if (record.host != host || record.unit != unit || !record.provedAt.isValid())
        return std::nullopt;
    record.unitLines = textsOf(object.value(u"unit_lines"_s));
    record.commandLine = object.value(u"command_line"_s).toString();
    record.engineVersion = object.value(u"engine_version"_s).toString();
    record.modelPath = object.value(u"model_path"_s).toString();
    record.driver = object.value(u"driver"_s).toString();
    record.kernel = object.value(u"kernel"_s).toString();
    const QJsonObject environment = object.value(u"environment"_s).toObject();
    for (auto at = environment.begin(); at != environment.end(); ++at)
        record.environment.insert(at.key(), at.value().toString());
    const QJsonObject used = object.value(u"used_mib"_s).toObject();
    for (auto at = used.begin(); at != used.end(); ++at)
        record.usedMib.insert(at.key(), at.value().toInteger());
    for (const QJsonValue &one : object.value(u"load_ms"_s).toArray()) {
        if (one.toInteger() > 0)
            record.loadMs += one.toInteger();
    }
    return record;
}

Result<void> keepRecord(const QString &stateFolder, ServiceRecord record)
{
    if (const auto earlier = recordOf(stateFolder, record.host, record.unit))
        record.loadMs = (record.loadMs + earlier->loadMs).mid(0, mostLoads);
    QJsonArray loads;
    for (const qint64 one : std::as_const(record.loadMs))
        loads += one;
    const QJsonObject object{{u"host"_s, record.host},
                             {u"unit"_s, record.unit},
                             {u"proved_at"_s, record.provedAt.toString(Qt::ISODateWithMs)},
                             {u"unit_lines"_s, QJsonArray::fromStringList(record.unitLines)},
                             {u"environment"_s, objectOf(record.environment)},
                             {u"command_line"_s, record.commandLine},
                             {u"engine_version"_s, record.engineVersion},
                             {u"model_path"_s, record.modelPath},
                             {u"driver"_s, record.driver},
                             {u"kernel"_s, record.kernel},
                             {u"used_mib"_s, objectOf(record.usedMib)},
                             {u"load_ms"_s, loads}};
    return keepPrivately(pathOf(stateFolder, record.host, record.unit), QJsonDocument(object).toJson());
}

} // namespace pilothouse
