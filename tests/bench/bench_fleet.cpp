// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// A hundred simulated hosts in fast mode: from start to the last first snapshot. Server and console share the machine.

#include "core/fleet/inventory.h"
#include "tests/bench/firstsnapshots.h"

#include <QCoreApplication>

using namespace pilothouse;
using namespace Qt::StringLiterals;

namespace {

constexpr int hosts = 100;
constexpr int rounds = 3;

} // namespace

int main(int argc, char **argv)
{
    QCoreApplication application(argc, argv);
    bench::SimulatedHosts simulated(hosts);
    const auto inventory = loadInventory(simulated.folder());
    if (!simulated.isReady() || !inventory)
        return 2;
    QList<double> seconds;
    QList<double> cpu;
    for (int i = 0; i < rounds; ++i) {
        const bench::Round round = bench::firstSnapshots(inventory->hosts, simulated.folder() + u"/ssh_config"_s);
        if (round.arrived != hosts) {
            std::fprintf(stderr, "only %d of %d hosts answered\n", round.arrived, hosts);
            return 2;
        }
        seconds += round.seconds;
        cpu += round.cpuMs;
    }
    const bool held = bench::show(u"100 simulated hosts: start to the last first snapshot"_s, bench::median(seconds),
                                  u"s"_s, 5);
    bench::show(u"100 simulated hosts: the console's CPU for it, a host"_s, bench::median(cpu) / hosts, u"ms"_s);
    return held ? 0 : 1;
}
