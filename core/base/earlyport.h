// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The way to a receiver whose thread may not have started yet: what is posted before is kept and handed over in order.
// Shared by posters and receiver, any thread.

#include "core/base/handoff.h"

#include <vector>

namespace pilothouse {

template <class T>
class EarlyPort final
{
public:
    void post(T value)
    {
        const std::lock_guard lock(m_mutex);
        if (m_attached)
            m_sender.push(std::move(value));
        else
            m_early.push_back(std::move(value));
    }
    /// Once, from the receiver's thread.
    void attach(const typename Handoff<T>::Sender &sender)
    {
        const std::lock_guard lock(m_mutex);
        m_sender = sender;
        m_attached = true;
        for (T &value : m_early)
            m_sender.push(std::move(value));
        m_early.clear();
    }

private:
    std::mutex m_mutex;
    bool m_attached = false;
    typename Handoff<T>::Sender m_sender;
    std::vector<T> m_early;
};

} // namespace pilothouse
