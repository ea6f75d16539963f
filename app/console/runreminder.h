// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Reminds a person of reclaims that were cut off with an earlier program: on the pages of their hosts, until one is
// over there or they are dismissed. The disk is waited for beside the GUI thread. GUI thread; owned by Console.

#include "core/base/background.h"
#include "core/workflow/journal.h"

#include <QHash>
#include <QObject>

namespace pilothouse {

class MainWindow;
class ReclaimDesk;

class RunReminder final : public QObject
{
    Q_OBJECT
public:
    RunReminder(MainWindow &window, ReclaimDesk &desk, const QString &stateDir, QObject *parent = nullptr);

private:
    void forget(const QString &host);

    MainWindow &m_window;
    QHash<QString, QList<InterruptedRun>> m_runs; ///< a host's, oldest first
    Background<QList<InterruptedRun>> m_found;
};

} // namespace pilothouse
