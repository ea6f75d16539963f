// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/units/unitfacts.h"

#include "core/base/cleantext.h"
#include "core/units/expansion.h"

#include <QHash>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype mostNames = 2000;

std::optional<bool> yesOrNo(const QByteArray &value)
{
    return value == "yes" ? std::optional(true) : value == "no" ? std::optional(false) : std::nullopt;
}

/// "/etc/default/x (ignore_errors=yes)", one or more.
QList<EnvironmentNames> filesOf(const QByteArray &value)
{
    QList<EnvironmentNames> files;
    for (const QByteArray &entry : value.split('\n')) {
        const qsizetype end = entry.lastIndexOf(" (ignore_errors=");
        if (end > 0)
            files += EnvironmentNames{QString::fromUtf8(entry.first(end)), std::nullopt};
    }
    return files;
}

} // namespace

QStringList unitFactProperties()
{
    return {u"LoadState"_s,
            u"LoadError"_s,
            u"FragmentPath"_s,
            u"DropInPaths"_s,
            u"NeedDaemonReload"_s,
            u"Type"_s,
            u"KillMode"_s,
            u"Restart"_s,
            u"User"_s,
            u"SendSIGKILL"_s,
            u"PrivateDevices"_s,
            u"PrivateTmp"_s,
            u"TimeoutStartUSec"_s,
            u"TimeoutStopUSec"_s,
            u"RestartUSec"_s,
            u"StartLimitIntervalUSec"_s,
            u"StartLimitBurst"_s,
            u"EnvironmentFiles"_s};
}

UnitFacts readUnitFacts(const QString &unit, bool user, QByteArrayView show)
{
    const QStringList known = unitFactProperties();
    QHash<QString, QByteArray> values;
    QString last;
    for (const QByteArray &line : show.first(std::min<qsizetype>(show.size(), 262'144)).toByteArray().split('\n')) {
        const qsizetype equals = line.indexOf('=');
        const QString key = equals > 0 ? QString::fromLatin1(line.first(equals)) : QString();
        if (known.contains(key)) {
            last = key;
            QByteArray &value = values[key]; // EnvironmentFiles comes once for each file
            value += (value.isEmpty() ? "" : "\n") + line.sliced(equals + 1);
        }
    }
    const auto text = [&](const QString &key) { return cleanLine(values.value(key), 300); };
    const auto span = [&](const QString &key) { return parseTimeSpan(QString::fromLatin1(values.value(key))); };
    UnitFacts facts;
    facts.unit = unit;
    facts.user = user;
    facts.load = text(u"LoadState"_s);
    facts.loadError = text(u"LoadError"_s);
    if (const QByteArray fragment = values.value(u"FragmentPath"_s); !fragment.isEmpty())
        facts.paths += QString::fromUtf8(fragment);
    facts.paths += QString::fromUtf8(values.value(u"DropInPaths"_s)).split(u' ', Qt::SkipEmptyParts);
    facts.needDaemonReload = values.value(u"NeedDaemonReload"_s) == "yes";
    facts.type = text(u"Type"_s);
    facts.killMode = text(u"KillMode"_s);
    facts.restart = text(u"Restart"_s);
    facts.userName = text(u"User"_s);
    facts.sendSigkill = yesOrNo(values.value(u"SendSIGKILL"_s));
    facts.privateDevices = yesOrNo(values.value(u"PrivateDevices"_s));
    facts.privateTmp = yesOrNo(values.value(u"PrivateTmp"_s));
    facts.timeoutStart = span(u"TimeoutStartUSec"_s);
    facts.timeoutStop = span(u"TimeoutStopUSec"_s);
    facts.restartDelay = span(u"RestartUSec"_s);
    facts.startLimitInterval = span(u"StartLimitIntervalUSec"_s);
    bool isNumber = false;
    if (const int burst = values.value(u"StartLimitBurst"_s).toInt(&isNumber); isNumber)
        facts.startLimitBurst = burst;
    facts.environmentFiles = filesOf(values.value(u"EnvironmentFiles"_s));
    return facts;
}

void addHostLines(UnitFacts &facts, QByteArrayView lines)
{
    qsizetype names = 0;
    const auto isName = [&](const QByteArray &word) {
        return ++names <= mostNames && word.size() <= 256 && isVariableName(QString::fromLatin1(word));
    };
    for (const QByteArray &line : lines.first(std::min<qsizetype>(lines.size(), 262'144)).toByteArray().split('\n')) {
        const QList<QByteArray> words = line.split(' ');
        const QByteArray &kind = words.first();
        const qsizetype number = words.value(1).toLongLong();
        const bool isFile = number >= 1 && number <= facts.environmentFiles.size();
        if (kind == "manager" && words.size() == 2 && isName(words.at(1))) {
            if (!facts.managerNames)
                facts.managerNames.emplace();
            *facts.managerNames += QString::fromLatin1(words.at(1));
        } else if (kind == "file" && isFile && words.value(2) == "ok") {
            facts.environmentFiles[number - 1].names.emplace();
        } else if (kind == "name" && isFile && words.size() == 3 && isName(words.at(2))) {
            auto &file = facts.environmentFiles[number - 1].names;
            if (file)
                *file += QString::fromLatin1(words.at(2));
        } else if (kind == "account" && words.size() >= 2) {
            facts.uid = words.at(1).toLongLong();
            for (const QByteArray &gid : words.mid(2))
                facts.gids += gid.toLongLong();
        } else if (kind == "node" && words.size() == 6 && facts.devices.size() < 200) {
            facts.devices += DeviceAccess{cleanLine(words.at(5), 200), words.at(1).toUInt(nullptr, 8) & 0777U,
                                          words.at(2).toLongLong(), words.at(3).toLongLong(),
                                          words.at(4) == "UNKNOWN" ? QString() : cleanLine(words.at(4), 80)};
        }
    }
}

} // namespace pilothouse
