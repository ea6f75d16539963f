// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// How many hosts may shake hands at once: key exchange and sign-in cost CPU, and a hundred of them started together
// all end late. Shared by the links of a fleet and by the jump hosts, any thread.

#include <functional>
#include <memory>

namespace pilothouse {

class HandshakeGate final
{
    struct Waiter;
    struct Shared;

public:
    /// A place in the gate or in the queue before it; destroying it gives the place to the next.
    class Ticket
    {
    public:
        Ticket(std::shared_ptr<Shared> shared, std::shared_ptr<Waiter> waiter);
        ~Ticket();
        Ticket(const Ticket &) = delete;
        Ticket &operator=(const Ticket &) = delete;

    private:
        std::shared_ptr<Shared> m_shared;
        std::shared_ptr<Waiter> m_waiter;
    };

    explicit HandshakeGate(int places);

    /// `granted` is called once when it is this one's turn: from within this call or from whatever thread frees a
    /// place, perhaps after the ticket was destroyed. It only posts.
    [[nodiscard]] std::unique_ptr<Ticket> enter(std::function<void()> granted);

private:
    std::shared_ptr<Shared> m_shared;
};

} // namespace pilothouse
