// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// status, logind's sessions, meminfo, loadavg, vmstat, the PCI list and bus ids.
#include "core/probe/parse/busid.h"
#include "core/probe/parse/procfiles.h"

#include <cstdlib>

using namespace pilothouse;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const QByteArrayView text(data, qsizetype(size));
    const HostMemory memory = parseMeminfo(text);
    if (memory.totalKib.isKnown() && memory.totalKib.value() < 0)
        std::abort();
    (void)parseLoad1(text);
    (void)parseOomKills(text);
    for (const QString &id : parsePciGpus(text)) {
        if (normalBusId(id.toLatin1()) != id)
            std::abort();
    }
    if (parseProcStatus(text).lockedKib.value_or(0) < 0)
        std::abort();
    for (const LoginSession &session : parseSessions(text)) {
        if (session.name.contains(u'\n') || session.idleS.valueOr(0) < 0)
            std::abort();
    }
    const QString found = busIdIn(text);
    if (!found.isEmpty() && normalBusId(found.toLatin1()) != found)
        std::abort();
    return 0;
}
