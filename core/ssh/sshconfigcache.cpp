// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ssh/sshconfigcache.h"

#include "core/ssh/sshconfig.h"
#include "core/ssh/sshconfigfiles.h"

#include <QFile>

#include <sys/stat.h>

namespace pilothouse {

namespace {

/// What tells one state of these files from any other; one that is not there counts as well.
QByteArray lookOf(const QStringList &named, const QStringList &patterns)
{
    QByteArray look;
    const auto add = [&look](const QByteArray &path) {
        look += '\n' + path;
        struct stat info
        { };
        if (::stat(path.constData(), &info) != 0) {
            look += " -";
            return;
        }
        const qint64 numbers[]{qint64(info.st_dev),          qint64(info.st_ino),         qint64(info.st_size),
                               qint64(info.st_mtim.tv_sec),  qint64(info.st_mtim.tv_nsec), qint64(info.st_ctim.tv_sec),
                               qint64(info.st_ctim.tv_nsec)};
        look.append(reinterpret_cast<const char *>(numbers), sizeof numbers);
    };
    for (const QString &path : named)
        add(QFile::encodeName(path));
    for (const QString &pattern : patterns) {
        look += "\n?" + QFile::encodeName(pattern);
        for (const QString &path : filesLike(pattern))
            look += '\n' + QFile::encodeName(path); // read ones are among the named
    }
    return look;
}

} // namespace

SshConfigCache::SshConfigCache(int runsAtOnce)
    : m_gate(runsAtOnce)
{ }

QByteArray SshConfigCache::stampOf(const QString &configFile)
{
    const std::lock_guard lock(m_filesMutex);
    Files &files = m_files[configFile];
    QByteArray look = lookOf(files.named, files.patterns);
    // Read until they look alike before and after, or what was read could be older than its stamp.
    constexpr int mostReadings = 4;
    for (int i = 0; files.seen.isEmpty() || files.seen != look; ++i) {
        if (i == mostReadings)
            return {};
        files.seen = look;
        const SshConfigScan scan = scanSshConfig(SshConfigRoots::of(configFile, LocalIdentity::current().home),
                                                 [](const SshConfigLine &) { });
        files.named = scan.files + scan.unreadable + scan.absent;
        files.patterns = scan.patterns;
        files.dependsOnMore = scan.dependsOnMore || !scan.unreadable.isEmpty();
        look = lookOf(files.named, files.patterns);
    }
    return files.dependsOnMore ? QByteArray() : files.seen;
}

std::optional<ResolvedHost> SshConfigCache::find(const QString &key, const QByteArray &stamp) const
{
    const std::lock_guard lock(m_mutex);
    const auto entry = m_entries.constFind(key);
    if (entry == m_entries.constEnd() || entry->stamp != stamp)
        return {};
    return entry->host;
}

void SshConfigCache::store(const QString &key, const QByteArray &stamp, ResolvedHost host)
{
    const std::lock_guard lock(m_mutex);
    m_entries.insert(key, Entry{stamp, std::move(host)});
}

std::unique_ptr<HandshakeGate::Ticket> SshConfigCache::enter(std::function<void()> granted)
{
    return m_gate.enter(std::move(granted));
}

} // namespace pilothouse
