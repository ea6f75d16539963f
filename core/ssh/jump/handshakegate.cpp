// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ssh/jump/handshakegate.h"

#include <algorithm>
#include <deque>
#include <mutex>

namespace pilothouse {

struct HandshakeGate::Waiter
{
    std::function<void()> granted;
    bool inside = false;
};

struct HandshakeGate::Shared
{
    std::mutex mutex;
    int free = 0;
    std::deque<std::shared_ptr<Waiter>> queue;
};

HandshakeGate::HandshakeGate(int places)
    : m_shared(std::make_shared<Shared>())
{
    m_shared->free = places;
}

std::unique_ptr<HandshakeGate::Ticket> HandshakeGate::enter(std::function<void()> granted)
{
    auto waiter = std::make_shared<Waiter>();
    waiter->granted = std::move(granted);
    bool inside = false;
    {
        const std::lock_guard lock(m_shared->mutex);
        inside = m_shared->free > 0;
        if (inside) {
            --m_shared->free;
            waiter->inside = true;
        } else {
            m_shared->queue.push_back(waiter);
        }
    }
    auto ticket = std::make_unique<Ticket>(m_shared, waiter);
    if (inside) // otherwise whoever frees a place calls
        waiter->granted();
    return ticket;
}

HandshakeGate::Ticket::Ticket(std::shared_ptr<Shared> shared, std::shared_ptr<Waiter> waiter)
    : m_shared(std::move(shared))
    , m_waiter(std::move(waiter))
{
}

HandshakeGate::Ticket::~Ticket()
{
    std::shared_ptr<Waiter> next;
    {
        const std::lock_guard lock(m_shared->mutex);
        if (!m_waiter->inside) {
            std::erase(m_shared->queue, m_waiter);
        } else if (m_shared->queue.empty()) {
            ++m_shared->free;
        } else {
            next = m_shared->queue.front();
            m_shared->queue.pop_front();
            next->inside = true;
        }
    }
    if (next)
        next->granted();
}

} // namespace pilothouse
