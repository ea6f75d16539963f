// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "probeanswer.h"

namespace pilothouse {

ProbeShell::ProbeShell(std::string host, int processes)
    : m_host(std::move(host))
    , m_processes(processes)
{
}

std::string ProbeShell::feed(std::string_view) { return {}; }

} // namespace pilothouse
