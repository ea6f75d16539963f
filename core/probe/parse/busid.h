// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// PCI bus ids in the many spellings of drivers, tools and logs, as one: "0000:01:00.0", lower case, domain of at
// least four digits. Pure, any thread.

#include <QByteArrayView>
#include <QString>

namespace pilothouse {

/// From "00000000:01:00.0", "0000:01:00.0", "000:BA:80.0", "01:00.0", "GPU0000:01:00.0", "GPU 0000:01:00.0",
/// "GPU1: 0000:34:00.0", "PCI:0000:01:00". Empty when the text is none.
[[nodiscard]] QString normalBusId(QByteArrayView text);

/// The first bus id inside a line of prose; empty when there is none. Domain and
/// function are required there.
[[nodiscard]] QString busIdIn(QByteArrayView prose);

} // namespace pilothouse
