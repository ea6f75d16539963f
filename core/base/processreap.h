// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What becomes of a QProcess that nobody wants any more. In the thread that the process lives in.

#include <functional>

class QProcess;

namespace pilothouse {

/// Deletes a process that was told to end by SIGKILL. That moment is waited for: without an event loop nothing else can
/// tell, and a QProcess destroyed before complains, and waits as well.
void reapNow(QProcess *process);

/// Deletes `process` when it has ended, or with its thread: then `kill` comes before reapNow(), nothing where it was
/// told to end by SIGKILL already.
void reapWhenEnded(QProcess *process, const std::function<void()> &kill = {});

} // namespace pilothouse
