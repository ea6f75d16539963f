// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/handoff.h"
#include "tests/support/testmain.h"

#include <QThread>

#include <thread>

using namespace pilothouse;

class TstHandoff final : public QObject
{
    Q_OBJECT
private slots:
    void values_arriveInOrderInTheReceiversThread();
    void sender_outlivesTheReceiver();
    void receiver_mayDestroyTheHandoffWhileReceiving();
};

void TstHandoff::values_arriveInOrderInTheReceiversThread()
{
    QList<int> got;
    Handoff<int> handoff([&](int value) {
        QCOMPARE(QThread::currentThread(), thread());
        got += value;
    });
    std::thread producer([sender = handoff.sender()] {
        for (int i = 0; i < 10'000; ++i)
            sender.push(i);
    });
    producer.join();
    QTRY_COMPARE(got.size(), 10'000);
    for (int i = 0; i < got.size(); ++i)
        QCOMPARE(got.at(i), i);
}

void TstHandoff::sender_outlivesTheReceiver()
{
    Handoff<int>::Sender sender;
    sender.push(1); // connected to nothing
    {
        Handoff<int> handoff([](int) { QFAIL("nobody is here"); });
        sender = handoff.sender();
        sender.push(2);
    }
    sender.push(3);
    QCoreApplication::processEvents();
}

void TstHandoff::receiver_mayDestroyTheHandoffWhileReceiving()
{
    int received = 0;
    std::unique_ptr<Handoff<int>> handoff;
    handoff = std::make_unique<Handoff<int>>([&](int) {
        ++received;
        handoff.reset();
    });
    const auto sender = handoff->sender();
    sender.push(1);
    sender.push(2);
    QTRY_COMPARE(received, 1);
    QCoreApplication::processEvents();
    QCOMPARE(received, 1);
}

PILOTHOUSE_TEST_MAIN(TstHandoff)
#include "tst_handoff.moc"
