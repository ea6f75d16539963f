// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ssh/keepalive.h"
#include "tests/support/testmain.h"

using namespace pilothouse;
using namespace std::chrono_literals;

class TstKeepalive final : public QObject
{
    Q_OBJECT
private slots:
    void quiet_isAskedThenDead();
    void anyByte_startsAnew();
    void intervalZero_neverAsks();
    void sleptThrough_isDeadAtOnce();
    void next_isNeverNegative();
};

using Action = Keepalive::Action;

void TstKeepalive::quiet_isAskedThenDead()
{
    const Keepalive::Clock::time_point start{};
    Keepalive keepalive(10s, 25s, start);
    QCOMPARE(keepalive.look(start, 0).action, Action::Wait);
    QCOMPARE(keepalive.look(start, 0).next, 10'000ms);
    QCOMPARE(keepalive.look(start + 9'999ms, 0).action, Action::Wait);
    QCOMPARE(keepalive.look(start + 9'999ms, 0).next, 1ms);
    const auto asked = keepalive.look(start + 10s, 0);
    QCOMPARE(asked.action, Action::Ask);
    QCOMPARE(asked.next, 10'000ms);
    QCOMPARE(keepalive.look(start + 11s, 0).action, Action::Wait);
    const auto again = keepalive.look(start + 20s, 0);
    QCOMPARE(again.action, Action::Ask);
    QCOMPARE(again.next, 5'000ms); // dead comes before the next question
    QCOMPARE(keepalive.look(start + 24'999ms, 0).action, Action::Wait);
    QCOMPARE(keepalive.look(start + 25s, 0).action, Action::Dead);
}

void TstKeepalive::anyByte_startsAnew()
{
    const Keepalive::Clock::time_point start{};
    Keepalive keepalive(10s, 25s, start);
    QCOMPARE(keepalive.look(start + 24s, 1).action, Action::Wait); // came just now
    QCOMPARE(keepalive.look(start + 24s, 1).next, 10'000ms);
    QCOMPARE(keepalive.look(start + 34s, 1).action, Action::Ask);
    QCOMPARE(keepalive.look(start + 35s, 2).action, Action::Wait);
    QCOMPARE(keepalive.look(start + 44s, 2).action, Action::Wait);
    QCOMPARE(keepalive.look(start + 45s, 2).action, Action::Ask);
    QCOMPARE(keepalive.look(start + 60s, 2).action, Action::Dead);
}

void TstKeepalive::intervalZero_neverAsks()
{
    const Keepalive::Clock::time_point start{};
    Keepalive keepalive(0s, 5s, start);
    QCOMPARE(keepalive.look(start + 4s, 0).action, Action::Wait);
    QCOMPARE(keepalive.look(start + 4s, 0).next, 1'000ms);
    QCOMPARE(keepalive.look(start + 5s, 0).action, Action::Dead);
}

void TstKeepalive::sleptThrough_isDeadAtOnce()
{
    const Keepalive::Clock::time_point start{};
    Keepalive keepalive(10s, 25s, start);
    QCOMPARE(keepalive.look(start + 3'600s, 0).action, Action::Dead);
    QCOMPARE(keepalive.look(start + 3'601s, 7).action, Action::Wait);
}

void TstKeepalive::next_isNeverNegative()
{
    const Keepalive::Clock::time_point start{};
    Keepalive keepalive(3ms, 7ms, start);
    for (int i = 0; i < 20; ++i)
        QVERIFY(keepalive.look(start + i * 1ms, 0).next >= 0ms);
}

PILOTHOUSE_TEST_MAIN(TstKeepalive)
#include "tst_keepalive.moc"
