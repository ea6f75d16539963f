// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of --query-gpu: any bytes, for every field and for few.
#include "core/probe/parse/smicsv.h"

#include <cstdlib>

using namespace pilothouse;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const QByteArrayView text(data, qsizetype(size));
    const QStringList all = smiGpuFields();
    for (const QStringList &asked : {all, smiCoreGpuFields(), all.first(1), all.last(2)}) {
        const SmiGpus read = parseSmiGpus(asked, text, text);
        for (const Gpu &gpu : read.gpus) {
            if (gpu.index < 0 && gpu.uuid.isEmpty() && gpu.busId.isEmpty())
                std::abort(); // nothing says which card it is
            if (!gpu.fault.isEmpty() && (gpu.memoryUsedMib.isKnown() || gpu.utilizationPct.isKnown()))
                std::abort(); // a card in trouble never looks free
        }
    }
    return 0;
}
