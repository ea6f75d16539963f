// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// A host as the text of a [[host]] table, spliced onto the end of a hosts.toml. Pure, any thread.

#include "core/fleet/hostspec.h"

#include <QByteArray>

namespace pilothouse {

/// `text` unchanged, then the host with what differs from the defaults; line ends as in `text`.
[[nodiscard]] QByteArray withHostAppended(const QByteArray &text, const HostSpec &host);

} // namespace pilothouse
