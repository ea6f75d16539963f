// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// systemctl show, and its time stamps.
#include "core/probe/parse/systemctl.h"

#include <cstdlib>

using namespace pilothouse;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const QByteArrayView text(data, qsizetype(size));
    const QStringList asked{QStringLiteral("x.service"), QStringLiteral("vllm-ok.service"),
                            QStringLiteral("x.service")};
    const HostClock clock{QDateTime(QDate(2026, 12, 1), QTime(12, 0), Qt::UTC), 1000};
    const UnitBlocks read = parseUnits(asked, text, text, clock, false);
    if (read.units.size() + read.unanswered.size() != 2)
        std::abort(); // each asked name has its answer or is named
    (void)parseSystemdTime(text);
    return 0;
}
