// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ssh/socketoptions.h"
#include "core/ssh/sshconnector.h"
#include "tests/support/skip.h"
#include "tests/support/testmain.h"

#include <QElapsedTimer>
#include <QEventLoop>
#include <QSignalSpy>
#include <QTcpServer>
#include <QTcpSocket>
#include <QThread>

#include <csignal>
#include <optional>

#include <fcntl.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <unistd.h>

using namespace pilothouse;
using namespace std::chrono_literals;
using namespace Qt::StringLiterals;

/// Addresses, sockets and their errors; loopback only.
class TstSshConnector final : public QObject
{
    Q_OBJECT
private slots:
    void init() { QTest::failOnWarning(QRegularExpression(u".*"_s)); }
    void literal_isNotLookedUp_data();
    void literal_isNotLookedUp();
    void localhost_isLookedUp();
    void socket_isPrepared();
    void deadFirstAddress_isPassedOver_data();
    void deadFirstAddress_isPassedOver();
    void everyAddressRefused_namesThemAll();
    void manyDeadAddresses_endWithoutRecursion();
    void silentAddresses_endAtTheDeadline();
    void addressFamily_leavesAddressesOut();
    void bindAddress_isUsed();
    void bindAddress_ofAnotherMachineIsSaid();
    void unknownName_isSaid();
    void noNetwork_isUnreachable();
    void destroyed_whileConnecting();
    void guard_closesOnlyItsOwnFile();
    void errnoText_isPlain();

private:
    struct Outcome
    {
        std::optional<Result<Connection>> result;
        QStringList words;
        int calls = 0;
    };
    void run(const Destination &destination, Outcome &outcome);
};

namespace {

/// Takes no connection any more: its queue is full, further packets are dropped.
class DeafListener final
{
public:
    explicit DeafListener(const QString &address, quint16 port = 0)
    {
        server.setListenBacklogSize(1);
        listens = server.listen(QHostAddress(address), port);
        server.pauseAccepting();
        for (int i = 0; i < 8; ++i) {
            crowd.push_back(std::make_unique<QTcpSocket>());
            crowd.back()->connectToHost(server.serverAddress(), server.serverPort());
        }
        QTest::qWait(50); // the crowd must be first
    }
    QTcpServer server;
    bool listens = false;
    std::vector<std::unique_ptr<QTcpSocket>> crowd;
};

Destination to(const QStringList &addresses, quint16 port)
{
    Destination destination;
    destination.hostName = u"gpu"_s;
    for (const QString &address : addresses)
        destination.addresses += QHostAddress(address);
    destination.port = port;
    destination.deadline = 3s;
    return destination;
}

} // namespace

void TstSshConnector::run(const Destination &destination, Outcome &outcome)
{
    SshConnector connector;
    connector.start(
        destination, [&](const QString &words) { outcome.words += words; },
        [&](Result<Connection> result) {
            ++outcome.calls;
            outcome.result = std::move(result);
        });
    QVERIFY(!outcome.result); // never from inside
    QTRY_VERIFY_WITH_TIMEOUT(outcome.result, 8'000);
    if (*outcome.result)
        ::close((*outcome.result)->fd);
    QCoreApplication::processEvents();
    QCOMPARE(outcome.calls, 1);
}

void TstSshConnector::literal_isNotLookedUp_data()
{
    QTest::addColumn<QString>("literal");
    QTest::addColumn<QString>("listen");
    QTest::newRow("v4") << u"127.0.0.1"_s << u"127.0.0.1"_s;
    QTest::newRow("v6") << u"::1"_s << u"::1"_s;
    QTest::newRow("v6 in brackets") << u"[::1]"_s << u"::1"_s;
}

void TstSshConnector::literal_isNotLookedUp()
{
    QFETCH(QString, literal);
    QFETCH(QString, listen);
    QTcpServer server;
    if (!server.listen(QHostAddress(listen)))
        PILOTHOUSE_SKIP("no IPv6 on loopback here");
    Destination destination;
    destination.hostName = literal;
    destination.port = server.serverPort();
    Outcome outcome;
    run(destination, outcome);
    QVERIFY(*outcome.result);
    QCOMPARE((*outcome.result)->address, listen);
    QCOMPARE(outcome.words, QStringList{u"connecting to "_s + listen});
}

void TstSshConnector::localhost_isLookedUp()
{
    // Where localhost has both families, ::1 comes first and is refused.
    QTcpServer server;
    QVERIFY(server.listen(QHostAddress(u"127.0.0.1"_s)));
    Destination destination;
    destination.hostName = u"localhost"_s;
    destination.port = server.serverPort();
    Outcome outcome;
    run(destination, outcome);
    QVERIFY(*outcome.result);
    QCOMPARE((*outcome.result)->address, u"127.0.0.1"_s);
    QCOMPARE(outcome.words.constFirst(), u"looking up localhost"_s);
}

void TstSshConnector::socket_isPrepared()
{
    QTcpServer server;
    QVERIFY(server.listen(QHostAddress(u"127.0.0.1"_s)));
    std::optional<Connection> got;
    SshConnector connector;
    Destination destination = to({u"127.0.0.1"_s}, server.serverPort());
    destination.userTimeout = 12'345ms;
    connector.start(destination, [](const QString &) {}, [&](Result<Connection> result) { got = *result; });
    QTRY_VERIFY(got);
    const auto option = [&](int level, int name) {
        int value = -1;
        socklen_t length = sizeof value;
        ::getsockopt(got->fd, level, name, &value, &length);
        return value;
    };
    QCOMPARE(option(IPPROTO_TCP, TCP_NODELAY), 1);
    QCOMPARE(option(SOL_SOCKET, SO_KEEPALIVE), 1);
    QCOMPARE(option(IPPROTO_TCP, TCP_USER_TIMEOUT), 12'345);
    QVERIFY(::fcntl(got->fd, F_GETFD) & FD_CLOEXEC);
    QVERIFY(::fcntl(got->fd, F_GETFL) & O_NONBLOCK);
    ::close(got->fd);
}

void TstSshConnector::deadFirstAddress_isPassedOver_data()
{
    QTest::addColumn<bool>("silent");
    QTest::newRow("refuses") << false;
    QTest::newRow("silent") << true;
}

void TstSshConnector::deadFirstAddress_isPassedOver()
{
    QFETCH(bool, silent);
    QTcpServer server;
    QVERIFY(server.listen(QHostAddress(u"127.0.0.3"_s)));
    std::optional<DeafListener> deaf;
    if (silent) {
        deaf.emplace(u"127.0.0.2"_s, server.serverPort());
        QVERIFY(deaf->listens);
    }
    QElapsedTimer timer;
    timer.start();
    Outcome outcome;
    run(to({u"127.0.0.2"_s, u"127.0.0.3"_s}, server.serverPort()), outcome);
    QVERIFY(*outcome.result);
    QCOMPARE((*outcome.result)->address, u"127.0.0.3"_s);
    QVERIFY(timer.elapsed() < 2'500);
    QCOMPARE(outcome.words, (QStringList{u"connecting to 127.0.0.2"_s, u"connecting to 127.0.0.3"_s}));
}

void TstSshConnector::everyAddressRefused_namesThemAll()
{
    QTcpServer server;
    QVERIFY(server.listen(QHostAddress(u"127.0.0.4"_s)));
    const quint16 port = server.serverPort();
    server.close();
    Outcome outcome;
    run(to({u"127.0.0.4"_s, u"127.0.0.5"_s}, port), outcome);
    QVERIFY(!*outcome.result);
    QCOMPARE(outcome.result->error().code, ErrorCode::ConnectRefused);
    QCOMPARE(outcome.result->error().detail,
             u"Port %1, 127.0.0.4: connection refused; 127.0.0.5: connection refused."_s.arg(port));
}

void TstSshConnector::manyDeadAddresses_endWithoutRecursion()
{
    QTcpServer server;
    QVERIFY(server.listen(QHostAddress(u"127.0.0.4"_s)));
    const quint16 port = server.serverPort();
    server.close();
    QStringList addresses;
    for (int i = 0; i < 200; ++i)
        addresses += u"127.0.1.%1"_s.arg(i + 1);
    Outcome outcome;
    run(to(addresses, port), outcome);
    QVERIFY(!*outcome.result);
    QCOMPARE(outcome.result->error().code, ErrorCode::ConnectRefused);
}

void TstSshConnector::silentAddresses_endAtTheDeadline()
{
    DeafListener deaf(u"127.0.0.6"_s);
    QVERIFY(deaf.listens);
    Destination destination = to({u"127.0.0.6"_s}, deaf.server.serverPort());
    destination.deadline = 400ms;
    QElapsedTimer timer;
    timer.start();
    Outcome outcome;
    run(destination, outcome);
    QVERIFY(!*outcome.result);
    QCOMPARE(outcome.result->error().code, ErrorCode::ConnectTimeout);
    QVERIFY(outcome.result->error().detail.contains(u"127.0.0.6: no answer within 0.4 s"_s));
    QVERIFY(timer.elapsed() >= 400 && timer.elapsed() < 2'000);
}

void TstSshConnector::addressFamily_leavesAddressesOut()
{
    QTcpServer server;
    QVERIFY(server.listen(QHostAddress(u"127.0.0.1"_s)));
    Destination destination = to({u"::1"_s, u"127.0.0.1"_s}, server.serverPort());
    destination.addressFamily = u"inet"_s;
    Outcome four;
    run(destination, four);
    QVERIFY(*four.result);
    QCOMPARE(four.words, QStringList{u"connecting to 127.0.0.1"_s});

    destination.addresses.removeFirst();
    destination.addressFamily = u"inet6"_s;
    Outcome six;
    run(destination, six);
    QVERIFY(!*six.result);
    QCOMPARE(six.result->error().code, ErrorCode::NameNotResolved);
}

void TstSshConnector::bindAddress_isUsed()
{
    QTcpServer server;
    QVERIFY(server.listen(QHostAddress(u"127.0.0.1"_s)));
    // An address of the other family cannot be reached from there: left out.
    Destination destination = to({u"::1"_s, u"127.0.0.1"_s}, server.serverPort());
    destination.bindAddress = u"127.0.0.7"_s;
    std::optional<Connection> got;
    SshConnector connector;
    connector.start(destination, [](const QString &) {}, [&](Result<Connection> result) {
        if (result)
            got = *result;
    });
    QTRY_VERIFY(got && server.hasPendingConnections());
    const std::unique_ptr<QTcpSocket> peer(server.nextPendingConnection());
    QCOMPARE(peer->peerAddress().toString(), u"127.0.0.7"_s);
    ::close(got->fd);
}

void TstSshConnector::bindAddress_ofAnotherMachineIsSaid()
{
    Destination destination = to({u"127.0.0.1"_s}, 22);
    destination.bindAddress = u"198.51.100.1"_s;
    Outcome foreign;
    run(destination, foreign);
    QVERIFY(!*foreign.result);
    QCOMPARE(foreign.result->error().code, ErrorCode::LocalIo);
    QVERIFY(foreign.result->error().detail.contains(u"198.51.100.1"_s));

    destination.bindAddress = u"not an address"_s;
    Outcome invalid;
    run(destination, invalid);
    QVERIFY(!*invalid.result);
    QCOMPARE(invalid.result->error().code, ErrorCode::SshConfigInvalid);

    destination.bindAddress.clear();
    destination.bindInterface = u"no-such-if0"_s;
    Outcome interface;
    run(destination, interface);
    QVERIFY(!*interface.result);
    QCOMPARE(interface.result->error().code, ErrorCode::LocalIo);
}

void TstSshConnector::unknownName_isSaid()
{
    Destination destination;
    destination.hostName = u"no..such\nhost"_s; // fails before any resolver is asked
    Outcome outcome;
    run(destination, outcome);
    QVERIFY(!*outcome.result);
    QCOMPARE(outcome.result->error().code, ErrorCode::NameNotResolved);
    QVERIFY(!outcome.result->error().detail.contains(u'\n'));
}

void TstSshConnector::noNetwork_isUnreachable()
{
    // A thread may have a network of its own: an empty one, in which even loopback is down.
    std::optional<Error> error;
    bool allowed = false;
    const std::unique_ptr<QThread> thread(QThread::create([&] {
        allowed = ::unshare(CLONE_NEWNET) == 0;
        if (!allowed)
            return;
        SshConnector connector;
        QEventLoop loop;
        connector.start(to({u"127.0.0.1"_s}, 22), [](const QString &) {}, [&](Result<Connection> result) {
            error = result ? Error{} : result.error();
            loop.quit();
        });
        loop.exec();
    }));
    thread->start();
    QVERIFY(thread->wait(8'000));
    if (!allowed)
        PILOTHOUSE_SKIP("a network namespace needs root");
    QVERIFY(error);
    QCOMPARE(error->code, ErrorCode::Unreachable);
    QCOMPARE(error->detail, u"Port 22, 127.0.0.1: network is unreachable."_s);
}

void TstSshConnector::destroyed_whileConnecting()
{
    DeafListener deaf(u"127.0.0.8"_s);
    for (int wait : {0, 1, 30}) {
        auto connector = std::make_unique<SshConnector>();
        connector->start(to({u"127.0.0.8"_s, u"127.0.0.8"_s}, deaf.server.serverPort()), [](const QString &) {},
                         [](Result<Connection>) { QFAIL("nobody is here"); });
        QTest::qWait(wait);
        connector.reset();
        QCoreApplication::processEvents();
    }
    auto lookup = std::make_unique<SshConnector>();
    Destination destination;
    destination.hostName = u"localhost"_s;
    lookup->start(destination, [](const QString &) {}, [](Result<Connection>) { QFAIL("nobody is here"); });
    lookup.reset();
    QTest::qWait(50);
}

void TstSshConnector::guard_closesOnlyItsOwnFile()
{
    const auto isOpen = [](int fd) { return ::fcntl(fd, F_GETFD) >= 0; };
    const int first = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    DescriptorGuard own(first);
    QCOMPARE(own.fd(), first);
    own.closeIfSame();
    QVERIFY(!isOpen(first));
    own.closeIfSame();

    const int second = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    DescriptorGuard stale(second);
    const int other = ::open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
    QCOMPARE(::dup2(other, second), second); // closed by somebody and used for another file
    stale.closeIfSame();
    QVERIFY(isOpen(second));
    ::close(second);
    ::close(other);

    DescriptorGuard none(-1);
    QCOMPARE(none.fd(), -1);
    none.closeIfSame();
}

void TstSshConnector::errnoText_isPlain()
{
    QCOMPARE(errnoText(ECONNREFUSED), u"connection refused"_s);
    QCOMPARE(errnoText(EHOSTUNREACH), u"no route to host"_s);
    QCOMPARE(errnoText(99'999), u"error 99999"_s);
}

PILOTHOUSE_TEST_MAIN(TstSshConnector)
#include "tst_sshconnector.moc"
