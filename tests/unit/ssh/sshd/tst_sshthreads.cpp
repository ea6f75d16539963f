// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ssh/sshconfigresolver.h"
#include "tests/support/agentprocess.h"
#include "tests/support/sshdserver.h"
#include "tests/support/testmain.h"
#include "tests/unit/ssh/sshd/sessionwatch.h"

#include <QElapsedTimer>
#include <QThread>

#include <atomic>

using namespace pilothouse;
using namespace pilothouse::test;
using namespace Qt::StringLiterals;

/// Sessions in threads of their own, side by side: made, used and destroyed there. Meant for ThreadSanitizer too.
class TstSshThreads final : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase();
    void manySessions_openAndCloseSideBySide_data();
    void manySessions_openAndCloseSideBySide();
    void threads_endWhileSessionsAreOnTheirWay();

private:
    SshdServer m_server{{u"MaxStartups 100"_s}};
    AgentProcess m_agent;
};

namespace {

/// One life of a session, in the calling thread. True when its shell answered.
bool live(const ConnectionSettings &settings, int number)
{
    SessionWatch watch(settings);
    watch.session->open();
    if (!QTest::qWaitFor([&] { return watch.isReady() || watch.ended; }, 20'000) || !watch.isReady())
        return false;
    ShellWatch shell(watch.session->openShell());
    shell.shell->write("echo " + QByteArray::number(number) + "; exit 0\n");
    const bool answered = QTest::qWaitFor([&] { return shell.closed || watch.ended; }, 20'000)
        && shell.output == QByteArray(QByteArray::number(number) + '\n');
    shell.shell.reset();
    if (number % 2) {
        watch.session->close();
        if (!QTest::qWaitFor([&] { return watch.ended.has_value(); }))
            return false;
    }
    return answered;
}

} // namespace

void TstSshThreads::initTestCase()
{
    QVERIFY2(m_server.start(), qPrintable(m_server.error()));
    QVERIFY(m_agent.start(m_server.path(u"agent"_s)));
    QVERIFY(m_agent.add(m_server.path(u"id"_s)));
}

void TstSshThreads::manySessions_openAndCloseSideBySide_data()
{
    QTest::addColumn<bool>("agent");
    QTest::newRow("key file") << false;
    QTest::newRow("agent") << true;
}

void TstSshThreads::manySessions_openAndCloseSideBySide()
{
    QFETCH(bool, agent);
    QVERIFY(m_server.writeClientConfig({u"IdentityAgent "_s + (agent ? m_agent.socketPath() : u"none"_s)},
                                       agent ? u"nothing"_s : u"id"_s));
    ConnectionSettings settings = m_server.settings();
    settings.connectTimeout = settings.signInTimeout = std::chrono::seconds(15);
    settings.configCache = std::make_shared<SshConfigCache>();
    std::atomic<int> answered = 0;
    constexpr int threadCount = 4;
    constexpr int lives = 5;
    std::vector<std::unique_ptr<QThread>> threads;
    for (int t = 0; t < threadCount; ++t) {
        threads.emplace_back(QThread::create([&, t] {
            for (int i = 0; i < lives; ++i)
                answered += live(settings, t * lives + i);
        }));
        threads.back()->start();
    }
    for (const auto &thread : threads)
        QVERIFY(thread->wait(100'000));
    QCOMPARE(answered, threadCount * lives);
}

void TstSshThreads::threads_endWhileSessionsAreOnTheirWay()
{
    QVERIFY(m_server.writeClientConfig({u"IdentityAgent "_s + m_agent.socketPath()}, u"nothing"_s));
    const ConnectionSettings settings = m_server.settings();
    std::vector<std::unique_ptr<QThread>> threads;
    for (int t = 0; t < 8; ++t) {
        threads.emplace_back(QThread::create([&, t] {
            SessionWatch watch(settings);
            watch.session->open();
            (void)QTest::qWaitFor([&] { return watch.isReady() || watch.ended; }, t * 12);
            QElapsedTimer timer;
            timer.start();
            watch.session.reset();
            if (timer.elapsed() > 5'000)
                qWarning("destroying took %lld ms", timer.elapsed());
        }));
        threads.back()->start();
    }
    QTest::failOnWarning(QRegularExpression(u"destroying"_s));
    for (const auto &thread : threads)
        QVERIFY(thread->wait(60'000));
}

PILOTHOUSE_TEST_MAIN(TstSshThreads)
#include "tst_sshthreads.moc"
