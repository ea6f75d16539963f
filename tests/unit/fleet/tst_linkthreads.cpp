// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/fleet/linkthreads.h"
#include "tests/support/testmain.h"

using namespace pilothouse;
using namespace std::chrono_literals;

namespace {

/// What OpenSSL keeps for a thread, and takes its time to give back.
struct LastMoments
{
    std::atomic<bool> *over = nullptr;
    ~LastMoments()
    {
        if (!over)
            return;
        QThread::msleep(300);
        *over = true;
    }
};
thread_local LastMoments lastMoments;

std::unique_ptr<QThread> threadThatTidiesUp(std::atomic<bool> &over)
{
    return std::unique_ptr<QThread>(QThread::create([&over] { lastMoments.over = &over; }));
}

} // namespace

class TstLinkThreads final : public QObject
{
    Q_OBJECT
private slots:
    void waitForEnd_lastsUntilTheThreadsDataIsGone()
    {
        std::atomic<bool> over = false;
        LinkThreads threads;
        threads.start(threadThatTidiesUp(over));
        QVERIFY(threads.waitForEnd(5s));
        QVERIFY(over);
    }

    void waitForEnd_countsThreadsWhoseObjectIsDeleted()
    {
        std::atomic<bool> over = false;
        LinkThreads threads;
        threads.start(threadThatTidiesUp(over));
        QTRY_COMPARE_WITH_TIMEOUT(threads.running(), 0, 200); // it said that it has finished, and is not gone
        threads.start(std::unique_ptr<QThread>(QThread::create([] {})));
        QVERIFY(threads.waitForEnd(5s));
        QVERIFY(over);
    }

    void waitForEnd_isBounded()
    {
        std::atomic<bool> end = false;
        LinkThreads threads;
        threads.start(std::unique_ptr<QThread>(QThread::create([&end] {
            while (!end)
                QThread::msleep(10);
        })));
        QVERIFY(!threads.waitForEnd(50ms));
        QCOMPARE(threads.running(), 1);
        end = true;
        QVERIFY(threads.waitForEnd(5s));
    }
};

PILOTHOUSE_TEST_MAIN(TstLinkThreads)
#include "tst_linkthreads.moc"
