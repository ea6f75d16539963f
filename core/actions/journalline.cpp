// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/actions/journalline.h"

#include "core/base/cleantext.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype mostText = 4096;

/// A text, or the bytes of one that is no UTF-8, or null for one that is too long.
QByteArray messageOf(const QJsonValue &value)
{
    if (value.isString())
        return value.toString().toUtf8();
    QByteArray bytes;
    for (const QJsonValue &byte : value.toArray()) {
        if (bytes.size() < mostText)
            bytes += static_cast<char>(byte.toInt());
    }
    return value.isNull() ? QByteArray("(a line of more than 4 KiB)") : bytes;
}

} // namespace

QList<JournalLine> readJournal(QByteArrayView text, qsizetype most)
{
    QList<JournalLine> lines;
    for (const QByteArray &row : text.toByteArray().split('\n')) {
        const QJsonObject object = QJsonDocument::fromJson(row).object();
        const QJsonValue message = object.value(u"MESSAGE"_s);
        if (object.isEmpty() || message.isUndefined())
            continue;
        JournalLine line;
        bool isNumber = false;
        const qint64 at = object.value(u"__REALTIME_TIMESTAMP"_s).toString().toLongLong(&isNumber);
        if (isNumber && at > 0)
            line.at = QDateTime::fromMSecsSinceEpoch(at / 1000, Qt::UTC);
        line.priority = std::clamp(object.value(u"PRIORITY"_s).toString(u"6"_s).toInt(), 0, 7);
        const qint64 pid = object.value(u"_PID"_s).toString().toLongLong(&isNumber);
        if (isNumber && pid > 0)
            line.pid = pid;
        line.name = cleanLine(object.value(u"SYSLOG_IDENTIFIER"_s).toString(), 80);
        for (const QByteArray &part : messageOf(message).split('\n')) {
            if (lines.size() >= most)
                return lines;
            line.text = cleanLine(part, mostText);
            if (!line.text.isEmpty())
                lines += line;
        }
    }
    return lines;
}

} // namespace pilothouse
