// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/audit/auditrecord.h"

#include "core/base/cleantext.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>
#include <array>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr int schema = 1;
constexpr qsizetype mostBytes = 64 * 1024;
constexpr auto timeFormat = "yyyy-MM-ddTHH:mm:ss.zzzZ";

template <class Value>
struct Word
{
    Value value;
    QLatin1StringView word;
};
template <class Value>
Word(Value, QLatin1StringView) -> Word<Value>; // clang 14 deduces none for an aggregate

constexpr std::array phaseWords{Word{AuditRecord::Phase::Intent, "intent"_L1}, Word{AuditRecord::Phase::Outcome, "outcome"_L1}};
constexpr std::array resultWords{Word{AuditRecord::Result::None, ""_L1}, Word{AuditRecord::Result::Done, "done"_L1},
                                 Word{AuditRecord::Result::Failed, "failed"_L1}, Word{AuditRecord::Result::Refused, "refused"_L1}};

template <class Words, class Value>
QString wordOf(const Words &words, Value value)
{
    return std::ranges::find(words, value, &Word<Value>::value)->word;
}

/// The strings of a record by their names in the file.
constexpr std::array<std::pair<QLatin1StringView, QString AuditRecord::*>, 8> strings{{
    {"operation"_L1, &AuditRecord::operation},
    {"console"_L1, &AuditRecord::console},
    {"person"_L1, &AuditRecord::person},
    {"host"_L1, &AuditRecord::host},
    {"target"_L1, &AuditRecord::target},
    {"boot_id"_L1, &AuditRecord::bootId},
    {"action"_L1, &AuditRecord::action},
    {"text"_L1, &AuditRecord::text},
}};

QJsonObject toJson(const AuditObject &object)
{
    QJsonObject json{{u"name"_s, cleanLine(object.name)}};
    if (object.process) {
        json.insert(u"pid"_s, object.process->pid.value);
        // As text: a double keeps 53 bits.
        json.insert(u"start_ticks"_s, QString::number(object.process->start.value));
    }
    return json;
}

std::optional<AuditObject> objectOf(const QJsonObject &json)
{
    AuditObject object;
    object.name = json.value("name"_L1).toString();
    if (json.contains("pid"_L1)) {
        bool ok = false;
        const qint64 pid = json.value("pid"_L1).toInteger(-1);
        const quint64 start = json.value("start_ticks"_L1).toString().toULongLong(&ok);
        if (!ok || pid <= 0)
            return std::nullopt;
        object.process = ProcessIdentity{Pid{pid}, StartTicks{start}};
    }
    return object;
}

tl::unexpected<Error> noRecord()
{
    return fail(ErrorCode::LocalIo, u"This line is no record of the audit."_s);
}

} // namespace

QByteArray auditLine(const AuditRecord &record)
{
    QJsonObject json{{u"schema"_s, schema},
                     {u"at"_s, record.at.toUTC().toString(QLatin1StringView(timeFormat))},
                     {u"phase"_s, wordOf(phaseWords, record.phase)}};
    for (const auto &[name, member] : strings)
        json.insert(name, cleanLine(record.*member));
    if (record.result != AuditRecord::Result::None)
        json.insert(u"result"_s, wordOf(resultWords, record.result));
    QJsonArray objects;
    qsizetype left = mostBytes - QJsonDocument(json).toJson(QJsonDocument::Compact).size() - 64;
    for (const AuditObject &object : record.objects) {
        const QJsonObject part = toJson(object);
        left -= QJsonDocument(part).toJson(QJsonDocument::Compact).size() + 1;
        if (left < 0)
            break;
        objects.append(part);
    }
    json.insert(u"objects"_s, objects);
    if (objects.size() < record.objects.size())
        json.insert(u"objects_left_out"_s, record.objects.size() - objects.size());
    return QJsonDocument(json).toJson(QJsonDocument::Compact) + '\n';
}

Result<AuditRecord> readAuditLine(QByteArrayView line)
{
    const QJsonDocument document = QJsonDocument::fromJson(line.toByteArray());
    const QJsonObject json = document.object();
    AuditRecord record;
    record.at = QDateTime::fromString(json.value("at"_L1).toString(), Qt::ISODateWithMs);
    const QString phase = json.value("phase"_L1).toString();
    const QString result = json.value("result"_L1).toString();
    const auto *const phaseWord = std::ranges::find(phaseWords, phase, &Word<AuditRecord::Phase>::word);
    const auto *const resultWord = std::ranges::find(resultWords, result, &Word<AuditRecord::Result>::word);
    if (json.value("schema"_L1).toInt() != schema || !record.at.isValid() || phaseWord == phaseWords.end()
        || resultWord == resultWords.end())
        return noRecord();
    record.phase = phaseWord->value;
    record.result = resultWord->value;
    if ((record.phase == AuditRecord::Phase::Intent) != (record.result == AuditRecord::Result::None))
        return noRecord();
    for (const auto &[name, member] : strings)
        record.*member = json.value(name).toString();
    const QJsonArray objects = json.value("objects"_L1).toArray();
    for (const QJsonValue &value : objects) {
        const auto object = objectOf(value.toObject());
        if (!object)
            return noRecord();
        record.objects += *object;
    }
    return record;
}

} // namespace pilothouse
