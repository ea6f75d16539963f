// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/rudelistener.h"
#include "tests/support/sshdserver.h"
#include "tests/support/testmain.h"
#include "tests/unit/ctl/ctlrun.h"
#include "tests/unit/ctl/ctlterminal.h"

#include <QElapsedTimer>
#include <QFile>
#include <QJsonArray>
#include <QTemporaryDir>

#include <csignal>
#include <functional>

using namespace pilothouse::test;
using namespace Qt::StringLiterals;

/// Exit codes and questions against a private sshd. This machine has no nvidia-smi for it: a snapshot ends with 6.
class TstCtlSsh final : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase();
    void init();
    void snapshot_withoutGpuData_printsTheRestAndEndsWith6();
    void failure_hasItsExitCode_data();
    void failure_hasItsExitCode();
    void silentServer_endsWithinItsTime_data();
    void silentServer_endsWithinItsTime();
    void acceptNewHostKey_storesIt();
    void test_namesTheFailingStep_data();
    void test_namesTheFailingStep();
    void hostOfTheInventory_isATarget();
    void watch_reconnectsAndEndsWithTheLastCode();
    void watch_countsTicksWithoutAConnection();
    void watch_frozenLinkIsGivenUpWithinItsTime();
    void interrupt_endsWith130_data();
    void interrupt_endsWith130();
    void terminal_hostKeyAccepted();
    void terminal_hostKeyDeclined();
    void terminal_passphraseIsAskedUnseen();
    void terminal_interruptWhileTyping_restoresTheEcho();
    void terminal_stopWhileTyping_restoresTheEcho();

private:
    [[nodiscard]] QStringList common() const { return {u"--ssh-config"_s, m_server.path(u"ssh_config"_s)}; }
    [[nodiscard]] CtlResult run(const QStringList &arguments) const { return runCtl(arguments + common(), m_home.path()); }
    void makeLockedKey() const;

    SshdServer m_server;
    QTemporaryDir m_home;
    QByteArray m_known;
    QByteArray m_authorized;
};

void TstCtlSsh::initTestCase()
{
    QVERIFY2(m_server.start(), qPrintable(m_server.error()));
    m_known = readFile(m_server.path(u"known_hosts"_s));
    m_authorized = readFile(m_server.path(u"authorized_keys"_s));
}

void TstCtlSsh::init()
{
    QVERIFY(writeFile(m_server.path(u"known_hosts"_s), m_known));
    QVERIFY(writeFile(m_server.path(u"authorized_keys"_s), m_authorized));
    QVERIFY(m_server.writeClientConfig());
}

void TstCtlSsh::makeLockedKey() const
{
    if (!QFile::exists(m_server.path(u"locked"_s)))
        QVERIFY(makeKey(m_server.path(u"locked"_s), u"open sesame"_s));
    QVERIFY(writeFile(m_server.path(u"authorized_keys"_s), readFile(m_server.path(u"locked.pub"_s))));
}

void TstCtlSsh::snapshot_withoutGpuData_printsTheRestAndEndsWith6()
{
    const CtlResult result = run({u"snapshot"_s, u"gpu_01"_s, u"--json"_s, u"--deep"_s});
    QVERIFY2(result.exitCode == 6, result.errors.constData());
    QCOMPARE(result.json().size(), 1);
    const QJsonObject snapshot = result.json().first();
    QCOMPARE(snapshot.value(u"schema"_s).toInt(), 1);
    QCOMPARE(snapshot.value(u"host"_s).toString(), u"gpu_01"_s);
    QVERIFY(snapshot.value(u"gpus"_s).isNull());
    QVERIFY(snapshot.value(u"processes"_s).isArray());
    QVERIFY(snapshot.value(u"listening"_s).isArray());
    QVERIFY(!snapshot.value(u"boot_id"_s).toString().isEmpty());
    QVERIFY2(result.errors.contains("The GPU data is missing"), result.errors.constData());
    const CtlResult table = run({u"snapshot"_s, u"gpu_01"_s});
    QCOMPARE(table.exitCode, 6);
    QVERIFY(table.output.startsWith("gpu_01  "));
    QVERIFY(table.output.contains("GPUs unknown"));
}

void TstCtlSsh::failure_hasItsExitCode_data()
{
    QTest::addColumn<std::function<void()>>("prepare");
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<int>("exitCode");
    QTest::addColumn<QByteArray>("words");
    using Prepare = std::function<void()>;
    const auto row = [](const char *name, const Prepare &prepare, const QStringList &arguments, int code,
                        const char *words) {
        QTest::newRow(name) << prepare << arguments << code << QByteArray(words);
    };
    const auto known = [this](const QByteArray &lines) { QVERIFY(writeFile(m_server.path(u"known_hosts"_s), lines)); };
    const QByteArray host = "[127.0.0.1]:" + QByteArray::number(m_server.port());
    const QByteArray key = m_server.hostKeyLine();
    QVERIFY(makeKey(m_server.path(u"stranger"_s)));
    const QByteArray stranger = readFile(m_server.path(u"stranger.pub"_s)).trimmed();
    const QStringList gpu{u"gpu_01"_s};

    row("nobody listens", [] {}, {u"127.0.0.1:%1"_s.arg(freePort())}, 3, "refuses the connection");
    // A label of 70 letters is refused here, before anybody is asked.
    row("no such name", [] {}, {QString(70, u'n') + u".invalid"_s}, 3, "The host name is not known");
    row("jump host", [this] { QVERIFY(m_server.writeClientConfig({u"ProxyJump 127.0.0.1:%1"_s.arg(freePort())})); }, gpu, 3,
        "at the jump host 127.0.0.1:");
    row("proxy command", [this] { QVERIFY(m_server.writeClientConfig({u"ProxyCommand false"_s})); }, gpu, 3,
        "the ProxyCommand ended with exit code 1");
    row("broken configuration", [this] { QVERIFY(m_server.writeClientConfig({u"Nonsense yes"_s})); }, gpu, 3,
        "configuration");
    row("key refused", [this] { QVERIFY(writeFile(m_server.path(u"authorized_keys"_s), {})); }, gpu, 4,
        "refuses the sign-in");
    row("passphrase and nobody to ask",
        [this] {
            makeLockedKey();
            QVERIFY(m_server.writeClientConfig({}, u"locked"_s));
        },
        gpu, 4, "needs an answer from a person");
    row("unknown key", [=] { known({}); }, gpu, 5, "The host key is not known");
    row("changed key", [=] { known(host + ' ' + stranger + '\n'); }, gpu, 5, "The host key has changed");
    row("changed key, new ones accepted", [=] { known(host + ' ' + stranger + '\n'); },
        {u"gpu_01"_s, u"--accept-new-host-key"_s}, 5, "The host key has changed");
    row("revoked key", [=] { known("@revoked * " + key + '\n' + host + ' ' + key + '\n'); },
        {u"gpu_01"_s, u"--accept-new-host-key"_s}, 5, "The host key is revoked");
    row("another identity", [] {}, {u"gpu_01"_s, u"--identity"_s, m_server.path(u"stranger"_s)}, 4,
        "refuses the sign-in");
    row("other known hosts", [] {}, {u"gpu_01"_s, u"--known-hosts"_s, m_server.path(u"none"_s)}, 5,
        "The host key is not known");
    row("no shell", [this] { QVERIFY(writeFile(m_server.path(u"authorized_keys"_s), "command=\"exit 3\" " + m_authorized)); },
        gpu, 6, "pilothousectl: ");
}

void TstCtlSsh::failure_hasItsExitCode()
{
    QFETCH(const std::function<void()>, prepare);
    QFETCH(const QStringList, arguments);
    QFETCH(const int, exitCode);
    QFETCH(const QByteArray, words);
    prepare();
    const CtlResult result = run(QStringList{u"snapshot"_s} + arguments);
    QVERIFY2(result.exitCode == exitCode, result.errors.constData());
    QVERIFY2(result.errors.contains(words), result.errors.constData());
    QCOMPARE(result.output, QByteArray());
    QVERIFY(result.elapsedMs < 12'000);
}

void TstCtlSsh::silentServer_endsWithinItsTime_data()
{
    QTest::addColumn<QByteArray>("greeting");
    QTest::addColumn<bool>("hangUp");
    QTest::newRow("never speaks") << QByteArray() << false;
    QTest::newRow("speaks garbage") << QByteArray(4096, '\xA5') << false;
    QTest::newRow("speaks HTTP") << QByteArray("HTTP/1.1 400 Bad Request\r\n\r\n") << true;
    QTest::newRow("hangs up") << QByteArray() << true;
    QTest::newRow("greets and is silent") << QByteArray("SSH-2.0-OpenSSH_9.2p1\r\n") << false;
}

void TstCtlSsh::silentServer_endsWithinItsTime()
{
    QFETCH(const QByteArray, greeting);
    QFETCH(const bool, hangUp);
    RudeListener server(greeting, hangUp);
    QProcess process;
    process.setProcessEnvironment(ctlEnvironment(m_home.path()));
    process.setStandardInputFile(QProcess::nullDevice());
    QElapsedTimer timer;
    timer.start();
    process.start(ctlProgram(), QStringList{u"snapshot"_s, u"127.0.0.1:%1"_s.arg(server.port()), u"--timeout"_s, u"1.5"_s}
                                    + common());
    QTRY_COMPARE_WITH_TIMEOUT(process.state(), QProcess::NotRunning, 15'000); // the listener lives in this event loop
    QCOMPARE(process.exitStatus(), QProcess::NormalExit);
    QVERIFY2(process.exitCode() == 3, process.readAllStandardError().constData());
    QVERIFY(timer.elapsed() < 5'000);
}

void TstCtlSsh::acceptNewHostKey_storesIt()
{
    QVERIFY(writeFile(m_server.path(u"known_hosts"_s), "# mine\n"));
    QCOMPARE(run({u"snapshot"_s, u"gpu_01"_s, u"--accept-new-host-key"_s}).exitCode, 6);
    QVERIFY(readFile(m_server.path(u"known_hosts"_s)).startsWith("# mine\n"));
    QCOMPARE(run({u"snapshot"_s, u"gpu_01"_s}).exitCode, 6);
}

void TstCtlSsh::test_namesTheFailingStep_data()
{
    QTest::addColumn<QString>("what");
    QTest::addColumn<QString>("step");
    QTest::addColumn<int>("exitCode");
    QTest::newRow("well until the tool") << u"well"_s << u"nvidia-smi"_s << 6;
    QTest::newRow("name") << u"name"_s << u"resolve"_s << 3;
    QTest::newRow("port") << u"port"_s << u"connect"_s << 3;
    QTest::newRow("host key") << u"host key"_s << u"host key"_s << 5;
    QTest::newRow("sign in") << u"sign in"_s << u"sign in"_s << 4;
    QTest::newRow("shell") << u"shell"_s << u"shell"_s << 6;
}

void TstCtlSsh::test_namesTheFailingStep()
{
    QFETCH(const QString, what);
    QFETCH(const QString, step);
    QFETCH(const int, exitCode);
    QString target = u"gpu_01"_s;
    if (what == u"name")
        target = QString(70, u'n') + u".invalid"_s;
    else if (what == u"port")
        target = u"127.0.0.1:%1"_s.arg(freePort());
    else if (what == u"host key")
        QVERIFY(writeFile(m_server.path(u"known_hosts"_s), {}));
    else if (what == u"sign in")
        QVERIFY(writeFile(m_server.path(u"authorized_keys"_s), {}));
    else if (what == u"shell")
        QVERIFY(writeFile(m_server.path(u"authorized_keys"_s), "command=\"exit 3\" " + m_authorized));
    const CtlResult result = run({u"test"_s, target, u"--json"_s});
    QVERIFY2(result.exitCode == exitCode, result.output.constData());
    const QJsonArray steps = result.json().value(0).value(u"steps"_s).toArray();
    static const QStringList names{u"resolve"_s, u"connect"_s,    u"host key"_s,  u"sign in"_s,
                                   u"shell"_s,   u"nvidia-smi"_s, u"systemctl"_s, u"rights"_s};
    QCOMPARE(steps.size(), names.size());
    for (qsizetype i = 0; i < names.size(); ++i) {
        const QJsonObject object = steps.at(i).toObject();
        QCOMPARE(object.value(u"name"_s).toString(), names.at(i));
        const QString state = object.value(u"state"_s).toString();
        if (i < names.indexOf(step))
            QCOMPARE(state, u"done"_s);
        else if (names.at(i) == step)
            QCOMPARE(state, u"failed"_s);
        else if (step != u"nvidia-smi") // what comes after it is judged all the same
            QCOMPARE(state, u"skipped"_s);
        if (i < names.indexOf(u"nvidia-smi"_s))
            QCOMPARE(object.value(u"duration_ms"_s).isDouble(), state != u"skipped");
        QVERIFY(!object.value(u"text"_s).toString().isEmpty());
    }
}

void TstCtlSsh::hostOfTheInventory_isATarget()
{
    QTemporaryDir config;
    QVERIFY(writeFile(config.filePath(u"hosts.toml"_s),
                      "[[host]]\nname = \"the big one\"\nssh = \"gpu_01\"\n[[host.service]]\nname = \"s\"\nunit = \"nope\"\n"));
    const CtlResult result = run({u"snapshot"_s, u"the big one"_s, u"--json"_s, u"--config"_s, config.path()});
    QVERIFY2(result.exitCode == 6, result.errors.constData());
    QCOMPARE(result.json().value(0).value(u"host"_s).toString(), u"the big one"_s);
}

void TstCtlSsh::watch_reconnectsAndEndsWithTheLastCode()
{
    QProcess process;
    process.setProcessEnvironment(ctlEnvironment(m_home.path()));
    process.setStandardInputFile(QProcess::nullDevice());
    process.start(ctlProgram(), QStringList{u"snapshot"_s, u"gpu_01"_s, u"--json"_s, u"--watch"_s, u"0.5"_s, u"--count"_s,
                                            u"12"_s}
                                    + common());
    QByteArray lines;
    const auto count = [&] {
        lines += process.readAllStandardOutput();
        return lines.count('\n');
    };
    QTRY_VERIFY_WITH_TIMEOUT(count() >= 2, 20'000);
    const qsizetype before = count();
    for (const pid_t pid : m_server.connectionProcesses())
        ::kill(pid, SIGKILL);
    QTRY_VERIFY_WITH_TIMEOUT(count() > before + 1, 20'000); // it is back
    QTRY_COMPARE_WITH_TIMEOUT(process.state(), QProcess::NotRunning, 30'000);
    QCOMPARE(process.exitCode(), 6); // no nvidia-smi in the last tick
    const QByteArray errors = process.readAllStandardError();
    QVERIFY2(errors.contains("The connection was lost"), errors.constData());
}

void TstCtlSsh::watch_countsTicksWithoutAConnection()
{
    const CtlResult result = run({u"snapshot"_s, u"127.0.0.1:%1"_s.arg(freePort()), u"--watch"_s, u"0.2"_s, u"--count"_s,
                                  u"4"_s});
    QCOMPARE(result.exitCode, 3);
    QCOMPARE(result.errors.count('\n'), 1); // said once
    QVERIFY(result.elapsedMs < 10'000);
}

void TstCtlSsh::watch_frozenLinkIsGivenUpWithinItsTime()
{
    QProcess process;
    process.setProcessEnvironment(ctlEnvironment(m_home.path()));
    process.setStandardInputFile(QProcess::nullDevice());
    process.start(ctlProgram(), QStringList{u"snapshot"_s, u"gpu_01"_s, u"--json"_s, u"--watch"_s, u"0.3"_s, u"--timeout"_s,
                                            u"2"_s}
                                    + common());
    QByteArray lines;
    const auto count = [&] {
        lines += process.readAllStandardOutput();
        return lines.count('\n');
    };
    QTRY_VERIFY_WITH_TIMEOUT(count() >= 1, 20'000);
    const QList<pid_t> frozen = m_server.connectionProcesses();
    for (const pid_t pid : frozen)
        ::kill(pid, SIGSTOP);
    const auto thaw = qScopeGuard([&] {
        for (const pid_t pid : frozen)
            ::kill(pid, SIGKILL);
    });
    QByteArray errors;
    QTRY_VERIFY_WITH_TIMEOUT((errors += process.readAllStandardError()).contains("The connection was lost"), 6'000);
    const qsizetype before = count();
    QTRY_VERIFY_WITH_TIMEOUT(count() > before, 10'000); // a new one was made
    process.terminate();
    QVERIFY(process.waitForFinished(10'000));
}

void TstCtlSsh::interrupt_endsWith130_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::newRow("watch") << QStringList{u"snapshot"_s, u"gpu_01"_s, u"--watch"_s, u"0.3"_s};
    QTest::newRow("reconnecting") << QStringList{u"snapshot"_s, u"127.0.0.1:1"_s, u"--watch"_s, u"0.3"_s};
}

void TstCtlSsh::interrupt_endsWith130()
{
    QFETCH(const QStringList, arguments);
    QProcess process;
    process.setProcessEnvironment(ctlEnvironment(m_home.path()));
    process.start(ctlProgram(), arguments + common());
    QByteArray seen;
    QTRY_VERIFY_WITH_TIMEOUT(!(seen += process.readAllStandardOutput() + process.readAllStandardError()).isEmpty(), 20'000);
    QElapsedTimer timer;
    timer.start();
    ::kill(pid_t(process.processId()), SIGINT);
    QVERIFY(process.waitForFinished(10'000));
    QCOMPARE(process.exitStatus(), QProcess::NormalExit);
    QCOMPARE(process.exitCode(), 130);
    QVERIFY(timer.elapsed() < 3'000);
}

void TstCtlSsh::terminal_hostKeyAccepted()
{
    QVERIFY(writeFile(m_server.path(u"known_hosts"_s), {}));
    CtlTerminal terminal(m_home.path());
    QVERIFY(terminal.start(QStringList{u"snapshot"_s, u"gpu_01"_s, u"--json"_s} + common()));
    const QByteArray address = "[127.0.0.1]:" + QByteArray::number(m_server.port());
    QVERIFY2(terminal.waitFor("The key of gpu_01 (" + address + ") is not known here."), terminal.shown().constData());
    QVERIFY2(terminal.waitFor("SHA256:"), terminal.shown().constData());
    QVERIFY(terminal.waitFor("Type yes or no: "));
    terminal.type("y\n"); // only the whole word counts
    QVERIFY(terminal.waitFor("Type yes or no: "));
    terminal.type("yes\n");
    QCOMPARE(terminal.end(), 6);
    QVERIFY(terminal.output().startsWith('{'));
    QCOMPARE(run({u"snapshot"_s, u"gpu_01"_s}).exitCode, 6); // it was stored
}

void TstCtlSsh::terminal_hostKeyDeclined()
{
    QVERIFY(writeFile(m_server.path(u"known_hosts"_s), {}));
    for (const char *answer : {"no\n", "\x04"}) {
        CtlTerminal terminal(m_home.path());
        QVERIFY(terminal.start(QStringList{u"test"_s, u"gpu_01"_s} + common()));
        QVERIFY(terminal.waitFor("Type yes or no: "));
        terminal.type(answer);
        QCOMPARE(terminal.end(), 130);
    }
    QCOMPARE(readFile(m_server.path(u"known_hosts"_s)), QByteArray());
}

void TstCtlSsh::terminal_passphraseIsAskedUnseen()
{
    makeLockedKey();
    QVERIFY(m_server.writeClientConfig({}, u"locked"_s));
    CtlTerminal terminal(m_home.path());
    QVERIFY(terminal.start(QStringList{u"snapshot"_s, u"gpu_01"_s, u"--timeout"_s, u"3"_s} + common()));
    const QByteArray prompt = "Passphrase for " + m_server.path(u"locked"_s).toUtf8() + ": ";
    QVERIFY2(terminal.waitFor(prompt), terminal.shown().constData());
    QTRY_VERIFY(!terminal.echoes());
    QTest::qWait(4'000); // the person's time is not the connection's
    terminal.type("wrong one\n");
    QVERIFY2(terminal.waitFor("try again"), terminal.shown().constData());
    QVERIFY(terminal.waitFor("Passphrase for "));
    QTRY_VERIFY(!terminal.echoes());
    terminal.type("open sesame\n");
    QCOMPARE(terminal.end(), 6);
    QVERIFY(terminal.echoes());
    QVERIFY(!terminal.shown().contains("wrong one"));
    QVERIFY(!terminal.shown().contains("sesame"));
}

void TstCtlSsh::terminal_interruptWhileTyping_restoresTheEcho()
{
    makeLockedKey();
    QVERIFY(m_server.writeClientConfig({}, u"locked"_s));
    for (const bool byKey : {true, false}) {
        CtlTerminal terminal(m_home.path());
        QVERIFY(terminal.start(QStringList{u"snapshot"_s, u"gpu_01"_s} + common()));
        QVERIFY(terminal.waitFor("Passphrase for "));
        QTRY_VERIFY(!terminal.echoes());
        if (byKey)
            terminal.type("half\x03");
        else
            ::kill(pid_t(terminal.pid()), SIGTERM);
        QCOMPARE(terminal.end(), 130);
        QVERIFY(terminal.echoes());
    }
}

void TstCtlSsh::terminal_stopWhileTyping_restoresTheEcho()
{
    makeLockedKey();
    QVERIFY(m_server.writeClientConfig({}, u"locked"_s));
    CtlTerminal terminal(m_home.path());
    QVERIFY(terminal.start(QStringList{u"snapshot"_s, u"gpu_01"_s} + common()));
    QVERIFY(terminal.waitFor("Passphrase for "));
    QTRY_VERIFY(!terminal.echoes());
    ::kill(pid_t(terminal.pid()), SIGTSTP);
    QTRY_VERIFY(terminal.echoes());
    ::kill(pid_t(terminal.pid()), SIGCONT);
    QTRY_VERIFY(!terminal.echoes());
    terminal.type("open sesame\n");
    QCOMPARE(terminal.end(), 6);
    QVERIFY(terminal.echoes());
}

PILOTHOUSE_TEST_MAIN(TstCtlSsh)
#include "tst_ctlssh.moc"
