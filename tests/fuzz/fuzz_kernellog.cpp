// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// The kernel log.
#include "core/probe/parse/kernellog.h"

#include <cstdlib>

using namespace pilothouse;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    for (const KernelEvent &event : parseKernelLog(QByteArrayView(data, qsizetype(size)))) {
        (void)meaningOfXid(event.number);
        if (event.pid < 0 || event.number < 0)
            std::abort();
    }
    return 0;
}
