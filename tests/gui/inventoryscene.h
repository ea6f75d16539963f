// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// A window and a fleet on an inventory in a folder of its own, whose hosts fail at once: nobody listens on port 1 of
// the loopback. GUI thread.

#include "app/console/fleetbinding.h"
#include "core/fleet/inventory.h"
#include "tests/gui/windowfixture.h"

#include <QFile>
#include <QTemporaryDir>

namespace pilothouse::test {

struct InventoryScene
{
    static inline const QByteArray text
        = "include = [\"shared.toml\"]\n\n# the first\n[[host]]\nname = \"a\"\nssh = \"127.0.0.1:1\"\n\n"
          "[[host]]\nname = \"b\"\nssh = \"127.0.0.1:1\"\n";
    static inline const QByteArray sharedText = "[[host]]\nname = \"c\"\nssh = \"127.0.0.1:1\"\n";

    InventoryScene()
    {
        write(QStringLiteral("hosts.toml"), text);
        write(QStringLiteral("shared.toml"), sharedText);
        write(QStringLiteral("ssh_config"), {});
        FleetSettings settings;
        settings.sshConfigFile = folder.filePath(QStringLiteral("ssh_config"));
        settings.knownHostsFile = folder.filePath(QStringLiteral("known_hosts"));
        settings.consoleId = QStringLiteral("0123456789abcdef0123456789abcdef");
        fleet = std::make_unique<Fleet>(settings);
        binding = std::make_unique<FleetBinding>(*fleet, *fixture.window);
        const Result<Inventory> inventory = loadInventory(folder.path());
        for (const HostSpec &host : inventory->hosts)
            binding->addHost(host);
        settle();
    }
    /// Every link has failed: a fleet that ends meanwhile has other tests.
    void settle() const { QTRY_VERIFY_WITH_TIMEOUT(binding->isSettled(), 20'000); }
    void write(const QString &name, const QByteArray &bytes) const
    {
        QFile file(folder.filePath(name));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(bytes);
    }
    [[nodiscard]] QByteArray read(const QString &name) const
    {
        QFile file(folder.filePath(name));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    [[nodiscard]] QStringList hosts() const { return fixture.window->store().names(); }

    QTemporaryDir folder;
    WindowFixture fixture;
    std::unique_ptr<Fleet> fleet;
    std::unique_ptr<FleetBinding> binding;
};

} // namespace pilothouse::test
