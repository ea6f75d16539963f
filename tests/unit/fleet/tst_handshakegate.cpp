// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ssh/jump/handshakegate.h"
#include "tests/support/testmain.h"

#include <atomic>
#include <thread>
#include <vector>

using namespace pilothouse;

class TstHandshakeGate final : public QObject
{
    Q_OBJECT
private slots:
    void places_areGivenInOrder();
    void leavingTheQueue_takesNoPlace();
    void ticket_outlivesTheGate();
    void manyThreads_neverExceedThePlaces();
};

void TstHandshakeGate::places_areGivenInOrder()
{
    HandshakeGate gate(2);
    QList<int> granted;
    std::vector<std::unique_ptr<HandshakeGate::Ticket>> tickets;
    for (int i = 0; i < 4; ++i)
        tickets.push_back(gate.enter([&granted, i] { granted += i; }));
    QCOMPARE(granted, (QList<int>{0, 1}));
    tickets[1].reset();
    QCOMPARE(granted, (QList<int>{0, 1, 2}));
    tickets[0].reset();
    QCOMPARE(granted, (QList<int>{0, 1, 2, 3}));
    tickets.clear();
    const auto again = gate.enter([&granted] { granted += 9; });
    QCOMPARE(granted.last(), 9);
}

void TstHandshakeGate::leavingTheQueue_takesNoPlace()
{
    HandshakeGate gate(1);
    QList<int> granted;
    auto first = gate.enter([&] { granted += 1; });
    auto second = gate.enter([&] { granted += 2; });
    auto third = gate.enter([&] { granted += 3; });
    second.reset();
    first.reset();
    QCOMPARE(granted, (QList<int>{1, 3}));
}

void TstHandshakeGate::ticket_outlivesTheGate()
{
    std::unique_ptr<HandshakeGate::Ticket> ticket;
    {
        HandshakeGate gate(1);
        ticket = gate.enter([] {});
    }
    ticket.reset();
}

void TstHandshakeGate::manyThreads_neverExceedThePlaces()
{
    HandshakeGate gate(3);
    std::atomic<int> inside = 0;
    std::atomic<int> most = 0;
    std::atomic<int> served = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t) {
        threads.emplace_back([&] {
            for (int i = 0; i < 200; ++i) {
                std::atomic<bool> granted = false;
                auto ticket = gate.enter([&] { granted = true; });
                while (!granted)
                    std::this_thread::yield();
                const int now = ++inside;
                int seen = most;
                while (now > seen && !most.compare_exchange_weak(seen, now)) { }
                ++served;
                --inside;
            }
        });
    }
    for (std::thread &thread : threads)
        thread.join();
    QCOMPARE(served.load(), 1600);
    QVERIFY(most.load() <= 3);
}

PILOTHOUSE_TEST_MAIN(TstHandshakeGate)
#include "tst_handshakegate.moc"
