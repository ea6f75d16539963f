// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// An engine's /metrics and its list of models. A figure is never negative and never not a number.
#include "core/serving/engine.h"
#include "core/serving/metrics.h"

#include <cmath>
#include <cstdlib>

using namespace pilothouse;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const QByteArrayView bytes(data, qsizetype(size));
    const ServingMetrics metrics = readMetrics(bytes);
    for (const Quantity<double> &figure :
         {metrics.running, metrics.waiting, metrics.generated, metrics.prompts, metrics.finished,
          metrics.cacheUse, metrics.atWork()}) {
        if (figure.isKnown() && (!std::isfinite(figure.value()) || figure.value() < 0))
            std::abort();
    }
    (void)modelsIn(bytes.toByteArray());
    (void)provesWork(bytes.toByteArray());
    return 0;
}
