// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Forty simulated hosts behind one bastion, a real sshd: from start to the last first snapshot, and how often the
// bastion was signed in to. Servers and console share the machine.

#include "core/fleet/inventory.h"
#include "tests/bench/figures.h"
#include "tests/bench/firstsnapshots.h"
#include "tests/support/sshdserver.h"

#include <QCoreApplication>

using namespace pilothouse;
using namespace Qt::StringLiterals;

namespace {

constexpr int hosts = 40;
constexpr int rounds = 5;
constexpr double limitS = 8;

bool writeConfig(const test::SshdServer &bastion, const QString &simulated, const QString &file)
{
    return test::writeFile(file, "Host bastion\n  HostName 127.0.0.1\n  Port " + QByteArray::number(bastion.port())
                                     + "\n  User " + bastion.user().toUtf8() + "\n  IdentityFile "
                                     + bastion.path(u"id"_s).toUtf8() + "\n  IdentityAgent none\n  UserKnownHostsFile "
                                     + bastion.path(u"known_hosts"_s).toUtf8()
                                     + "\nHost * !bastion\n  ProxyJump bastion\nInclude "
                                     + (simulated + u"/ssh_config"_s).toUtf8() + '\n');
}

} // namespace

int main(int argc, char **argv)
{
    QCoreApplication application(argc, argv);
    bench::SimulatedHosts simulated(hosts);
    test::SshdServer bastion({u"MaxStartups 100"_s});
    const QString config = simulated.folder() + u"/behind_bastion"_s;
    if (!simulated.isReady() || !bastion.start() || !writeConfig(bastion, simulated.folder(), config))
        return 2;
    const auto inventory = loadInventory(simulated.folder());
    if (!inventory)
        return 2;
    QList<double> seconds;
    qsizetype mostSignIns = 0;
    for (int i = 0; i < rounds; ++i) {
        const qsizetype before = bastion.log().count("Accepted publickey");
        const bench::Round round = bench::firstSnapshots(inventory->hosts, config);
        if (round.arrived != hosts) {
            std::fprintf(stderr, "only %d of %d hosts answered\n", round.arrived, hosts);
            return 2;
        }
        seconds += round.seconds;
        mostSignIns = std::max(mostSignIns, bastion.log().count("Accepted publickey") - before);
    }
    bool held = bench::show(u"40 simulated hosts behind one bastion: start to the last first snapshot"_s,
                            bench::median(seconds), u"s"_s, limitS);
    held = bench::show(u"40 simulated hosts behind one bastion: sign-ins there"_s, double(mostSignIns), u""_s, 1, 0)
           && held;
    return held ? 0 : 1;
}
