// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// nvidia-smi -q and -L of MIG cards.
#include "core/probe/parse/smimig.h"

#include <cstdlib>

using namespace pilothouse;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const SmiMig mig = parseSmiMig(QByteArrayView(data, qsizetype(size)));
    for (const QList<MigDevice> &devices : mig.byBusId) {
        if (devices.size() > 64)
            std::abort();
    }
    return 0;
}
