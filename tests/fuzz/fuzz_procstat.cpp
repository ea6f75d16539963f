// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// /proc/PID/stat and /proc/PID/cmdline.
#include "core/probe/parse/procstat.h"

#include <algorithm>
#include <cstdlib>

using namespace pilothouse;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const QByteArrayView bytes(data, qsizetype(size));
    if (const auto stat = parseProcStat(bytes); stat && (stat->pid < 1 || stat->threads < 0 || stat->rssPages < 0))
        std::abort();
    for (const bool cut : {false, true}) {
        const QString shown = parseCommandLine(bytes, cut).display;
        if (std::any_of(shown.begin(), shown.end(), [](QChar c) { return c.unicode() < 0x20; }))
            std::abort(); // not cleaned
    }
    return 0;
}
