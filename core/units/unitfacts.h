// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What a host knows of a unit beyond its text. Unknown is said as no value. Values and pure readers, any thread.

#include "core/host/timespan.h"

#include <QByteArrayView>
#include <QList>
#include <QString>
#include <QStringList>

#include <optional>

namespace pilothouse {

/// A node below /dev, and who may open it.
struct DeviceAccess
{
    QString path;
    quint32 mode = 0; ///< permission bits
    qint64 uid = 0;
    qint64 gid = 0;
    QString group; ///< its name; empty: it has none

    friend bool operator==(const DeviceAccess &, const DeviceAccess &) = default;
};

/// A file of EnvironmentFile=, in the order in which the unit names them.
struct EnvironmentNames
{
    QString path;
    std::optional<QStringList> names; ///< names alone: values never leave the host

    friend bool operator==(const EnvironmentNames &, const EnvironmentNames &) = default;
};

struct UnitFacts
{
    QString unit; ///< "vllm@3.service"
    bool user = false;
    QString load; ///< LoadState; empty: not told
    QString loadError;
    QStringList paths; ///< FragmentPath and DropInPaths
    bool needDaemonReload = false;
    // As the manager has them, its own defaults among them.
    QString type;
    QString killMode;
    QString restart;
    QString userName;
    std::optional<bool> sendSigkill;
    std::optional<bool> privateDevices;
    std::optional<bool> privateTmp;
    std::optional<std::chrono::microseconds> timeoutStart;
    std::optional<std::chrono::microseconds> timeoutStop;
    std::optional<std::chrono::microseconds> restartDelay;
    std::optional<std::chrono::microseconds> startLimitInterval;
    std::optional<int> startLimitBurst;

    std::optional<QStringList> managerNames; ///< variables that the manager gives to every unit
    QList<EnvironmentNames> environmentFiles;
    std::optional<int> idleMib; ///< what a free GPU of this host keeps in use, learned
    bool usesGpu = false; ///< known from elsewhere: its processes held GPU memory
    QList<DeviceAccess> devices;
    std::optional<qint64> uid; ///< of userName
    QList<qint64> gids;
};

/// What to ask `systemctl show` for. Environment is left out on purpose: it holds secrets.
[[nodiscard]] QStringList unitFactProperties();

/// `show`: answer of systemctl show with these properties, under LC_ALL=C.
[[nodiscard]] UnitFacts readUnitFacts(const QString &unit, bool user, QByteArrayView show);

/// Lines of the host's script: "manager NAME", "file NUMBER ok" or "file NUMBER no", "name NUMBER NAME", "account UID
/// GID…",
/// "node MODE UID GID GROUP PATH". What is no such line is left out.
void addHostLines(UnitFacts &facts, QByteArrayView lines);

} // namespace pilothouse
