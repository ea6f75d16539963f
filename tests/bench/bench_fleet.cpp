// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// A hundred simulated hosts in fast mode: from start to the last first snapshot. Server and console share the machine.

#include "core/fleet/fleet.h"
#include "core/fleet/inventory.h"
#include "tests/bench/figures.h"

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QTimer>

using namespace pilothouse;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

constexpr int hosts = 100;
constexpr int rounds = 3;

struct Round
{
    double seconds = 0;
    double cpuMs = 0;
    int arrived = 0;
};

Round connectAll(const QString &folder)
{
    QElapsedTimer clock;
    clock.start();
    const double cpuBefore = bench::cpuMs();
    const auto inventory = loadInventory(folder);
    if (!inventory)
        return {};
    FleetSettings settings;
    settings.sshConfigFile = folder + u"/ssh_config"_s;
    settings.askPerson = false;
    Fleet fleet(settings);
    Round round;
    QEventLoop loop;
    QTimer::singleShot(30s, &loop, &QEventLoop::quit);
    for (const HostSpec &host : inventory->hosts) {
        const auto link = fleet.add(host);
        if (!link)
            return {};
        auto first = std::make_shared<bool>(true);
        QObject::connect(*link, &HostLink::snapshotArrived, &loop, [&round, &loop, first] {
            if (std::exchange(*first, false) && ++round.arrived == hosts)
                loop.quit();
        });
        QObject::connect(*link, &HostLink::stateChanged, &loop, [](const LinkState &state) {
            if (state.error)
                std::fprintf(stderr, "%s\n", qPrintable(sentenceOf(*state.error)));
        });
    }
    loop.exec();
    round.seconds = double(clock.elapsed()) / 1000;
    round.cpuMs = bench::cpuMs() - cpuBefore;
    return round;
}

} // namespace

int main(int argc, char **argv)
{
    QCoreApplication application(argc, argv);
    QTemporaryDir folder;
    QProcess server;
    server.setProcessChannelMode(QProcess::ForwardedErrorChannel);
    server.start(QStringLiteral(PILOTHOUSE_BINARY_DIR "/bin/pilothouse-simhost"),
                 {u"--dir"_s, folder.path(), u"--hosts"_s, QString::number(hosts), u"--fast"_s});
    while (server.state() != QProcess::NotRunning && !server.canReadLine())
        server.waitForReadyRead(30'000);
    if (!QJsonDocument::fromJson(server.readLine()).object().value(u"ready"_s).toBool()) {
        std::fprintf(stderr, "the simulated hosts do not start\n");
        return 2;
    }
    QList<double> seconds;
    QList<double> cpu;
    for (int i = 0; i < rounds; ++i) {
        const Round round = connectAll(folder.path());
        if (round.arrived != hosts) {
            std::fprintf(stderr, "only %d of %d hosts answered\n", round.arrived, hosts);
            return 2;
        }
        seconds += round.seconds;
        cpu += round.cpuMs;
    }
    server.closeWriteChannel();
    server.waitForFinished(10'000);
    const bool held = bench::show(u"100 simulated hosts: start to the last first snapshot"_s, bench::median(seconds),
                                  u"s"_s, 5);
    bench::show(u"100 simulated hosts: the console's CPU for it, a host"_s, bench::median(cpu) / hosts, u"ms"_s);
    return held ? 0 : 1;
}
