// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The inventory as its files change: watches hosts.toml, its includes and their folders (editors replace files by
// renaming), reads again beside the thread that made it, and says what differs. Lives in that thread (the GUI's).

#include "core/base/handoff.h"
#include "core/fleet/inventory.h"
#include "core/fleet/inventorydiff.h"

#include <QFileSystemWatcher>
#include <QObject>
#include <QTimer>

#include <chrono>
#include <optional>

namespace pilothouse {

class LiveInventory final : public QObject
{
    Q_OBJECT
public:
    struct Timings
    {
        std::chrono::milliseconds quiet{300};   ///< without a further change, before files are read
        std::chrono::milliseconds longest{2'000}; ///< though they change all the time
        std::chrono::milliseconds doubt{1'000}; ///< before a file that is broken or empty now is believed to stay so
    };

    explicit LiveInventory(const QString &configDir, QObject *parent = nullptr);
    LiveInventory(const QString &configDir, Timings timings, QObject *parent = nullptr);

    /// With what was read first; without hosts when that failed.
    void start(const InventoryReading &reading);
    /// As read well last.
    [[nodiscard]] const QList<HostSpec> &hosts() const { return m_hosts; }

signals:
    void changed(const pilothouse::InventoryDifference &difference, const QList<pilothouse::HostSpec> &hosts);
    /// hosts() stay as they were. Once for each error.
    void failed(const pilothouse::Error &error);
    /// After failed(), before changed(), when there is something to say.
    void mended();

private:
    struct Read
    {
        InventoryReading reading;
        QStringList paths; ///< to watch
    };

    static QStringList pathsFor(const QStringList &files);
    void touched();
    void read();
    void finish(const Read &read);
    void watch(const QStringList &paths);

    QString m_configDir;
    Timings m_timings;
    QList<HostSpec> m_hosts;
    std::optional<Error> m_error;
    bool m_doubted = false;
    bool m_reading = false;
    bool m_again = false;
    QFileSystemWatcher m_watcher;
    QTimer m_quiet;
    QTimer m_longest;
    Handoff<Read> m_reads;
};

} // namespace pilothouse
