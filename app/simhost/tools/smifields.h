// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The fields of nvidia-smi's --query-gpu. Pure, any thread.

#include <string>
#include <vector>

namespace pilothouse::sim {

struct SmiField
{
    const char *name;
    const char *unit;
    const char *value; ///< of an idle card; empty: computed from the card's state
};

[[nodiscard]] const std::vector<SmiField> &gpuFields();

/// The field that the driver would take `asked` for, old and short names included; null when it knows none.
[[nodiscard]] const SmiField *gpuFieldOf(const std::string &asked);

} // namespace pilothouse::sim
