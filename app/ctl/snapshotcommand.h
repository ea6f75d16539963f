// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// `pilothousectl snapshot`: one snapshot, or one a tick with --watch. A tick while the connection is away counts as a
// tick that failed; only what needs a person ends the watch before its time.

#include "app/ctl/asker.h"
#include "app/ctl/command.h"
#include "core/fleet/fleet.h"

#include <QTimer>

#include <memory>

namespace pilothouse {

class SnapshotCommand final : public Command
{
    Q_OBJECT
public:
    explicit SnapshotCommand(const CommandContext &context);
    void start() override;

private:
    void follow(HostLink &link);
    void stateChanged(const LinkState &state);
    void show(const Snapshot &snapshot);
    void tickFailed(const Error &error);
    void tickDone(int exitCode);
    void finish(int exitCode);

    Asker m_asker;
    std::unique_ptr<Fleet> m_fleet;
    HostLink *m_link = nullptr;
    QTimer m_away;         // counts ticks while there is no connection
    int m_ticks = 0;
    int m_exitCode = 0;    // of the last tick
    bool m_over = false;
};

} // namespace pilothouse
