// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/fleet/backoff.h"
#include "tests/support/testmain.h"

using namespace pilothouse;
using namespace std::chrono_literals;

class TstBackoff final : public QObject
{
    Q_OBJECT
private slots:
    void waits_doubleToTheLast();
    void jitter_staysWithinTheLimits();
    void reset_beginsAgain();
};

void TstBackoff::waits_doubleToTheLast()
{
    Backoff backoff(1s, 60s, [] { return 0.5; });
    QList<qint64> waits;
    for (int i = 0; i < 9; ++i)
        waits += backoff.next().count();
    QCOMPARE(waits, (QList<qint64>{1000, 2000, 4000, 8000, 16000, 32000, 60000, 60000, 60000}));
}

void TstBackoff::jitter_staysWithinTheLimits()
{
    double random = 0;
    Backoff backoff(1s, 60s, [&random] { return random; });
    QCOMPARE(backoff.next(), 1000ms); // never below the first
    QCOMPARE(backoff.next(), 1500ms);
    random = 1;
    QCOMPARE(backoff.next(), 5000ms);
    for (int i = 0; i < 20; ++i)
        QVERIFY(backoff.next() <= 60s);
}

void TstBackoff::reset_beginsAgain()
{
    Backoff backoff(1s, 60s, [] { return 0.5; });
    (void)backoff.next();
    (void)backoff.next();
    backoff.reset();
    QCOMPARE(backoff.next(), 1000ms);
}

PILOTHOUSE_TEST_MAIN(TstBackoff)
#include "tst_backoff.moc"
