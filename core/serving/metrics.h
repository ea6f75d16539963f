// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What an engine's /metrics says of its work. Pure, any thread. The text is hostile: a figure that is missing, not a
// number or negative is unknown, never zero.

#include "core/base/quantity.h"

#include <QByteArrayView>

namespace pilothouse {

struct ServingMetrics
{
    Quantity<double> running;   ///< requests at work
    Quantity<double> waiting;   ///< requests in its queue
    Quantity<double> generated; ///< tokens since it started, or what stands for them: only that it grows is meant
    Quantity<double> prompts;   ///< tokens of prompts since it started
    Quantity<double> finished;  ///< requests since it started
    Quantity<double> cacheUse;  ///< of the KV cache, 0 to 1, the fullest

    /// Of running and waiting; unknown where either is.
    [[nodiscard]] Quantity<double> atWork() const;
    friend bool operator==(const ServingMetrics &, const ServingMetrics &) = default;
};

/// The names tell whose they are (vllm:, sglang:, tgi_, llamacpp:, nv_); TensorRT-LLM answers in JSON.
[[nodiscard]] ServingMetrics readMetrics(QByteArrayView text);

} // namespace pilothouse
