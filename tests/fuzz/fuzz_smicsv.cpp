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
        // Half of it remembered, then whole, then whole again: as without a memo.
        SmiGpusMemo memo;
        const QList<Gpu> plain = parseSmiGpus(asked, text).gpus;
        for (const QByteArrayView part : {text.first(text.size() / 2), text, text}) {
            const SmiGpus remembered = parseSmiGpus(asked, part, {}, memo);
            if (part.size() == text.size() && remembered.gpus != plain)
                std::abort();
        }
    }
    return 0;
}
