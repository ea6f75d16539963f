// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Which hosts to simulate. A host is the folder that tools/README.md describes; presets write such folders. Values and
// pure functions but for writeHost(). Main thread.

#include "core/base/result.h"
#include "memoryhost.h"

#include <QList>
#include <QMap>
#include <QString>
#include <QStringList>

namespace pilothouse {

struct ScenarioHost
{
    QString name;
    QStringList tags;
    int expectedGpus = 8;
    QStringList services;       ///< units for hosts.toml, "vllm-kimi-k25.service"
    QMap<QString, QString> files; ///< path in the host's folder -> text
    MemoryState inMemory = MemoryState::Serving; ///< its picture where answers come from memory
};

/// demo, faults, plain; Usage for another name.
[[nodiscard]] Result<QList<ScenarioHost>> presetHosts(const QString &name);

[[nodiscard]] QStringList presetNames();

/// gpu1 to gpuN, every second one serving, each with `processes` more processes.
[[nodiscard]] QList<ScenarioHost> manyHosts(int count, int processes);

/// Reads a scenario folder: each folder in it is a host. LocalIo when there is none.
[[nodiscard]] Result<QList<ScenarioHost>> readScenario(const QString &folder);

/// Writes the host's folder below `parent` and answers its path.
[[nodiscard]] Result<QString> writeHost(const ScenarioHost &host, const QString &parent);

} // namespace pilothouse
