// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/fleet/networkwatch.h"
#include "tests/support/testmain.h"

using namespace pilothouse;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;
using State = NetworkTrouble::State;

class TstNetworkWatch final : public QObject
{
    Q_OBJECT
private slots:
    void mostWithinSeconds_isOneMessage();
    void fewOrSlow_isTheHosts_data();
    void fewOrSlow_isTheHosts();
    void lossAfterwards_isCountedAndHeld();
    void oneHostTries_thenTheNext();
    void firstThrough_letsTheOthersGoSpreadOut();
    void allBack_endsIt();
    void whoFailsOnReturn_isLeftToItself();
    void whoNeverComes_endsItInTime();
    void awayAgainWhileReturning_isHeldAgain();
    void jumpHost_isTold();
    void stoppedHosts_areCountedButNotTried();
    void removedHosts_leaveNothingBehind();
    void hostThatCameBack_isNoSign();

private:
    static QString name(int i) { return u"gpu%1"_s.arg(i); }
    static NetworkWatch withHosts(int count)
    {
        NetworkWatch watch;
        for (int i = 0; i < count; ++i)
            (void)watch.connected(name(i), 0ms);
        return watch;
    }
    /// `lost` of 40, each 50 ms after the one before it, from 100 s on.
    static NetworkWatch away(int lost = 30)
    {
        NetworkWatch watch = withHosts(40);
        for (int i = 0; i < lost; ++i)
            (void)watch.lost(name(i), 100s + i * 50ms);
        return watch;
    }
};

void TstNetworkWatch::mostWithinSeconds_isOneMessage()
{
    NetworkWatch watch = withHosts(40);
    QStringList held;
    for (int i = 0; i < 38; ++i) {
        held += watch.lost(name(i), 100s + i * 80ms).hold;
        QCOMPARE(watch.trouble().state == State::Away, i >= 20); // more than are left
    }
    QCOMPARE(watch.trouble().lost, 38);
    QCOMPARE(watch.trouble().of, 40);
    QCOMPARE(watch.trouble().within, 37 * 80ms);
    QVERIFY(!watch.trouble().onTheWay);
    QCOMPARE(held.size(), 38);
    QCOMPARE(QSet<QString>(held.begin(), held.end()).size(), 38);
}

void TstNetworkWatch::fewOrSlow_isTheHosts_data()
{
    QTest::addColumn<int>("hosts");
    QTest::addColumn<int>("lost");
    QTest::addColumn<int>("stepMs");
    QTest::addColumn<bool>("trouble");
    QTest::newRow("half of them") << 40 << 20 << 10 << false;
    QTest::newRow("more than half") << 40 << 21 << 10 << true;
    QTest::newRow("two of two") << 2 << 2 << 10 << false;
    QTest::newRow("three of three") << 3 << 3 << 10 << true;
    QTest::newRow("over ten minutes") << 40 << 40 << 15'000 << false;
    QTest::newRow("the last three, slowly") << 5 << 5 << 9'000 << false;
}

void TstNetworkWatch::fewOrSlow_isTheHosts()
{
    QFETCH(int, hosts);
    QFETCH(int, lost);
    QFETCH(int, stepMs);
    QFETCH(bool, trouble);
    NetworkWatch watch = withHosts(hosts);
    bool seen = false;
    for (int i = 0; i < lost; ++i) {
        const auto orders = watch.lost(name(i), 100s + i * std::chrono::milliseconds(stepMs));
        seen = seen || watch.trouble().state != State::None;
        QCOMPARE(orders.hold.isEmpty(), watch.trouble().state == State::None);
    }
    QCOMPARE(seen, trouble);
    QCOMPARE(watch.next().has_value(), trouble);
}

void TstNetworkWatch::lossAfterwards_isCountedAndHeld()
{
    NetworkWatch watch = away(30);
    QCOMPARE(watch.lost(name(35), 130s).hold, QStringList{name(35)}); // noticed late
    QCOMPARE(watch.trouble().lost, 31);
    QCOMPARE(watch.trouble().of, 40);
    QCOMPARE(watch.failed(name(3), 131s).hold, QStringList{name(3)}); // was under way when the others went
}

void TstNetworkWatch::oneHostTries_thenTheNext()
{
    NetworkWatch watch = away(30);
    QStringList tried;
    QList<std::chrono::milliseconds> waits;
    auto now = *watch.next();
    QCOMPARE(now, 100s + 20 * 50ms + 1s); // after the loss that made it certain
    for (int i = 0; i < 7; ++i) {
        QVERIFY(watch.due(now - 1ms).go.isEmpty());
        const auto orders = watch.due(now);
        QCOMPARE(orders.go.size(), 1);
        QCOMPARE(orders.go.first().second, 0ms);
        QCOMPARE(watch.trouble().trying, orders.go.first().first);
        QVERIFY(!watch.next()); // until it has failed
        tried += orders.go.first().first;
        QCOMPARE(watch.failed(name(29), now).hold, QStringList{name(29)}); // somebody else's attempt
        QVERIFY(!watch.next());
        QCOMPARE(watch.failed(tried.last(), now).hold, QStringList{tried.last()});
        QVERIFY(watch.trouble().trying.isEmpty());
        waits += *watch.next() - now;
        now = *watch.next();
    }
    QCOMPARE(tried, (QStringList{name(0), name(1), name(2), name(3), name(4), name(5), name(6)}));
    QCOMPARE(waits, (QList<std::chrono::milliseconds>{2s, 4s, 8s, 15s, 15s, 15s, 15s}));
}

void TstNetworkWatch::firstThrough_letsTheOthersGoSpreadOut()
{
    NetworkWatch watch = away(30);
    const auto now = *watch.next();
    const QString probe = watch.due(now).go.first().first;
    const auto orders = watch.connected(probe, now + 200ms);
    QCOMPARE(watch.trouble().state, State::Returning);
    QCOMPARE(watch.trouble().back, 1);
    QCOMPARE(orders.go.size(), 29);
    for (int i = 0; i < 29; ++i) {
        QVERIFY(orders.go.at(i).first != probe);
        QCOMPARE(orders.go.at(i).second, (i + 1) * 50ms);
    }
    // A thousand hosts take ten seconds, not fifty.
    NetworkWatch many = withHosts(1000);
    for (int i = 0; i < 1000; ++i)
        (void)many.lost(name(i), 100s);
    (void)many.due(*many.next());
    QCOMPARE(many.connected(name(0), 103s).go.last().second, 999 * 10ms);
}

void TstNetworkWatch::allBack_endsIt()
{
    NetworkWatch watch = away(30);
    (void)watch.due(*watch.next());
    for (int i = 0; i < 30; ++i) {
        QVERIFY(watch.trouble().state != State::None);
        (void)watch.connected(name(i), 110s);
        QCOMPARE(watch.trouble().back, i == 29 ? 0 : i + 1);
    }
    QCOMPARE(watch.trouble(), NetworkTrouble());
    QVERIFY(!watch.next());
    // And the next time is a new one.
    for (int i = 0; i < 40; ++i)
        (void)watch.lost(name(i), 200s);
    QCOMPARE(watch.trouble().lost, 40);
}

void TstNetworkWatch::whoFailsOnReturn_isLeftToItself()
{
    NetworkWatch watch = away(30);
    (void)watch.due(*watch.next());
    (void)watch.connected(name(0), 110s);
    QVERIFY(watch.failed(name(5), 111s).hold.isEmpty());
    (void)watch.connected(name(1), 111s);
    QVERIFY(watch.lost(name(1), 112s).hold.isEmpty());
    for (int i = 2; i < 30; ++i) {
        if (i != 5)
            (void)watch.connected(name(i), 112s);
    }
    QCOMPARE(watch.trouble().state, State::None);
}

void TstNetworkWatch::whoNeverComes_endsItInTime()
{
    NetworkWatch watch = away(30);
    (void)watch.due(*watch.next());
    (void)watch.connected(name(0), 110s);
    QVERIFY(watch.next());
    QVERIFY(*watch.next() <= 140s);
    (void)watch.due(*watch.next());
    QCOMPARE(watch.trouble().state, State::None);
    QVERIFY(!watch.next());
}

void TstNetworkWatch::awayAgainWhileReturning_isHeldAgain()
{
    NetworkWatch watch = away(40);
    (void)watch.due(*watch.next());
    for (int i = 0; i < 5; ++i)
        (void)watch.connected(name(i), 110s);
    QCOMPARE(watch.trouble().state, State::Returning);
    QCOMPARE(watch.trouble().back, 5);
    QStringList held;
    for (int i = 0; i < 3; ++i)
        held = watch.lost(name(i), 111s).hold;
    QCOMPARE(watch.trouble().state, State::Away);
    QCOMPARE(held.size(), 38); // with those that were on their way; two are up
    QCOMPARE(watch.trouble().lost, 38);
    QCOMPARE(watch.trouble().of, 40);
    QVERIFY(watch.next());
}

void TstNetworkWatch::jumpHost_isTold()
{
    NetworkWatch watch = withHosts(4);
    for (int i = 0; i < 3; ++i)
        (void)watch.lost(name(i), 100s, true, true);
    QVERIFY(watch.trouble().onTheWay);
    (void)watch.lost(name(3), 100s, true, false); // one that needs no jump host
    QVERIFY(!watch.trouble().onTheWay);
}

void TstNetworkWatch::stoppedHosts_areCountedButNotTried()
{
    NetworkWatch watch = withHosts(5);
    (void)watch.lost(name(0), 100s, false);
    (void)watch.lost(name(1), 100s, false);
    QCOMPARE(watch.lost(name(2), 100s).hold, QStringList{name(2)});
    QCOMPARE(watch.trouble().lost, 3);
    QCOMPARE(watch.due(*watch.next()).go.first().first, name(2));
    QVERIFY(watch.failed(name(2), 102s, false).hold.isEmpty()); // and now it waits for a person too
    QCOMPARE(watch.trouble().state, State::None);
    NetworkWatch persons = withHosts(3);
    for (int i = 0; i < 3; ++i)
        QVERIFY(persons.lost(name(i), 100s, false).hold.isEmpty());
    QCOMPARE(persons.trouble().state, State::None);
}

void TstNetworkWatch::removedHosts_leaveNothingBehind()
{
    NetworkWatch watch = away(30);
    const QString probe = watch.due(*watch.next()).go.first().first;
    (void)watch.left(probe, 105s);
    QVERIFY(watch.next()); // another one has its turn
    for (int i = 0; i < 40; ++i)
        (void)watch.left(name(i), 106s);
    QCOMPARE(watch.trouble(), NetworkTrouble());
    QVERIFY(!watch.next());
}

void TstNetworkWatch::hostThatCameBack_isNoSign()
{
    NetworkWatch watch = withHosts(4);
    for (int i = 0; i < 8; ++i) { // one host with a loose cable
        QVERIFY(watch.lost(name(0), 100s + i * 1s).hold.isEmpty());
        QVERIFY(watch.connected(name(0), 100s + i * 1s + 500ms).go.isEmpty());
    }
    QCOMPARE(watch.trouble().state, State::None);
}

PILOTHOUSE_TEST_MAIN(TstNetworkWatch)
#include "tst_networkwatch.moc"
