// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// /proc/PID/cgroup to the path that tells whose a process is, and that path to an Owner. Below a container's boundary
// nothing is a unit of the host, whatever its name. Pure, any thread.

#include "core/host/process.h"

#include <QByteArrayView>
#include <QString>

namespace pilothouse {

/// The unified hierarchy's path, else systemd's named one, else the first that is not "/". Cleaned. Empty: none.
[[nodiscard]] QString cgroupPathOf(QByteArrayView cgroupFile);

/// By the rules of systemd for units (slices first, then one unit) and the engines' own names for containers.
[[nodiscard]] Owner ownerOf(const QString &cgroupPath);

} // namespace pilothouse
