// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Whose process is at the other end of a connection that came in over loopback: anybody on this machine may connect to
// a port. Linux, /proc/self/net/tcp. Any thread.

#include <QByteArrayView>

#include <optional>

#include <sys/types.h>

namespace pilothouse {

/// Of an accepted IPv4 connection. No value: cannot be told.
[[nodiscard]] std::optional<uid_t> ownerOfPeer(int fd);

/// The account in the row of `table` (/proc/net/tcp) whose local and remote end are these ("0100007F:1F90").
[[nodiscard]] std::optional<uid_t> ownerInTable(QByteArrayView table, QByteArrayView local, QByteArrayView remote);

} // namespace pilothouse
