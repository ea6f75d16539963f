// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The probe's end of its protocol (resources/probe/README.md), answered from memory: one shell channel. The thread of
// its connection.

#include "backend.h"

namespace pilothouse {

class ProbeShell final : public MemoryShell
{
public:
    ProbeShell(std::string host, int processes);
    [[nodiscard]] std::string feed(std::string_view input) override;
    [[nodiscard]] std::optional<int> exitStatus() const override { return m_exit; }

private:
    std::string m_host;
    int m_processes;
    std::string m_line;
    std::optional<int> m_exit;
};

} // namespace pilothouse
