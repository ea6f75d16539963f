// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// `pilothousectl hosts`: the inventory, without connecting anywhere.

#include "app/ctl/command.h"

namespace pilothouse {

class HostsCommand final : public Command
{
    Q_OBJECT
public:
    using Command::Command;
    void start() override;
};

} // namespace pilothouse
