// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What a service was like when it was last proved to serve: kept in the state folder, so that a start which fails can be
// compared with one that did not. Values; reading and writing wait for the disk.

#include "core/base/result.h"

#include <QDateTime>
#include <QMap>
#include <QStringList>

#include <chrono>
#include <optional>

namespace pilothouse {

struct ServiceRecord
{
    QString host;             ///< name in the inventory
    QString unit;
    QDateTime provedAt;       ///< UTC
    QStringList unitLines;    ///< `systemctl cat`, without secrets; empty: not read
    QMap<QString, QString> environment; ///< of its main process: name to a hash of the value
    QString commandLine;      ///< of its main process, without secrets
    QString engineVersion;    ///< as the engine itself says
    QString modelPath;
    QString driver;
    QString kernel;
    QMap<QString, qint64> usedMib; ///< by UUID of its GPUs
    QList<qint64> loadMs;     ///< of the last starts, the newest first

    friend bool operator==(const ServiceRecord &, const ServiceRecord &) = default;

    /// The median of the last starts; no value: none was proved yet.
    [[nodiscard]] std::optional<std::chrono::milliseconds> usualLoad() const;
    [[nodiscard]] std::optional<qint64> allUsedMib() const;
};

/// What differs, a sentence each, the weightiest first. What one of the two does not know is passed over.
[[nodiscard]] QStringList whatChanged(const ServiceRecord &before, const ServiceRecord &now);

/// No value: none was kept, or it cannot be read.
[[nodiscard]] std::optional<ServiceRecord> recordOf(const QString &stateFolder, const QString &host, const QString &unit);

/// The load times of the earlier one are kept beside the new one's. Errors: LocalIo.
[[nodiscard]] Result<void> keepRecord(const QString &stateFolder, ServiceRecord record);

} // namespace pilothouse
