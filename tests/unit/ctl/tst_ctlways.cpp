// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/agentprocess.h"
#include "tests/support/rudelistener.h"
#include "tests/support/testmain.h"
#include "tests/unit/ctl/ctlrun.h"
#include "tests/unit/ssh/sshd/jumplab.h"

#include <QJsonArray>
#include <QTcpSocket>

using namespace pilothouse;
using namespace pilothouse::test;
using namespace Qt::StringLiterals;

/// Ways to a host that are bad, or odd: exit code and sentence of the program, against real servers; what OpenSSH reads
/// in a configuration, `ssh` itself says in the same run. There is no nvidia-smi here: a host that is reached ends with 6.
class TstCtlWays final : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase();
    void init();
    void badWay_hasItsExitCode_data();
    void badWay_hasItsExitCode();
    void bastionThatTakesNoMore_saysSo();
    void bastionWithoutForwarding_isAMissingRight_data();
    void bastionWithoutForwarding_isAMissingRight();
    void slowBastion_isWaitedFor();
    void targetWithOneSession_isRead();
    void configuration_isReadAsSshReadsIt_data();
    void configuration_isReadAsSshReadsIt();
    void jumpBeyondTheHostName_isGone();
    void agent_data();
    void agent();
    void test_hasAStepForEachJumpHost();
    void test_namesTheJumpHostThatFails();
    void test_blamesWhoFails_data();
    void test_blamesWhoFails();
    void statusOfHostsBehindOneBastion_data();
    void statusOfHostsBehindOneBastion();

private:
    [[nodiscard]] QString config() const { return m_lab.gpu.path(u"ssh_config"_s); }
    [[nodiscard]] CtlResult run(const QStringList &arguments, int limitMs = 30'000) const
    {
        return runCtl(arguments + QStringList{u"--ssh-config"_s, config()}, m_home.path(), limitMs);
    }
    [[nodiscard]] QByteArray file(const char16_t *name) const { return m_lab.gpu.path(QString::fromUtf16(name)).toUtf8(); }
    [[nodiscard]] static QByteArray number(int value) { return QByteArray::number(value); }

    JumpLab m_lab{{u"MaxStartups 100"_s}};
    QTemporaryDir m_home;
};

void TstCtlWays::initTestCase()
{
    QVERIFY2(m_lab.start(), qPrintable(m_lab.bastion.error() + m_lab.gpu.error()));
    QVERIFY(makeKey(m_lab.gpu.path(u"stranger"_s)));
    QVERIFY(writeFile(m_lab.gpu.path(u"changed"_s), "[127.0.0.1]:" + number(m_lab.bastion.port()) + ' '
                                                        + readFile(m_lab.gpu.path(u"stranger.pub"_s))));
}

void TstCtlWays::init()
{
    QVERIFY(m_lab.writeConfig());
}

void TstCtlWays::badWay_hasItsExitCode_data()
{
    QTest::addColumn<QByteArray>("gpuLines");
    QTest::addColumn<QByteArray>("bastionLines");
    QTest::addColumn<int>("exitCode");
    QTest::addColumn<QByteArrayList>("words");
    const auto row = [](const char *name, const QByteArray &gpu, const QByteArray &bastion, int code,
                        const QByteArrayList &words) { QTest::newRow(name) << gpu << bastion << code << words; };
    const QByteArray jump = "ProxyJump bastion";
    row("well", jump, {}, 6, {"there is no nvidia-smi on the host"});
    row("bastion down", jump, "Port " + number(freePort()), 3, {"at the jump host bastion:", "refuses the connection"});
    row("bastion silent", jump, "Port %silent%", 3, {"at the jump host bastion:", "said nothing within"});
    row("bastion of another key", jump, "UserKnownHostsFile " + file(u"changed"), 5,
        {"The host key has changed", "at the jump host bastion:"});
    row("bastion unknown", jump, "UserKnownHostsFile /dev/null", 5, {"The host key is not known", "at the jump host bastion:"});
    row("bastion refuses us", jump, "User nobody-of-this-name", 4,
        {"refuses the sign-in", "at the jump host bastion:"});
    row("host behind is down", jump + "\n  Port " + number(freePort()), {}, 3,
        {"the jump host bastion answered that nothing listens at 127.0.0.1 port "});
    row("command exits", "ProxyCommand sh -c 'echo no route >&2; exit 4'", {}, 3,
        {"the ProxyCommand ended with exit code 4: no route."});
    row("command hangs", "ProxyCommand sh -c 'echo dialling >&2; exec sleep 30'", {}, 3,
        {"said nothing within", "The way is a ProxyCommand, which says: dialling."});
    row("command prints", "ProxyCommand sh -c 'echo Welcome to the proxy; exec sleep 30'", {}, 3,
        {"does not speak SSH", "Welcome to the proxy"});
    row("command is not there", "ProxyCommand /no/such/program %h", {}, 3, {"the ProxyCommand ended with exit code 127"});
    row("circle", jump, "ProxyJump bastion", 3, {"circle"});
}

void TstCtlWays::badWay_hasItsExitCode()
{
    QFETCH(const QByteArray, gpuLines);
    QFETCH(QByteArray, bastionLines);
    QFETCH(const int, exitCode);
    QFETCH(const QByteArrayList, words);
    RudeListener silent;
    bastionLines.replace("%silent%", number(silent.port()));
    QVERIFY(m_lab.writeConfig(gpuLines, bastionLines));
    QStringList arguments{u"snapshot"_s, u"gpu1"_s};
    if (exitCode == 3)
        arguments += {u"--timeout"_s, u"2"_s};
    const CtlResult result = run(arguments);
    QVERIFY2(result.exitCode == exitCode, result.errors.constData());
    for (const QByteArray &each : words)
        QVERIFY2(result.errors.contains(each), result.errors.constData());
    QVERIFY(result.elapsedMs < 12'000);
}

void TstCtlWays::bastionThatTakesNoMore_saysSo()
{
    JumpLab lab({u"MaxStartups 1:100:1"_s, u"LoginGraceTime 60"_s});
    QVERIFY(lab.start());
    QTcpSocket first; // takes the only place, and never signs in
    first.connectToHost(QHostAddress::LocalHost, lab.bastion.port());
    QVERIFY(first.waitForConnected(5'000));
    QVERIFY(first.waitForReadyRead(5'000));
    const CtlResult result = runCtl({u"snapshot"_s, u"gpu1"_s, u"--timeout"_s, u"3"_s, u"--ssh-config"_s,
                                     lab.gpu.path(u"ssh_config"_s)},
                                    m_home.path());
    QVERIFY2(result.exitCode == 3, result.errors.constData());
    QVERIFY2(result.errors.contains("at the jump host bastion: "), result.errors.constData());
    QVERIFY2(result.errors.contains("takes no more connections"), result.errors.constData());
}

void TstCtlWays::bastionWithoutForwarding_isAMissingRight_data()
{
    QTest::addColumn<QString>("line");
    QTest::addColumn<QByteArray>("keyOptions");
    QTest::newRow("none at all") << u"AllowTcpForwarding no"_s << QByteArray();
    QTest::newRow("to others alone") << u"PermitOpen 127.0.0.1:1"_s << QByteArray();
    QTest::newRow("not for this key") << u"AllowTcpForwarding yes"_s << QByteArray("restrict ");
}

void TstCtlWays::bastionWithoutForwarding_isAMissingRight()
{
    QFETCH(const QString, line);
    QFETCH(const QByteArray, keyOptions);
    JumpLab lab({line});
    QVERIFY(lab.start());
    QVERIFY(writeFile(lab.bastion.path(u"authorized_keys"_s), keyOptions + readFile(lab.bastion.path(u"id.pub"_s))));
    const CtlResult result = runCtl({u"snapshot"_s, u"gpu1"_s, u"--ssh-config"_s, lab.gpu.path(u"ssh_config"_s)},
                                    m_home.path());
    QVERIFY2(result.exitCode == 6, result.errors.constData());
    QVERIFY2(result.errors.contains("at the jump host bastion: it does not allow"), result.errors.constData());
    QVERIFY2(result.errors.contains("AllowTcpForwarding"), result.errors.constData());
    const CtlResult test = runCtl({u"test"_s, u"gpu1"_s, u"--json"_s, u"--ssh-config"_s, lab.gpu.path(u"ssh_config"_s)},
                                  m_home.path());
    QCOMPARE(test.exitCode, 6);
    const QJsonArray steps = test.json().value(0).value(u"steps"_s).toArray();
    QCOMPARE(steps.at(1)[u"name"_s].toString(), u"jump host bastion"_s);
    QCOMPARE(steps.at(1)[u"state"_s].toString(), u"failed"_s);
    QCOMPARE(steps.at(2)[u"state"_s].toString(), u"skipped"_s);
}

void TstCtlWays::slowBastion_isWaitedFor()
{
    // 1.4 s until it answers, a second for its sign-in, where the key is looked up twice, and one for that of the host
    // behind it: each within its own 2 s.
    JumpLab lab;
    for (SshdServer *server : {&lab.bastion, &lab.gpu})
        server->addConfig({u"AuthorizedKeysFile none"_s, u"AuthorizedKeysCommandUser "_s + server->user(),
                           u"AuthorizedKeysCommand /bin/sh -c \"sleep 0.4; cat %1\""_s.arg(
                               server->path(u"authorized_keys"_s))});
    QVERIFY2(lab.start(), qPrintable(lab.bastion.error() + lab.gpu.error()));
    const QByteArray port = number(lab.bastion.port());
    const auto behind = [&](const char *pause) {
        return lab.writeConfig("ProxyJump bastion", "ProxyCommand bash -c 'exec 3<>/dev/tcp/127.0.0.1/" + port + "; sleep "
                                                        + pause + "; cat <&3 & exec cat >&3'");
    };
    const QStringList arguments{u"snapshot"_s, u"gpu1"_s, u"--timeout"_s, u"2"_s, u"--ssh-config"_s,
                                lab.gpu.path(u"ssh_config"_s)};
    QVERIFY(behind("1.4"));
    const CtlResult slow = runCtl(arguments, m_home.path());
    QVERIFY2(slow.exitCode == 6, slow.errors.constData());
    QVERIFY2(slow.errors.contains("there is no nvidia-smi"), slow.errors.constData());
    QVERIFY(slow.elapsedMs > 3'000);
    QVERIFY(behind("20"));
    const CtlResult tooSlow = runCtl(arguments, m_home.path());
    QVERIFY2(tooSlow.exitCode == 3, tooSlow.errors.constData());
    QVERIFY2(tooSlow.errors.contains("at the jump host bastion:"), tooSlow.errors.constData());
    QVERIFY(tooSlow.elapsedMs < 6'000);
    for (const CtlResult &each : {slow, tooSlow})
        QVERIFY2(!each.errors.contains("QProcess"), each.errors.constData());
}

void TstCtlWays::targetWithOneSession_isRead()
{
    SshdServer server({u"MaxSessions 1"_s});
    QVERIFY2(server.start(), qPrintable(server.error()));
    const CtlResult result = runCtl({u"snapshot"_s, u"gpu_01"_s, u"--json"_s, u"--ssh-config"_s,
                                     server.path(u"ssh_config"_s)},
                                    m_home.path());
    QVERIFY2(result.exitCode == 6, result.errors.constData());
    QVERIFY(result.json().value(0).value(u"processes"_s).isArray());
}

void TstCtlWays::configuration_isReadAsSshReadsIt_data()
{
    // Without the lines the port is one where nobody listens, or the key is missing.
    QTest::addColumn<QByteArray>("before");
    QTest::addColumn<QByteArray>("after");
    QTest::addColumn<bool>("reached");
    const auto row = [](const char *name, const QByteArray &before, const QByteArray &after, bool reached) {
        QTest::newRow(name) << before << after << reached;
    };
    row("nothing", {}, {}, false);
    row("the first value counts", "Host gpu1\n  Port %port%\n", "Host gpu1\n  Port 1\n", true);
    row("a later value does not", "Host gpu1\n  Port 1\n", "Host gpu1\n  Port %port%\n", false);
    row("Match originalhost", "Match originalhost gpu1\n  Port %port%\n", {}, true);
    row("Match host is the HostName", "Host gpu1\n  HostName 127.0.0.1\nMatch host 127.0.0.1\n  Port %port%\n", {}, true);
    row("Match host, another", "Host gpu1\n  HostName 127.0.0.1\nMatch host gpu1\n  Port %port%\n", {}, false);
    row("Match exec", "Match exec \"test -e %folder%/ssh_config\"\n  Port %port%\n", {}, true);
    row("Match exec with a token", "Match exec \"test %n = gpu1\"\n  Port %port%\n", {}, true);
    row("Match !exec", "Match originalhost gpu1 !exec true\n  Port %port%\n", {}, false);
    row("Match user", "Match user %user%\n  Port %port%\n", {}, true); // before another is set: who runs it
    row("Match user, another", "Host gpu1\n  User nobody\nMatch user %user%\n  Port %port%\n", {}, false);
    row("Match final", {}, "Match final\n  Port %port%\n", false);      // the port is set already
    row("Match all in the middle", "Match all\n  Port %port%\n", {}, true);
    row("negated pattern", "Host gpu* !gpu1\n  Port 1\nHost gpu? !gpu2\n  Port %port%\n", {}, true);
    row("Include", "Include %folder%/inc*.conf\n", {}, true);
    row("Include within a block", "Host other\n  Include %folder%/inc*.conf\n", {}, false);
    row("Include of two, one missing", "Include %folder%/none.conf %folder%/inc.conf\n", {}, true);
    row("canonical names, second pass", "CanonicalizeHostname yes\nCanonicalizeFallbackLocal yes\nMatch final\n  Port 1\n"
                                        "Host gpu1\n  Port %port%\n", {}, true);
    row("quoted and with =", "Host=\"gpu1\"\n  Port=%port%\n", {}, true);
    row("keywords in any case", "hOsT gpu1\n  pOrT %port%\n", {}, true);
    row("tokens in files", "Host gpu1\n  Port %port%\n  IdentitiesOnly yes\n  IdentityFile %folder%/key-%%n-%%r\n", {},
        true);
    row("tokens in known hosts", "Host gpu1\n  Port %port%\n  UserKnownHostsFile %folder%/known-%%h-%%p\n", {}, true);
    row("HostKeyAlias", "Host gpu1\n  Port %port%\n  HostKeyAlias the-gpu\n  UserKnownHostsFile %folder%/aliased\n", {},
        true);
    row("strict and unknown", "Host gpu1\n  Port %port%\n  StrictHostKeyChecking yes\n  UserKnownHostsFile /dev/null\n", {},
        false);
}

void TstCtlWays::configuration_isReadAsSshReadsIt()
{
    QFETCH(QByteArray, before);
    QFETCH(QByteArray, after);
    QFETCH(const bool, reached);
    SshdServer &gpu = m_lab.gpu;
    const QByteArray folder = gpu.path({}).toUtf8();
    const QByteArray port = number(gpu.port());
    QVERIFY(writeFile(gpu.path(u"inc.conf"_s), "Host gpu1\n  Port " + port + '\n'));
    QVERIFY(writeFile(gpu.path(u"key-gpu1-"_s + gpu.user()), readFile(gpu.path(u"id"_s))));
    QVERIFY(QFile::setPermissions(gpu.path(u"key-gpu1-"_s + gpu.user()), QFile::ReadOwner | QFile::WriteOwner));
    QVERIFY(writeFile(gpu.path(u"known-127.0.0.1-%1"_s.arg(gpu.port())), readFile(gpu.path(u"known_hosts"_s))));
    QVERIFY(writeFile(gpu.path(u"aliased"_s), "the-gpu " + gpu.hostKeyLine() + '\n'));
    for (QByteArray *lines : {&before, &after}) {
        lines->replace("%port%", port);
        lines->replace("%folder%/", folder.endsWith('/') ? folder : folder + '/');
        lines->replace("%user%", gpu.user().toUtf8());
        lines->replace("%%", "%");
    }
    // As the lab's block, but at a port that nobody has.
    QByteArray block = JumpLab::block("gpu*", gpu, {});
    block.replace("Port " + port, "Port " + number(freePort()));
    QVERIFY(writeFile(config(), before + block + after));
    bool sshReaches = false;
    const QString said = runTool(u"ssh"_s, {u"-F"_s, config(), u"-o"_s, u"BatchMode=yes"_s, u"gpu1"_s, u"true"_s}, &sshReaches);
    QVERIFY2(sshReaches == reached, qPrintable(said));
    const CtlResult result = run({u"snapshot"_s, u"gpu1"_s, u"--timeout"_s, u"5"_s});
    QVERIFY2((result.exitCode == 6) == sshReaches, result.errors.constData());
}

void TstCtlWays::jumpBeyondTheHostName_isGone()
{
    // The block of gpu* counts although the HostName says another name; one of that name does not.
    QVERIFY(writeFile(config(), "Host gpu1\n  HostName 127.0.0.1\n" + JumpLab::block("bastion", m_lab.bastion, {})
                                    + "Host 127.0.0.1\n  ProxyJump none\n" + JumpLab::block("gpu*", m_lab.gpu, "ProxyJump bastion")));
    QTest::qWait(200); // for what the server has said so far
    const qsizetype before = JumpLab::signIns(m_lab.bastion);
    const CtlResult result = run({u"snapshot"_s, u"gpu1"_s});
    QVERIFY2(result.exitCode == 6, result.errors.constData());
    QTRY_COMPARE(JumpLab::signIns(m_lab.bastion), before + 1);
}

void TstCtlWays::agent_data()
{
    QTest::addColumn<QString>("state");
    QTest::addColumn<bool>("keyFile");
    QTest::addColumn<int>("exitCode");
    QTest::newRow("holds the key") << u"fits"_s << false << 6;
    QTest::newRow("locked") << u"locked"_s << false << 4;
    QTest::newRow("locked, a key file fits") << u"locked"_s << true << 6;
    QTest::newRow("gone") << u"gone"_s << false << 4;
    QTest::newRow("gone, a key file fits") << u"gone"_s << true << 6;
    QTest::newRow("full of others' keys") << u"full"_s << false << 4;
    QTest::newRow("full, and the one that fits is named") << u"named"_s << false << 6;
}

void TstCtlWays::agent()
{
    QFETCH(const QString, state);
    QFETCH(const bool, keyFile);
    QFETCH(const int, exitCode);
    SshdServer &gpu = m_lab.gpu;
    AgentProcess agent;
    const QString socket = m_home.filePath(u"agent-%1%2"_s.arg(state).arg(int(keyFile)));
    if (state != u"gone") {
        QVERIFY(agent.start(socket));
        for (int i = 0; i < (state == u"full" || state == u"named" ? 9 : 0); ++i) {
            const QString other = gpu.path(u"other%1"_s.arg(i));
            QVERIFY(QFile::exists(other) || makeKey(other));
            QVERIFY(agent.add(other));
        }
        if (state != u"full")
            QVERIFY(agent.add(gpu.path(u"id"_s)));
        if (state == u"locked")
            QVERIFY(agent.lock());
    }
    // Only the public half is named: the private one is the agent's.
    QVERIFY(QFile::exists(gpu.path(u"only.pub"_s)) || QFile::copy(gpu.path(u"id.pub"_s), gpu.path(u"only.pub"_s)));
    QByteArray block = JumpLab::block("gpu*", gpu, "IdentityAgent " + socket.toUtf8());
    const QByteArray named = state == u"named" ? file(u"only") : file(u"nothing");
    block.replace("IdentityFile " + file(u"id"), "IdentityFile " + (keyFile ? file(u"id") : named));
    QVERIFY(writeFile(config(), block));
    const CtlResult result = run({u"snapshot"_s, u"gpu1"_s});
    QVERIFY2(result.exitCode == exitCode, result.errors.constData());
    if (exitCode == 4)
        QVERIFY2(result.errors.contains("refuses the sign-in"), result.errors.constData());
    if (state == u"locked" && !keyFile)
        QVERIFY2(result.errors.contains("agent"), result.errors.constData());
    QVERIFY(result.elapsedMs < 15'000);
}

void TstCtlWays::test_hasAStepForEachJumpHost()
{
    QVERIFY(m_lab.writeConfig("ProxyJump bastion,second", {}, JumpLab::block("second", m_lab.bastion, {})));
    const CtlResult result = run({u"test"_s, u"gpu1"_s, u"--json"_s});
    QVERIFY2(result.exitCode == 6, result.output.constData());
    QStringList steps;
    for (const QJsonValue &step : result.json().value(0).value(u"steps"_s).toArray())
        steps += step[u"name"_s].toString() + u": "_s + step[u"state"_s].toString();
    QCOMPARE(steps.first(6), (QStringList{u"resolve: done"_s, u"jump host bastion: done"_s, u"jump host second: done"_s,
                                          u"connect: done"_s, u"host key: done"_s, u"sign in: done"_s}));
}

void TstCtlWays::test_namesTheJumpHostThatFails()
{
    QVERIFY(m_lab.writeConfig("ProxyJump bastion", "UserKnownHostsFile /dev/null"));
    const CtlResult result = run({u"test"_s, u"gpu1"_s, u"--json"_s});
    QCOMPARE(result.exitCode, 5);
    const QJsonArray steps = result.json().value(0).value(u"steps"_s).toArray();
    QCOMPARE(steps.size(), 9);
    QCOMPARE(steps.at(1)[u"name"_s].toString(), u"jump host bastion"_s);
    QCOMPARE(steps.at(1)[u"state"_s].toString(), u"failed"_s);
    QVERIFY(steps.at(1)[u"text"_s].toString().contains(u"The host key is not known"_s));
    QVERIFY(steps.at(1)[u"duration_ms"_s].isDouble());
    QCOMPARE(steps.at(2)[u"state"_s].toString(), u"skipped"_s);

    // The first of two: the second is not reached.
    QVERIFY(m_lab.writeConfig("ProxyJump bastion,second", "UserKnownHostsFile /dev/null",
                              JumpLab::block("second", m_lab.bastion, {})));
    const CtlResult first = run({u"test"_s, u"gpu1"_s, u"--json"_s});
    QCOMPARE(first.exitCode, 5);
    const QJsonArray both = first.json().value(0).value(u"steps"_s).toArray();
    QCOMPARE(both.at(1)[u"name"_s].toString(), u"jump host bastion"_s);
    QCOMPARE(both.at(1)[u"state"_s].toString(), u"failed"_s);
    QCOMPARE(both.at(2)[u"name"_s].toString(), u"jump host second"_s);
    QCOMPARE(both.at(2)[u"state"_s].toString(), u"skipped"_s);
}

void TstCtlWays::test_blamesWhoFails_data()
{
    QTest::addColumn<QByteArray>("gpuLines");
    QTest::addColumn<QByteArray>("secondLines");
    QTest::addColumn<int>("exitCode");
    QTest::addColumn<QString>("failing");
    QTest::addColumn<QString>("words");
    const QByteArray closed = "Port " + number(freePort());
    QTest::newRow("the host, behind one") << QByteArray("ProxyJump bastion\n  " + closed) << QByteArray() << 3
                                          << u"connect"_s
                                          << u"the jump host bastion answered that nothing listens at 127.0.0.1 port "_s;
    QTest::newRow("the host, behind two") << QByteArray("ProxyJump bastion,second\n  " + closed) << QByteArray() << 3
                                          << u"connect"_s
                                          << u"the jump host second answered that nothing listens at 127.0.0.1 port "_s;
    QTest::newRow("its name") << QByteArray("ProxyJump bastion\n  HostName no..such-host") << QByteArray() << 3
                              << u"connect"_s << u"the jump host bastion "_s;
    QTest::newRow("the second jump host") << QByteArray("ProxyJump bastion,second") << closed << 3
                                          << u"jump host second"_s
                                          << u"the jump host bastion answered that nothing listens at 127.0.0.1 port "_s;
    QTest::newRow("its host key") << QByteArray("ProxyJump bastion,second")
                                  << QByteArray("UserKnownHostsFile /dev/null") << 5 << u"jump host second"_s
                                  << u"The host key is not known"_s;
    QTest::newRow("the host's key") << QByteArray("ProxyJump bastion\n  UserKnownHostsFile /dev/null") << QByteArray()
                                    << 5 << u"host key"_s << u"The host key is not known"_s;
}

void TstCtlWays::test_blamesWhoFails()
{
    QFETCH(const QByteArray, gpuLines);
    QFETCH(const QByteArray, secondLines);
    QFETCH(const int, exitCode);
    QFETCH(const QString, failing);
    QFETCH(const QString, words);
    QVERIFY(m_lab.writeConfig(gpuLines, {}, JumpLab::block("second", m_lab.bastion, secondLines)));
    const CtlResult result = run({u"test"_s, u"gpu1"_s, u"--json"_s});
    QVERIFY2(result.exitCode == exitCode, result.output.constData());
    bool failed = false;
    for (const QJsonValue &step : result.json().value(0).value(u"steps"_s).toArray()) {
        const bool here = step[u"name"_s].toString() == failing;
        const QString state = here ? u"failed"_s : failed ? u"skipped"_s : u"done"_s;
        QVERIFY2(step[u"state"_s].toString() == state, result.output.constData());
        QVERIFY2(!here || step[u"text"_s].toString().contains(words), result.output.constData());
        failed = failed || here;
    }
    QVERIFY(failed);
}

void TstCtlWays::statusOfHostsBehindOneBastion_data()
{
    QTest::addColumn<QByteArray>("bastionLines");
    QTest::addColumn<int>("exitCode");
    QTest::addColumn<QString>("error");
    QTest::addColumn<int>("visits");
    QTest::newRow("well") << QByteArray() << 6 << u"tool_missing"_s << 1;
    QTest::newRow("down") << QByteArray("Port " + number(freePort())) << 3 << u"connect_refused"_s << 0;
    QTest::newRow("of another key") << QByteArray("UserKnownHostsFile " + file(u"changed")) << 5
                                    << u"host_key_changed"_s << 1;
    QTest::newRow("refuses us") << QByteArray("User nobody-of-this-name") << 4 << u"sign_in_refused"_s << 1;
}

void TstCtlWays::statusOfHostsBehindOneBastion()
{
    QFETCH(const QByteArray, bastionLines);
    QFETCH(const int, exitCode);
    QFETCH(const QString, error);
    QFETCH(const int, visits);
    constexpr int hosts = 6;
    QVERIFY(m_lab.writeConfig("ProxyJump bastion", bastionLines));
    QByteArray inventory;
    for (int i = 1; i <= hosts; ++i)
        inventory += "[[host]]\nname = \"gpu" + number(i) + "\"\n";
    QVERIFY(writeFile(m_home.filePath(u"hosts.toml"_s), inventory));
    QTest::qWait(200); // for what the server has said so far
    const qsizetype before = JumpLab::visits(m_lab.bastion);
    const CtlResult result = run({u"status"_s, u"--json"_s, u"--config"_s, m_home.path()});
    QVERIFY2(result.exitCode == exitCode, (result.errors + result.output).constData());
    const QJsonArray services = result.json().value(0).value(u"services"_s).toArray();
    QCOMPARE(services.size(), hosts);
    for (const QJsonValue &service : services)
        QVERIFY2(service[u"error"_s].toString() == error, result.output.constData());
    if (exitCode != 6)
        QVERIFY2(result.errors.count("at the jump host bastion: ") == hosts, result.errors.constData());
    QTest::qWait(200);
    QCOMPARE(JumpLab::visits(m_lab.bastion) - before, visits); // one sign-in, or one refusal, for all of them
}

PILOTHOUSE_TEST_MAIN(TstCtlWays)
#include "tst_ctlways.moc"
