// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/fleet/linkthreads.h"

#include <QDeadlineTimer>

#include <algorithm>

namespace pilothouse {

LinkThreads::~LinkThreads()
{
    waitForEnd(std::chrono::milliseconds(0));
}

void LinkThreads::start(std::unique_ptr<QThread> thread)
{
    std::erase_if(m_threads, [](const QPointer<QThread> &other) { return other.isNull(); });
    QThread *raw = thread.release();
    QObject::connect(raw, &QThread::finished, raw, &QObject::deleteLater);
    m_threads.emplace_back(raw);
    raw->start();
}

bool LinkThreads::waitForEnd(std::chrono::milliseconds limit)
{
    const QDeadlineTimer deadline(limit);
    for (QPointer<QThread> &thread : m_threads) {
        if (thread && thread->wait(deadline))
            delete thread.data(); // its own deleteLater would need an event loop that may be over
    }
    std::erase_if(m_threads, [](const QPointer<QThread> &thread) { return thread.isNull(); });
    return m_threads.empty();
}

int LinkThreads::running() const
{
    return int(std::ranges::count_if(m_threads, [](const QPointer<QThread> &thread) { return !thread.isNull(); }));
}

} // namespace pilothouse
