// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/programend.h"

#include <cstdio>
#include <unistd.h>

namespace pilothouse {

ProgramEnd::ProgramEnd(std::chrono::milliseconds threadLimit)
    : m_threadLimit(threadLimit)
{
}

int ProgramEnd::finish(int exitCode) const
{
    if (!m_threadLeft)
        return exitCode;
    std::fflush(stdout);
    std::fflush(stderr);
    ::_exit(exitCode);
}

} // namespace pilothouse
