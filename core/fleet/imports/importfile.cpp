// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/fleet/imports/importfile.h"

#include "core/base/cleantext.h"
#include "core/fleet/inventoryloader.h"
#include "core/fleet/inventoryreader.h"
#include "core/fleet/inventorytext.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>

#include <algorithm>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

const QString folderName = u"imported"_s;

QString relativePath(const QString &name)
{
    return folderName + u'/' + name + u".toml"_s;
}

/// As it was, if it is still what was written here.
void restore(const QString &path, bool wasThere, const QByteArray &before, const QByteArray &written)
{
    if (wasThere)
        (void)replaceInventoryFile(path, written, before);
    else if (inventoryBytes(path).value_or(QByteArray()) == written)
        QFile::remove(path);
}

QByteArray importText(const QString &source, const QList<HostSpec> &hosts)
{
    QByteArray text = u"# Imported from %1\n# by Pilothouse; the next import of it replaces this file.\n"_s
                          .arg(cleanLine(source, 300))
                          .toUtf8();
    for (HostSpec host : hosts) {
        host.access = Access::ReadOnly;
        host.services.clear();
        text = withHostAppended(text, host);
    }
    return text;
}

QStringList pathsOf(const InventoryText &text)
{
    QStringList paths;
    for (const InventoryInclude &include : text.includes)
        paths += include.path;
    return paths;
}

QList<HostSpec> hostsIn(const InventoryText &text)
{
    QList<HostSpec> hosts;
    for (const InventoryHost &host : text.hosts)
        hosts += host.spec;
    return hosts;
}

/// Where a first include is to be written; `before` and `after` stand around it.
struct Spot
{
    qsizetype at = 0;
    QByteArray before;
    QByteArray after;
};

Spot spotIn(const QByteArray &text, const InventoryText &read)
{
    if (!read.includes.isEmpty()) {
        const TextPlace place = read.includes.first().place;
        qsizetype line = 0;
        for (int i = 1; i < place.line; ++i)
            line = text.indexOf('\n', line) + 1;
        return {line + place.column - 1, {}, ", "};
    }
    static const QRegularExpression none(u"^[ \\t]*include[ \\t]*=[ \\t]*\\["_s, QRegularExpression::MultilineOption);
    const QString latin = QString::fromLatin1(text); // a character a byte
    if (const auto match = none.match(latin); match.hasMatch())
        return {match.capturedEnd(), {}, {}};
    const QByteArray lineEnd = lineEndOf(text);
    const qsizetype begin = text.startsWith("\xEF\xBB\xBF") ? 3 : 0;
    return {begin, "include = [", QByteArray("]" + lineEnd + (text.size() > begin ? lineEnd : QByteArray()))};
}

} // namespace

QString importFileOf(const QString &configDir, const QString &name)
{
    return QDir(QDir(configDir).absolutePath()).filePath(relativePath(name));
}

bool isImportFile(const QString &mainFile, const QString &file)
{
    return QFileInfo(file).path() == QFileInfo(mainFile).dir().filePath(folderName);
}

Result<QByteArray> withInclude(const QByteArray &text, const QString &path, const QString &file)
{
    const auto before = readInventoryText(text, file);
    if (!before)
        return fail(before.error());
    const QStringList paths = pathsOf(*before);
    if (paths.contains(path))
        return text;
    const Spot spot = spotIn(text, *before);
    QByteArray longer = text;
    longer.insert(std::min(spot.at, text.size()), QByteArray(spot.before + tomlString(path).toUtf8() + spot.after));
    const auto after = readInventoryText(longer, file);
    if (!after || pathsOf(*after) != QStringList{path} + paths || hostsIn(*after) != hostsIn(*before)) {
        return fail(ErrorCode::InventoryInvalid,
                    u"%1: an include cannot be added so that the rest reads back the same."_s.arg(file),
                    u"Add \"%1\" to its include by hand; nothing was changed."_s.arg(path));
    }
    return longer;
}

Result<Inventory> writeImport(const QString &configDir, const QString &name, const QString &source,
                              const QList<HostSpec> &hosts)
{
    const QString file = importFileOf(configDir, name);
    const auto old = loadInventory(configDir);
    if (!old)
        return old;
    for (const HostSpec &host : hosts) {
        const auto same = [&](const HostSpec &other) { return other.name == host.name && other.source != file; };
        const auto taken = std::ranges::find_if(old->hosts, same);
        if (taken != old->hosts.end()) {
            return fail(ErrorCode::InventoryInvalid,
                        u"The name \"%1\" is taken by a host in %2."_s.arg(cleanLine(host.name), taken->source));
        }
    }
    const bool mainWasThere = !isMissingFile(old->mainFile);
    const bool fileWasThere = !isMissingFile(file);
    const auto mainBefore = inventoryBytes(old->mainFile);
    const auto fileBefore = inventoryBytes(file);
    if (!mainBefore || !fileBefore)
        return fail(mainBefore ? fileBefore.error() : mainBefore.error());
    const auto mainAfter = withInclude(*mainBefore, relativePath(name), old->mainFile);
    if (!mainAfter)
        return fail(mainAfter.error());
    const QByteArray fileAfter = importText(source, hosts);
    if (const auto written = replaceInventoryFile(file, *fileBefore, fileAfter); !written)
        return fail(written.error());
    Result<void> included;
    if (*mainAfter != *mainBefore)
        included = replaceInventoryFile(old->mainFile, *mainBefore, *mainAfter);
    const auto inventory = included ? loadInventory(configDir) : Result<Inventory>(fail(included.error()));
    if (!inventory) {
        restore(file, fileWasThere, *fileBefore, fileAfter);
        if (included && *mainAfter != *mainBefore)
            restore(old->mainFile, mainWasThere, *mainBefore, *mainAfter);
    }
    return inventory;
}

} // namespace pilothouse
