// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consolefiles.h"

#include "consolefolder.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

QString tomlString(const QString &text)
{
    QString escaped = text;
    escaped.replace(u'\\', u"\\\\"_s).replace(u'"', u"\\\""_s);
    return u'"' + escaped + u'"';
}

} // namespace

QString sshConfigText(const QList<ServedHost> &hosts, const QString &folder, const QString &address)
{
    QString text = ConsoleFolder::firstLine();
    for (const ServedHost &served : hosts) {
        text += u"\nHost %1\n    HostName %2\n    Port %3\n    User root\n"_s.arg(
            served.host.name, address, QString::number(served.port));
        text += u"    IdentityFile \"%1/identity\"\n    IdentitiesOnly yes\n"
                "    UserKnownHostsFile \"%1/known_hosts\"\n"_s.arg(folder);
    }
    return text;
}

QString knownHostsText(const QList<ServedHost> &hosts, const QString &address)
{
    QString text = ConsoleFolder::firstLine();
    for (const ServedHost &served : hosts)
        text += u"[%1]:%2 %3\n"_s.arg(address, QString::number(served.port), served.hostKey);
    return text;
}

QString hostsTomlText(const QList<ServedHost> &hosts)
{
    QString text = ConsoleFolder::firstLine();
    for (const ServedHost &served : hosts) {
        QStringList tags;
        for (const QString &tag : served.host.tags)
            tags.append(tomlString(tag));
        const QString name = tomlString(served.host.name);
        text += u"\n[[host]]\nname = %1\nssh = %1\ntags = [%2]\naccess = \"normal\"\nexpected_gpus = %3\n"_s.arg(
            name, tags.join(u", "_s), QString::number(served.host.expectedGpus));
        for (const QString &unit : served.host.services) {
            QString service = unit;
            service.remove(u".service"_s);
            text += u"\n[[host.service]]\nname = %1\nunit = %2\n"_s.arg(tomlString(service), tomlString(unit));
        }
    }
    return text;
}

QByteArray readyLine(const QList<ServedHost> &hosts, const QString &folder, bool inMemory)
{
    QJsonArray list;
    for (const ServedHost &served : hosts)
        list.append(QJsonObject{{u"name"_s, served.host.name}, {u"port"_s, served.port}});
    return QJsonDocument(QJsonObject{{u"ready"_s, true},
                                     {u"dir"_s, folder},
                                     {u"mode"_s, inMemory ? u"memory"_s : u"namespaces"_s},
                                     {u"hosts"_s, list}})
        .toJson(QJsonDocument::Compact);
}

} // namespace pilothouse
