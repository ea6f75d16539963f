// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/fleet/inventoryreader.h"

#include "core/base/cleantext.h"
#include "core/fleet/tomltable.h"
#include "core/ssh/sshtarget.h"

#include <QRegularExpression>
#include <QSet>
#include <QUrl>

#include <algorithm>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr int maxGpus = 4096;
constexpr int maxThresholdMib = 100'000'000;

QString quoted(const QString &text)
{
    return u'"' + cleanLine(text, 80) + u'"';
}

/// A name is shown everywhere, typed on command lines and stands before a slash in TARGET/SERVICE.
QString nameMistake(const QString &name)
{
    if (name.isEmpty() || name != name.trimmed() || name != cleanLine(name) || name.contains(u'/')
        || name.startsWith(u'-')) {
        return u"expected a printable name without a slash, blanks around it or a dash before it"_s;
    }
    return {};
}

QString unitMistake(const QString &unit)
{
    if (fullUnitName(unit))
        return {};
    return u"expected the name of a systemd unit like \"vllm.service\", found "_s + quoted(unit);
}

QString healthMistake(const QString &health)
{
    const QUrl url(health, QUrl::StrictMode);
    const bool web = url.scheme() == u"http" || url.scheme() == u"https";
    if (url.isValid() && web && !url.host().isEmpty())
        return {};
    return u"expected a URL like \"http://127.0.0.1:8000/health\", found "_s + quoted(health);
}

QStringList readGpus(TomlTable &table)
{
    QStringList gpus;
    for (const toml::node &node : table.array("gpus"_L1)) {
        if (const auto *index = node.as_integer(); index && index->get() >= 0 && index->get() < maxGpus) {
            gpus += QString::number(index->get());
            continue;
        }
        const auto *uuid = node.as_string();
        const QString text = uuid ? QString::fromStdString(uuid->get()) : QString();
        if ((text.startsWith(u"GPU-") || text.startsWith(u"MIG-")) && text == cleanLine(text)) {
            gpus += text;
            continue;
        }
        table.complain(node, u"expected GPU indices or UUIDs (\"GPU-…\") in \"gpus\""_s);
    }
    return gpus;
}

ServiceSpec readService(TomlTable &table)
{
    ServiceSpec service;
    service.name = table.string("name"_L1, TomlTable::Need::Required, nameMistake);
    service.unit = table.string("unit"_L1, TomlTable::Need::Required, unitMistake);
    service.userScope = table.choice("scope"_L1, {u"system"_s, u"user"_s}, 0) == 1;
    service.gpus = readGpus(table);
    service.health = table.string("health"_L1, TomlTable::Need::Optional, healthMistake);
    service.model = table.string("model"_L1);
    service.drain = table.string("drain"_L1);
    service.undrain = table.string("undrain"_L1);
    table.complainAboutTheRest();
    return service;
}

QList<ServiceSpec> readServices(TomlTable &host)
{
    QList<ServiceSpec> services;
    QSet<QString> names;
    for (const toml::table &node : host.tables("service"_L1)) {
        TomlTable table(node, u"[[host.service]]"_s, host.mistakes());
        services += readService(table);
        const QString &name = services.last().name;
        if (!name.isEmpty() && names.contains(name))
            table.complainAt("name"_L1, u"the service "_s + quoted(name) + u" stands twice in this host"_s);
        names.insert(name);
    }
    return services;
}

HostSpec readHost(TomlTable &table, const QString &file)
{
    HostSpec host;
    host.source = file;
    host.name = table.string("name"_L1, TomlTable::Need::Required, nameMistake);
    host.ssh = table.string("ssh"_L1);
    const bool own = !host.ssh.isEmpty() || table.has("ssh"_L1);
    if (!own)
        host.ssh = host.name;
    if (const auto target = parseTarget(host.ssh); !target && (own || !host.name.isEmpty())) {
        const QString what = u"expected an SSH alias or [user@]host[:port], found "_s + quoted(host.ssh);
        table.complainAt(own ? "ssh"_L1 : "name"_L1, own ? what : QString(what + u" (no \"ssh\" is given)"));
    }
    host.tags = table.strings("tags"_L1);
    host.access = Access(table.choice("access"_L1, accessWords(), int(host.access)));
    host.sudo = SudoPolicy(table.choice("sudo"_L1, sudoWords(), int(host.sudo)));
    host.expectedGpus = table.integer("expected_gpus"_L1, 0, 0, maxGpus);
    host.thresholdMib = table.integer("threshold_mib"_L1, host.thresholdMib, 0, maxThresholdMib);
    host.services = readServices(table);
    table.complainAboutTheRest();
    return host;
}

QList<InventoryInclude> readIncludes(TomlTable &root)
{
    QList<InventoryInclude> includes;
    for (const toml::node &node : root.array("include"_L1)) {
        const auto *path = node.as_string();
        if (!path || path->get().empty()) {
            root.complain(node, u"expected paths of files in \"include\""_s);
            continue;
        }
        includes += InventoryInclude{QString::fromStdString(path->get()), TomlTable::placeOf(node)};
    }
    return includes;
}

/// Where the text of a node ends, that of everything inside it included.
int lastLineOf(const toml::node &node)
{
    int line = int(node.source().end.line);
    if (const toml::table *table = node.as_table()) {
        for (const auto &[key, value] : *table)
            line = std::max(line, lastLineOf(value));
    } else if (const toml::array *array = node.as_array()) {
        for (const toml::node &value : *array)
            line = std::max(line, lastLineOf(value));
    }
    return line;
}

TextPlace placeOf(const toml::source_position &position)
{
    return {int(position.line), int(position.column)};
}

InventoryTable regionsOf(const toml::table &node)
{
    InventoryTable table;
    table.place = TomlTable::placeOf(node);
    table.lastLine = table.place.line;
    for (const auto &[key, value] : node) {
        const toml::array *array = value.as_array();
        if (value.is_table() || (array && array->is_array_of_tables()))
            continue;
        table.entries += InventoryEntry{QString::fromUtf8(key.str().data(), qsizetype(key.str().size())),
                                        placeOf(key.source().begin), placeOf(value.source().begin),
                                        placeOf(value.source().end)};
        table.lastLine = std::max(table.lastLine, lastLineOf(value));
    }
    return table;
}

QList<InventoryTable> serviceRegionsOf(const toml::table &host)
{
    QList<InventoryTable> services;
    if (const toml::array *list = host["service"].as_array()) {
        for (const toml::node &service : *list) {
            if (const toml::table *table = service.as_table())
                services += regionsOf(*table);
        }
    }
    return services;
}

/// The one place where toml++ throws.
Result<toml::table> parse(QByteArrayView text, const QString &file)
{
    try {
        return toml::parse(std::string_view(text.data(), size_t(text.size())));
    } catch (const toml::parse_error &error) {
        const TextPlace place{int(error.source().begin.line), int(error.source().begin.column)};
        const std::string_view words = error.description();
        QString what = cleanLine(QByteArrayView(words.data(), qsizetype(words.size())), 300);
        if (!what.endsWith(u'.'))
            what += u'.';
        return fail(ErrorCode::InventoryInvalid, displayOf(file, place) + u": "_s + what);
    }
}

} // namespace

QString displayOf(const QString &file, TextPlace place)
{
    return u"%1:%2:%3"_s.arg(file).arg(place.line).arg(place.column);
}

std::optional<QString> fullUnitName(const QString &name)
{
    static const QRegularExpression allowed(u"^[A-Za-z0-9:_.\\\\@-]{1,255}$"_s);
    static const QRegularExpression typed(
        u"[^.]\\.(service|scope|slice|socket|target|mount|timer|path|device|swap|automount)$"_s);
    if (!allowed.match(name).hasMatch() || name.startsWith(u'-') || name.startsWith(u'.') || name.endsWith(u'\n'))
        return std::nullopt;
    if (typed.match(name).hasMatch())
        return name;
    return name.size() <= 247 ? std::optional(QString(name + u".service")) : std::nullopt;
}

Result<InventoryText> readInventoryText(QByteArrayView text, const QString &file)
{
    if (const qsizetype nul = text.indexOf('\0'); nul >= 0) {
        const QByteArrayView before = text.first(nul);
        const TextPlace place{int(std::count(before.begin(), before.end(), '\n')) + 1,
                              int(nul - before.lastIndexOf('\n'))};
        return fail(ErrorCode::InventoryInvalid,
                    displayOf(file, place) + u": expected text in UTF-8, found a NUL byte: this is no TOML file."_s);
    }
    const auto parsed = parse(text, file);
    if (!parsed)
        return fail(parsed.error());
    TomlMistakes mistakes;
    TomlTable root(*parsed, u"the file"_s, mistakes);
    InventoryText inventory;
    inventory.includes = readIncludes(root);
    for (const toml::table &node : root.tables("host"_L1)) {
        TomlTable table(node, u"[[host]]"_s, mistakes);
        inventory.hosts += InventoryHost{readHost(table, file), TomlTable::placeOf(node), lastLineOf(node),
                                         regionsOf(node), serviceRegionsOf(node)};
    }
    root.complainAboutTheRest();
    QStringList lines;
    for (const TomlMistake &mistake : mistakes.sorted())
        lines += displayOf(file, mistake.place) + u": "_s + mistake.text + u'.';
    if (!lines.isEmpty())
        return fail(ErrorCode::InventoryInvalid, lines.join(u'\n'));
    return inventory;
}

} // namespace pilothouse
