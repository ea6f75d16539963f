// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/fleet/liveinventory.h"

#include <QFileInfo>
#include <QSet>
#include <QThreadPool>

namespace pilothouse {

namespace {

constexpr int mostLinks = 40; ///< one after the other, as the system takes them

} // namespace

LiveInventory::LiveInventory(const QString &configDir, QObject *parent)
    : LiveInventory(configDir, Timings(), parent)
{
}

LiveInventory::LiveInventory(const QString &configDir, Timings timings, QObject *parent)
    : QObject(parent)
    , m_configDir(configDir)
    , m_timings(timings)
    , m_reads([this](const Read &read) { finish(read); })
{
    for (QTimer *timer : {&m_quiet, &m_longest}) {
        timer->setSingleShot(true);
        connect(timer, &QTimer::timeout, this, &LiveInventory::read);
    }
    connect(&m_watcher, &QFileSystemWatcher::fileChanged, this, &LiveInventory::touched);
    connect(&m_watcher, &QFileSystemWatcher::directoryChanged, this, &LiveInventory::touched);
}

void LiveInventory::start(const InventoryReading &reading)
{
    if (reading.inventory)
        m_hosts = reading.inventory->hosts;
    else
        m_error = reading.inventory.error();
    m_doubted = true; // nothing stood before that a half-written file could hide
    read();           // for the paths, and for what has changed since
}

void LiveInventory::touched()
{
    m_quiet.start(m_timings.quiet);
    if (!m_longest.isActive())
        m_longest.start(m_timings.longest);
}

void LiveInventory::read()
{
    m_quiet.stop();
    m_longest.stop();
    m_again = m_reading;
    if (m_reading)
        return;
    m_reading = true;
    QThreadPool::globalInstance()->start([folder = m_configDir, sender = m_reads.sender()] {
        InventoryReading reading = readInventory(folder);
        const QStringList paths = pathsFor(reading.files);
        sender.push(Read{std::move(reading), paths});
    });
}

void LiveInventory::finish(const Read &read)
{
    m_reading = false;
    watch(read.paths);
    if (m_again) {
        touched();
        return;
    }
    const Result<Inventory> &inventory = read.reading.inventory;
    const bool doubtful = !inventory || (inventory->hosts.isEmpty() && !m_hosts.isEmpty());
    if (doubtful && !m_doubted) {
        // An editor may be in the middle of writing.
        m_doubted = true;
        m_quiet.start(m_timings.doubt);
        return;
    }
    m_doubted = false;
    if (!inventory) {
        if (m_error != inventory.error()) {
            m_error = inventory.error();
            emit failed(*m_error);
        }
        return;
    }
    const InventoryDifference difference = differenceOf(m_hosts, inventory->hosts);
    m_hosts = inventory->hosts;
    if (m_error) {
        m_error.reset();
        emit mended();
    }
    if (!difference.isEmpty())
        emit changed(difference, m_hosts);
}

/// The files, what they are links to, be it there or not, and the folders of all, or what there is above them.
QStringList LiveInventory::pathsFor(const QStringList &files)
{
    QSet<QString> paths;
    for (const QString &file : files) {
        int links = 0;
        for (QString path = file; !path.isEmpty() && links++ < mostLinks; path = QFileInfo(path).symLinkTarget()) {
            if (QFileInfo(path).isFile())
                paths.insert(path);
            QString folder = QFileInfo(path).path();
            while (!QFileInfo(folder).isDir() && folder != QFileInfo(folder).path())
                folder = QFileInfo(folder).path();
            paths.insert(folder);
        }
    }
    return paths.values();
}

void LiveInventory::watch(const QStringList &paths)
{
    const QStringList known = m_watcher.files() + m_watcher.directories();
    const QSet<QString> wanted(paths.begin(), paths.end());
    QStringList old;
    for (const QString &path : known) {
        if (!wanted.contains(path))
            old += path;
    }
    QStringList fresh;
    for (const QString &path : paths) {
        if (!known.contains(path))
            fresh += path;
    }
    if (!old.isEmpty())
        m_watcher.removePaths(old);
    // What changed between the reading and now was seen by nobody. What cannot be watched is not watched.
    if (!fresh.isEmpty() && m_watcher.addPaths(fresh).size() < fresh.size())
        touched();
}

} // namespace pilothouse
