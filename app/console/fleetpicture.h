// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// --screenshot: waits for the first snapshots and a few more of the host that needs attention most, saves the window
// and prints the fleet. In a demo it shows the first host, whose service is restarted meanwhile. GUI thread; owned by
// Console.

#include <QObject>

class QTimer;

namespace pilothouse {

class FleetBinding;
class MainWindow;

class FleetPicture final : public QObject
{
    Q_OBJECT
public:
    struct Plan
    {
        QString file;
        bool keepHost = false;   ///< the one that is open, not the one with the worst trouble
        qint64 limitMs = 40'000; ///< for the first snapshots
        qint64 watchMs = 11'000; ///< afterwards: one more tick of each host in the background, and a line in the plot
    };

    FleetPicture(MainWindow &window, const FleetBinding &binding, Plan plan, QObject *parent = nullptr);

signals:
    /// Exit code of the program: 0 when every host was read, else that of the first failure, 8 without a picture.
    void done(int exitCode);

private:
    void look();
    void finish();

    MainWindow &m_window;
    const FleetBinding &m_binding;
    Plan m_plan;
    QTimer *m_timer;
    qint64 m_waitedMs = 0;
    qint64 m_watchedMs = -1; ///< since the host is open that the picture shows; negative: not yet
};

/// The fleet as a table for a terminal: host, state, GPUs, memory, age.
[[nodiscard]] QString fleetTable(const MainWindow &window);

} // namespace pilothouse
