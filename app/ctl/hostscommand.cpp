// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/hostscommand.h"

#include "app/ctl/output.h"
#include "app/ctl/target.h"
#include "app/ctl/texttable.h"

#include <QDir>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

QJsonValue textOrNull(const QString &text)
{
    return text.isEmpty() ? QJsonValue(QJsonValue::Null) : QJsonValue(text);
}

QJsonArray gpusOf(const ServiceSpec &service)
{
    QJsonArray gpus;
    for (const QString &gpu : service.gpus) {
        bool isIndex = false;
        const int index = gpu.toInt(&isIndex);
        gpus += isIndex ? QJsonValue(index) : QJsonValue(gpu);
    }
    return gpus;
}

QJsonObject toJson(const ServiceSpec &service)
{
    return {{u"name"_s, service.name},
            {u"unit"_s, service.unit},
            {u"scope"_s, service.userScope ? u"user"_s : u"system"_s},
            {u"gpus"_s, service.gpus.isEmpty() ? QJsonValue(QJsonValue::Null) : QJsonValue(gpusOf(service))},
            {u"health"_s, textOrNull(service.health)},
            {u"model"_s, textOrNull(service.model)},
            {u"drain"_s, textOrNull(service.drain)},
            {u"undrain"_s, textOrNull(service.undrain)}};
}

QJsonObject toJson(const HostSpec &host)
{
    QJsonArray services;
    for (const ServiceSpec &service : host.services)
        services += toJson(service);
    return {{u"name"_s, host.name},
            {u"ssh"_s, host.ssh},
            {u"tags"_s, QJsonArray::fromStringList(host.tags)},
            {u"access"_s, wordOf(host.access)},
            {u"sudo"_s, wordOf(host.sudo)},
            {u"expected_gpus"_s, host.expectedGpus > 0 ? QJsonValue(host.expectedGpus) : QJsonValue(QJsonValue::Null)},
            {u"threshold_mib"_s, host.thresholdMib},
            {u"services"_s, services},
            {u"source"_s, host.source},
            {u"origin"_s, wordOf(host.origin)},
            {u"read_only_source"_s, isReadOnly(host.origin)}};
}

QString jsonOf(const Inventory &inventory)
{
    QJsonArray hosts;
    for (const HostSpec &host : inventory.hosts)
        hosts += toJson(host);
    const QJsonObject document{{u"schema"_s, 1},
                               {u"files"_s, QJsonArray::fromStringList(inventory.files)},
                               {u"hosts"_s, hosts}};
    return QString::fromUtf8(QJsonDocument(document).toJson(QJsonDocument::Compact)) + u'\n';
}

/// As seen from the folder of hosts.toml.
QString fileOf(const HostSpec &host, const Inventory &inventory)
{
    const QDir folder = QFileInfo(inventory.mainFile).dir();
    const QString inside = folder.relativeFilePath(host.source);
    const QString file = inside.startsWith(u"../") ? host.source : inside;
    return isReadOnly(host.origin) ? file + u" (read-only)" : file;
}

QString tableOf(const Inventory &inventory, const Output &output)
{
    TextTable table({{u"HOST"_s}, {u"SSH"_s}, {u"TAGS"_s}, {u"ACCESS"_s}, {u"SUDO"_s}, {u"SERVICES"_s}, {u"FILE"_s}});
    for (const HostSpec &host : inventory.hosts) {
        QStringList services;
        for (const ServiceSpec &service : host.services)
            services += service.name;
        table.add({{host.name},
                   {host.ssh},
                   {host.tags.join(u", "_s)},
                   {wordOf(host.access)},
                   {wordOf(host.sudo)},
                   {services.join(u", "_s)},
                   {fileOf(host, inventory)}});
    }
    return table.text(output);
}

} // namespace

void HostsCommand::start()
{
    const auto inventory = inventoryFor(options());
    if (!inventory) {
        output().problem(sentenceOf(inventory.error()));
        emit finished(exitCodeOf(inventory.error().code));
        return;
    }
    if (options().json)
        output().data(jsonOf(*inventory));
    else if (inventory->hosts.isEmpty())
        output().problem(u"No hosts in %1."_s.arg(inventory->mainFile));
    else
        output().data(tableOf(*inventory, output()));
    emit finished(0);
}

} // namespace pilothouse
