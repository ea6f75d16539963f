// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/threadend.h"

#include <QThread>

#include <sys/syscall.h>
#include <unistd.h>

namespace pilothouse {

pid_t currentKernelThread()
{
    return static_cast<pid_t>(::syscall(SYS_gettid));
}

bool isThreadGone(pid_t kernelId)
{
    return kernelId == 0 || ::syscall(SYS_tgkill, ::getpid(), kernelId, 0) != 0;
}

bool waitUntilGone(pid_t kernelId, const QDeadlineTimer &deadline)
{
    while (!isThreadGone(kernelId)) {
        if (deadline.hasExpired())
            return false;
        QThread::yieldCurrentThread();
    }
    return true;
}

} // namespace pilothouse
