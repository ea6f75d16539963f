// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Runs the test that the window's dialog asks for; one at a time. GUI thread; owned by Console.

#include "core/fleet/fleet.h"
#include "core/fleet/hosttester.h"

#include <QObject>

namespace pilothouse {

class MainWindow;

class HostTestBinding final : public QObject
{
    Q_OBJECT
public:
    HostTestBinding(const Fleet &fleet, MainWindow &window, QObject *parent = nullptr);

private:
    void start(const HostSpec &host);

    const Fleet &m_fleet;
    MainWindow &m_window;
    std::unique_ptr<HostTester> m_tester;
};

} // namespace pilothouse
