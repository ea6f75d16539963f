// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The threads of a fleet's links. A link never waits for its thread; whoever composes the program waits for all of
// them once, at the end and bounded. Lives in the facades' thread, shared by them.

#include <QPointer>
#include <QThread>

#include <atomic>
#include <chrono>
#include <memory>
#include <vector>

#include <sys/types.h>

namespace pilothouse {

class LinkThreads final
{
public:
    LinkThreads() = default;
    ~LinkThreads();
    LinkThreads(const LinkThreads &) = delete;
    LinkThreads &operator=(const LinkThreads &) = delete;

    /// Takes the thread over and starts it. It deletes itself when it has finished.
    void start(std::unique_ptr<QThread> thread);
    /// Waits for threads that were asked to end, together at most `limit`. False: some still run, and are left alone.
    bool waitForEnd(std::chrono::milliseconds limit);
    [[nodiscard]] int running() const;

private:
    struct Entry
    {
        QPointer<QThread> thread;
        std::shared_ptr<std::atomic<pid_t>> kernelId; ///< 0 until it runs
    };
    std::vector<Entry> m_threads;
};

} // namespace pilothouse
