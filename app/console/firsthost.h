// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// After a start that names no host: once the first snapshots are in, the host that most needs a person is opened (in
// the first seconds after that, for a verdict takes longer), unless the person has taken the window in hand meanwhile.
// GUI thread; owned by Console.

#include <QObject>
#include <QTimer>

namespace pilothouse {

class FleetBinding;
class HostStore;
class MainWindow;

/// The host in the worst trouble; among those without, the one whose memory is fullest. Empty without hosts.
[[nodiscard]] QString mostInNeed(const HostStore &store);

class FirstHost final : public QObject
{
    Q_OBJECT
public:
    FirstHost(MainWindow &window, const FleetBinding &binding, QObject *parent = nullptr);

    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void look();
    void end();

    MainWindow &m_window;
    const FleetBinding &m_binding;
    QTimer m_timer;
    int m_looks = 0;
    bool m_settled = false;
};

} // namespace pilothouse
