// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/fleet/inventoryloader.h"

#include "core/base/cleantext.h"
#include "core/base/localfile.h"
#include "core/fleet/imports/importfile.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSaveFile>

#include <cerrno>
#include <sys/stat.h>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 maxFileBytes = 8 * 1024 * 1024;
constexpr int maxFiles = 100;

HostOrigin originOf(const QString &mainFile, const QString &file)
{
    if (file == mainFile)
        return HostOrigin::OwnFile;
    return isImportFile(mainFile, file) ? HostOrigin::Imported : HostOrigin::Included;
}

QString canonical(const QString &file)
{
    return QFileInfo(file).canonicalFilePath();
}

} // namespace

QString inventoryFileOf(const QString &configDir)
{
    return QDir(QDir(configDir).absolutePath()).filePath(u"hosts.toml"_s);
}

bool isMissingFile(const QString &file)
{
    struct stat status = {};
    return ::lstat(QFile::encodeName(file).constData(), &status) != 0 && (errno == ENOENT || errno == ENOTDIR);
}

Result<QByteArray> inventoryBytes(const QString &file)
{
    return isMissingFile(file) ? QByteArray() : readLocalFile(file, maxFileBytes);
}

Result<void> replaceInventoryFile(const QString &path, const QByteArray &before, const QByteArray &after)
{
    const auto broken = [&](const QString &why) {
        return fail(ErrorCode::LocalIo, u"%1 cannot be written: %2."_s.arg(path, why));
    };
    if (!QDir().mkpath(QFileInfo(path).path()))
        return broken(u"its folder cannot be made"_s);
    QSaveFile file(path); // keeps mode and follows a symbolic link; the old file stays until commit
    if (!file.open(QIODevice::WriteOnly) || file.write(after) != after.size() || !file.flush())
        return broken(file.errorString());
    const auto now = inventoryBytes(path);
    if (!now || *now != before)
        return broken(u"another program has changed it meanwhile"_s);
    if (!file.commit())
        return broken(file.errorString());
    return {};
}

Result<Inventory> InventoryLoader::load(const QByteArray &mainText)
{
    merge(m_inventory.mainFile, mainText);
    if (m_mistakes.isEmpty())
        return m_inventory;
    constexpr int mostLines = 20;
    QStringList lines = m_mistakes.join(u'\n').split(u'\n');
    if (lines.size() > mostLines) {
        const auto more = lines.size() - mostLines;
        lines = lines.first(mostLines) << u"%1 more of the kind."_s.arg(more);
    }
    return fail(ErrorCode::InventoryInvalid, lines.join(u'\n'));
}

void InventoryLoader::merge(const QString &file, const QByteArray &bytes)
{
    touch(file);
    const auto text = readInventoryText(bytes, file);
    m_open += canonical(file);
    m_inventory.files += file;
    if (text) {
        for (const InventoryInclude &include : text->includes)
            follow(include, file);
        take(text->hosts, file);
    } else {
        m_mistakes += text.error().detail;
    }
    m_open.removeLast();
    m_done += canonical(file);
}

void InventoryLoader::follow(const InventoryInclude &include, const QString &file)
{
    const QString path = QDir::cleanPath(QFileInfo(file).dir().absoluteFilePath(include.path));
    touch(path);
    const auto wrong = [&](const QString &sentence) {
        m_mistakes += displayOf(file, include.place) + u": the included file "_s + sentence;
    };
    const auto is = [&](const QString &what) { wrong(cleanLine(path) + u' ' + what + u'.'); };
    const QFileInfo info(path);
    if (!info.exists())
        return is(u"does not exist"_s);
    if (!info.isFile())
        return is(u"is not a file"_s);
    if (m_open.contains(canonical(path)))
        return is(u"includes itself in a circle: "_s + circleTo(canonical(path)));
    if (m_done.contains(canonical(path)))
        return;
    if (m_inventory.files.size() >= maxFiles)
        return is(u"is one too many: at most %1 are read"_s.arg(maxFiles));
    const auto bytes = readLocalFile(path, maxFileBytes);
    if (!bytes)
        return wrong(bytes.error().detail);
    merge(path, *bytes);
}

void InventoryLoader::take(const QList<InventoryHost> &hosts, const QString &file)
{
    for (const InventoryHost &host : hosts) {
        const QString place = displayOf(file, host.place);
        if (const auto other = m_places.constFind(host.spec.name); other != m_places.cend()) {
            m_mistakes += u"%1: expected a name of its own, but \"%2\" stands at %3 already."_s.arg(
                place, host.spec.name, *other);
            continue;
        }
        m_places.insert(host.spec.name, place);
        m_inventory.hosts += host.spec;
        m_inventory.hosts.last().origin = originOf(m_inventory.mainFile, file);
    }
}

/// "a.toml, b.toml, a.toml" by the names of the files.
QString InventoryLoader::circleTo(const QString &file) const
{
    QStringList names;
    for (qsizetype i = m_open.indexOf(file); i < m_open.size(); ++i)
        names += cleanLine(QFileInfo(m_open.at(i)).fileName());
    return (names << names.first()).join(u", "_s);
}

void InventoryLoader::touch(const QString &file)
{
    if (!m_touched.contains(file))
        m_touched += file;
}

} // namespace pilothouse
