// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The true end of a thread. Linux, any thread.

#include <QDeadlineTimer>

#include <sys/types.h>

namespace pilothouse {

/// The kernel's number of the calling thread.
[[nodiscard]] pid_t currentKernelThread();

/// `kernelId` 0: it never ran.
[[nodiscard]] bool isThreadGone(pid_t kernelId);

/// QThread::wait() returns, and finished() comes, before the thread's own data is gone: OpenSSL's frees itself in a
/// thread's last moments. A process that ends before leaks it, and crashes when it has ended OpenSSL meanwhile.
/// False: it was still there at the deadline.
bool waitUntilGone(pid_t kernelId, const QDeadlineTimer &deadline);

} // namespace pilothouse
