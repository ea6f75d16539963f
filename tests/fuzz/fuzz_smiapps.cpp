// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of --query-compute-apps.
#include "core/probe/parse/smiapps.h"

#include <cstdlib>

using namespace pilothouse;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const QByteArrayView text(data, qsizetype(size));
    QStringList asked = smiAppFields();
    for (int turn = 0; turn < 4; ++turn) {
        for (const SmiApp &app : parseSmiApps(asked, text, text).apps) {
            if (app.pid < 1 || (app.mib.isKnown() && app.mib.value() < 0))
                std::abort();
        }
        asked.prepend(asked.takeLast()); // the name at every place
    }
    return 0;
}
