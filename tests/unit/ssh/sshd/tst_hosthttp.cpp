// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ssh/http/hosthttp.h"
#include "core/ssh/http/loopbackpeer.h"
#include "tests/support/sshdserver.h"
#include "tests/support/testmain.h"
#include "tests/support/webserver.h"
#include "tests/unit/ssh/sshd/sessionwatch.h"

#include <QElapsedTimer>

using namespace pilothouse;
using namespace pilothouse::test;
using namespace std::chrono_literals;
using namespace Qt::StringLiterals;
using Outcome = HttpAnswer::Outcome;

/// HTTP to servers on loopback, through a real sshd: what comes of good ones, bad ones and none.
class TstHostHttp final : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase();
    void answer_comesWhole();
    void request_carriesBodyAndKey();
    void endpoint_endsWithinItsLimits_data();
    void endpoint_endsWithinItsLimits();
    void redirect_isNotFollowed();
    void cookie_isNotSentAgain();
    void nothingListens_isSaid();
    void unixSocket_isAsked();
    void missingSocket_isSaid();
    void selfSignedTls_isAccepted();
    void plainServer_isNoTls();
    void tlsServer_isNoPlainOne();
    void several_atOnceAreAnsweredEach();
    void forwardingForbidden_mayBeAskedThere_data();
    void forwardingForbidden_mayBeAskedThere();
    void unusableRequest_leavesNothing_data();
    void unusableRequest_leavesNothing();
    void connectionLost_endsTheRequest();
    void stranger_getsNoConnection();
    void peersTable_isReadRowByRow();

private:
    struct Asked
    {
        HttpAnswer answer;
        bool mayBeAskedThere = false;
        int times = 0;
    };
    [[nodiscard]] HttpRequest requestOf(const QByteArray &path) const
    {
        HttpRequest request;
        request.port = m_web.serverPort();
        request.path = path;
        request.limit = 3s;
        return request;
    }
    Asked ask(const HttpRequest &request, SessionWatch *session = nullptr)
    {
        HostHttp http(*(session ? session : m_session.get())->session);
        Asked asked;
        connect(&http, &HostHttp::answered, this, [&](quint64, const HttpAnswer &answer, bool mayBeAskedThere) {
            asked = {answer, mayBeAskedThere, asked.times + 1};
        });
        http.ask(1, request);
        (void)QTest::qWaitFor([&] { return asked.times > 0; }, int(request.limit.count()) + 5'000);
        return asked;
    }

    SshdServer m_sshd;
    std::unique_ptr<SessionWatch> m_session;
    WebServer m_web;
};

void TstHostHttp::initTestCase()
{
    QVERIFY2(m_sshd.start(), qPrintable(m_sshd.error()));
    m_session = std::make_unique<SessionWatch>(m_sshd.settings());
    m_session->session->open();
    QTRY_VERIFY2_WITH_TIMEOUT(m_session->isReady(), qPrintable(m_session->endText()), 15'000);
}

void TstHostHttp::answer_comesWhole()
{
    const Asked asked = ask(requestOf("/echo"));
    QCOMPARE(asked.times, 1);
    QCOMPARE(asked.answer.outcome, Outcome::Answered);
    QCOMPARE(asked.answer.status, 200);
    QVERIFY(asked.answer.isWhole && asked.answer.isSuccess() && !asked.answer.onHost);
    QVERIFY(asked.answer.body.startsWith("GET /echo HTTP/1.1\r\n"));
    QVERIFY(asked.answer.body.contains("Host: 127.0.0.1:" + QByteArray::number(m_web.serverPort())));
    QVERIFY(!asked.answer.body.contains("Authorization"));
}

void TstHostHttp::request_carriesBodyAndKey()
{
    HttpRequest request = requestOf("/echo");
    request.body = R"({"model":"kimi","prompt":"1"})";
    request.key = "sk-secret";
    const Asked asked = ask(request);
    QVERIFY2(asked.answer.isSuccess(), qPrintable(asked.answer.words));
    QVERIFY(asked.answer.body.startsWith("POST /echo HTTP/1.1\r\n"));
    QVERIFY(asked.answer.body.contains("Authorization: Bearer sk-secret\r\n"));
    QVERIFY(asked.answer.body.toLower().contains("content-type: application/json\r\n"));
    QVERIFY(asked.answer.body.endsWith("\r\n\r\n" + request.body));
    QVERIFY(!asked.answer.words.contains(u"secret"_s));
}

void TstHostHttp::endpoint_endsWithinItsLimits_data()
{
    QTest::addColumn<QByteArray>("path");
    QTest::addColumn<Outcome>("outcome");
    QTest::addColumn<int>("status");
    QTest::addColumn<QString>("words");
    QTest::addColumn<bool>("untilLimit");
    const auto row = [](const char *path, Outcome outcome, int status, const QString &words, bool untilLimit = false) {
        QTest::newRow(path) << QByteArray(path) << outcome << status << words << untilLimit;
    };
    row("/stall", Outcome::TimedOut, 0, u"does not answer within 1 s"_s, true);
    row("/forever", Outcome::TimedOut, 200, u"answers, but is not done within 1 s"_s, true);
    row("/4gib", Outcome::TooLarge, 200, u"sends more than the 64 KiB"_s);
    row("/headers", Outcome::TooLarge, 0, u"sends more than"_s);
    row("/short", Outcome::Closed, 200, u"ends before its answer is whole"_s);
    row("/long", Outcome::Answered, 200, u"answers HTTP 200"_s);
    row("/garbage", Outcome::NotHttp, 0, u"does not speak HTTP"_s);
    row("/close", Outcome::Closed, 0, u"closed the connection without an answer"_s);
    row("/key", Outcome::Answered, 401, u"alive, key needed"_s);
    row("/starting", Outcome::Answered, 503, u"answers HTTP 503"_s);
    row("/redirect", Outcome::Answered, 302, u"a redirect to http://127.0.0.1"_s);
    row("/packed", Outcome::Answered, 200, u"answers HTTP 200"_s);
    row("/none", Outcome::Answered, 404, u"answers HTTP 404"_s);
}

void TstHostHttp::endpoint_endsWithinItsLimits()
{
    QFETCH(QByteArray, path);
    QFETCH(Outcome, outcome);
    QFETCH(int, status);
    QFETCH(QString, words);
    QFETCH(bool, untilLimit);
    HttpRequest request = requestOf(path);
    request.limit = untilLimit ? 1s : 8s;
    m_web.sent = 0;
    QElapsedTimer clock;
    clock.start();
    const Asked asked = ask(request);
    QCOMPARE(asked.times, 1);
    QVERIFY2(asked.answer.words.contains(words), qPrintable(asked.answer.words));
    QCOMPARE(asked.answer.outcome, outcome);
    QCOMPARE(asked.answer.status, status);
    QVERIFY(asked.answer.body.size() <= request.mostBytes);
    QVERIFY2(clock.elapsed() < (untilLimit ? 2'500 : 6'000), qPrintable(QString::number(clock.elapsed())));
    // And the server is rid of us: it does not go on sending.
    const auto stands = [&] {
        const qint64 before = m_web.sent;
        QTest::qWait(200);
        return m_web.sent == before;
    };
    QTRY_VERIFY_WITH_TIMEOUT(stands(), 5'000);
    QVERIFY2(m_web.sent < 32 * 1024 * 1024, qPrintable(QString::number(m_web.sent)));
    if (path == "/long")
        QCOMPARE(asked.answer.body, "hello");
    if (path == "/packed")
        QVERIFY(asked.answer.body.endsWith("not unpacked"));
}

void TstHostHttp::redirect_isNotFollowed()
{
    m_web.requests.clear();
    HttpRequest request = requestOf("/redirect");
    request.key = "sk-secret";
    (void)ask(request);
    QCOMPARE(m_web.requests.size(), 1);
}

void TstHostHttp::cookie_isNotSentAgain()
{
    (void)ask(requestOf("/cookie"));
    const Asked asked = ask(requestOf("/echo"));
    QVERIFY(asked.answer.isSuccess());
    QVERIFY(!asked.answer.body.contains("Cookie"));
}

void TstHostHttp::nothingListens_isSaid()
{
    HttpRequest request = requestOf("/health");
    request.port = freePort();
    const Asked asked = ask(request);
    QVERIFY2(asked.answer.words.startsWith(u"Nothing listens at http://127.0.0.1"_s), qPrintable(asked.answer.words));
    QCOMPARE(asked.answer.outcome, Outcome::NothingListens);
    QVERIFY(!asked.mayBeAskedThere);
}

void TstHostHttp::unixSocket_isAsked()
{
    HttpRequest request = requestOf("/echo");
    request.socket = m_sshd.path(u"vllm.sock"_s);
    QVERIFY(m_web.listenAt(request.socket));
    const Asked asked = ask(request);
    QVERIFY2(asked.answer.isSuccess(), qPrintable(asked.answer.words));
    QVERIFY(asked.answer.body.contains("Host: localhost\r\n"));
}

void TstHostHttp::missingSocket_isSaid()
{
    HttpRequest request = requestOf("/echo");
    request.socket = m_sshd.path(u"none.sock"_s);
    const Asked asked = ask(request);
    QVERIFY2(asked.answer.words.contains(u"none.sock"_s), qPrintable(asked.answer.words));
    QVERIFY(asked.answer.outcome == Outcome::NothingListens || asked.answer.outcome == Outcome::NoWay);
}

void TstHostHttp::selfSignedTls_isAccepted()
{
    bool ok = false;
    (void)runTool(u"openssl"_s, {u"req"_s, u"-x509"_s, u"-newkey"_s, u"rsa:2048"_s, u"-nodes"_s, u"-days"_s, u"1"_s,
                                 u"-subj"_s, u"/CN=gpu1"_s, u"-keyout"_s, m_sshd.path(u"key.pem"_s), u"-out"_s,
                                 m_sshd.path(u"cert.pem"_s)}, &ok);
    QVERIFY(ok);
    WebServer web;
    web.useTls(m_sshd.path(u"cert.pem"_s), m_sshd.path(u"key.pem"_s));
    HttpRequest request = requestOf("/echo");
    request.port = web.serverPort();
    request.tls = true;
    const Asked asked = ask(request);
    QVERIFY2(asked.answer.isSuccess(), qPrintable(asked.answer.words));
    QVERIFY(asked.answer.body.startsWith("GET /echo HTTP/1.1\r\n"));
}

void TstHostHttp::plainServer_isNoTls()
{
    HttpRequest request = requestOf("/echo");
    request.tls = true;
    const Asked asked = ask(request);
    QVERIFY2(asked.answer.outcome == Outcome::TlsFailed || asked.answer.outcome == Outcome::TimedOut
                 || asked.answer.outcome == Outcome::Closed,
             qPrintable(asked.answer.words));
    QVERIFY(asked.answer.words.contains(u"https://127.0.0.1"_s));
}

void TstHostHttp::tlsServer_isNoPlainOne()
{
    WebServer web;
    web.useTls(m_sshd.path(u"cert.pem"_s), m_sshd.path(u"key.pem"_s));
    HttpRequest request = requestOf("/echo");
    request.port = web.serverPort();
    const Asked asked = ask(request);
    QVERIFY2(asked.answer.outcome == Outcome::Closed || asked.answer.outcome == Outcome::NotHttp,
             qPrintable(asked.answer.words));
}

void TstHostHttp::several_atOnceAreAnsweredEach()
{
    HostHttp http(*m_session->session);
    QHash<quint64, HttpAnswer> answers;
    connect(&http, &HostHttp::answered, this,
            [&](quint64 id, const HttpAnswer &answer) { answers.insert(id, answer); });
    for (quint64 id = 1; id <= 20; ++id)
        http.ask(id, requestOf(id % 5 == 0 ? "/stall" : "/echo"));
    QTRY_COMPARE_WITH_TIMEOUT(answers.size(), 20, 10'000);
    for (quint64 id = 1; id <= 20; ++id)
        QCOMPARE(answers.value(id).outcome, id % 5 == 0 ? Outcome::TimedOut : Outcome::Answered);
}

void TstHostHttp::forwardingForbidden_mayBeAskedThere_data()
{
    QTest::addColumn<QString>("line");
    QTest::addColumn<bool>("bySocket");
    QTest::newRow("tcp") << u"AllowTcpForwarding no"_s << false;
    QTest::newRow("permitopen") << u"PermitOpen 127.0.0.1:1"_s << false;
    QTest::newRow("all") << u"DisableForwarding yes"_s << false;
    QTest::newRow("socket") << u"AllowStreamLocalForwarding no"_s << true;
}

void TstHostHttp::forwardingForbidden_mayBeAskedThere()
{
    QFETCH(QString, line);
    QFETCH(bool, bySocket);
    SshdServer sshd({line});
    QVERIFY2(sshd.start(), qPrintable(sshd.error()));
    SessionWatch session(sshd.settings());
    session.session->open();
    QTRY_VERIFY_WITH_TIMEOUT(session.isReady(), 15'000);
    HttpRequest request = requestOf("/echo");
    if (bySocket)
        request.socket = m_sshd.path(u"vllm.sock"_s);
    const Asked asked = ask(request, &session);
    QCOMPARE(asked.answer.outcome, Outcome::NoWay);
    QVERIFY(asked.mayBeAskedThere);
    if (!bySocket)
        QVERIFY2(asked.answer.words.contains(u"does not allow"_s), qPrintable(asked.answer.words));
}

void TstHostHttp::unusableRequest_leavesNothing_data()
{
    QTest::addColumn<HttpRequest>("request");
    HttpRequest request;
    request.port = 80;
    const auto row = [&](const char *name, auto change) {
        HttpRequest bad = request;
        change(bad);
        QTest::newRow(name) << bad;
    };
    row("line end in path", [](HttpRequest &bad) { bad.path = "/a\r\nX: y"; });
    row("no slash", [](HttpRequest &bad) { bad.path = "health"; });
    row("line end in key", [](HttpRequest &bad) { bad.key = "a\r\nX: y"; });
    row("option as address", [](HttpRequest &bad) { bad.address = u"-oX"_s; });
    row("shell in address", [](HttpRequest &bad) { bad.address = u"a;b"_s; });
    row("no port", [](HttpRequest &bad) { bad.port = 0; });
    row("relative socket", [](HttpRequest &bad) { bad.socket = u"x.sock"_s; });
    row("long socket", [](HttpRequest &bad) { bad.socket = u"/"_s + QString(200, u'x'); });
}

void TstHostHttp::unusableRequest_leavesNothing()
{
    QFETCH(HttpRequest, request);
    const Asked asked = ask(request);
    QCOMPARE(asked.times, 1);
    QCOMPARE(asked.answer.outcome, Outcome::NoWay);
    QVERIFY(!asked.mayBeAskedThere && !asked.answer.words.isEmpty());
}

void TstHostHttp::connectionLost_endsTheRequest()
{
    SessionWatch session(m_sshd.settings());
    session.session->open();
    QTRY_VERIFY_WITH_TIMEOUT(session.isReady(), 15'000);
    HostHttp http(*session.session);
    std::optional<HttpAnswer> got;
    connect(&http, &HostHttp::answered, this, [&](quint64, const HttpAnswer &answer) { got = answer; });
    const qsizetype before = m_web.requests.size();
    http.ask(1, requestOf("/stall"));
    QTRY_COMPARE_WITH_TIMEOUT(m_web.requests.size(), before + 1, 5'000);
    session.session->close();
    QTRY_VERIFY_WITH_TIMEOUT(got, 2'000);
    QCOMPARE(got->outcome, Outcome::Closed);
}

/// Another process of this account passes; the same from an account that is not ours would be row "other".
void TstHostHttp::stranger_getsNoConnection()
{
    QTcpServer server;
    QVERIFY(server.listen(QHostAddress::LocalHost));
    QTcpSocket socket;
    socket.connectToHost(QHostAddress::LocalHost, server.serverPort());
    QVERIFY(server.waitForNewConnection(5'000));
    const std::unique_ptr<QTcpSocket> accepted(server.nextPendingConnection());
    QCOMPARE(ownerOfPeer(int(accepted->socketDescriptor())), std::optional<uid_t>(::geteuid()));
    socket.abort();
    QVERIFY(!ownerOfPeer(-1));
}

void TstHostHttp::peersTable_isReadRowByRow()
{
    // Composed after /proc/net/tcp of Linux 6.1.
    const QByteArray table
        = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
          "   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1 1 0\n"
          "   1: 0100007F:D431 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1001        0 2 1 0\n"
          "   2: 0100007F:1F90 0100007F:D431 01 00000000:00000000 00:00000000 00000000     0        0 3 1 0\n";
    QCOMPARE(ownerInTable(table, "0100007F:D431", "0100007F:1F90"), std::optional<uid_t>(1001));
    QCOMPARE(ownerInTable(table, "0100007F:1F90", "0100007F:D431"), std::optional<uid_t>(0));
    QVERIFY(!ownerInTable(table, "0100007F:D432", "0100007F:1F90"));
    QVERIFY(!ownerInTable("garbage\n\n 1: a b c", "a", "b"));
}

PILOTHOUSE_TEST_MAIN(TstHostHttp)
#include "tst_hosthttp.moc"
