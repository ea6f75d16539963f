// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// `pilothousectl holders`: the host examined once, and what it is found to be.

#include "app/ctl/command.h"
#include "app/ctl/hostvisit.h"

namespace pilothouse {

class HoldersCommand final : public Command
{
    Q_OBJECT
public:
    explicit HoldersCommand(const CommandContext &context);
    void start() override;

private:
    void show(const Snapshot &snapshot, Diagnosis diagnosis);
    void stop(const Error &error);
    void finish(int exitCode);

    HostVisit m_visit;
    bool m_over = false;
};

} // namespace pilothouse
