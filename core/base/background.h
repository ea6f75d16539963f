// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Runs something that may take its time (files, a diagnosis) beside the calling thread and brings its result back
// there. The receiver of the result owns the object; destroyed earlier, the result is dropped. Any thread with an
// event loop.

#include "core/base/handoff.h"

#include <QThreadPool>

namespace pilothouse {

template <class T>
class Background final
{
public:
    /// `receive` gets each result in the calling thread.
    explicit Background(std::function<void(T)> receive)
        : m_results(std::move(receive))
    {
    }

    void run(std::function<T()> work)
    {
        QThreadPool::globalInstance()->start(
            [work = std::move(work), sender = m_results.sender()] { sender.push(work()); });
    }

private:
    Handoff<T> m_results;
};

} // namespace pilothouse
