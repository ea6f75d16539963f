// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// `pilothousectl holders`: one deep snapshot, the ports that it shows, and what they mean. A second one only where it shows units that nobody named:
// whether they run decides what their processes are.

#include "app/ctl/command.h"
#include "app/ctl/hostvisit.h"
#include "core/diagnosis/lineage.h"

namespace pilothouse {

class HoldersCommand final : public Command
{
    Q_OBJECT
public:
    explicit HoldersCommand(const CommandContext &context);
    void start() override;

private:
    void take(const SnapshotPtr &snapshot);
    void show(const Snapshot &snapshot, const QHash<quint16, PortAnswer> &ports);
    void stop(const Error &error);
    void finish(int exitCode);

    HostVisit m_visit;
    Lineage m_lineage;
    SnapshotPtr m_snapshot; ///< whose ports are being asked
    bool m_looked = false;
    bool m_over = false;
};

} // namespace pilothouse
