// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// A Prober on a local host, and what it said. For the thread that made it.

#include "core/probe/prober.h"
#include "core/probe/proberequest.h"
#include "tests/unit/probe/fakehost.h"

#include <QCoreApplication>

#include <algorithm>

namespace pilothouse::test {

inline ProbeSettings settingsFor(const QString &id = QStringLiteral("console"))
{
    ProbeSettings settings;
    settings.host = QStringLiteral("gpu1");
    settings.target = QStringLiteral("root@gpu1:22");
    // Another test's console of the same name would end our shells: they run beside each other on one machine.
    settings.consoleId = id + QString::number(QCoreApplication::applicationPid());
    return settings;
}

/// By which the shells of that console are known on this machine.
inline QByteArray markOf(const ProbeSettings &settings)
{
    return makeMarker(settings.consoleId, settings.host, settings.target).id;
}

struct ProberRig
{
    explicit ProberRig(ShellProvider &provider, const ProbeSettings &settings = settingsFor())
        : prober(provider, settings)
    {
        QObject::connect(&prober, &Prober::snapshotTaken, &prober,
                         [this](const SnapshotPtr &taken) { snapshots.append(taken); });
        QObject::connect(&prober, &Prober::requestFailed, &prober,
                         [this](const Error &error) { requestErrors.append(error); });
        QObject::connect(&prober, &Prober::failed, &prober,
                         [this](const Error &error) { errors.append(error); });
        QObject::connect(&prober, &Prober::started, &prober, [this] { ++started; });
    }

    [[nodiscard]] qsizetype said() const
    {
        return snapshots.size() + requestErrors.size() + errors.size();
    }
    /// Starts, and waits until it is said whether that went well.
    bool start(int limitMs = 20'000)
    {
        prober.start();
        return QTest::qWaitFor([this] { return started > 0 || !errors.isEmpty(); }, limitMs)
               && started > 0;
    }
    /// Null when an error came instead, or nothing in time.
    SnapshotPtr take(Depth depth = Depth::Light, int limitMs = 20'000)
    {
        const qsizetype before = said();
        const qsizetype had = snapshots.size();
        prober.requestSnapshot(depth);
        (void)QTest::qWaitFor([&] { return said() > before; }, limitMs);
        return snapshots.size() > had ? snapshots.last() : nullptr;
    }

    Prober prober;
    QList<SnapshotPtr> snapshots;
    QList<Error> requestErrors;
    QList<Error> errors;
    int started = 0;
};

inline const Process *findProcess(const SnapshotPtr &snapshot, qint64 pid)
{
    if (!snapshot || !snapshot->processes)
        return nullptr;
    const auto found = std::ranges::find_if(
        *snapshot->processes, [pid](const Process &process) { return process.pid.value == pid; });
    return found == snapshot->processes->end() ? nullptr : &*found;
}

/// PIDs of living processes whose command line contains `text`.
inline QList<qint64> processesWith(const QByteArray &text)
{
    QList<qint64> pids;
    const QStringList entries =
        QDir(QStringLiteral("/proc")).entryList(QDir::Dirs | QDir::NoDotAndDotDot);
    for (const QString &entry : entries) {
        bool number = false;
        const qint64 pid = entry.toLongLong(&number);
        QFile file(QStringLiteral("/proc/%1/cmdline").arg(entry));
        if (number && file.open(QIODevice::ReadOnly) && file.readAll().contains(text))
            pids.append(pid);
    }
    return pids;
}

} // namespace pilothouse::test
