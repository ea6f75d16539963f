// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// The host's lock, the audit before and after, and what is said when the link breaks.
#include "core/actions/actionanswer.h"
#include "core/actions/actionscript.h"
#include "tests/support/skip.h"
#include "tests/support/skip.h"
#include "tests/support/testmain.h"
#include "tests/unit/actions/actionrig.h"

#include <QProcess>
#include <QStandardPaths>
#include <QTcpServer>
#include <QTcpSocket>

#include <csignal>

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace pilothouse;
using namespace pilothouse::test;

using Kind = ActionRequest::Kind;
using What = ProcessOutcome::What;

class TstActionRunner final : public QObject
{
    Q_OBJECT
private slots:
    void lock_belongsToOneConsole();
    void lock_endsWithItsLease();
    void lock_ofAnOlderBoot_countsNoMore();
    void hostsFiles_tellColleagues();
    void audit_isThereBeforeAnythingLeaves();
    void audit_looksAreNotInIt();
    void noAudit_nothingIsSent_data();
    void noAudit_nothingIsSent();
    void cutAfterSending_isUnknown();
    void cutBeforeSending_isNotDone();
    void oneAtATime();
    void words_areQuoted();
    void forgedAnswers_areRefused();
    void unit_isAskedOfSystemd();
    void sharedMemory_onlyWhatNobodyUses();
    void ports_areAskedOverHttp_data();
    void ports_areAskedOverHttp();
    void ports_areAskedOverTls();

private:
    [[nodiscard]] static ProbeAnswer answerWith(const QByteArray &lock, const QByteArray &signal)
    {
        ProbeAnswer answer;
        answer.frames = {Frame{"lock", 0, 0, 0, lock, {}, true}, Frame{"signal", 0, 0, 0, signal, {}, true}};
        return answer;
    }
};

void TstActionRunner::lock_belongsToOneConsole()
{
    ActionRig rig;
    Victim victim;
    QCOMPARE(rig.run(Kind::Begin).answer->lock, ActionAnswer::Lock::Mine);
    rig.actor.console = u"b"_s.repeated(32);
    rig.actor.person = u"bob@lap"_s;
    const ActionResult refused = rig.run(Kind::Kill, {victim.target()});
    QVERIFY(refused.answer);
    QCOMPARE(refused.answer->lock, ActionAnswer::Lock::Busy);
    QCOMPARE(refused.answer->lockHolder, u"ada@desk"_s);
    QVERIFY(refused.answer->lockAgeS && *refused.answer->lockAgeS <= 2);
    QCOMPARE(refused.answer->processes.first().what, What::Untold);
    QVERIFY(victim.isAlive());
    QCOMPARE(rig.audit().last().result, AuditRecord::Result::Refused);
    // Its own it takes over at once, and what it gives back is free.
    rig.actor.console = u"a"_s.repeated(32);
    QCOMPARE(rig.run(Kind::Begin).answer->lock, ActionAnswer::Lock::Mine);
    QCOMPARE(rig.run(Kind::End).answer->lock, ActionAnswer::Lock::Dropped);
    QVERIFY(!QFile::exists(rig.runFile(u"pilothouse.lock"_s)));
    rig.actor.console = u"b"_s.repeated(32);
    QCOMPARE(rig.outcome(Kind::Kill, victim.target()), What::Signalled);
}

void TstActionRunner::lock_endsWithItsLease()
{
    ActionRig rig;
    QCOMPARE(rig.run(Kind::Begin).answer->lock, ActionAnswer::Lock::Mine);
    QList<QByteArray> words = contentsOf(rig.runFile(u"pilothouse.lock"_s)).split(' ');
    QCOMPARE(words.size(), 4);
    const qint64 written = words.at(2).toLongLong();
    rig.actor.console = u"b"_s.repeated(32);
    const auto age = [&](qint64 seconds) {
        words[2] = QByteArray::number(written - seconds);
        QFile file(rig.runFile(u"pilothouse.lock"_s));
        return file.open(QIODevice::WriteOnly) && file.write(words.join(' ')) > 0;
    };
    QVERIFY(age(10));
    QCOMPARE(rig.run(Kind::Look).answer->lock, ActionAnswer::Lock::Busy);
    QVERIFY(age(16));
    QCOMPARE(rig.run(Kind::Look).answer->lock, ActionAnswer::Lock::Mine);
}

void TstActionRunner::lock_ofAnOlderBoot_countsNoMore()
{
    ActionRig rig;
    QFile file(rig.runFile(u"pilothouse.lock"_s));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("cc 00000000-0000-0000-0000-000000000000 1 eve@old\n");
    file.close();
    QCOMPARE(rig.run(Kind::Begin).answer->lock, ActionAnswer::Lock::Mine);
}

void TstActionRunner::hostsFiles_tellColleagues()
{
    ActionRig rig;
    Victim victim;
    ActionRequest request = ActionRig::request(Kind::Terminate, {victim.target()});
    request.what = u"SIGTERM to 1 process; it's `a` $(test)\n\033[31m"_s;
    QCOMPARE(rig.run(request).answer->processes.first().what, What::Signalled);
    const QByteArray state = contentsOf(rig.runFile(u"pilothouse.state"_s));
    QVERIFY2(state.contains("person=ada@desk\n"), state.constData());
    QVERIFY2(state.contains("what=SIGTERM to 1 process; it's `a` $(test)"), state.constData());
    QCOMPARE(state.count('\n'), 4);
    QVERIFY(!state.contains('\033'));
    const ActionResult next = rig.run(Kind::Begin);
    QVERIFY2(next.answer->lastDeed.contains(u"person=ada@desk"_s), qPrintable(next.answer->lastDeed.join(u'|')));
}

void TstActionRunner::audit_isThereBeforeAnythingLeaves()
{
    ActionRig rig;
    Victim victim;
    // A login that takes note of the audit when it begins.
    const QString copyPath = rig.runFile(u"copy"_s);
    rig.provider.command = {u"/bin/sh"_s, u"-c"_s, u"cp '%1/audit.jsonl' '%2'; exec /bin/sh"_s.arg(rig.actor.auditFolder, copyPath)};
    QCOMPARE(rig.outcome(Kind::Terminate, victim.target()), What::Signalled);
    const QByteArray copy = contentsOf(copyPath);
    QCOMPARE(copy.count('\n'), 1);
    QVERIFY2(copy.contains("intent"), copy.constData());
    const QList<AuditRecord> records = rig.audit();
    QCOMPARE(records.size(), 2);
    QCOMPARE(records.at(0).phase, AuditRecord::Phase::Intent);
    QCOMPARE(records.at(0).action, u"signal.term"_s);
    QCOMPARE(records.at(0).host, u"gpu1"_s);
    QCOMPARE(records.at(0).target, u"root@10.0.0.5:22"_s);
    QCOMPARE(records.at(0).bootId, bootId());
    QCOMPARE(records.at(0).objects.first().process, std::optional(victim.target().identity));
    QCOMPARE(records.at(1).operation, records.at(0).operation);
    QCOMPARE(records.at(1).result, AuditRecord::Result::Done);
    QCOMPARE(records.at(1).text, u"1 signalled"_s);
}

void TstActionRunner::audit_looksAreNotInIt()
{
    ActionRig rig;
    Victim victim;
    QCOMPARE(rig.outcome(Kind::Look, victim.target()), What::Alive);
    QCOMPARE(rig.run(Kind::Begin).answer->lock, ActionAnswer::Lock::Mine);
    QCOMPARE(rig.audit().size(), 0);
}

void TstActionRunner::noAudit_nothingIsSent_data()
{
    QTest::addColumn<bool>("full");
    QTest::newRow("no folder") << false;
    QTest::newRow("full disk") << true;
}

void TstActionRunner::noAudit_nothingIsSent()
{
    QFETCH(const bool, full);
    ActionRig rig;
    Victim victim;
    rlimit before{};
    ::getrlimit(RLIMIT_FSIZE, &before);
    if (full) {
        std::signal(SIGXFSZ, SIG_IGN);
        const rlimit none{0, before.rlim_max}; // every byte is one too many, as on a full disk
        ::setrlimit(RLIMIT_FSIZE, &none);
    } else {
        rig.actor.auditFolder += u"/missing"_s;
    }
    const ActionResult result = rig.run(Kind::Kill, {victim.target()});
    ::setrlimit(RLIMIT_FSIZE, &before);
    QVERIFY(result.error);
    QCOMPARE(exitCodeOf(result.error->code), 8);
    QVERIFY(!result.sent);
    QCOMPARE(rig.provider.opened, 0);
    QVERIFY(victim.isAlive());
}

void TstActionRunner::cutAfterSending_isUnknown()
{
    ActionRig rig;
    Victim victim;
    // The host hears everything; its answer is lost with the link.
    rig.provider.command = {u"/bin/sh"_s, u"-c"_s, u"/bin/sh | head -n 3"_s};
    const ActionResult result = rig.run(Kind::Kill, {victim.target()});
    QVERIFY(result.error && !result.answer);
    QVERIFY(result.sent);
    const QList<AuditRecord> records = rig.audit();
    QCOMPARE(records.size(), 2);
    QCOMPARE(records.at(1).result, AuditRecord::Result::Failed);
    QVERIFY2(records.at(1).text.startsWith(u"Outcome unknown"_s), qPrintable(records.at(1).text));
}

void TstActionRunner::cutBeforeSending_isNotDone()
{
    ActionRig rig;
    Victim victim;
    rig.provider.command = {u"/bin/sh"_s, u"-c"_s, u"exit 3"_s};
    const ActionResult result = rig.run(Kind::Kill, {victim.target()});
    QVERIFY(result.error && !result.sent);
    QVERIFY2(rig.audit().last().text.startsWith(u"Not done"_s), qPrintable(rig.audit().last().text));
    QVERIFY(victim.isAlive());
}

void TstActionRunner::oneAtATime()
{
    ActionRig rig;
    rig.runner.run(7, ActionRig::request(Kind::Begin), rig.actor, rig.ways);
    rig.runner.run(8, ActionRig::request(Kind::Begin), rig.actor, rig.ways);
    QCOMPARE(rig.results.size(), size_t(1));
    QVERIFY(rig.results.front().error);
    rig.runner.abandon({ErrorCode::ConnectionLost, {}, {}});
    QCOMPARE(rig.results.size(), size_t(2));
    QCOMPARE(rig.results.back().error->code, ErrorCode::ConnectionLost);
    rig.runner.abandon({ErrorCode::ConnectionLost, {}, {}});
    QCOMPARE(rig.results.size(), size_t(2));
}

void TstActionRunner::words_areQuoted()
{
    ActionRig rig;
    ActionRequest request = ActionRig::request(Kind::Kill, {});
    SignalTarget target;
    target.identity = {Pid{4242}, StartTicks{7}};
    target.cgroup = u"/a'; kill -9 -1; '"_s;
    request.targets = {target};
    rig.actor.person = u"eve'; reboot; '@x"_s;
    const auto script = actionScript(request, rig.actor, "ab");
    QVERIFY(script);
    QVERIFY2(script->contains(R"(target 4242 7 '' '/a'\''; kill -9 -1; '\''')" "\n"), script->constData());
    QVERIFY(script->contains(R"(PERSON='eve'\''; reboot; '\''@x')" "\n"));
    for (const QString &unit : {u"a b.service"_s, u"-x.service"_s, u"$(reboot).service"_s, QString()}) {
        ActionRequest stop = ActionRig::request(Kind::StopUnit);
        stop.unit = unit;
        QVERIFY(!actionScript(stop, rig.actor, "ab"));
    }
}

void TstActionRunner::forgedAnswers_areRefused()
{
    SignalTarget target;
    target.identity = {Pid{4242}, StartTicks{7}};
    const ActionRequest request = ActionRig::request(Kind::Kill, {target});
    QVERIFY(!readActionAnswer(ProbeAnswer(), request));
    QVERIFY(!readActionAnswer(answerWith("mine\n", "perl\n4243 7 signalled\n"), request));
    QVERIFY(!readActionAnswer(answerWith("mine\n", "perl\n4242 8 signalled\n"), request)); // another with its number
    const auto silent = readActionAnswer(answerWith("mine\n", "perl\n4242 7 exploded\n"), request);
    QVERIFY(silent);
    QCOMPARE(silent->processes.first().what, What::Untold);
    const auto busy = readActionAnswer(answerWith("busy 3 <b>\033[1mmallory\n", {}), request);
    QVERIFY(busy);
    QCOMPARE(busy->lock, ActionAnswer::Lock::Busy);
    QVERIFY(!busy->lockHolder.contains(u'\033'));
}

void TstActionRunner::unit_isAskedOfSystemd()
{
    ActionRig rig;
    QTemporaryDir tools;
    QFile systemctl(tools.filePath(u"systemctl"_s));
    QVERIFY(systemctl.open(QIODevice::WriteOnly));
    systemctl.write(R"(#!/bin/sh
echo "$*" >>"$PILOTHOUSE_RUN/asked"
case $* in
*show*) printf 'ActiveState=deactivating\nSubState=stop-sigterm\nJob=17\nTimeoutStopUSec=1min 30s\n' ;;
*) echo 'Access denied' >&2; exit 4 ;;
esac
)");
    systemctl.close();
    QVERIFY(systemctl.setPermissions(QFile::ReadOwner | QFile::ExeOwner));
    rig.provider.environment.insert(u"PATH"_s, tools.path() + u":/usr/bin:/bin"_s);
    ActionRequest request = ActionRig::request(Kind::StopUnit);
    request.unit = u"vllm.service"_s;
    request.userUnit = true;
    const ActionResult result = rig.run(request);
    QVERIFY(result.answer);
    QCOMPARE(result.answer->unit.jobStatus, std::optional(4));
    QCOMPARE(result.answer->unit.jobWords, u"Access denied"_s);
    QCOMPARE(result.answer->unit.active, u"deactivating"_s);
    QVERIFY(result.answer->unit.jobPending);
    QCOMPARE(result.answer->unit.stopLimit, std::optional(std::chrono::milliseconds(90'000)));
    const QByteArray asked = contentsOf(rig.runFile(u"asked"_s));
    QVERIFY2(asked.startsWith("--user --no-ask-password --no-block stop -- vllm.service\n"), asked.constData());
    QCOMPARE(rig.audit().last().action, u"unit.stop"_s);
}

void TstActionRunner::sharedMemory_onlyWhatNobodyUses()
{
    if (::getuid() != 0)
        PILOTHOUSE_SKIP("needs root: nobody else can prove that a file is unused");
    using FileWhat = ShmOutcome::What;
    const QString name = u"pilothouse-test-%1"_s.arg(::getpid());
    const QString path = u"/dev/shm/"_s + name;
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadWrite) && file.resize(4096));
    struct stat state{};
    QVERIFY(::stat(qPrintable(path), &state) == 0);
    const ShmTarget target{name, state.st_dev, state.st_ino, 0};
    ActionRig rig;
    const auto clean = [&](const ShmTarget &one) {
        ActionRequest request = ActionRig::request(Kind::CleanShm);
        request.files = {one};
        const ActionResult result = rig.run(request);
        return result.answer && result.answer->files.size() == 1 ? result.answer->files.first().what : FileWhat::Untold;
    };
    QCOMPARE(clean(target), FileWhat::Used); // open
    file.close();
    ShmTarget other = target;
    other.inode += 1;
    QCOMPARE(clean(other), FileWhat::Other);
    other = target;
    other.uid = 7;
    QCOMPARE(clean(other), FileWhat::Other);
    {
        QFile holder(path);
        QVERIFY(holder.open(QIODevice::ReadWrite));
        void *map = ::mmap(nullptr, 4096, PROT_READ, MAP_SHARED, holder.handle(), 0);
        holder.close();
        QCOMPARE(clean(target), FileWhat::Used); // mapped alone, no descriptor left
        ::munmap(map, 4096);
    }
    QVERIFY(QFile::exists(path));
    QCOMPARE(clean(target), FileWhat::Removed);
    QVERIFY(!QFile::exists(path));
    QCOMPARE(clean(target), FileWhat::Gone);
    QCOMPARE(rig.audit().last().action, u"shm.clean"_s);
    QCOMPARE(rig.audit().last().objects.first().name, path);
    ActionRequest hostile = ActionRig::request(Kind::CleanShm);
    hostile.files = {ShmTarget{u"../../etc/passwd"_s, 1, 2, 0}};
    QVERIFY(rig.run(hostile).error);
    QVERIFY(QFile::link(u"/etc/passwd"_s, path));
    QCOMPARE(clean(target), FileWhat::Other);
    QVERIFY(QFile::remove(path));
}

void TstActionRunner::ports_areAskedOverHttp_data()
{
    QTest::addColumn<QByteArray>("health");
    QTest::addColumn<QByteArray>("models");
    QTest::addColumn<int>("healthStatus");
    QTest::addColumn<int>("modelsStatus");
    QTest::newRow("well") << QByteArray("HTTP/1.1 200 OK\r\n\r\n") << QByteArray() << 200 << 0;
    QTest::newRow("loading") << QByteArray("HTTP/1.1 503 Service Unavailable\r\n\r\n") << QByteArray() << 503 << 0;
    QTest::newRow("models alone") << QByteArray("HTTP/1.0 404 Not Found\r\n\r\n") << QByteArray("HTTP/1.0 401 No\r\n\r\n") << 404 << 401;
    QTest::newRow("no HTTP") << QByteArray("\x01\x02hello\n") << QByteArray() << 0 << 0;
    QTest::newRow("accepts and is silent") << QByteArray() << QByteArray() << 0 << 0;
}

void TstActionRunner::ports_areAskedOverHttp()
{
    QFETCH(const QByteArray, health);
    QFETCH(const QByteArray, models);
    QFETCH(const int, healthStatus);
    QFETCH(const int, modelsStatus);
    QTcpServer server;
    QVERIFY(server.listen(QHostAddress::LocalHost));
    connect(&server, &QTcpServer::newConnection, &server, [&] {
        QTcpSocket *socket = server.nextPendingConnection();
        connect(socket, &QTcpSocket::readyRead, socket, [&, socket] {
            const QByteArray answer = socket->readAll().startsWith("GET /health ") ? health : models;
            if (answer.isEmpty())
                return;
            socket->write(answer);
            socket->disconnectFromHost();
        });
    });
    QTcpServer closed;
    QVERIFY(closed.listen(QHostAddress::LocalHost));
    const quint16 nobody = closed.serverPort();
    closed.close();
    ActionRig rig;
    ActionRequest request;
    request.kind = Kind::AskPorts;
    request.ports = {{u"127.0.0.1"_s, server.serverPort()}, {u"127.0.0.1"_s, nobody}};
    const ActionResult result = rig.run(request);
    QVERIFY2(result.answer, result.error ? qPrintable(sentenceOf(*result.error)) : "");
    QCOMPARE(result.answer->ports.value(server.serverPort()), (PortStatus{healthStatus, modelsStatus}));
    QCOMPARE(result.answer->ports.value(nobody), (PortStatus{0, 0}));
    QVERIFY(!QFile::exists(rig.runFile(u"pilothouse.lock"_s))); // asking changes nothing
    request.ports = {{u"127.0.0.1$(reboot)"_s, quint16(1)}};
    QVERIFY(rig.run(request).error);
}

void TstActionRunner::ports_areAskedOverTls()
{
    if (QStandardPaths::findExecutable(u"openssl"_s).isEmpty() || QStandardPaths::findExecutable(u"curl"_s).isEmpty())
        PILOTHOUSE_SKIP("needs openssl and curl");
    QTemporaryDir keys;
    const QString key = keys.filePath(u"key"_s);
    const QString certificate = keys.filePath(u"certificate"_s);
    QCOMPARE(QProcess::execute(u"openssl"_s, {u"req"_s, u"-batch"_s, u"-x509"_s, u"-newkey"_s, u"rsa:2048"_s, u"-nodes"_s, u"-subj"_s, u"/CN=x"_s,
                                              u"-days"_s, u"2"_s, u"-keyout"_s, key, u"-out"_s, certificate}), 0);
    QTcpServer server;
    QVERIFY(server.listen(QHostAddress::LocalHost));
    const quint16 port = server.serverPort();
    server.close();
    QProcess tls; // -www: a page of its own whatever is asked for
    tls.start(u"openssl"_s, {u"s_server"_s, u"-www"_s, u"-quiet"_s, u"-accept"_s, u"127.0.0.1:%1"_s.arg(port), u"-key"_s, key, u"-cert"_s, certificate});
    const auto end = qScopeGuard([&tls] {
        tls.kill();
        tls.waitForFinished(5000);
    });
    QTRY_VERIFY([port] {
        QTcpSocket trial;
        trial.connectToHost(QHostAddress::LocalHost, port);
        return trial.waitForConnected(500);
    }());
    ActionRig rig;
    ActionRequest request;
    request.kind = Kind::AskPorts;
    request.ports = {{u"127.0.0.1"_s, port}};
    const ActionResult result = rig.run(request);
    QVERIFY2(result.answer, result.error ? qPrintable(sentenceOf(*result.error)) : "");
    QCOMPARE(result.answer->ports.value(port), (PortStatus{200, 0}));
}

PILOTHOUSE_TEST_MAIN(TstActionRunner)
#include "tst_actionrunner.moc"
