// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/fleet/linkthreads.h"

#include "core/base/threadend.h"

#include <algorithm>

namespace pilothouse {

LinkThreads::~LinkThreads()
{
    waitForEnd(std::chrono::milliseconds(0));
}

void LinkThreads::start(std::unique_ptr<QThread> thread)
{
    const auto kernelId = std::make_shared<std::atomic<pid_t>>(0);
    std::erase_if(m_threads, [](const Entry &other) { return other.thread.isNull() && isThreadGone(*other.kernelId); });
    QThread *raw = thread.release();
    QObject::connect(raw, &QThread::finished, raw, &QObject::deleteLater);
    QObject::connect(
        raw, &QThread::started, raw, [kernelId] { *kernelId = currentKernelThread(); }, Qt::DirectConnection);
    m_threads.push_back({raw, kernelId});
    raw->start();
}

bool LinkThreads::waitForEnd(std::chrono::milliseconds limit)
{
    const QDeadlineTimer deadline(limit);
    for (const Entry &entry : m_threads) {
        if (entry.thread && !entry.thread->wait(deadline))
            continue;
        if (waitUntilGone(*entry.kernelId, deadline))
            delete entry.thread.data(); // its own deleteLater would need an event loop that may be over
    }
    std::erase_if(m_threads, [](const Entry &entry) { return entry.thread.isNull() && isThreadGone(*entry.kernelId); });
    return m_threads.empty();
}

int LinkThreads::running() const
{
    return int(std::ranges::count_if(m_threads, [](const Entry &entry) { return !entry.thread.isNull(); }));
}

} // namespace pilothouse
