// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Services that nobody wrote down: units that hold GPU memory, and units whose command the rules recognise as an
// inference server. Pure, any thread.

#include "core/fleet/hostspec.h"
#include "core/host/snapshot.h"

#include <optional>

namespace pilothouse {

/// By unit, system units first, named by it without ".service"; without those that `written` has. Left out: login
/// sessions and other scopes, units of other people's managers, display servers and the driver's own daemons, units
/// that only run helpers.
[[nodiscard]] QList<ServiceSpec> discoverServices(const Snapshot &snapshot, const QList<ServiceSpec> &written);

/// Is `process` one of the unit's?
[[nodiscard]] bool belongsTo(const Process &process, const ServiceSpec &service);

/// What the snapshot says of the service's unit; null where it says nothing.
[[nodiscard]] const Unit *unitOf(const Snapshot &snapshot, const ServiceSpec &service);

/// GPU memory of the unit's processes. Unknown while one of its own figures is, and where holders without a known owner
/// may be its.
[[nodiscard]] Quantity<qint64> gpuMemoryOf(const Snapshot &snapshot, const ServiceSpec &service);

} // namespace pilothouse
