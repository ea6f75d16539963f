// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/testmain.h"
#include "tests/unit/ssh/sshd/jumplab.h"

#include <QElapsedTimer>
#include <QThread>

#include <atomic>
#include <csignal>

using namespace pilothouse;
using namespace pilothouse::test;
using namespace Qt::StringLiterals;

/// Sessions in threads of their own that share a jump host in a further one. Meant for ThreadSanitizer.
class TstSshJumpThreads final : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase();
    void manyThreads_shareTheJumpHost();
    void jumpHost_diesUnderManyThreads();
    void threads_endWhileTheyWaitForIt();
    void lastThread_endsTheJumpHosts();

private:
    JumpLab m_lab{{u"MaxStartups 100"_s}};
};

namespace {

using Threads = std::vector<std::unique_ptr<QThread>>;

/// `life` in so many threads; true when all ended in time.
bool runInThreads(int count, const std::function<void(int)> &life)
{
    Threads threads;
    for (int t = 0; t < count; ++t) {
        threads.emplace_back(QThread::create([&life, t] { life(t); }));
        threads.back()->start();
    }
    return std::all_of(threads.begin(), threads.end(), [](const auto &thread) { return thread->wait(100'000); });
}

bool becomesReady(SessionWatch &watch)
{
    watch.session->open();
    return QTest::qWaitFor([&] { return watch.isReady() || watch.ended; }, 30'000) && watch.isReady();
}

} // namespace

void TstSshJumpThreads::initTestCase()
{
    QVERIFY2(m_lab.start(), qPrintable(m_lab.bastion.error() + m_lab.gpu.error()));
}

void TstSshJumpThreads::manyThreads_shareTheJumpHost()
{
    m_lab.share();
    ConnectionSettings settings = m_lab.settings();
    settings.connectTimeout = settings.signInTimeout = std::chrono::seconds(15);
    settings.configCache = std::make_shared<SshConfigCache>();
    const qsizetype before = m_lab.signIns(m_lab.bastion);
    std::atomic<int> answered = 0;
    QVERIFY(runInThreads(6, [&](int number) {
        for (int i = 0; i < 3; ++i) {
            SessionWatch watch(settings);
            if (!becomesReady(watch))
                return;
            const QByteArray word = QByteArray::number(number * 10 + i);
            answered += answerOf(watch, "echo " + word + "; head -c 300000 /dev/zero | tr '\\0' x").startsWith(word);
        }
    }));
    QCOMPARE(answered, 18);
    QTRY_COMPARE(m_lab.signIns(m_lab.bastion), before + 1); // its log comes by the event loop
}

void TstSshJumpThreads::jumpHost_diesUnderManyThreads()
{
    m_lab.share();
    const ConnectionSettings settings = m_lab.settings();
    std::atomic<int> ready = 0;
    std::atomic<int> named = 0;
    Threads threads;
    for (int t = 0; t < 6; ++t) {
        threads.emplace_back(QThread::create([&] {
            SessionWatch watch(settings);
            ready += becomesReady(watch);
            if (QTest::qWaitFor([&] { return watch.ended.has_value(); }, 30'000))
                named += watch.ended->detail.startsWith(u"at the jump host bastion: "_s);
        }));
        threads.back()->start();
    }
    QTRY_COMPARE_WITH_TIMEOUT(ready, 6, 60'000);
    for (const pid_t child : m_lab.bastion.connectionProcesses())
        ::kill(child, SIGKILL);
    for (const auto &thread : threads)
        QVERIFY(thread->wait(60'000));
    QCOMPARE(named, 6);
}

void TstSshJumpThreads::threads_endWhileTheyWaitForIt()
{
    m_lab.share();
    const ConnectionSettings settings = m_lab.settings();
    std::atomic<int> slow = 0;
    QVERIFY(runInThreads(8, [&](int number) {
        SessionWatch watch(settings);
        watch.session->open();
        (void)QTest::qWaitFor([&] { return watch.isReady() || watch.ended; }, number * 15);
        QElapsedTimer timer;
        timer.start();
        watch.session.reset();
        slow += timer.elapsed() > 5'000;
    }));
    QCOMPARE(slow, 0);
}

void TstSshJumpThreads::lastThread_endsTheJumpHosts()
{
    // Whoever lets go last waits for the jump hosts' thread: here each thread for its own.
    m_lab.hosts.reset();
    const ConnectionSettings settings = m_lab.settings();
    std::atomic<int> ready = 0;
    QVERIFY(runInThreads(4, [&](int) {
        SessionWatch watch(settings);
        ready += becomesReady(watch);
    }));
    QCOMPARE(ready, 4);
    QTRY_VERIFY(m_lab.bastion.connectionProcesses().isEmpty());
}

PILOTHOUSE_TEST_MAIN(TstSshJumpThreads)
#include "tst_sshjumpthreads.moc"
