// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Simulated hosts in fast mode, and how long a fleet takes to the last host's first snapshot. For benches; header only.

#include "core/fleet/fleet.h"
#include "tests/bench/figures.h"

#include <QElapsedTimer>
#include <QEventLoop>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QTimer>

namespace pilothouse::bench {

class SimulatedHosts final
{
public:
    explicit SimulatedHosts(int count)
    {
        m_server.setProcessChannelMode(QProcess::ForwardedErrorChannel);
        m_server.start(QStringLiteral(PILOTHOUSE_BINARY_DIR "/bin/pilothouse-simhost"),
                       {QStringLiteral("--dir"), folder(), QStringLiteral("--hosts"), QString::number(count),
                        QStringLiteral("--fast")});
        constexpr int longestMs = 30'000;
        while (m_server.state() != QProcess::NotRunning && !m_server.canReadLine())
            m_server.waitForReadyRead(longestMs);
        const QJsonObject said = QJsonDocument::fromJson(m_server.readLine()).object();
        m_ready = said.value(QStringLiteral("ready")).toBool();
        if (!m_ready)
            std::fprintf(stderr, "the simulated hosts do not start\n");
    }
    ~SimulatedHosts()
    {
        constexpr int longestMs = 10'000;
        m_server.closeWriteChannel();
        m_server.waitForFinished(longestMs);
    }
    SimulatedHosts(const SimulatedHosts &) = delete;
    SimulatedHosts &operator=(const SimulatedHosts &) = delete;

    [[nodiscard]] bool isReady() const { return m_ready; }
    [[nodiscard]] QString folder() const { return m_folder.path(); }

private:
    QTemporaryDir m_folder;
    QProcess m_server;
    bool m_ready = false;
};

struct Round
{
    double seconds = 0;
    double cpuMs = 0;
    int arrived = 0;
};

[[nodiscard]] inline Round firstSnapshots(const QList<HostSpec> &hosts, const QString &config)
{
    QElapsedTimer clock;
    clock.start();
    const double cpuBefore = cpuMs();
    FleetSettings settings;
    settings.sshConfigFile = config;
    settings.askPerson = false;
    Fleet fleet(settings);
    Round round;
    QEventLoop loop;
    QTimer::singleShot(std::chrono::seconds(30), &loop, &QEventLoop::quit);
    for (const HostSpec &host : hosts) {
        const auto link = fleet.add(host);
        if (!link)
            return {};
        auto first = std::make_shared<bool>(true);
        QObject::connect(*link, &HostLink::snapshotArrived, &loop, [&round, &loop, first, count = hosts.size()] {
            if (std::exchange(*first, false) && ++round.arrived == count)
                loop.quit();
        });
        QObject::connect(*link, &HostLink::stateChanged, &loop, [](const LinkState &state) {
            if (state.error)
                std::fprintf(stderr, "%s\n", qPrintable(sentenceOf(*state.error)));
        });
    }
    loop.exec();
    constexpr double second = 1'000;
    round.seconds = double(clock.elapsed()) / second;
    round.cpuMs = cpuMs() - cpuBefore;
    return round;
}

} // namespace pilothouse::bench
