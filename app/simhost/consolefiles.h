// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What a console or an OpenSSH client needs to reach the simulated hosts: ssh_config, known_hosts, hosts.toml. Pure.

#include "scenario.h"

namespace pilothouse {

struct ServedHost
{
    ScenarioHost host;
    int port = 0;
    QString hostKey; ///< "ssh-ed25519 AAAA…"
};

[[nodiscard]] QString sshConfigText(const QList<ServedHost> &hosts, const QString &folder, const QString &address);
[[nodiscard]] QString knownHostsText(const QList<ServedHost> &hosts, const QString &address);
[[nodiscard]] QString hostsTomlText(const QList<ServedHost> &hosts);
/// The one line on standard output, without line feed.
[[nodiscard]] QByteArray readyLine(const QList<ServedHost> &hosts, const QString &folder, bool inMemory);

} // namespace pilothouse
