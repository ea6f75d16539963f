// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/fleet/inventory.h"

#include "core/base/cleantext.h"
#include "core/fleet/inventoryreader.h"
#include "core/fleet/inventorytext.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QHash>
#include <QSaveFile>

#include <algorithm>
#include <cerrno>
#include <sys/stat.h>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 maxFileBytes = 8 * 1024 * 1024;
constexpr int maxFiles = 100;

Result<QByteArray> readFile(const QString &path)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return fail(ErrorCode::LocalIo, u"%1 cannot be read: %2."_s.arg(path, file.errorString()));
    const QByteArray bytes = file.read(maxFileBytes + 1);
    if (file.error() != QFileDevice::NoError)
        return fail(ErrorCode::LocalIo, u"%1 cannot be read: %2."_s.arg(path, file.errorString()));
    if (bytes.size() > maxFileBytes)
        return fail(ErrorCode::InventoryInvalid, u"%1:1:1: expected a file of at most 8 MiB."_s.arg(path));
    return bytes;
}

/// Merges hosts.toml and its includes. One use.
class Loader final
{
public:
    explicit Loader(QString mainFile) { m_inventory.mainFile = std::move(mainFile); }

    /// `mainText` stands for the bytes of the main file.
    Result<Inventory> load(const QByteArray &mainText)
    {
        if (const auto read = merge(m_inventory.mainFile, mainText); !read)
            return fail(read.error());
        return m_inventory;
    }

private:
    Result<void> merge(const QString &file, const QByteArray &bytes)
    {
        const auto text = readInventoryText(bytes, file);
        if (!text)
            return fail(text.error());
        m_open += canonical(file);
        m_inventory.files += file;
        for (const InventoryInclude &include : text->includes) {
            if (const auto merged = follow(include, file); !merged)
                return merged;
        }
        m_open.removeLast();
        m_done += canonical(file);
        return take(text->hosts, file);
    }

    Result<void> follow(const InventoryInclude &include, const QString &file)
    {
        const QString path = QDir::cleanPath(QFileInfo(file).dir().absoluteFilePath(include.path));
        const auto wrong = [&](const QString &what) {
            return fail(ErrorCode::InventoryInvalid, displayOf(file, include.place) + u": the included file "_s
                                                         + cleanLine(path) + u' ' + what + u'.');
        };
        const QFileInfo info(path);
        if (!info.exists())
            return wrong(u"does not exist"_s);
        if (!info.isFile())
            return wrong(u"is not a file"_s);
        if (m_open.contains(canonical(path)))
            return wrong(u"includes itself in a circle"_s);
        if (m_done.contains(canonical(path)))
            return {};
        if (m_inventory.files.size() >= maxFiles)
            return wrong(u"is one too many: at most %1 are read"_s.arg(maxFiles));
        const auto bytes = readFile(path);
        if (!bytes)
            return fail(bytes.error());
        return merge(path, *bytes);
    }

    Result<void> take(const QList<InventoryHost> &hosts, const QString &file)
    {
        for (const InventoryHost &host : hosts) {
            const QString place = displayOf(file, host.place);
            if (const auto other = m_places.constFind(host.spec.name); other != m_places.cend()) {
                return fail(ErrorCode::InventoryInvalid,
                            u"%1: expected a name of its own, but \"%2\" stands at %3 already."_s.arg(
                                place, host.spec.name, *other));
            }
            m_places.insert(host.spec.name, place);
            m_inventory.hosts += host.spec;
            m_inventory.hosts.last().origin
                = file == m_inventory.mainFile ? HostOrigin::OwnFile : HostOrigin::Included;
        }
        return {};
    }

    static QString canonical(const QString &file) { return QFileInfo(file).canonicalFilePath(); }

    Inventory m_inventory;
    QStringList m_open; // canonical, from the main file down to the one being read
    QStringList m_done;
    QHash<QString, QString> m_places;
};

QString mainFileOf(const QString &configDir)
{
    return QDir(QDir(configDir).absolutePath()).filePath(u"hosts.toml"_s);
}

/// A file that cannot be looked at is there, as far as we know: reading it will say why.
bool isMissing(const QString &file)
{
    struct stat status = {};
    return ::lstat(QFile::encodeName(file).constData(), &status) != 0 && (errno == ENOENT || errno == ENOTDIR);
}

Result<QByteArray> mainBytes(const QString &file)
{
    return isMissing(file) ? QByteArray() : readFile(file);
}

Result<void> replaceFile(const QString &path, const QByteArray &before, const QByteArray &after)
{
    const auto broken = [&](const QString &why) {
        return fail(ErrorCode::LocalIo, u"%1 cannot be written: %2."_s.arg(path, why));
    };
    if (!QDir().mkpath(QFileInfo(path).path()))
        return broken(u"its folder cannot be made"_s);
    QSaveFile file(path); // keeps mode and follows a symbolic link; the old file stays until commit
    if (!file.open(QIODevice::WriteOnly) || file.write(after) != after.size() || !file.flush())
        return broken(file.errorString());
    const auto now = mainBytes(path);
    if (!now || *now != before)
        return broken(u"another program has changed it meanwhile"_s);
    if (!file.commit())
        return broken(file.errorString());
    return {};
}

/// The main file without a host, and what that makes of the inventory.
struct Removed
{
    QByteArray before;
    HostCut cut;
    Inventory inventory;
};

Result<Removed> withoutHost(const QString &mainFile, const QString &name)
{
    const auto before = mainBytes(mainFile);
    if (!before)
        return fail(before.error());
    const auto old = Loader(mainFile).load(*before);
    if (!old)
        return fail(old.error());
    const auto known = std::ranges::find(old->hosts, name, &HostSpec::name);
    const QString shown = cleanLine(name);
    if (known == old->hosts.end())
        return fail(ErrorCode::InventoryInvalid, u"%1 has no host \"%2\"."_s.arg(mainFile, shown));
    if (isReadOnly(known->origin))
        return fail(ErrorCode::InventoryInvalid, readOnlyReason(*known), u"Nothing was changed."_s);
    const auto text = readInventoryText(*before, mainFile);
    if (!text)
        return fail(text.error());
    const auto written
        = std::ranges::find_if(text->hosts, [&](const InventoryHost &host) { return host.spec.name == name; });
    Removed removed{*before, cutHost(*before, written->place.line, written->lastLine), {}};
    const auto changed = Loader(mainFile).load(removed.cut.before + removed.cut.after);
    QList<HostSpec> others = old->hosts;
    others.removeAt(known - old->hosts.begin());
    if (!removed.cut.lines.contains("[[") || !changed || changed->hosts != others || changed->files != old->files) {
        return fail(ErrorCode::InventoryInvalid,
                    u"%1: \"%2\" cannot be taken out so that the rest reads back the same."_s.arg(mainFile, shown),
                    u"Remove it by hand; nothing was changed."_s);
    }
    removed.inventory = *changed;
    return removed;
}

} // namespace

Result<Inventory> loadInventory(const QString &configDir)
{
    const QString mainFile = mainFileOf(configDir);
    Loader loader(mainFile);
    if (isMissing(mainFile)) {
        Inventory empty;
        empty.mainFile = mainFile;
        return empty;
    }
    const auto bytes = readFile(mainFile);
    if (!bytes)
        return fail(bytes.error());
    return loader.load(*bytes);
}

Result<Inventory> appendHost(const QString &configDir, const HostSpec &host)
{
    const QString mainFile = mainFileOf(configDir);
    const auto before = mainBytes(mainFile);
    if (!before)
        return fail(before.error());
    const auto old = Loader(mainFile).load(*before);
    if (!old)
        return fail(old.error());
    for (const HostSpec &other : old->hosts) {
        if (other.name == host.name) {
            return fail(ErrorCode::InventoryInvalid,
                        u"The name \"%1\" is taken by a host in %2."_s.arg(cleanLine(host.name), other.source));
        }
    }
    const QByteArray after = withHostAppended(*before, host);
    const auto changed = Loader(mainFile).load(after);
    if (!changed)
        return fail(changed.error());
    HostSpec wanted = host;
    wanted.source = mainFile;
    wanted.origin = HostOrigin::OwnFile;
    if (wanted.ssh.isEmpty())
        wanted.ssh = wanted.name;
    if (!after.startsWith(*before) || changed->hosts != old->hosts + QList<HostSpec>{wanted}) {
        return fail(ErrorCode::InventoryInvalid,
                    u"%1: the host cannot be added at the end of this file so that it reads back the same."_s.arg(
                        mainFile),
                    u"Add it by hand; nothing was changed."_s);
    }
    if (const auto written = replaceFile(mainFile, *before, after); !written)
        return fail(written.error());
    return changed;
}

Result<HostRemoval> planRemoval(const QString &configDir, const QString &name)
{
    const QString mainFile = mainFileOf(configDir);
    const auto removed = withoutHost(mainFile, name);
    if (!removed)
        return fail(removed.error());
    return HostRemoval{name, mainFile, removed->cut.lines};
}

Result<Inventory> removeHost(const QString &configDir, const HostRemoval &planned)
{
    const QString mainFile = mainFileOf(configDir);
    const auto removed = withoutHost(mainFile, planned.name);
    if (!removed)
        return fail(removed.error());
    if (removed->cut.lines != planned.lines) {
        return fail(ErrorCode::InventoryInvalid,
                    u"The lines of \"%1\" in %2 have changed meanwhile."_s.arg(cleanLine(planned.name), mainFile),
                    u"Look at them again; nothing was changed."_s);
    }
    const auto written = replaceFile(mainFile, removed->before, removed->cut.before + removed->cut.after);
    if (!written)
        return fail(written.error());
    return removed->inventory;
}

} // namespace pilothouse
