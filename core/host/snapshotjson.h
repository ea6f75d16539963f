// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// A Snapshot as the JSON of the outside contract ("snapshot", schema 1). Pure, any thread.

#include "core/host/snapshot.h"

#include <QJsonObject>

namespace pilothouse {

[[nodiscard]] QJsonObject toJson(const Snapshot &snapshot);

} // namespace pilothouse
