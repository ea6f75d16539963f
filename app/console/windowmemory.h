// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The window's layout in a file of the state directory. A file that is missing, broken or of another version is an
// empty layout. Blocking; meant for the program's start and end.

#include "ui/window/windowlayout.h"

namespace pilothouse {

[[nodiscard]] WindowLayout readWindowLayout(const QString &file);
void writeWindowLayout(const QString &file, const WindowLayout &layout);

} // namespace pilothouse
