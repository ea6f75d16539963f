// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Who acts from this console: made once before a host is changed. Any thread but the GUI's: it waits for the disk.

#include "core/actions/action.h"
#include "core/base/result.h"

namespace pilothouse {

/// `folder` of the person's state (core/base/statefolder.h), made where it is missing. Errors: LocalIo.
[[nodiscard]] Result<Actor> actorHere(const QString &folder, const QString &hostName);

} // namespace pilothouse
