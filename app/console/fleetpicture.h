// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// --screenshot: waits for the first snapshots and a few more of the host that needs attention most, saves the window
// and prints the fleet. GUI thread; owned by Console.

#include <QObject>

class QTimer;

namespace pilothouse {

class FleetBinding;
class MainWindow;

class FleetPicture final : public QObject
{
    Q_OBJECT
public:
    /// `keepHost`: the person named the host to show. `limitMs` for the first snapshots.
    FleetPicture(MainWindow &window, const FleetBinding &binding, QString file, bool keepHost, qint64 limitMs,
                 QObject *parent = nullptr);

signals:
    /// Exit code of the program: 0 when every host was read, else that of the first failure, 8 without a picture.
    void done(int exitCode);

private:
    void look();
    void finish();
    void openTroubled();

    MainWindow &m_window;
    const FleetBinding &m_binding;
    QString m_file;
    QTimer *m_timer;
    qint64 m_limitMs;
    qint64 m_waitedMs = 0;
    qint64 m_watchedMs = -1; ///< since the host is open that the picture shows; negative: not yet
    bool m_keepHost;
};

/// The fleet as a table for a terminal: host, state, GPUs, memory, age.
[[nodiscard]] QString fleetTable(const MainWindow &window);

} // namespace pilothouse
