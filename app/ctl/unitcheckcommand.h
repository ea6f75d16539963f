// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// `pilothousectl unit TARGET U check`: what will go wrong with a unit, and the lines that would not. Changes nothing.

#include "app/ctl/command.h"
#include "app/ctl/hostvisit.h"
#include "core/actions/action.h"

namespace pilothouse {

class UnitCheckCommand final : public Command
{
    Q_OBJECT
public:
    explicit UnitCheckCommand(const CommandContext &context);
    void start() override;

private:
    void read(const SnapshotPtr &snapshot);
    void show(const ActionResult &result);
    void stop(const Error &error);
    void finish(int exitCode);

    HostVisit m_visit;
    QString m_unit;
    SnapshotPtr m_snapshot;
    quint64 m_reading = 0;
    bool m_over = false;
};

} // namespace pilothouse
